package utility

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

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
// Domain: one of the three forms, α, β > 0, n ≥ 1; otherwise a *ParameterError.
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

// PaperTail is the tail of Theorem 1 as printed, sqrt(−½ ln δ Σ c_ij). It is wrong even in its units: McDiarmid's
// inequality needs Σ c_ij². It fails: α = β = 2, n = 10, b = 5, counts (10, 0), δ = 0.01 exceeds mean + tail in
// [TheoremForm] with probability 0.0136; and with α = β = 1, n = 50, counts (50, 0) and b = 1000, all three forms are
// exceeded with probability near ¼ where δ = 0.05 is claimed.
//
// Domain: at least one range, each ≥ 0 and finite; 0 < δ < 1; otherwise a *ParameterError.
func PaperTail(ranges []float64, delta float64) (float64, error) {
	args := []domain.Argument{domain.AtLeast("number of ranges", len(ranges), 1), domain.Probability("delta", delta)}
	sum := 0.0
	for _, c := range ranges {
		args = append(args, domain.Arg("range", c, c >= 0 && domain.Finite(c), "a finite number ≥ 0"))
		sum += c
	}
	if err := check("PaperTail", args...); err != nil {
		return 0, err
	}
	return math.Sqrt(-math.Log(delta) / 2 * sum), nil
}

// PaperExpected is the bound of E f_ij in Theorem 1 as printed, in nats:
//
//	U = n ln[(α + A)(β + B)].
//
// It fails for the uniform prior, the paper's own: α = β = 1 and counts (0, 0) give 0, but the mean is 0.125 at n = 1,
// b = 1. For α, β ≥ 2 no violation is known, and it is loose. Private, like its counts. Domain: α, β > 0, n ≥ 1, counts
// in [0, n]; otherwise a *ParameterError.
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
// It fails: it falls exponentially in n/b, the mean only like b²/n ([ExpectedKLInterior]). α = β = 2, n = 2, b = 1/4,
// counts (0, 2) has the mean 0.0187, where 0.00108 is claimed.
//
// Domain: α, β > 0, n ≥ 1, 0 < b ≤ n; otherwise a *ParameterError.
func PaperRefined(p Prior, n int, b float64) (float64, error) {
	args := append(p.arguments(), domain.AtLeast("n", n, 1),
		domain.Arg("b", b, b > 0 && b <= float64(n), "a scale in (0, n]"))
	if err := check("PaperRefined", args...); err != nil {
		return 0, err
	}
	N := float64(n)
	return (math.Log(p.Alpha+N+1) + math.Log(p.Beta+N+1)) * N / 2 * math.Exp(-N/b), nil
}

// PaperLemmaA3 is the bound of f(z) in Lemma A.3 as printed, in nats:
//
//	A ln(α+A) + B ln(β+B) − z₁ ln(α+A−1) − z₂ ln(β+B−1).
//
// It fails: its closed form of the divergence drops the lnΓ and ψ of the totals. α = β = 2, counts (0, 0), z = (½, 0)
// gives 0, but the divergence is 0.0394; see [Cell.Divergence]. Private, like its counts.
//
// Domain: α, β ≥ 2, as the lemma asks; n ≥ 1; counts and z in [0, n]; otherwise a *ParameterError.
func PaperLemmaA3(c Cell, n int, z1, z2 float64) (float64, error) {
	args := append(c.arguments(n, 1), count("z1", z1, n), count("z2", z2, n),
		domain.Arg("alpha", c.Alpha, c.Alpha >= 2, "at least 2"), domain.Arg("beta", c.Beta, c.Beta >= 2, "at least 2"))
	if err := check("PaperLemmaA3", args...); err != nil {
		return 0, err
	}
	x, y := c.Alpha+c.A, c.Beta+c.B
	return c.A*math.Log(x) + c.B*math.Log(y) - z1*math.Log(x-1) - z2*math.Log(y-1), nil
}
