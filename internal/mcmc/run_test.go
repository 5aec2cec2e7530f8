package mcmc

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// walk is autoregressive: x' = r·x + √(1 − r²)·z, standard normal, and a second quantity that is constant.
type walk struct {
	x, r, shift float64
	src         *rand.Rand
	sweeps      int
}

func (w *walk) Sweep(bool) {
	w.sweeps++
	w.x = w.r*w.x + math.Sqrt(1-w.r*w.r)*w.src.NormFloat64()
}

func (w *walk) Quantities() []float64 { return []float64{w.x + w.shift, w.shift} }

func walks(r, apart float64) (out []Chain) {
	for i := range 4 {
		out = append(out, &walk{r: r, shift: apart * float64(i), src: rand.New(rand.NewPCG(3, uint64(i)))})
	}
	return out
}

// Chains that agree stop at once, slow ones run twice as long and longer, thinned to as many draws, and what changes
// between rounds is told; those that never agree are an error that names the quantity.
func TestChainsRunUntilTheyAgree(t *testing.T) {
	told := 0
	runs := Runs{WarmUp: 10, Kept: 500, Most: 40_000, Limits: []Limit{{1.01, 400}, {1.01, 0}},
		Between: func(Traces) { told++ }}
	fast, sweeps, err := runs.Draw(t.Context(), walks(.1, 0)...)
	if err != nil || sweeps != 510 || told != 0 || len(fast.Rows(1)) != 2000 || len(fast.Rows(2)[7]) != 2 {
		t.Error(sweeps, told, err)
	}
	chains := walks(.9, 0)
	slow, sweeps, err := runs.Draw(t.Context(), chains...)
	if err != nil || sweeps <= 510 || told == 0 || len(slow.Rows(1)) != 2000 || chains[0].(*walk).sweeps != sweeps {
		t.Error(sweeps, told, err)
	}
	mean, covariance := slow.Pooled(2)
	// 2000 draws of ESS 400 or more: 6.5 standard errors fail with probability below 1e-9
	if math.Abs(mean[0]) > 6.5/20 || math.Abs(covariance[0]-1) > 6.5*math.Sqrt(2)/20 || covariance[1] != 0 ||
		covariance[3] != 0 {
		t.Error(mean, covariance)
	}
	var apart *ApartError
	if _, _, err := runs.Draw(t.Context(), walks(.1, 3)...); !errors.As(err, &apart) || apart.Sweeps < 10_000 ||
		apart.RHat < 1.1 {
		t.Error(err)
	}
	runs.Limits[0], runs.Limits[1] = Limit{}, Limit{}
	if _, sweeps, err := runs.Draw(t.Context(), walks(.1, 3)...); err != nil || sweeps != 510 {
		t.Error("a quantity without a limit is looked at", err)
	}
	var done, total []int64
	seen := WithProgress(t.Context(), func(d, of int64) { done, total = append(done, d), append(total, of) })
	if _, sweeps, err := runs.Draw(seen, walks(.1, 0)...); err != nil || !slices.IsSorted(done) ||
		!slices.IsSorted(total) || done[0] != 0 || total[len(total)-1] != int64(sweeps) ||
		int64(sweeps)-done[len(done)-1] > 16 {
		t.Errorf("%d sweeps, told %v of %v: %v", sweeps, done, total, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := runs.Draw(ended, walks(.1, 0)...); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Both slices keep a standard normal distribution: means and variances of 20,000 draws, nearly independent ones, within
// 10 standard errors. A level above the density, which is a wrong slice, is told by its variance.
func TestSlicesKeepTheirDistribution(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	moments := func(next func(x float64) float64) (mean, variance float64) {
		const n = 20_000
		x := .5
		for range n {
			x = next(x)
			mean, variance = mean+x/n, variance+x*x/n
		}
		return mean, variance - mean*mean
	}
	along := func(raised float64) func(x float64) float64 {
		return func(x float64) float64 {
			log := func(d float64) float64 { return -(x + d) * (x + d) / 2 }
			lo := -6 * src.Float64()
			return x + Slice(src.Float64, lo, lo+6, log(0)+math.Log(1-src.Float64())*raised, log)
		}
	}
	round := func(x float64) float64 { // about N(0, 4), with the density N(0, 1)/N(0, 4)
		turn, at := 2*src.NormFloat64(), x
		log := func(v float64) float64 { return -v*v/2 + v*v/8 }
		Circle(src.Float64, 60, log(x)+math.Log(1-src.Float64()), func(cos, sin float64) float64 {
			at = x*cos + turn*sin
			return log(at)
		})
		return at
	}
	for name, next := range map[string]func(float64) float64{"slice": along(1), "circle": round} {
		if m, v := moments(next); math.Abs(m) > .1 || math.Abs(v-1) > .1 {
			t.Errorf("%s: mean %.3f, variance %.3f", name, m, v)
		}
	}
	if _, v := moments(along(.5)); math.Abs(v-1) <= .1 {
		t.Errorf("another level passes: variance %.3f", v)
	}
	if Circle(src.Float64, 5, 1, func(_, _ float64) float64 { return 0 }) ||
		Slice(src.Float64, -1, 1, 1, func(float64) float64 { return 0 }) != 0 {
		t.Error("what is nowhere is found")
	}
}
