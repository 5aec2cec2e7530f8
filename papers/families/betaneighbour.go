package families

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// BetaNeighbourTV is the total variation distance of Beta(a+1, b−1) and Beta(a, b), a > 0, b > 1: the binomial
// probability of its mode,
//
//	Γ(N+1)/(Γ(a+1)Γ(b)) · p^a(1−p)^{b−1},  N = a + b − 1, p = a/N.
//
// NaN outside the domain. Source: theory/sampling.md §11.
func BetaNeighbourTV(a, b float64) float64 {
	if !(a > 0 && b > 1 && domain.Finite(a+b)) {
		return math.NaN()
	}
	n := a + b - 1
	// The kernel is p^{a+1}(1−p)^b/B(a+1, b), and Γ(N+1)/(Γ(a+1)Γ(b)) = 1/((N+1)B(a+1, b)).
	return math.Exp(num.LogBetaKernel(a+1, b, a/n, (b-1)/n)) / (a / n * ((b - 1) / n) * (n + 1))
}

// BetaNeighbourJeffreys is D(x‖y) + D(y‖x) of Beta(a+1, b−1) and Beta(a, b), a > 0, b > 1: 1/a + 1/(b−1), so that
// TV ≤ ½√(1/α + 1/(α+n−1)). NaN outside the domain. Source: theory/sampling.md §11.
func BetaNeighbourJeffreys(a, b float64) float64 {
	if !(a > 0 && b > 1) {
		return math.NaN()
	}
	return 1/a + 1/(b-1)
}
