package utility

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// PublicTail is McDiarmid's tail of the divergence with the data-free ranges of [PublicRange], in nats:
//
//	P[f(Z) ≥ E f(Z) + sqrt(½ ln(1/δ) Σ c_ij²)] ≤ δ for every data set of n records.
//
// It grows like n ln n · sqrt(m ln(1/δ)), not like the printed sqrt(m n ln n ln(1/δ)). Public: no count enters. Domain:
// at least one prior, α, β > 0, n ≥ 1, 0 < δ < 1; otherwise a *domain.Error.
func PublicTail(priors []Prior, n int, delta float64) (float64, error) {
	if err := check("PublicTail", domain.AtLeast("number of priors", len(priors), 1),
		domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	squares := 0.0
	for i, p := range priors {
		c, err := PublicRange(p, n)
		if err != nil {
			return 0, fmt.Errorf("utility: prior %d: %w", i, err)
		}
		squares += c * c
	}
	return math.Sqrt(-math.Log(delta) / 2 * squares), nil
}

// Form is one of the three ways in which the paper prints the range c_ij of Theorem 1.
type Form int

const (
	TheoremForm Form = iota // (2n+1) ln[(α+n+1) + (β+n+1)], in Theorem 1
	LemmaForm               // (2n+1) [ln(α+n+1) + (β+n+1)], in Lemma A.4
	ProofForm               // (2n+1) [ln(α+n+1) + ln(β+n+1)], at the end of its proof
)

// String is where the form is printed.
func (f Form) String() string {
	switch f {
	case TheoremForm:
		return "Theorem 1"
	case LemmaForm:
		return "Lemma A.4"
	case ProofForm:
		return "proof of Lemma A.4"
	}
	return "unknown form"
}

// PaperRange is the range c_ij of one divergence as printed, in nats. As a bound of [CornerMax] it holds for α, β ≥ ½
// in [ProofForm], and is then loose; it fails for small priors: α = β = 0.1, n = 1 has the range 10.0, where the three
// forms claim 4.31, 8.53 and 4.45.
//
// Domain: one of the three forms, α, β > 0, n ≥ 1; otherwise a *domain.Error.
func PaperRange(f Form, p Prior, n int) (float64, error) {
	args := append(p.arguments(), domain.AtLeast("n", n, 1),
		domain.Arg("form", int(f), f >= TheoremForm && f <= ProofForm, "TheoremForm, LemmaForm or ProofForm"))
	if err := check("PaperRange", args...); err != nil {
		return 0, err
	}
	N := float64(n)
	x, y := p.Alpha+N+1, p.Beta+N+1
	switch f {
	case TheoremForm:
		return (2*N + 1) * math.Log(x+y), nil
	case LemmaForm:
		return (2*N + 1) * (math.Log(x) + y), nil
	default:
		return (2*N + 1) * (math.Log(x) + math.Log(y)), nil
	}
}

// PaperExpected is the bound of E f_ij in Theorem 1 as printed, in nats:
//
//	U = n ln[(α + A)(β + B)].
//
// It fails for the uniform prior, the paper's own: α = β = 1 and counts (0, 0) give 0, but the mean is 0.125 at n = 1,
// b = 1. For α, β ≥ 2 no violation is known, and it is loose. Private, like its counts. Domain: α, β > 0, n ≥ 1, counts
// in [0, n]; otherwise a *domain.Error.
func PaperExpected(c Cell, n int) (float64, error) {
	if err := check("PaperExpected", c.arguments(n, 1)...); err != nil {
		return 0, err
	}
	return float64(n) * (math.Log(c.Alpha+c.A) + math.Log(c.Beta+c.B)), nil
}

// PaperRefined is the refined bound of E f_ij for n ≥ b in Theorem 1 as printed, in nats:
//
//	ln[(α+n+1)(β+n+1)] (n/2) e^{−n/b}.
//
// It fails: it falls exponentially in n/b, the mean only like b²/n. α = β = 2, n = 2, b = 1/4,
// counts (0, 2) has the mean 0.0187, where 0.00108 is claimed.
//
// Domain: α, β > 0, n ≥ 1, 0 < b ≤ n; otherwise a *domain.Error.
func PaperRefined(p Prior, n int, b float64) (float64, error) {
	args := append(p.arguments(), domain.AtLeast("n", n, 1),
		domain.Arg("b", b, b > 0 && b <= float64(n), "a scale in (0, n]"))
	if err := check("PaperRefined", args...); err != nil {
		return 0, err
	}
	N := float64(n)
	return (math.Log(p.Alpha+N+1) + math.Log(p.Beta+N+1)) * N / 2 * math.Exp(-N/b), nil
}
