package noisycells

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/mcmc"
)

// two is a table of two cells, one with a negative count.
func two(n float64) *Problem {
	return &Problem{Rows: [][]float64{{1, 0}, {1, 1}}, First: []int64{7, 12}, Second: []int64{-3, 16}, Rate: .4, N: n,
		Deviation: []float64{2.5, 1}}
}

// Means and standard deviations over independent runs are those of quadrature, to 9.5 of their standard errors, which
// t of 29 degrees exceeds with a probability below 1e-9. Posteriors are told from it that have another rate of the
// noise, no second term of the closed form, a flat prior of λ, and, n public, no factor for the total.
func TestPosteriorIsThatOfQuadrature(t *testing.T) {
	const runs = 30
	plain, few := LogProbability, mcmc.Contract{Sweeps: 1500, RHat: 1.02, ESS: 300}
	for _, n := range []float64{0, 30} {
		p := two(n)
		var sum, square [4]float64
		for k := range runs {
			d, err := p.Sample(few.With(t.Context()), [32]byte{byte(k)})
			if err != nil {
				t.Fatal(err)
			}
			for j := range 2 {
				mean, second := 0., 0.
				for _, w := range d.Weights {
					mean += w[j] / float64(len(d.Weights))
					second += w[j] * w[j] / float64(len(d.Weights))
				}
				for i, v := range []float64{mean, math.Sqrt(second - mean*mean)} {
					sum[2*j+i] += v / runs
					square[2*j+i] += v * v / runs
				}
			}
		}
		far := func(of func(r int64, mu, rate float64) float64, power float64, total bool) (worst float64) {
			mean, sd := p.marginal(of, power, total)
			for j := range 2 {
				for i, want := range []float64{mean[j], sd[j]} {
					k := 2*j + i
					se := math.Sqrt((square[k] - sum[k]*sum[k]) / (runs - 1))
					worst = math.Max(worst, math.Abs(sum[k]-want)/se)
				}
			}
			return worst
		}
		if z := far(plain, -.5, n > 0); z > 9.5 {
			t.Errorf("n = %v: %.3g standard errors off", n, z)
		}
		mutants := map[string]float64{
			"another rate":   far(func(r int64, mu, rate float64) float64 { return plain(r, mu, 2*rate) }, -.5, n > 0),
			"no second term": far(firstTerm, -.5, n > 0),
			"a flat prior":   far(plain, 0, n > 0),
		}
		if n > 0 {
			mutants["no total"] = far(plain, -.5, false)
		}
		for name, z := range mutants {
			if !(z > 9.5) {
				t.Errorf("n = %v: %s passes, %.3g standard errors off", n, name, z)
			}
		}
	}
}

// firstTerm is LogProbability without its second term, where there is another.
func firstTerm(r int64, mu, rate float64) float64 {
	c := newCount(r, rate)
	switch x := mu * c.up; {
	case r < 0:
		return c.logProbability(mu)
	case x >= c.r+2:
		return c.logPoisson(mu) + math.Log(c.below(x))
	default:
		return mu*math.Expm1(rate) - rate*c.r + math.Log1p(-math.Exp(c.logPoisson(x))*c.above(x))
	}
}

// The same seed gives the same draws, and another one others. A context ends the chains; those that may not run long
// enough are told.
func TestSampleIsAFunctionOfItsSeed(t *testing.T) {
	p := two(0)
	one, err := p.Sample(t.Context(), [32]byte{1})
	again, _ := p.Sample(t.Context(), [32]byte{1})
	other, _ := p.Sample(t.Context(), [32]byte{2})
	if err != nil || !reflect.DeepEqual(one, again) || reflect.DeepEqual(one, other) || one.Sweeps > 4*(warmUp+kept) {
		t.Error(err, one.Sweeps)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := p.Sample(ended, [32]byte{1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	never := mcmc.Contract{Sweeps: 1000, RHat: 1.01, ESS: 1e9}
	var apart *gram.NotConvergedError
	if _, err := p.Sample(never.With(t.Context()), [32]byte{1}); !errors.As(err, &apart) || apart.Sweeps < 10000 ||
		apart.Column < 0 || apart.Column > 1 {
		t.Error(err)
	}
}

// Numbers outside their domain are refused by a typed error; extreme ones inside it have a posterior.
func TestProblemsAreChecked(t *testing.T) {
	for name, change := range map[string]func(p *Problem){
		"no cells":   func(p *Problem) { p.Rows = nil },
		"no columns": func(p *Problem) { p.Deviation = nil },
		"a cell":     func(p *Problem) { p.First = p.First[:1] },
		"a row":      func(p *Problem) { p.Rows = [][]float64{{1}, {1, 1}} },
		"NaN":        func(p *Problem) { p.Rows = [][]float64{{1, math.NaN()}, {1, 1}} },
		"rate":       func(p *Problem) { p.Rate = 0 },
		"n":          func(p *Problem) { p.N = -1 },
		"prior":      func(p *Problem) { p.Deviation = []float64{1, math.Inf(1)} },
		"count":      func(p *Problem) { p.First = []int64{math.MinInt64, 0} },
	} {
		p := two(0)
		change(p)
		var e *domain.Error
		if _, err := p.Sample(t.Context(), [32]byte{}); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := p.Mode(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, c := range [][4]int64{{0, 0, 0, 0}, {-40, -40, -40, -40}, {1e6, -9, 4, 1e6}} {
		p := two(0)
		p.First, p.Second = c[:2], c[2:]
		if _, err := p.Sample(t.Context(), [32]byte{}); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}
