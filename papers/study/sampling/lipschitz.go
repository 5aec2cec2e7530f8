package sampling

import (
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// levelTolerance joins values of ℓ that differ by rounding, such as those of θ and 1 − θ.
const levelTolerance = 1e-12

// above tells l > limit beyond rounding.
func above(l, limit float64) bool { return l > limit+levelTolerance*(1+limit) }

// lipschitz is ℓ(θ) = max |ln p_θ(x) − ln p_θ(y)|/ρ(x, y) for every parameter (equation 2 of the paper); +Inf where ρ
// is 0 and the likelihoods differ. Multiplicities do not enter: they are the base measure, which no posterior depends
// on.
func (f *Family) lipschitz() []float64 {
	l := make([]float64, len(f.logPrior))
	for x, a := range f.logLik {
		for y := range x {
			for i, v := range f.logLik[y] {
				if d := math.Abs(a[i] - v); d > 0 {
					l[i] = math.Max(l[i], d/f.rho[x][y])
				}
			}
		}
	}
	return l
}

// Level is one step of the mass of L-Lipschitz parameters: a value of ℓ and ξ(Θ_L) = ξ(ℓ(θ) ≤ L) from there on.
type Level struct{ L, Mass float64 }

// Levels are the steps of ξ(Θ_L) against L, ascending, on the support of the prior: the thick lines of Figure 1.
func (f *Family) Levels() []Level {
	type point struct{ l, w float64 }
	var points []point
	for i, l := range f.lipschitz() {
		if f.support(i) {
			points = append(points, point{l, math.Exp(f.logPrior[i])})
		}
	}
	sort.Slice(points, func(i, j int) bool { return points[i].l < points[j].l })
	var levels []Level
	mass := 0.0
	for _, p := range points {
		mass += p.w
		if last := len(levels) - 1; last >= 0 && p.l-levels[last].L <= levelTolerance*(1+p.l) {
			levels[last] = Level{p.l, mass}
		} else {
			levels = append(levels, Level{p.l, mass})
		}
	}
	levels[len(levels)-1].Mass = 1
	return levels
}

// Uniform is the L of Assumption 1, max ℓ(θ) over the support of the prior.
func (f *Family) Uniform() float64 {
	levels := f.Levels()
	return levels[len(levels)-1].L
}

// MeanL is E_ξ ℓ(θ): never more than L0 + 1/c for any pair that satisfies Assumption 2, and all that
// [Family.Robustness] needs of it.
func (f *Family) MeanL() float64 {
	sum := 0.0
	for i, l := range f.lipschitz() {
		if f.support(i) {
			sum += math.Exp(f.logPrior[i]) * l
		}
	}
	return sum
}

// BestC is the largest c of Assumption 2, ξ(Θ_L) ≥ 1 − e^{−c(L−L0)} for all L ≥ L0:
//
//	c*(L0) = min over levels l > L0 of −ln ξ(ℓ ≥ l)/(l − L0),
//
// +Inf from the highest level on. Domain: L0 at least the lowest level, where the left side is positive; otherwise a
// *ParameterError. Source: theory/sampling.md §8.
func (f *Family) BestC(l0 float64) (float64, error) {
	levels := f.Levels()
	least := levels[0].L
	if err := check("BestC", domain.Arg("L0", l0, !math.IsNaN(l0) && !above(least, l0), "at least the lowest value "+
		"of ℓ(θ), see Levels")); err != nil {
		return 0, err
	}
	c := math.Inf(1)
	for i := 1; i < len(levels); i++ {
		if gap := levels[i].L - l0; gap > levelTolerance*(1+levels[i].L) {
			c = math.Min(c, -math.Log1p(-levels[i-1].Mass)/gap)
		}
	}
	return c, nil
}

// BestSum is the least L0 + 1/c*(L0), and the L0 where it is: the best that Assumption 2 can say about E ℓ. Between two
// levels 1/c* is the largest of the functions (l − L0)/k_l, k_l = −ln ξ(ℓ ≥ l), all linear in L0: the minimum is at a
// level or where two of them cross.
func (f *Family) BestSum() (sum, l0 float64) {
	levels := f.Levels()
	candidates := make([]float64, 0, len(levels)*len(levels))
	weight := make([]float64, len(levels)) // −ln ξ(ℓ ≥ l)
	for i, l := range levels {
		candidates = append(candidates, l.L)
		if i > 0 {
			weight[i] = -math.Log1p(-levels[i-1].Mass)
		}
	}
	for i := 1; i < len(levels); i++ {
		for j := 1; j < i; j++ { // (l_i − L0)/k_i = (l_j − L0)/k_j
			ki, kj := weight[i], weight[j]
			if l := (levels[i].L*kj - levels[j].L*ki) / (kj - ki); ki != kj && l >= levels[0].L &&
				l <= levels[len(levels)-1].L {
				candidates = append(candidates, l)
			}
		}
	}
	sum = math.Inf(1)
	for _, c := range candidates {
		if k, err := f.BestC(c); err == nil && c+1/k < sum {
			sum, l0 = c+1/k, c
		}
	}
	return sum, l0
}

// Constant is C of Theorem 7.2: the largest ratio of the maximum to the marginal likelihood, max_x max_θ p_θ(x)/φ(x)
// (equation 9), with θ in the support of the prior. At least 1.
func (f *Family) Constant() float64 {
	best := math.Inf(-1)
	terms := make([]float64, len(f.logPrior))
	for _, lik := range f.logLik {
		top := math.Inf(-1)
		for i, v := range lik {
			terms[i] = v + f.logPrior[i]
			if f.support(i) {
				top = math.Max(top, v)
			}
		}
		best = math.Max(best, top-num.LogSumExp(terms))
	}
	return math.Exp(best)
}
