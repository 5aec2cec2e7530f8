package quantiles_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The interval holds the quantile of the rows at least as often as it says, with ties and without: of 400 draws that
// each miss with probability .1 at most, 80 miss with probability below 1e-9. Ranks that are too near the quantile miss
// more often.
func TestIntervalsHoldTheQuantile(t *testing.T) {
	const n, runs, p = 3000, 400, .3
	for _, ties := range []bool{false, true} {
		src := rand.New(rand.NewPCG(3, 4))
		counts := make([]int64, 1001)
		for range n {
			x := 60 * math.Exp(.8*src.NormFloat64())
			if ties {
				x = 50 * math.Round(x/50)
			}
			counts[int(math.Min(x, 1000))]++
		}
		truth, below := 0, int64(0)
		for v, c := range counts {
			if below += c; float64(below) >= p*n {
				truth = v
				break
			}
		}
		low, high := must.Get2(quantiles.Around(shape(t, n, 1, model.Quantiles("k", p)), p, .1, .1))(t)
		missed := func(low, high float64) (out int) {
			pl := must.Get(quantiles.EM().Plan(t.Context(), shape(t, n, 1, model.Quantiles("k", low, high)), dp.PureDP(.1)))(t)
			st := must.Get(model.FromWhole(pl.Shape(), n, counts))(t)
			for seed := range uint64(runs) {
				d := must.Get(pl.Draw(t.Context(), st, "test", dp.Seeded(seed)))(t)
				e := must.Get(pl.Estimate(t.Context(), d))(t)
				if v := e.Draws.Mean(); v[0] > float64(truth) || v[1] < float64(truth) {
					out++
				}
			}
			return out
		}
		if k := missed(low, high); k > 80 {
			t.Errorf("ties %v: %d of %d intervals between ranks %v and %v miss", ties, k, runs, low, high)
		}
		if k := missed(p-.001, p+.001); !ties && k <= 80 {
			t.Errorf("intervals that are too short miss %d times: the test finds nothing", k)
		}
		if high-low > .3 {
			t.Errorf("from %v to %v: too wide to be of use", low, high)
		}
	}
}

func TestAroundRefuses(t *testing.T) {
	sh := shape(t, 1000, 1, model.Quantiles("k", .5))
	var e *dp.ParameterError
	for name, f := range map[string]func() (float64, float64, error){
		"p":       func() (float64, float64, error) { return quantiles.Around(sh, 1, 1, .1) },
		"missed":  func() (float64, float64, error) { return quantiles.Around(sh, .5, 1, 0) },
		"ε":       func() (float64, float64, error) { return quantiles.Around(sh, .5, math.NaN(), .1) },
		"n·ε":     func() (float64, float64, error) { return quantiles.Around(sh, .5, .05, .1) },
		"private": func() (float64, float64, error) { return quantiles.Around(sh.WithoutN(), .5, 1, .1) },
		"a mean":  func() (float64, float64, error) { return quantiles.Around(shape(t, 9, 1, model.Mean("k")), .5, 1, .1) },
	} {
		if _, _, err := f(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
