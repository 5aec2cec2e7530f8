package posterior

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Law is a posterior that can be compared with another of its kind.
type Law interface{ Beta | *Dirichlet }

// KL is the Kullback–Leibler divergence of q from p, ∫ p ln(p/q), in nats. For Dirichlet parameters p_i, q_i with
// totals p₀, q₀ it is the sum of Bregman divergences of lnΓ,
//
//	Σ D(q_i; p_i) − D(q₀; p₀),  D(y; x) = lnΓ(y) − lnΓ(x) − (y − x)ψ(x) ≥ 0,
//
// which is ln B(q) − ln B(p) + Σ(p_i − q_i)(ψ(p_i) − ψ(p₀)) without its cancellation. Relative error about 1e-13 for
// parameters up to 1e9. NaN for laws of different dimension or parameters outside the domain.
func KL[L Law](p, q L) float64 {
	a, b, ok := parameters(p, q)
	if !ok {
		return math.NaN()
	}
	return klBetween(a, b, 1)
}

// Hellinger is the Hellinger distance H = √(1 − BC), 0 ≤ H ≤ 1, with the Bhattacharyya coefficient
//
//	BC = ∫ √(pq) = B((p+q)/2)/√(B(p)B(q)).
//
// This convention has no factor 1/√2. Relative error about 1e-13 for parameters up to 1e9, however close the laws are.
// NaN for laws of different dimension or parameters outside the domain.
func Hellinger[L Law](p, q L) float64 {
	a, b, ok := parameters(p, q)
	if !ok {
		return math.NaN()
	}
	log, at, bt := 0.0, 0.0, 0.0
	for i := range a {
		log += num.LogBC(a[i], b[i])
		at, bt = at+a[i], bt+b[i]
	}
	if math.Abs(at-bt) > 1e-12*at { // the total's term would cancel: −ln BC = ½[KL(m‖p) + KL(m‖q)], m = (p+q)/2
		log = -(klFrom(a, b, 0.5) + klFrom(b, a, 0.5)) / 2
	}
	return math.Sqrt(math.Max(0, -math.Expm1(log)))
}

// Renyi is the Rényi divergence of order λ ≥ 0 of q from p, in nats:
//
//	1/(λ−1) · ln ∫ p^λ q^{1−λ} = 1/(λ−1) · [ln B(w) − λ ln B(p) − (1−λ) ln B(q)],  w = λp + (1−λ)q.
//
// It is +Inf when some w_i ≤ 0; KL at λ = 1; at λ = +Inf the supremum of ln(p/q), finite when every p_i ≥ q_i. It is
// evaluated as a sum of two non-negative divergences between Dirichlet laws,
//
//	λ > 1: KL(p‖w)/(λ−1) + KL(p‖q),  λ < 1: λ/(1−λ)·KL(w‖p) + KL(w‖q),
//
// to a relative error of about 1e-12 unless some w_i nearly vanishes. NaN for λ < 0, laws of different dimension or
// parameters outside the domain. Source: van Erven and Harremoës, "Rényi Divergence and Kullback–Leibler Divergence"
// (2014), for the orders.
func Renyi[L Law](order float64, p, q L) float64 {
	a, b, ok := parameters(p, q)
	switch {
	case !ok || !(order >= 0):
		return math.NaN()
	case order == 0: // both laws have full support
		return 0
	case order == 1:
		return klBetween(a, b, 1)
	case math.IsInf(order, 1):
		return maxLogRatio(a, b)
	case order < 1:
		return order/(1-order)*klFrom(a, b, 1-order) + klFrom(b, a, order)
	}
	for i := range a {
		if !(a[i]+(order-1)*(a[i]-b[i]) > 0) {
			return math.Inf(1)
		}
	}
	return klBetween(a, b, 1-order)/(order-1) + klBetween(a, b, 1)
}

// klBetween is KL(x ‖ x + s(y − x)).
func klBetween(x, y []float64, s float64) float64 {
	to, h := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		h[i] = s * (y[i] - x[i])
		if to[i] = x[i] + h[i]; s == 1 {
			to[i] = y[i]
		}
	}
	return num.DirichletKL(to, x, h)
}

// klFrom is KL(x + s(y − x) ‖ x).
func klFrom(x, y []float64, s float64) float64 {
	from, h := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		h[i] = s * (x[i] - y[i])
		from[i] = x[i] - h[i]
	}
	return num.DirichletKL(x, from, h)
}

// maxLogRatio is sup ln(p/q): with Δ = p − q ≥ 0 the supremum of ΣΔ_i ln x_i is at x = Δ/ΣΔ.
func maxLogRatio(a, b []float64) float64 {
	excess, at, bt := 0.0, 0.0, 0.0
	for i := range a {
		if a[i] < b[i] {
			return math.Inf(1)
		}
		excess += a[i] - b[i]
		at, bt = at+a[i], bt+b[i]
	}
	if excess == 0 {
		return 0
	}
	sum := num.LogGammaDiff(bt, excess)
	for i := range a {
		if d := a[i] - b[i]; d > 0 {
			sum += d*math.Log(d/excess) - num.LogGammaDiff(b[i], d)
		}
	}
	return math.Max(0, sum)
}

// parameters lists the hyperparameters of two laws, ok if they are of the same dimension and inside the domain.
func parameters[L Law](p, q L) (a, b []float64, ok bool) {
	a, b = hyper(any(p)), hyper(any(q))
	if len(a) != len(b) || len(a) == 0 {
		return nil, nil, false
	}
	for i := range a {
		if !positive(a[i]) || !positive(b[i]) {
			return nil, nil, false
		}
	}
	return a, b, true
}

func hyper(law any) []float64 {
	switch l := law.(type) {
	case Beta:
		return []float64{l.A, l.B}
	case *Dirichlet:
		if l != nil {
			return l.alpha
		}
	}
	return nil
}
