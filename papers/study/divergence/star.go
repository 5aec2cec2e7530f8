package divergence

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// TheoremStar is Theorem 2*: for α ≥ ½, all p and η > 0, with n = β + dα and ρ = (β + α − ½)/n,
//
//	Pr[KL(p‖q) > η] ≤ exp(−n·kl(ρ‖e^{−η}))  where e^{−η} < ρ, and 1 elsewhere,
//
// kl being the divergence of two coins. It is never above Theorem 2 and nearly exact for p at a corner, see
// [OneHotTail].
//
// Proof. With M(t) = E e^{tKL} as in equation (14), d/dt ln M = ψ(s + dα) − Σ p_i ψ(sp_i + α) + Σ p_i ln p_i at s = β −
// t. Now ψ(x) ≤ ln x, ψ(x) ≥ ln(x − ½), and, p ↦ p ln(s + (α−½)/p) being concave with value 0 at 0, Σ p_i ln(s +
// (α−½)/p_i) ≥ ln(s + α − ½): the derivative is at most ln[(s + dα)/(s + α − ½)]. Minimise its integral less tη: (s₀ +
// dα)/(s₀ + α − ½) = e^η, and the value is −n·kl.
//
// Domain: d ≥ 2; β, α, η > 0, otherwise a *ParameterError; α < ½ is a *ConditionError.
func TheoremStar(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkStar("TheoremStar", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	return math.Exp(-starExponent(d, beta, alpha, eta)), nil
}

// TheoremStarSimple is the simpler, weaker form of Theorem 2*:
//
//	Pr[KL(p‖q) > η] ≤ min(1, 2^{dα} e^{−βη/2}),
//
// from ln[(s + dα)/(s + α − ½)] ≤ dα/s and t = β/2. Domain and errors as [TheoremStar].
func TheoremStarSimple(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkStar("TheoremStarSimple", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	return math.Exp(min(0, float64(d)*alpha*math.Ln2-beta*eta/2)), nil
}

// OneHotTail is Pr[KL(p‖q) > η] for p = (1, 0, …, 0), exactly: KL = −ln q₁ and q₁ ~ Beta(β + α, (d−1)α), so it is
//
//	I_x(β + α, (d−1)α),  x = e^{−η}.
//
// No condition on α. Domain: d ≥ 2; β, α, η > 0; otherwise a *ParameterError.
func OneHotTail(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkTail("OneHotTail", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	return oneHot(d, beta, alpha, eta), nil
}

func oneHot(d int, beta, alpha, eta float64) float64 {
	lower, _ := num.BetaTails(beta+alpha, float64(d-1)*alpha, math.Exp(-eta), -math.Expm1(-eta))
	return lower
}

// starExponent is n·kl(ρ‖e^{−η}), or 0 where e^{−η} ≥ ρ; 1 − ρ is known without subtraction.
func starExponent(d int, beta, alpha, eta float64) float64 {
	n := beta + float64(d)*alpha
	x, xc := (beta+alpha-half)/n, (float64(d-1)*alpha+half)/n
	y, yc := math.Exp(-eta), -math.Expm1(-eta)
	if yc <= xc {
		return 0
	}
	return n * coins(x, xc, y, yc)
}

// coins is kl(x‖y) of two coins given with their complements, as a sum without negative terms:
// y·φ((x−y)/y) + y′·φ((y−x)/y′), φ(h) = (1+h)ln(1+h) − h.
func coins(x, xc, y, yc float64) float64 {
	gap := x - y
	if xc < 0.5 {
		gap = yc - xc
	}
	return y*num.XLogXMinus(gap/y) + yc*num.XLogXMinus(max(-gap/yc, -1))
}

func checkStar(function string, d int, beta, alpha, eta float64) error {
	if err := checkTail(function, d, beta, alpha, eta); err != nil {
		return err
	}
	return atLeastHalf("Theorem 2*", alpha)
}
