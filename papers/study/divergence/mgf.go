package divergence

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
)

// group is a set of cells with the same probability p > 0: u = βp + α, k = α(1/p − d), tail = S(u).
type group struct{ p, u, k, count, tail float64 }

// law is the law of KL(p‖q). Its log-mgf, the logarithm of equation (14), is with n = β + dα and y_i = u_i − tp_i
//
//	ln M(t) = Σ [lnΓ(y_i) − lnΓ(u_i) + tp_i ln p_i] − lnΓ(n−t) + lnΓ(n),  over p_i > 0,
//
// finite for t < end = min u_i/p_i: a little beyond t ≤ β, where the paper stops. Large numbers cancel in it. By lnΓ(x)
// = (x−½)ln x − x + ½ln 2π + S(x), y_i/p_i = (n−t) + k_i and Σ p_ik_i = −d₀α, where d₀ counts the cells of probability
// 0, they do so on paper:
//
//	ln M(t) = G(n−t) − G(n) + Σ [S(y_i) − S(u_i) − ½ ln(y_i/u_i)] − S(n−t) + S(n) + ½ ln((n−t)/n),
//	G(m) = m Σ p_i φ(k_i/m) − d₀α ln m,  φ(x) = (1+x)ln(1+x) − x.
type law struct {
	groups       []group
	total, mean  float64
	empty        float64 // d₀α
	base, tail   float64 // G(n) and S(n)
	crossEntropy float64 // Σ p ln p ≤ 0
	end          float64
}

func newLaw(function string, p []float64, beta, alpha, eta float64) (*law, error) {
	if err := check(function, simplex(p), domain.Positive("beta", beta), domain.Positive("alpha", alpha),
		domain.Positive("eta", eta)); err != nil {
		return nil, err
	}
	l := &law{total: beta + float64(len(p))*alpha, mean: klrisk.ExpectedKL(p, 1, beta, alpha), end: math.Inf(1)}
	sorted := slices.Clone(p)
	slices.Sort(sorted)
	l.tail = num.StirlingTail(l.total)
	for _, x := range sorted {
		if x == 0 {
			l.empty += alpha
			continue
		}
		l.crossEntropy += x * math.Log(x)
		if k := len(l.groups); k > 0 && l.groups[k-1].p == x {
			l.groups[k-1].count++
			continue
		}
		u := beta*x + alpha
		l.groups = append(l.groups, group{x, u, alpha * (1 - float64(len(p))*x) / x, 1, num.StirlingTail(u)})
		l.end = min(l.end, u/x)
	}
	g, _ := l.leading(complex(l.total, 0))
	l.base = real(g)
	return l, nil
}

// logMGF is ln M(t), t < end.
func (l *law) logMGF(t float64) float64 {
	v, _ := l.complexLogMGF(complex(t, 0))
	return real(v)
}

// slope is d/dt ln M(t): the mean of KL under the law tilted by e^{tKL}, which is Dir((β − t)p + α).
func (l *law) slope(t float64) float64 {
	s := l.crossEntropy + num.Digamma(l.total-t)
	for _, g := range l.groups {
		s -= g.count * g.p * num.Digamma(g.u-t*g.p)
	}
	return s
}

// curvature is d²/dt² ln M(t) > 0.
func (l *law) curvature(t float64) float64 {
	s := -num.Trigamma(l.total - t)
	for _, g := range l.groups {
		s += g.count * g.p * g.p * num.Trigamma(g.u-t*g.p)
	}
	return s
}

// complexLogMGF is ln M(z), z off the real ray from end on, and the size of its parts.
func (l *law) complexLogMGF(z complex128) (value complex128, size float64) {
	m := complex(l.total, 0) - z
	value, size = l.leading(m)
	value += complex(l.tail-l.base, 0) - stirling(m) + 0.5*cmplx.Log(m/complex(l.total, 0))
	for _, g := range l.groups {
		y := complex(g.u, 0) - z*complex(g.p, 0)
		part := stirling(y) - complex(g.tail, 0) - 0.5*cmplx.Log(y/complex(g.u, 0))
		value += complex(g.count, 0) * part
		size += g.count * cmplx.Abs(part)
	}
	return value, size + math.Abs(l.base)
}

// leading is G(m).
func (l *law) leading(m complex128) (value complex128, size float64) {
	if l.empty > 0 {
		value = -complex(l.empty, 0) * cmplx.Log(m)
		size = cmplx.Abs(value)
	}
	for _, g := range l.groups {
		part := complex(g.count*g.p, 0) * m * xlogx(complex(g.k, 0)/m)
		value += part
		size += cmplx.Abs(part)
	}
	return value, size
}

// root is the point at(x) where f, which rises in x from below 0 to above, is 0.
func root(at func(x float64) float64, f func(t float64) float64) float64 {
	lo, hi := -1.0, 1.0
	for lo > -600 && f(at(lo)) > 0 {
		lo *= 2
	}
	for hi < 600 && f(at(hi)) < 0 {
		hi *= 2
	}
	a, b, err := num.RootBracket(func(x float64) float64 { return f(at(x)) }, lo, hi, 1e-10)
	if err != nil {
		return at(hi) // f < 0 up to the last number
	}
	return at((a + b) / 2)
}

// right maps the line to (0, end), left to (−∞, 0).
func (l *law) right(x float64) float64 {
	share, _ := num.Logistic(min(x, 33)) // stays below end
	return l.end * share
}

func (l *law) left(x float64) float64 { return -math.Exp(-x) }
