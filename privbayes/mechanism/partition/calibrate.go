package partition

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// MostCategories is the largest number of categories of a unit that can be asked for.
const MostCategories = 1000

// Change is what one unit does to the counts.
type Change struct {
	Most  int `json:"most"`  // categories of one unit, at most
	Moved int `json:"moved"` // counts that change by one: Most where a unit is added or removed, twice that where replaced
}

// ChangeOf is what a unit of at most k categories does under an adjacency. *dp.ParameterError for a k out of range, and
// for replace-value, which would leave the categories of a unit unprotected or their number public.
func ChangeOf(k int, adjacency dp.Adjacency) (Change, error) {
	if k < 1 || k > MostCategories {
		return Change{}, domain.Refuse("partition", "categories of a unit", k, fmt.Sprintf("1 to %d: without a bound one "+
			"unit could change every count", MostCategories))
	}
	switch adjacency {
	case dp.AddRemove:
		return Change{k, k}, nil
	case dp.ReplaceOne:
		return Change{k, 2 * k}, nil
	}
	return Change{}, domain.Refuse("partition", "adjacency", adjacency, "replace-one or add-remove")
}

func (c Change) valid() error {
	if c.Most < 1 || c.Most > MostCategories || c.Moved != c.Most && c.Moved != 2*c.Most {
		return domain.Refuse("partition", "change", fmt.Sprint(c), "that of a unit of 1 to 1000 categories")
	}
	return nil
}

// Delta is δ at ε of all that is released, rounded up. With r counts moved of a unit of k categories, it is of the
// truncated geometric noise, exactly,
//
//	δ∞ + (1 − δ∞)·Σ_j C(r,j) p^j (1−p)^{r−j} (1 − e^{ε−γ(2j−r)})₊,  δ∞ = 1 − (1−δ₀)^r,  p = 1/(1+e^{−γ}),
//
// δ₀ = P(Z = cut), and of the Gaussian noise, as an upper bound, with δ₁ = P(Z ≥ cut) and the profile δ_r of r counts,
//
//	1 − (1−δ₁)^k + δ_r(ε + k·ln(1−δ₁)).
//
// Proofs: theory/categories.md §2 and §3.
func (r Rule) Delta(epsilon float64, c Change) float64 {
	alone := r.shownAlone()
	if r.Noise == Geometric {
		return geometricDelta(r.parameter(), alone, c.Moved, epsilon)
	}
	hidden := float64(c.Most) * math.Log1p(-alone)
	if epsilon+hidden <= 0 {
		return 1
	}
	pair := loss.DiscreteGaussianPair{Sigma2: r.parameter(), Cells: c.Moved, Shift: 1}
	return slackened(-math.Expm1(hidden) + pair.Delta(epsilon+hidden))
}

// geometricDelta is Delta of the truncated geometric noise by its rate and δ₀.
func geometricDelta(rate, alone float64, moved int, epsilon float64) float64 {
	never := -math.Expm1(float64(moved) * math.Log1p(-alone))
	return slackened(never + (1-never)*loss.GeometricPair{Rate: rate, Cells: moved}.Delta(epsilon))
}

// Calibrate is the rule with the lowest cut that meets (ε, δ), of both distributions. Errors: *dp.ParameterError for a
// level that none meets within the bounds of the samplers.
func Calibrate(level dp.Parameters, c Change) (Rule, error) {
	if err := c.valid(); err != nil {
		return Rule{}, err
	}
	epsilon, delta := float64(level.Epsilon), level.Delta
	best, met := calibrateGeometric(epsilon, delta, c)
	if c.Moved > 1 {
		if other, ok := calibrateGaussian(epsilon, delta, c); ok && (!met || other.Cut < best.Cut) {
			best, met = other, true
		}
	}
	if !met {
		return Rule{}, domain.Refuse("partition", "level", level, "an ε and a δ for which the cut is below 2^40")
	}
	return best, nil
}

// steps is how many rates are tried, from ε/r to (ε/r)·r^.62: beyond that the least cut only rises.
const steps = 400

// calibrateGeometric takes the least cut over the rates, and the greatest rate among those with it.
func calibrateGeometric(epsilon, delta float64, c Change) (best Rule, met bool) {
	r := float64(c.Moved)
	for i := range steps + 1 {
		x := epsilon / r * (1 - 1e-6) * math.Pow(r, .62*float64(i)/steps)
		rate := noise.DyadicTo(x, 24, 1<<40, false)
		rule := Rule{Geometric, rate.Num, rate.Den, maxCut}
		if rate.Num == 0 || rule.Valid() != nil || rule.Delta(epsilon, c) > delta {
			continue
		}
		most := int64(maxCut)
		if met {
			most = best.Cut
		}
		rule.Cut = first(1, most, func(cut int64) bool {
			rule.Cut = cut
			return rule.Delta(epsilon, c) <= delta
		})
		if rule.Delta(epsilon, c) <= delta {
			best, met = rule, true
		}
		if c.Moved == 1 { // all rates are the same
			break
		}
	}
	return best, met
}

// calibrateGaussian gives half of δ to each term, which costs at most about one count (theory/categories.md §3).
func calibrateGaussian(epsilon, delta float64, c Change) (rule Rule, met bool) {
	left := epsilon + math.Log1p(-delta/2)
	if left <= 0 {
		return rule, false
	}
	fits := func(sigma2 float64) bool {
		return loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: c.Moved, Shift: 1}.Delta(left) <= delta/2*(1-1e-6)
	}
	lo, hi := 1e-2, 1e12
	if !fits(hi) {
		return rule, false
	}
	for hi/lo > 1+1e-5 {
		if mid := math.Sqrt(lo * hi); fits(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	sigma2 := noise.DyadicTo(hi, 24, 1<<20, true)
	rule = Rule{Gaussian, sigma2.Num, sigma2.Den, maxCut}
	if rule.Valid() != nil {
		return rule, false
	}
	rule.Cut = first(1, maxCut, func(cut int64) bool {
		rule.Cut = cut
		return -math.Expm1(float64(c.Most)*math.Log1p(-rule.shownAlone())) <= delta/2*(1-1e-6)
	})
	return rule, rule.Valid() == nil && rule.Delta(epsilon, c) <= delta
}
