package families

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Assumption is Assumption 2 (and 1, with c = +Inf and L0 = L): ξ(ℓ ≤ L) ≥ 1 − e^{−c(L−L0)} for L > L0, c the Rate,
// and the Constant C ≥ sup p_θ(x)/φ(x), 0 when not known.
type Assumption struct{ L0, Rate, Constant float64 }

// Valid returns a *ParameterError unless L0 ≥ 0, c > 0 and C is 0 or at least 1.
func (a Assumption) Valid() error {
	c := need{family: "assumption"}
	c.that(a.L0 >= 0 && domain.Finite(a.L0), "L0", a.L0, "a finite number ≥ 0")
	c.that(a.Rate > 0, "c", a.Rate, "a number > 0, +Inf for Assumption 1")
	c.that(a.Constant == 0 || a.Constant >= 1 && domain.Finite(a.Constant), "C", a.Constant, "0 (not known) or a "+
		"finite number ≥ 1")
	return c.err
}

// Product is Lemma 5: n independent records keep L0 and c under the metric Σρ(x_i, y_i). C is not kept: Cⁿ is what
// follows in general, and it grows (about n^{d/2} for d regular parameters), so that the bounds that hold C get worse
// with n. *ParameterError for n < 1 or an invalid assumption. Source: theory/sampling.md §3.
func (a Assumption) Product(n int) (Assumption, error) {
	if err := a.Valid(); err != nil {
		return Assumption{}, err
	}
	if n < 1 {
		return Assumption{}, &ParameterError{Of: "families: product", Parameter: "n", Value: n, Want: "at least 1"}
	}
	out := a
	if a.Constant > 0 {
		out.Constant = math.Exp(float64(n) * math.Log(a.Constant))
	}
	return out, nil
}

// MetricTV is the total variation of two posteriors ρ apart under the assumption with known C:
//
//	J = D(x‖y) + D(y‖x) ≤ C(L0 + 1/c)ρ,  TV ≤ ½√J,
//
// for every c > 0 and in both directions at once, at most half of Theorem 7.2 for c ≥ 1; at most 1. NaN without C.
// Source: theory/sampling.md §5, §6.
func (a Assumption) MetricTV(rho float64) float64 {
	return math.Min(1, math.Sqrt(a.Jeffreys(rho))/2)
}

// Jeffreys is C(L0 + 1/c)ρ ≥ D(x‖y) + D(y‖x), in nats; NaN without C.
func (a Assumption) Jeffreys(rho float64) float64 {
	if a.Constant == 0 || !(rho >= 0) {
		return math.NaN()
	}
	return a.Constant * (a.L0 + 1/a.Rate) * rho
}

// TailDP is the corrected Corollary 9: with δ_L = sup_x ξ(ℓ > L | x) ≤ C·e^{−c(L−L0)}, the posterior is
//
//	(2Lρ + ln 1/(1−δ_L), δ_L)-DP
//
// between data sets ρ apart, for every L ≥ L0. *ParameterError for L < L0, an unknown C, or a δ_L ≥ 1, where nothing is
// claimed. Source: theory/sampling.md §7.
func (a Assumption) TailDP(l, rho float64) (epsilon, delta float64, err error) {
	if err := a.Valid(); err != nil {
		return 0, 0, err
	}
	c := need{family: "Corollary 9"}
	c.that(l >= a.L0, "L", l, fmt.Sprintf("at least L0 = %v", a.L0))
	c.that(a.Constant > 0, "C", a.Constant, "known")
	c.that(rho >= 0 && domain.Finite(rho), "ρ", rho, "a finite number ≥ 0")
	delta = a.Constant * math.Exp(-a.Rate*(l-a.L0))
	c.that(delta < 1, "δ_L", delta, "below 1: take a larger L")
	if c.err != nil {
		return 0, 0, c.err
	}
	return 2*l*rho - math.Log1p(-delta), delta, nil
}

// NetworkOscillation is the corrected Lemma 24 for K nodes of m states with probabilities at least ε₀: 2K·L between
// data sets that differ in one record, 2(1 + children)·L in one cell of a node with that many children, L = ln((1 −
// (m−1)ε₀)/ε₀). The paper's 2‖v‖_∞ ln 1/ε₀ for a record is false. *ParameterError. Source: theory/sampling.md §16.
func NetworkOscillation(k, m, children int, floor float64, unit NetworkUnit) (float64, error) {
	c := need{family: "Lemma 24"}
	c.that(k >= 1, "K", k, "at least one node")
	c.that(m >= 2, "m", m, "at least 2 states")
	c.that(children >= 0 && children < max(k, 1), "children", children, "0 to K − 1")
	c.that(floor > 0 && floor*float64(m) < 1, "ε₀", floor, "inside (0, 1/m)")
	if c.err != nil {
		return 0, c.err
	}
	factors := k
	if unit == OneCell {
		factors = 1 + children
	}
	return 2 * float64(factors) * floorLipschitz(m, floor), nil
}

// PrivateForEveryPrior is Theorem 6 in its true reading: the posterior is ε-DP (under ρ = 1) for every prior on the
// parameter set if and only if the oscillation of the log-likelihood ratio is at most ε. "If" holds because the
// evidence ratio lies between the extremes of the likelihood ratio; "only if" by the two-point priors of
// TwoPointEpsilon. The paper's alternative "A for all pairs, or B for all pairs" is neither. Source: theory/sampling.md
// §4.
func PrivateForEveryPrior(oscillation, epsilon float64) bool { return oscillation <= epsilon }

// TwoPointEpsilon is the exact ε between the posteriors of two data sets whose log-likelihood ratios at two points
// differ by osc, when the posterior given y puts weight w on the point with the larger ratio:
//
//	max( osc − ln(1 + w(e^osc − 1)), ln(1 + w(e^osc − 1)) ),  0 < w < 1.
//
// It tends to osc as w → 0 or 1, and is osc/2 in between: what a prior can gain. NaN outside the domain.
func TwoPointEpsilon(oscillation, weight float64) float64 {
	if !(oscillation >= 0 && weight > 0 && weight < 1) {
		return math.NaN()
	}
	// ln(1 − w + w·e^osc) without overflow
	evidence := oscillation + math.Log(weight+(1-weight)*math.Exp(-oscillation))
	return math.Max(oscillation-evidence, evidence)
}
