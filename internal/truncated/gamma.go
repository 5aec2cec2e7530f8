package truncated

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Gamma is the law with density proportional to x^{shape−1}e^{−rate·x} on [l, u]. Values come from NewGamma.
type Gamma struct {
	shape, rate, l, u float64
	x, grad           float64
	grid              grid
}

// NewGamma checks shape > 0, rate ≥ 0 (finite), 0 ≤ l < u; u = +Inf needs rate > 0. Errors: *domain.Error.
func NewGamma(shape, rate, l, u float64) (*Gamma, error) {
	switch {
	case !(shape > 0) || math.IsInf(shape, 1):
		return nil, domain.Refuse("truncated: Gamma", "shape", shape, "0 < shape < ∞")
	case !(rate >= 0) || math.IsInf(rate, 1):
		return nil, domain.Refuse("truncated: Gamma", "rate", rate, "0 ≤ rate < ∞")
	case !(l >= 0) || math.IsInf(l, 1):
		return nil, domain.Refuse("truncated: Gamma", "lower end", l, "0 ≤ lower end < ∞")
	case !(u > l):
		return nil, domain.Refuse("truncated: Gamma", "upper end", u, "upper end > lower end")
	case math.IsInf(u, 1) && rate == 0:
		return nil, domain.Refuse("truncated: Gamma", "rate", rate, "rate > 0 when the upper end is infinite")
	}
	m := &Gamma{shape: shape, rate: rate, l: l, u: u, x: shape / rate}
	if m.x <= l {
		m.x = l
		m.grad = math.Min(shape-rate*l, 0)
	} else if m.x >= u {
		m.x = u
		m.grad = math.Max(shape-rate*u, 0)
	}
	m.grid = newGrid(m, m.offset(l), m.offset(u))
	return m, nil
}

// offset is δ = ln(x/peak), from the difference over the smaller of the two.
func (m *Gamma) offset(x float64) float64 {
	if x >= m.x {
		return math.Log1p((x - m.x) / m.x)
	}
	return -math.Log1p((m.x - x) / x)
}

// value is r(δ) = grad·δ − rate·peak·(e^δ − 1 − δ).
func (m *Gamma) value(d float64) float64 {
	return m.grad*d - m.rate*m.x*(math.Expm1(d)-d)
}

func (m *Gamma) slopes(d float64) (r1, r2 float64) {
	return m.grad - m.rate*m.x*math.Expm1(d), -m.rate * m.x * math.Exp(d)
}

// span: the curvature is rate·x.
func (m *Gamma) span(d, scale float64) float64 { return tailSpan(-math.Log(m.rate*m.x)-d, scale) }

// LogMass is ln ∫_l^u x^{shape−1}e^{−rate·x} dx, unnormalised. Absolute error about 1e-15·(10 + shape·|ln x| + rate·x)
// at the peak x in the box: the two terms may cancel, and differences of log-masses are better had from LogMoment and
// LogTilt.
func (m *Gamma) LogMass() float64 { return m.shape*math.Log(m.x) - m.rate*m.x + m.grid.log }

// LogMoment is ln E[x^p], 0 ≤ p ≤ 2. Relative error of the expectation about 1e-14.
func (m *Gamma) LogMoment(p float64) float64 {
	return p*math.Log(m.x) + m.grid.logMean(func(d float64) float64 { return math.Exp(p * d) })
}

// LogTilt is ln E[e^{−h(x−l)}] for h ≥ 0 of at most a few units of the law's own scale: ln Z(rate+h) − ln Z(rate) + h·l
// for the log-masses Z, without their cancellation; the evidence ratio of theory/sampling.md §9.
func (m *Gamma) LogTilt(h float64) float64 {
	return m.grid.logMean(func(d float64) float64 { return math.Exp(-h * (m.x*math.Exp(d) - m.l)) })
}

// LogDensity is the logarithm of the density at x; −Inf outside [l, u].
func (m *Gamma) LogDensity(x float64) float64 {
	if !(x >= m.l && x <= m.u) {
		return math.Inf(-1)
	}
	return m.value(m.offset(x)) - m.grid.log - math.Log(x)
}

// Sampler precomputes the inverse of the distribution function: about 50 panels, once a law.
func (m *Gamma) Sampler() *Sampler {
	return newSampler(m, m.offset(m.l), m.offset(m.u), m.l, m.u, func(d float64) float64 { return m.x * math.Exp(d) },
		m.offset)
}
