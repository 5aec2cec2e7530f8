package klrisk

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// ExpectedKL is the mean of KL(p‖y) in nats:
//
//	E KL = Σ_{p_i>0} p_i [ln p_i − ψ(u_i)] + ψ(u₀)
//	     = KL(p‖E y) + Σ p_i gap(u_i) − gap(u₀),  gap(x) = ln x − ψ(x) > 0,
//
// bias plus noise. The second form is the one computed: with q = E y = u/u₀ and h_i = p_i/q_i − 1 = α(dp_i − 1)/u_i,
// which is known without a subtraction of large numbers, KL(p‖q) = Σ q_i [(1 + h_i) ln(1 + h_i) − h_i] has no negative
// term. Relative error about 1e-13, and below 1e-15/α where p is a corner, also when the value is 1e-16 of the
// digammas.
//
// p are probabilities, each ≥ 0 and 1 in total; n ≥ 0 records; r, α > 0; NaN otherwise.
func ExpectedKL(p []float64, n, r, alpha float64) float64 {
	l, ok := newLaw(p, n, r, alpha)
	if !ok {
		return math.NaN()
	}
	bias, noise := 0.0, 0.0
	for _, x := range p {
		u, h := l.cell(x)
		bias += u * num.XLogXMinus(h)
		if x > 0 {
			noise += x * gap(u)
		}
	}
	return bias/l.total + max(noise-gap(l.total), 0)
}

// ExpectedLogLoss is the mean of the log-loss −Σ p_i ln y_i = H(p) + KL(p‖y) in nats, the cross-entropy of records that
// follow p under the draw. Domain as [ExpectedKL].
func ExpectedLogLoss(p []float64, n, r, alpha float64) float64 {
	entropy := 0.0
	for _, x := range p {
		if x > 0 {
			entropy -= x * math.Log(x)
		}
	}
	return entropy + ExpectedKL(p, n, r, alpha)
}

// VarKL is the variance of KL(p‖y), and of the log-loss, in nats²:
//
//	Σ p_i² ψ′(u_i) − ψ′(u₀) = χ²(p‖q)/u₀ + Σ p_i² e(u_i) − e(u₀),  e(x) = ψ′(x) − 1/x,  χ² = Σ q_i h_i²,
//
// the second form for the reason given at [ExpectedKL]. Domain as there.
func VarKL(p []float64, n, r, alpha float64) float64 {
	l, ok := newLaw(p, n, r, alpha)
	if !ok {
		return math.NaN()
	}
	chi, rest := 0.0, 0.0
	for _, x := range p {
		u, h := l.cell(x)
		chi += u * h * h
		if x > 0 {
			rest += x * x * excess(u)
		}
	}
	return max(chi/l.total/l.total+(rest-excess(l.total)), 0)
}

// law is what the cells of one draw share.
type law struct{ cells, scale, alpha, total float64 }

// newLaw reports false outside the domain.
func newLaw(p []float64, n, r, alpha float64) (law, bool) {
	sum := 0.0
	for _, x := range p {
		if !(x >= 0) {
			return law{}, false
		}
		sum += x
	}
	d := float64(len(p))
	ok := len(p) >= 2 && math.Abs(sum-1) <= 1e-9 && positive(r, alpha) && n >= 0 && !math.IsInf(r*n+d*alpha, 1)
	return law{d, r * n, alpha, r*n + d*alpha}, ok
}

// cell is u = rNx + α and h = x/q − 1, q = u/u₀, of a cell with probability x.
func (l law) cell(x float64) (u, h float64) {
	u = l.scale*x + l.alpha
	return u, max(l.alpha*(l.cells*x-1)/u, -1)
}
