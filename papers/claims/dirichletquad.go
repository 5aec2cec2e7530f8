package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// quadrature integrates Beta and Gamma densities numerically. It knows no gamma function: what it finds is independent
// of the closed forms of package dp.
//
// In t = logit y the Beta(a, b) integrand y^a (1−y)^b is log-concave and analytic for |Im t| < π, so that the
// trapezoidal rule converges exponentially in 1/step, for the normaliser and for every Rényi moment, which is a
// normaliser of shifted parameters.
type quadrature struct {
	betas   map[[2]float64]float64
	profile map[[5]float64]float64
}

func newQuadrature() *quadrature {
	return &quadrature{map[[2]float64]float64{}, map[[5]float64]float64{}}
}

func softplus(t float64) float64 { return math.Max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }

// dropped is how far below its maximum, in e-folds, an integrand is followed.
const dropped = 42

// trapezoid is ln ∫ e^{g} for a concave g with its maximum near mode and curvature −kappa there.
func trapezoid(g func(t float64) float64, mode, kappa float64) float64 {
	h := math.Min(.2, .6/math.Sqrt(kappa)) // the transform of the integrand falls like e^{−π²/h} at least
	top, sum := g(mode), 1.0
	for _, step := range []float64{h, -h} {
		for t := mode + step; ; t += step {
			v := g(t) - top
			if v < -dropped {
				break
			}
			sum += math.Exp(v)
		}
	}
	return top + math.Log(sum*h)
}

// logBeta is ln ∫ y^{a−1} (1−y)^{b−1} dy; +Inf where the integral diverges.
func (q *quadrature) logBeta(a, b float64) float64 {
	if !(a > 0 && b > 0) {
		return math.Inf(1)
	}
	key := [2]float64{a, b}
	if v, ok := q.betas[key]; ok {
		return v
	}
	v := trapezoid(func(t float64) float64 { return -a*softplus(-t) - b*softplus(t) }, math.Log(a/b), a*b/(a+b))
	q.betas[key] = v
	return v
}

// renyi is the Rényi divergence of order λ of Beta(a1, b1) from Beta(a2, b2).
func (q *quadrature) renyi(a1, b1, a2, b2, order float64) float64 {
	l := order - 1
	moment := q.logBeta(a1+l*(a1-a2), b1+l*(b1-b2))
	if math.IsInf(moment, 1) {
		return moment
	}
	return (moment + l*q.logBeta(a2, b2) - order*q.logBeta(a1, b1)) / l
}

// hockey is ∫ (p − e^ε q)₊ for p = Beta(a1, b1) and q = Beta(a2, b2), a1 ≥ a2 and b1 ≤ b2, so that the loss grows with
// t = logit y: Gauss–Legendre panels from the point where it is ε.
func (q *quadrature) hockey(a1, b1, a2, b2, epsilon float64) float64 {
	key := [5]float64{a1, b1, a2, b2, epsilon}
	if v, ok := q.profile[key]; ok {
		return v
	}
	np, nq := q.logBeta(a1, b1), q.logBeta(a2, b2)
	p := func(t float64) float64 { return -a1*softplus(-t) - b1*softplus(t) - np }
	loss := func(t float64) float64 { return (a2-a1)*softplus(-t) + (b2-b1)*softplus(t) + nq - np }
	mode, width := math.Log(a1/b1), math.Sqrt((a1+b1)/(a1*b1))
	from := mode
	for top := p(mode); p(from) > top-dropped; from -= width {
	}
	if loss(from) < epsilon {
		to := mode
		for loss(to) < epsilon && to-mode < 1e5 {
			to += 1 + (to - mode)
		}
		if loss(to) < epsilon { // the loss is bounded below ε
			return 0
		}
		for from < to {
			mid := from + (to-from)/2
			if mid == from || mid == to {
				break
			}
			if loss(mid) < epsilon {
				from = mid
			} else {
				to = mid
			}
		}
	}
	sum, panel, peak := 0.0, math.Min(3, 2*width), p(math.Max(from, mode))
	for t := from; t < mode || p(t) > peak-dropped; t += panel {
		sum += num.Integrate24(func(t float64) float64 { return -math.Expm1(epsilon-loss(t)) * math.Exp(p(t)) }, t,
			t+panel, 1)
	}
	q.profile[key] = sum
	return sum
}

