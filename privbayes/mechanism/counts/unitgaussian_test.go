package counts

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// shiftedDelta is δ(ε) of counts with noise that move by some numbers, by enumeration of Σ Δ_c·Z_c, on which
// alone the loss of Gaussian noise depends. What lies beyond twelve deviations is below 1e-31.
func shiftedDelta(one noise.Gaussian, epsilon float64, shifts []int) float64 {
	reach, squares := int(12*noise.SD(one))+2, 0
	sum := map[int]float64{0: 1}
	for _, s := range shifts {
		next := map[int]float64{}
		for w, p := range sum {
			for z := -reach; z <= reach; z++ {
				next[w+s*z] += p * math.Exp(one.LogProb(int64(z)))
			}
		}
		sum, squares = next, squares+s*s
	}
	delta := 0.0
	for w, p := range sum {
		delta += p * math.Max(0, -math.Expm1(epsilon-float64(squares+2*w)/(2*one.Sigma2())))
	}
	return delta
}

// Gaussian noise on counts of units of several rows is calibrated by the counts that they change. By enumeration no
// choice of rows spends more than is certified, and one spends over half of that. Noise of three quarters of the
// variance, and that of units of one row, spend more.
func TestUnitsHaveTheirOwnLoss(t *testing.T) {
	target := dp.ApproxDP(.8, 1e-2)
	for _, c := range []struct {
		m      model.Model
		levels []int
		adj    dp.Adjacency
	}{{model.Binary("c0"), []int{2}, dp.ReplaceOne}, {model.Categorical("c0"), []int{3}, dp.ReplaceOne},
		{model.Categorical("c0"), []int{4}, dp.AddRemove}, {model.NaiveBayes("c0"), []int{2, 2}, dp.AddRemove}} {
		for k := 2; k <= 4; k++ {
			name := fmt.Sprintf("%s, %s, k = %d", c.m, c.adj, k)
			of := func(rows int) (*mechanism.Plan, noise.Gaussian) {
				p := must.Get(DiscreteGaussian().Plan(t.Context(), unitShape(t, c.m, rows, c.levels...), target.Under(c.adj)))(t)
				z, _ := p.Noise()
				return p, z.(noise.Gaussian)
			}
			p, one := of(k)
			_, single := of(1)
			less := must.Get(noise.NewGaussian(noise.Rational{Num: 3 * one.Num, Den: 4 * one.Den}))(t)
			pair, vector := p.Pair().(loss.LatticePair)
			if !vector || pair.ByRho || pair.Least != one.Sigma2() || !p.Certificate().Verify(t.Context()).OK() {
				t.Errorf("%s: %+v", name, p.Pair())
			}
			worst, mutant, forgotten := 0.0, 0.0, 0.0
			for _, s := range unitShifts(rowChanges(unitShape(t, c.m, 1, c.levels...), c.adj, false), k) {
				worst = math.Max(worst, shiftedDelta(one, .8, s))
				mutant = math.Max(mutant, shiftedDelta(less, .8, s))
				forgotten = math.Max(forgotten, shiftedDelta(single, .8, s))
			}
			if worst > pair.Delta(.8) || pair.Delta(.8) > .01 || worst < .6*.01 {
				t.Errorf("%s: exact δ = %v, pair %v", name, worst, pair.Delta(.8))
			}
			if mutant < .0101 || forgotten < .02 {
				t.Errorf("%s: less noise passes: δ = %v, that of one row %v", name, mutant, forgotten)
			}
			byRho := noise.GaussianFamily.PairAt(one.Sigma2(), pair.Cells, k)
			if loss.Meets(byRho, target.Parameters) {
				t.Errorf("%s: ρ proves the same", name)
			}
			text := strings.ReplaceAll(string(must.Get(p.MarshalJSON())(t)), `,"vector":true`, "")
			if _, err := mechanism.ParsePlan(t.Context(), []byte(text)); err == nil {
				t.Errorf("%s: a plan by ρ with this noise is accepted", name)
			}
		}
	}
}

// Noise of σ² up to 13/2 has what ρ proves and no more, and its certificate says so.
func TestLittleNoiseOfUnitsGoesByRho(t *testing.T) {
	for epsilon, byRho := range map[float64]bool{1: false, 20: true, 60: true} {
		target := dp.ApproxDP(epsilon, 1e-2)
		p := must.Get(DiscreteGaussian().Plan(t.Context(), unitShape(t, model.Binary("c0"), 3, 2), target))(t)
		pair := p.Pair().(loss.LatticePair)
		rho := pair
		rho.ByRho = true
		formula := p.Certificate().Checks[1].Formula
		if (pair.Least <= 13./2) != byRho || (rho.Delta(epsilon) == pair.Delta(epsilon)) != byRho ||
			strings.Contains(formula, "N(μ, 1)") == byRho || !strings.Contains(formula, "ρ = mk²/(2σ²)") ||
			!p.Certificate().Verify(t.Context()).OK() {
			t.Errorf("ε = %v: %+v, %s", epsilon, pair, formula)
		}
	}
}
