package lipschitz

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// wholeBeta is the law of the untrimmed family: Beta(α + rs, β + r(n − s)), natural parameter r·ln θ/(1−θ) on the whole line.
type wholeBeta struct{ alpha, beta, r, n float64 }

func (w wholeBeta) at(s float64) (a, b float64) { return w.alpha + w.r*s, w.beta + w.r*(w.n-s) }

func (w wholeBeta) support() (a, b float64) { return math.Inf(-1), math.Inf(1) }

func (w wholeBeta) ratios(s float64, shifts, out []float64) float64 {
	a, b := w.at(s)
	for j, d := range shifts {
		if h := w.r * d; a+h <= 0 || b-h <= 0 {
			out[j] = math.Inf(1)
		} else {
			out[j] = num.LogGammaDiff(a, h) + num.LogGammaDiff(b, -h)
		}
	}
	return 0
}

func (w wholeBeta) excess(s, d, epsilon float64) (up, down float64) {
	var r [1]float64
	w.ratios(s, []float64{d}, r[:])
	a, b := w.at(s)
	e, h := math.Exp(epsilon), w.r*d
	x, y := num.Logistic((epsilon + r[0]) / h)
	_, p := num.BetaTails(a+h, b-h, x, y)
	_, q := num.BetaTails(a, b, x, y)
	up = math.Max(0, p-e*q)
	x, y = num.Logistic((r[0] - epsilon) / h)
	p, _ = num.BetaTails(a, b, x, y)
	q, _ = num.BetaTails(a+h, b-h, x, y)
	return up, math.Max(0, p-e*q)
}

// BetaNeighbourTV is the total variation distance of Beta(a+1, b−1) and Beta(a, b), a > 0, b > 1: the binomial probability of its
// mode,
//
//	Γ(N+1)/(Γ(a+1)Γ(b)) · p^a(1−p)^{b−1},  N = a + b − 1, p = a/N.
//
// NaN outside the domain. Source: theory/sampling.md §11.
func BetaNeighbourTV(a, b float64) float64 {
	if !(a > 0 && b > 1 && finite(a+b)) {
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