// moved is the Rényi divergence when a record leaves a cell of parameter a+r for one of b: the loss depends on w =
// y_i/(y_i + y_j) alone, which is Beta(a+r, b) with the record and Beta(a, b+r) without.
func (q *quadrature) moved(r, a, b, order float64) float64 { return q.renyi(a+r, b, a, b+r, order) }

// movedDelta is its hockey-stick divergence.
func (q *quadrature) movedDelta(r, a, b, epsilon float64) float64 {
	return q.hockey(a+r, b, a, b+r, epsilon)
}

// added is the Rényi divergence when a record comes into a cell of parameter a, the other cells of its vector having
// total rest.
func (q *quadrature) added(r, a, rest, order float64) float64 {
	return q.renyi(a, rest, a+r, rest, order)
}

// removed is that of the record's leaving again.
func (q *quadrature) removed(r, a, rest, order float64) float64 {
	return q.renyi(a+r, rest, a, rest, order)
}

// logGamma is ln ∫ g^{a−1} e^{−g} dg.
func (q *quadrature) logGamma(a float64) float64 {
	if !(a > 0) {
		return math.Inf(1)
	}
	return trapezoid(func(s float64) float64 { return a*s - math.Exp(s) }, math.Log(a), a)
}

// gammaRenyi is the Rényi divergence of Gamma(a) from Gamma(b).
func (q *quadrature) gammaRenyi(a, b, order float64) float64 {
	l := order - 1
	return (q.logGamma(a+l*(a-b)) + l*q.logGamma(b) - order*q.logGamma(a)) / l
}

// simplexRenyi is the Rényi divergence of Dirichlet(u) from Dirichlet(v) in three cells, by the trapezoidal rule over
// the whole simplex in y ∝ (e^s, e^t, 1), without any reduction.
func simplexRenyi(u, v [3]float64, order float64) float64 {
	norm := func(w [3]float64) float64 {
		total := w[0] + w[1] + w[2]
		g := func(s, t float64) float64 {
			m := math.Max(0, math.Max(s, t))
			return w[0]*s + w[1]*t - total*(m+math.Log(math.Exp(s-m)+math.Exp(t-m)+math.Exp(-m)))
		}
		h := math.Min(.4, .6/math.Sqrt(math.Max(w[0], w[1])))
		s0, t0 := math.Log(w[0]/w[2]), math.Log(w[1]/w[2])
		top, sum := g(s0, t0), 0.0
		reach := int(32/(h*math.Min(w[0], math.Min(w[1], w[2])))) + 1
		for i := -reach; i <= reach; i++ {
			for j := -reach; j <= reach; j++ {
				sum += math.Exp(g(s0+float64(i)*h, t0+float64(j)*h) - top)
			}
		}
		return top + math.Log(sum*h*h)
	}
	var w [3]float64
	for i := range w {
		w[i] = order*u[i] - (order-1)*v[i]
		if !(w[i] > 0) {
			return math.Inf(1)
		}
	}
	return (norm(w) + (order-1)*norm(v) - order*norm(u)) / (order - 1)
}

// The golden histograms of the study of single histograms: that of Figure 2, one of 1283 records, and a Zipf law on ten
// cells.
var (
	histogramFigure2 = []float64{11, 8, 65, 25, 38, 0}
	histogramX0      = []float64{119, 74, 618, 272, 13, 187}
	histogramZipf    = []float64{6828, 3414, 2276, 1707, 1366, 1138, 975, 854, 759, 683}
)

// proportions are the total of a histogram and its shares.
func proportions(x []float64) (n float64, p []float64) {
	for _, v := range x {
		n += v
	}
	p = make([]float64, len(x))
	for i, v := range x {
		p[i] = v / n
	}
	return n, p
}
