package truncated

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Beta is the law with density proportional to x^{a−1}(1−x)^{b−1} on [l, u]. Values come from NewBeta.
type Beta struct {
	a, b, l, u float64
	x, y       float64 // the peak of the log-odds density inside the box, and its complement
	grad       float64 // slope of r at the peak: 0 when the peak is inside
	grid       grid
}

// NewBeta checks a, b > 0 (finite) and 0 ≤ l < u ≤ 1. Errors: *domain.Error.
func NewBeta(a, b, l, u float64) (*Beta, error) {
	switch {
	case !(a > 0) || math.IsInf(a, 1):
		return nil, domain.Refuse("truncated: Beta", "a", a, "0 < a < ∞")
	case !(b > 0) || math.IsInf(b, 1):
		return nil, domain.Refuse("truncated: Beta", "b", b, "0 < b < ∞")
	case !(l >= 0 && l < 1):
		return nil, domain.Refuse("truncated: Beta", "lower end", l, "0 ≤ lower end < 1")
	case !(u > l && u <= 1):
		return nil, domain.Refuse("truncated: Beta", "upper end", u, "lower end < upper end ≤ 1")
	}
	m := &Beta{a: a, b: b, l: l, u: u, x: a / (a + b), y: b / (a + b)}
	if m.x <= l {
		m.x, m.y = l, 1-l
		m.grad = math.Min(a*m.y-b*m.x, 0)
	} else if m.x >= u && u < 1 { // for u = 1 a peak that rounds to 1 keeps its complement
		m.x, m.y = u, 1-u
		m.grad = math.Max(a*m.y-b*m.x, 0)
	}
	m.grid = newGrid(m, m.offset(l), m.offset(u))
	return m, nil
}

// offset is δ = logit x − logit peak, from the odds ratio minus one, which keeps its digits in narrow boxes.
func (m *Beta) offset(x float64) float64 {
	if x >= m.x {
		return math.Log1p((x - m.x) / (m.x * (1 - x)))
	}
	return -math.Log1p((m.x - x) / (x * m.y))
}

// logStretch is ln(y + x·e^δ) at the peak (x, y).
func (m *Beta) logStretch(d float64) float64 {
	if m.x <= m.y {
		return logMix(m.x, m.y, d)
	}
	return d + logMix(m.y, m.x, -d)
}

// logMix is ln(q + p·e^d), p + q = 1, p ≤ ½.
func logMix(p, q, d float64) float64 {
	if d < 700 {
		return math.Log1p(p * math.Expm1(d))
	}
	return d + math.Log(p+q*math.Exp(-d))
}

// value is r(δ) = grad·δ + (a+b)(x·δ − ln(y + x·e^δ)), written with the smaller of x and y: the larger would cancel
// against its logarithm and lose a + b units of rounding.
func (m *Beta) value(d float64) float64 {
	q := 0.0
	if m.x <= m.y {
		q = m.x*d - logMix(m.x, m.y, d)
	} else {
		q = -m.y*d - logMix(m.y, m.x, -d)
	}
	return m.grad*d + (m.a+m.b)*q
}

func (m *Beta) slopes(d float64) (r1, r2 float64) {
	x, y := m.point(d)
	// x − peak from expm1: near the peak the difference would cancel.
	var diff float64
	if d <= 0 {
		diff = m.x * m.y * math.Expm1(d) / (m.y + m.x*math.Exp(d))
	} else {
		diff = -m.x * m.y * math.Expm1(-d) / (m.x + m.y*math.Exp(-d))
	}
	n := m.a + m.b
	return m.grad - n*diff, -n * x * y
}

// span: the curvature (a+b)·x(1−x) falls like e^{ln(a+b) − |logit|} in the tails, and the singularities are at logit =
// ±iπ.
func (m *Beta) span(d, scale float64) float64 {
	t := math.Log(m.x) - math.Log(m.y) + d
	return tailSpan(math.Abs(t)-math.Max(0, math.Log(m.a+m.b)), scale)
}

// point is the x of δ, with its complement.
func (m *Beta) point(d float64) (x, y float64) {
	if d <= 0 {
		e := m.x * math.Exp(d)
		s := m.y + e
		return e / s, m.y / s
	}
	e := m.y * math.Exp(-d)
	s := m.x + e
	return m.x / s, e / s
}

// LogMass is ln ∫_l^u x^{a−1}(1−x)^{b−1} dx, unnormalised: I(a, b) of theory/networks.md §3.4 for l = w, u = 1 − w.
// Absolute error about 1e-15·(10 + |value|).
func (m *Beta) LogMass() float64 {
	return m.a*logOf(m.x, m.y) + m.b*logOf(m.y, m.x) + m.grid.log
}

// logOf is ln x for x = 1 − y.
func logOf(x, y float64) float64 {
	if x > 0.5 {
		return math.Log1p(-y)
	}
	return math.Log(x)
}

// LogMoment is ln E[x^p (1−x)^q], 0 ≤ p, q ≤ 1: also the difference of two log-masses, ln I(a+p, b+q) − ln I(a, b),
// without their cancellation. Relative error of the expectation about 1e-14.
func (m *Beta) LogMoment(p, q float64) float64 {
	switch {
	case p == 1 && q == 0:
		return m.grid.logMean(func(d float64) float64 { x, _ := m.point(d); return x })
	case p == 0 && q == 1:
		return m.grid.logMean(func(d float64) float64 { _, y := m.point(d); return y })
	}
	base := p*logOf(m.x, m.y) + q*logOf(m.y, m.x)
	return base + m.grid.logMean(func(d float64) float64 { return math.Exp(p*d - (p+q)*m.logStretch(d)) })
}

// LogDensity is the logarithm of the density at x; −Inf outside [l, u].
func (m *Beta) LogDensity(x float64) float64 {
	if !(x >= m.l && x <= m.u) {
		return math.Inf(-1)
	}
	return m.value(m.offset(x)) - m.grid.log - math.Log(x) - math.Log1p(-x)
}

// Sampler precomputes the inverse of the distribution function: about 50 panels, once a law.
func (m *Beta) Sampler() *Sampler {
	return newSampler(m, m.offset(m.l), m.offset(m.u), m.l, m.u,
		func(d float64) float64 { x, _ := m.point(d); return x }, m.offset)
}
