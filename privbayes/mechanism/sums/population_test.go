package sums

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Skewed and flat populations, with no model of them: a part of the 27 settings, each within .93 to 1 but for chance.
func TestPopulationMeansAreCovered(t *testing.T) {
	if testing.Short() {
		t.Skip("a study by simulation")
	}
	s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Real("x", 0, 1)}}
	src := dp.Seeded(21)
	const times = 150
	for name, c := range map[string]struct {
		draw func() float64
		mean float64
	}{
		"uniform": {func() float64 { return sample.Float64(src) }, .5},
		"squares": {func() float64 { u := sample.Float64(src); return u * u }, 1.0 / 3},
		"skewed":  {func() float64 { return math.Min(1, math.Exp(sample.Normal(src)-3)) }, math.NaN()},
	} {
		if math.IsNaN(c.mean) {
			c.mean = 0
			for range 400_000 {
				c.mean += c.draw() / 400_000
			}
		}
		for _, n := range []int{50, 500} {
			for _, eps := range []float64{.1, 2} {
				for _, m := range []model.Model{model.MeanSD("x"), model.Mean("x")} {
					sh := must[*model.Shape](t)(model.NewShape(s, m, n, true, ""))
					p := plan(t, New(), sh, dp.PureDP(eps))
					held, width := 0, 0.0
					for range times {
						whole := make([]int64, sh.Lattice().Len())
						for range n {
							sh.Lattice().Add(whole, []int64{sh.Lattice().At(0, c.draw())}, 0)
						}
						st := must[*model.Statistics](t)(model.FromWhole(sh, n, whole))
						d := must[*mechanism.Drawn](t)(p.Draw(t.Context(), st, "id", src))
						lo, hi, err := PopulationMean(p, d.Raw[0], .95)
						if err != nil {
							t.Fatal(err)
						}
						if lo <= c.mean && c.mean <= hi {
							held++
						}
						width += (hi - lo) / times
					}
					// six standard errors at .93
					if share := float64(held) / times; share < .93-6.2*math.Sqrt(.93*.07/times) || width > 1 {
						t.Errorf("%s, %s, n = %d, ε = %v: covered %.3f, width %.3f", m, name, n, eps, share, width)
					}
				}
			}
		}
	}
}

// The quantiles are those of simulated errors.
func TestQuantileOfNoise(t *testing.T) {
	src := dp.Seeded(22)
	const times = 40_000
	for law, draw := range map[string]func() float64{
		geometricLaw: func() float64 {
			return float64(sample.TwoSidedGeometric{Num: 1, Den: 1000}.Draw(src)) / 1000 / math.Sqrt2
		},
		gaussianLaw: func() float64 { return sample.Normal(src) },
		parabolaLaw: func() float64 {
			d, _ := sample.Parabola{M: 1000, Num: 1, Den: 1}.Draw(src)
			return float64(d) / 1000 / math.Sqrt(parabolaFirst)
		},
	} {
		for _, sd := range []float64{0, .7} {
			q := quantileOf(law, 1.3, sd, .9)
			inside := 0
			for range times {
				if math.Abs(1.3*draw()+sd*sample.Normal(src)) <= q {
					inside++
				}
			}
			if share := float64(inside) / times; math.Abs(share-.9) > .004+6.2*math.Sqrt(.09/times) {
				t.Errorf("%s, sd %v: %.4f inside", law, sd, share)
			}
		}
	}
}

func TestPopulationMeanRefuses(t *testing.T) {
	p := plan(t, New(), shapeOf(t, model.Mean("age"), 50, 1), dp.PureDP(1))
	pair := plan(t, New(), shapeOf(t, model.Mean("age"), 50, 1), dp.PureDP(1).Under(dp.AddRemove))
	for name, err := range map[string]error{
		"no plan":     third(PopulationMean(nil, []int64{1}, .95)),
		"level 1":     third(PopulationMean(p, []int64{1}, 1)),
		"two numbers": third(PopulationMean(p, []int64{1, 2}, .95)),
		"private n":   third(PopulationMean(pair, []int64{1, 2}, .95)),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
		var unsupported *mechanism.UnsupportedError
		if errors.As(err, &unsupported) && unsupported.Mechanism == "" {
			t.Errorf("%s: %v names no mechanism", name, err)
		}
	}
}

func third(_, _ float64, err error) error { return err }
