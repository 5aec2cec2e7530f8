package counts

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// exactly compares a plan's δ with the exact one of the noise that it ships, as a function of the rate's multiple:
// attained, not exceeded, and exceeded at three halves of the rate.
func exactly(t *testing.T, name string, p *mechanism.Plan, rel float64, delta func(epsilon, times float64) float64) {
	t.Helper()
	g := p.Certified()
	have, want := delta(float64(g.Epsilon), 1), g.Delta
	if have > want*(1+1e-9) || have < want*(1-rel) {
		t.Errorf("%s: exact δ = %v, plan %v", name, have, want)
	}
	if mutant := delta(float64(g.Epsilon), 1.5); mutant <= want*(1+1e-9) {
		t.Errorf("%s: two thirds of the scale pass: %v of %v", name, mutant, want)
	}
}

// A unit of k rows that moves them all between two cells, under K-norm noise: the sum over noisy tables of the
// sampler's own weights.
func TestKNormUnitsOfSeveralRows(t *testing.T) {
	const reach = 3000
	for k := 1; k <= 4; k++ {
		p := must.Get(KNorm().Plan(t.Context(), unitShape(t, model.Binary("c0"), k, 2), dp.ApproxDP(.8, 1e-2)))(t)
		r := p.Sampler(access.Mine()).(*knormSampler).laws[0].(noise.Geometric)
		exactly(t, "K-norm", p, 1e-6, func(epsilon, times float64) float64 {
			law := must.Get(sample.NewSumZero(2, r.Num*uint64(2*times), r.Den*2))(t)
			at := func(z int64) float64 { return math.Exp(law.LogWeight([]int64{z, -z}) - law.LogNorm()) }
			delta := 0.0
			for z := int64(-reach); z <= reach; z++ {
				delta += math.Max(0, at(z)-math.Exp(epsilon)*at(z-int64(k)))
			}
			return delta
		})
	}
}

// k rows of one unit that enter one cell, under Laplace noise of scale b: δ = 1 − e^{(ε − k/b)/2}, and the lattice
// changes it by little.
func TestLaplaceUnitsOfSeveralRows(t *testing.T) {
	for k := 1; k <= 4; k++ {
		sh := unitShape(t, model.Binary("c0"), k, 2).WithoutN()
		p := must.Get(Laplace().Plan(t.Context(), sh, dp.ApproxDP(.8, 1e-2).Under(dp.AddRemove)))(t)
		r := p.Sampler(access.Mine()).(*countSampler).laws[0].(noise.Laplace)
		rate := float64(r.Num) / float64(r.Den) * noise.LaplaceSteps
		exactly(t, "Laplace", p, 1e-3, func(epsilon, times float64) float64 {
			return -math.Expm1((epsilon - float64(k)*rate*times) / 2)
		})
	}
}

// A network with more than two levels: all the steps that k rows can move its coefficients, in one of them.
func TestLatticeUnitsOfSeveralRows(t *testing.T) {
	for k := 1; k <= 3; k++ {
		sh, target := unitShape(t, model.NaiveBayes("c0"), k, 2, 3), dp.ApproxDP(.8, 1e-2)
		prepared := must.Get(Fourier().prepare(t.Context(), sh, target))(t)
		p := must.Get(Fourier().Plan(t.Context(), sh, target))(t)
		r := p.Sampler(access.Mine()).(*fourierSampler).law.(noise.Geometric)
		moved := float64(prepared.lattice.steps) * float64(k) * float64(r.Num) / float64(r.Den)
		near := .02
		// there the pair falls back on randomised response, which dominates
		if prepared.lattice.steps*int64(k) > 1<<16 {
			near = .5
		}
		exactly(t, "Fourier", p, near, func(epsilon, times float64) float64 {
			return -math.Expm1((epsilon - moved*times) / 2)
		})
	}
}
