package utility

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/parity"
)

// IncrementFailure is the exact probability that the increment 2tNb of Corollary 3 is below the sum of the N absolute
// noises Lap(b):
//
//	P(Gamma(N) > 2tN) = Q(N, 2tN),
//
// the regularised upper incomplete gamma function. When it is not below, the table is non-negative, and so is a joint
// table behind all marginals: a bound of the probability of a negative cell that no data enters.
//
// Domain: 1 ≤ N ≤ 2^30, t ≥ 0 and finite; otherwise a *ParameterError. Source: Corollary 3 of the network paper.
func IncrementFailure(coefficients int, t float64) (float64, error) {
	err := check("IncrementFailure", domain.Between("coefficients", coefficients, 1, parity.MaxShape),
		domain.Arg("t", t, t >= 0 && domain.Finite(t), "a finite number ≥ 0"))
	if err != nil {
		return 0, err
	}
	return gammaTail(coefficients, t)
}

// gammaTail is P(Gamma(N) > 2tN).
func gammaTail(coefficients int, t float64) (float64, error) {
	return parity.GammaTail(coefficients, 2*t*float64(coefficients))
}

// SmallestT is the least t₀ with P(Gamma(N) > 2tN) ≤ e^{−t} for all t ≥ t₀: from there on Corollary 3 is proved by the
// sum of the noises. It is 0 for N = 1, 0.184 for N = 2, and rises to ½: so t ≥ ½ is enough for every N. Below t₀ the
// corollary can fail: a collider or a complete network of three nodes (N = 8), with t = 0.03 and empty cells, is
// non-negative with probability 0.019 where 0.0296 is claimed.
//
// The logarithm of the gamma tail is concave in t, so ln P + t is concave, 0 at t = 0 and of slope 1 there for N ≥ 2:
// it has one other root, which a bracket finds to 1e-12. The answer is the upper end.
//
// Domain: 1 ≤ N ≤ 10⁶; otherwise a *ParameterError.
func SmallestT(coefficients int) (float64, error) {
	err := check("SmallestT", domain.Arg("coefficients", coefficients, coefficients >= 1 && coefficients <= 1e6,
		"an integer in [1, 1000000]"))
	if err != nil {
		return 0, err
	}
	if coefficients == 1 {
		return 0, nil // P = e^{−2t}
	}
	_, hi, err := num.RootBracket(func(t float64) float64 {
		p, err := gammaTail(coefficients, t)
		if err != nil {
			return math.NaN()
		}
		return math.Log(p) + t
	}, 0.05, 0.5, 1e-12)
	if err != nil {
		return 0, check("SmallestT", domain.Arg("coefficients", coefficients, false, "a number with t₀ in [0.05, 0.5]"))
	}
	return hi, nil
}

// PaperIncrement is the increment of Corollary 3 in records, on the coefficient whose value is n:
//
//	4tN²/ε = 2tNb, b = 2N/ε.
//
// The paper prints it with a factor 2^{−k/2}, on normalised coefficients. It holds with probability at least 1 − e^{−t}
// when t ≥ ½, see [SmallestT], and is very loose there.
//
// Domain: N ≥ 1, ε > 0, t > 0; otherwise a *ParameterError.
func PaperIncrement(coefficients int, epsilon, t float64) (float64, error) {
	if err := check("PaperIncrement", domain.AtLeast("coefficients", coefficients, 1),
		domain.Positive("epsilon", epsilon), domain.Positive("t", t)); err != nil {
		return 0, err
	}
	N := float64(coefficients)
	return 4 * t * N * N / epsilon, nil
}

// IncrementQuantile is the increment, in records, that the sum of N absolute noises Lap(b) exceeds with probability
// exactly δ:
//
//	b · GammaInv(N; 1 − δ).
//
// It keeps a joint table non-negative with probability at least 1 − δ, needs no data, and replaces [PaperIncrement].
//
// Domain: 1 ≤ N ≤ 2^30, b > 0, 0 < δ < 1; otherwise a *ParameterError.
func IncrementQuantile(coefficients int, b, delta float64) (float64, error) {
	if err := check("IncrementQuantile", domain.Between("coefficients", coefficients, 1, parity.MaxShape),
		domain.Positive("b", b), domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	t, err := parity.GammaIncrement(coefficients, delta)
	return b * t, err
}
