// Package divergence says how far one draw of the Dirichlet mechanism lies from the histogram it is drawn from: in the
// mean, in the tail, and how many records it takes. Bounds stand in the form printed in "Dirichlet Mechanism for
// Differentially Private KL Divergence Minimization" (arXiv 2110.01984) and in a corrected, sharper form, side by side.
//
//   - [Theorem2] and [Theorem2W]: Theorem 2 of the paper with the condition α ≥ ½ that its proof needs;
//     [PaperTheorem2]: as printed.
//   - [TheoremStar] and [TheoremStarSimple]: Theorem 2*, which replaces it.
//   - [Chernoff]: equation (14), for known p. [ExactTail]: the probability itself. [OneHotTail]: for p at a corner.
//   - [RecordsTheorem2], [RecordsStar], [RecordsSimple], [RecordsOneHot] and [RecordsNeeded]: how many records a goal
//     takes.
//   - [Gains]: calibrations compared on one histogram.
//
// Throughout q ~ Dir(βp + α), α > 0 per cell, p a point of the simplex with d ≥ 2 cells. The mechanism with parameters
// r and α has β = rN on N records. Divergences KL(p‖q) are in nats. What takes p depends on data: a diagnostic,
// private: do not publish. The rest is public.
//
// # Sample complexity
//
// Section 4 of the paper calls its conditions a lower bound (Ω); they are sufficient conditions. With s = α/r, Theorem
// 2* gives: for α ≥ ½,
//
//	N ≥ (2/η)[d·s·ln 2 + ln(1/γ)/r]  suffices for  Pr[KL(p‖q) ≤ η] ≥ 1 − γ.
//
// In Algorithm 1, r = Θ(max(ε, √(ε/λ))) and s = 1/r + 4(λ−1), so for λ ≥ 2
//
//	N = O(√(λ/ε)(d + ln(1/γ))/η)       for ε ≤ 1/λ,
//	N = O((λd + ln(1/γ)/ε)/η)          for ε ≥ 1/λ:
//
// the rate is 1/η where the paper has 1/η². Two steps of its derivation fail: "ε < 1 implies r ≤ 1 and ψ′ = Θ(1)" (at λ
// = 5, r is 1 at ε = 0.39979; the crossover is at ε = 1/λ, not 1), and for 1/λ < ε < 1 its term in d is too small by up
// to √λ.
//
// Place: at the top, imported by nothing; docs/dirichlet.md and the claims cite it.
package divergence

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// ParameterError is an argument outside its domain: package, function and parameter, the value, and what was wanted.
type ParameterError = domain.Error

// ConditionError is a theorem asked about a case that it does not cover: the arguments are in the domain, the claim may
// be false there.
type ConditionError struct {
	Theorem, Quantity string
	Value, Least      float64
}

func (e *ConditionError) Error() string {
	return fmt.Sprintf("divergence: %s needs %s ≥ %.6g, not %.6g: it proves nothing there", e.Theorem, e.Quantity,
		e.Least, e.Value)
}

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("divergence", function, args...)
}

func cells(d int) domain.Argument { return domain.AtLeast("cells", d, 2) }

// simplex checks probabilities: a float64 may be off by rounding only.
func simplex(p []float64) domain.Argument {
	sum := 0.0
	for _, x := range p {
		if !(x >= 0) {
			return domain.Arg("p", x, false, "probabilities ≥ 0")
		}
		sum += x
	}
	return domain.Arg("p", sum, len(p) >= 2 && math.Abs(sum-1) <= 1e-9, "at least two probabilities of total 1 "+
		"within 1e-9")
}

// half is the α from which Theorem 2 and Theorem 2* hold: ψ(x) ≥ ln(x − ½) is used at x = (β−t)p_i + α, and α − ½ is
// dropped.
const half = 0.5

func atLeastHalf(theorem string, alpha float64) error {
	if alpha < half {
		return &ConditionError{theorem, "alpha", alpha, half}
	}
	return nil
}
