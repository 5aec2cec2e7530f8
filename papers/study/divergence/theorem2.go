package divergence

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// PaperTheorem2 is Theorem 2 as printed, a bound of Pr[KL(p‖q) > η] for all p "for any α > 0" and β ≥ dα/(e^{η/2} − 1):
//
//	exp(−βη²/(2(2+η)(4+3η))).
//
// It is false for small α: d = 1000, β = 100, α = 0.01, η = 1 and uniform p have the bound 0.092, and nearly every draw
// exceeds 1 nat. Use [Theorem2], or better [TheoremStar].
//
// Domain: d ≥ 2; β, α, η > 0, otherwise a *ParameterError; a β below the printed condition is a *ConditionError.
func PaperTheorem2(d int, beta, alpha, eta float64) (float64, error) {
	return theorem2("PaperTheorem2", d, beta, alpha, eta)
}

// Theorem2 is Theorem 2 of the paper with the condition that its proof uses: for α ≥ ½ and β ≥ dα/(e^{η/2} − 1),
//
//	Pr[KL(p‖q) > η] ≤ exp(−βη²/(2(2+η)(4+3η)))  for all p.
//
// Domain: d ≥ 2; β, α, η > 0, otherwise a *ParameterError; α < ½ or β too small is a *ConditionError.
func Theorem2(d int, beta, alpha, eta float64) (float64, error) {
	bound, err := theorem2("Theorem 2", d, beta, alpha, eta)
	if err == nil {
		err = atLeastHalf("Theorem 2", alpha)
	}
	if err != nil {
		return 0, err
	}
	return bound, nil
}

func theorem2(name string, d int, beta, alpha, eta float64) (float64, error) {
	if err := checkTail(name, d, beta, alpha, eta); err != nil {
		return 0, err
	}
	if least := leastBeta(d, alpha, eta); beta < least {
		return 0, &ConditionError{name, "beta", beta, least}
	}
	return math.Exp(-beta * rate2(eta)), nil
}

// rate2 is the rate of Theorem 2 in β.
func rate2(eta float64) float64 { return eta * eta / (2 * (2 + eta) * (4 + 3*eta)) }

// leastBeta is the β from which Theorem 2 holds.
func leastBeta(d int, alpha, eta float64) float64 { return float64(d) * alpha / math.Expm1(eta/2) }

// Theorem2W is the bound inside the proof of Theorem 2 before W is estimated (equation 16), for α ≥ ½ and every η > 0:
//
//	Pr[KL(p‖q) > η] ≤ exp(−β(W − 1)²/W),  W = W₀(βe^{1+η}/(β + dα)),  and 1 where W ≤ 1,
//
// W₀ being Lambert's function. Domain and errors as [Theorem2], without its condition on β.
func Theorem2W(d int, beta, alpha, eta float64) (float64, error) {
	if err := checkTail("Theorem2W", d, beta, alpha, eta); err != nil {
		return 0, err
	}
	if err := atLeastHalf("Theorem 2", alpha); err != nil {
		return 0, err
	}
	above := eta - math.Log1p(float64(d)*alpha/beta) // ln of the argument, less one
	if above <= 0 {
		return 1, nil
	}
	// v = W − 1 solves v + ln(1 + v) = above: concave, so Newton's method from v = above/2 ≤ v rises to it.
	v := above / 2
	for range 8 {
		v -= (v + math.Log1p(v) - above) * (1 + v) / (2 + v)
	}
	return math.Exp(-beta * v * v / (1 + v)), nil
}

func checkTail(function string, d int, beta, alpha, eta float64) error {
	return check(function, cells(d), domain.Positive("beta", beta), domain.Positive("alpha", alpha),
		domain.Positive("eta", eta))
}
