// Package truncated draws from, and integrates, Beta, Gamma and Dirichlet distributions truncated to bounds: the
// posteriors behind pure differential privacy by posterior sampling (theory/networks.md §3, theory/sampling.md §9–13
// and 22).
//
// Beta and Gamma distributions are handled in the variable in which their log-density is concave for every parameter,
//
//	t = ln(x/(1−x)):  a·t − (a+b)·ln(1+e^t)  (Beta),      s = ln x:  shape·s − rate·e^s  (Gamma),
//
// as the displacement δ from the peak inside the box. Nothing is ever compared with the untruncated distribution, so
// that bounds of untruncated mass e^−1000 costs and loses no more than any other. Log-masses are integrals over panels
// between which the log-density falls by a bounded amount; samplers hold the distribution function as one polynomial a
// panel and invert it.
//
// Everything here has the exact distribution for real arithmetic ("ideal"): samplers leave out panels beyond a fall of
// 64 nats (integrals 42), which by concavity removes a share of the mass below e^−63, and the polynomials are good to
// about 1e-14 of a panel.
package truncated

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
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

// degree of a panel's distribution function as a polynomial in s ∈ [−1, 1].
const degree = 15

// panel is one piece of the law: mass(s) = Σ c_j s^j is the mass left of s.
type panel struct {
	mid, half float64
	c         [degree + 1]float64
	mass      float64
}

// Sampler draws from one truncated law by inverting its distribution function: a panel by its mass, then a point of the
// panel. A draw reads two words, whatever the law; its time varies by a few Newton steps, and building the Sampler
// takes a time that depends on the law's parameters, hence on data. It is immutable and safe for concurrent use.
type Sampler struct {
	panels []panel
	cum    []float64 // cum[i]: mass of the panels before i
	total  float64
	guide  []int // guide[g]: the first panel to look at for a share in [g, g+1)/len(guide)
	l, u   float64
	point  func(d float64) float64
	offset func(x float64) float64
}

func newSampler(c curve, lo, hi, l, u float64, point, offset func(float64) float64) *Sampler {
	at := edges(c, lo, hi, fineFall, fineScale, fineCutoff)
	s := &Sampler{panels: make([]panel, len(at)-1), cum: make([]float64, len(at)), l: l, u: u, point: point,
		offset: offset}
	project := projection()
	for i := range s.panels {
		p := &s.panels[i]
		p.mid, p.half = (at[i]+at[i+1])/2, (at[i+1]-at[i])/2
		var f [24]float64
		for k, x := range nodes {
			f[k] = math.Exp(c.value(p.mid+p.half*x)) * p.half
		}
		project.apply(&f, p)
		s.cum[i+1] = s.cum[i] + p.mass
	}
	s.total = s.cum[len(s.panels)]
	s.guide = make([]int, 2*len(s.panels))
	for g, i := 0, 0; g < len(s.guide); g++ {
		for s.cum[i+1] < s.total*float64(g)/float64(len(s.guide)) {
			i++
		}
		s.guide[g] = i
	}
	return s
}

// Draw is one draw. It reads two words.
func (s *Sampler) Draw(src rand.Source) float64 {
	v := sample.Float64(src)
	i := s.guide[int(v*float64(len(s.guide)))]
	for v *= s.total; i+1 < len(s.panels) && s.cum[i+1] < v; i++ {
	}
	p := &s.panels[i]
	return s.clamp(s.point(p.mid + p.half*p.invert(sample.Float64(src)*p.mass)))
}

func (s *Sampler) clamp(x float64) float64 { return math.Min(math.Max(x, s.l), s.u) }

// Quantile is the x with CDF(x) = p, 0 ≤ p ≤ 1; NaN for other p. Like Draw it gives 0 for a point below the smallest
// float64.
func (s *Sampler) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0:
		return s.l
	case p == 1:
		return s.u
	}
	v := p * s.total
	i := min(sort.SearchFloat64s(s.cum[1:], v), len(s.panels)-1)
	q := &s.panels[i]
	return s.clamp(s.point(q.mid + q.half*q.invert(math.Min(v-s.cum[i], q.mass))))
}

// CDF is P(X ≤ x): absolute error about 1e-14.
func (s *Sampler) CDF(x float64) float64 {
	if x <= s.l {
		return 0
	}
	if x >= s.u {
		return 1
	}
	d := s.offset(x)
	i := sort.Search(len(s.panels), func(i int) bool { return d < s.panels[i].mid+s.panels[i].half })
	if i == len(s.panels) {
		return 1
	}
	p := &s.panels[i]
	at := math.Max(-1, (d-p.mid)/p.half)
	mass, _ := p.eval(at)
	return math.Min(math.Max((s.cum[i]+mass)/s.total, 0), 1)
}

// eval is the mass left of x ∈ [−1, 1] and the density there.
func (p *panel) eval(x float64) (mass, density float64) {
	mass = p.c[degree]
	for j := degree - 1; j >= 0; j-- {
		density = density*x + mass
		mass = mass*x + p.c[j]
	}
	return mass, density
}

// invert is the x ∈ [−1, 1] with mass v: Newton's method inside a shrinking bracket.
func (p *panel) invert(v float64) float64 {
	lo, hi := -1.0, 1.0
	x := 2*v/p.mass - 1
	for range 40 {
		mass, density := p.eval(x)
		if mass > v {
			hi = x
		} else {
			lo = x
		}
		step := (mass - v) / density
		if math.Abs(step) < 4e-9 { // Newton squares it: below 1e-16 after this step
			return math.Min(math.Max(x-step, -1), 1)
		}
		if x -= step; !(x > lo && x < hi) {
			x = (lo + hi) / 2
		}
	}
	return x
}

// projector turns values at the 24 Legendre nodes into the distribution polynomial.
type projector struct {
	legendre [degree][24]float64         // (2k+1)/2·w_i·P_k(x_i)
	antider  [degree][degree + 1]float64 // ∫_{−1}^x P_k, monomial coefficients
}

// projection is the projector, computed once. The two steps stay apart on purpose: rounding in a Legendre coefficient
// moves the result by that rounding times a polynomial bounded by 1, whereas one combined matrix would amplify it
// ten-thousandfold.
var projection = sync.OnceValue(func() *projector {
	p := new(projector)
	var mono [degree + 2][degree + 2]float64 // monomial coefficients of P_k
	mono[0][0], mono[1][1] = 1, 1
	for k := 1; k <= degree; k++ {
		for j := 0; j <= k; j++ {
			mono[k+1][j+1] += float64(2*k+1) / float64(k+1) * mono[k][j]
			mono[k+1][j] -= float64(k) / float64(k+1) * mono[k-1][j]
		}
	}
	for k := range degree {
		for i, x := range nodes {
			before, now := 1.0, x
			for j := 1; j < k; j++ {
				before, now = now, (float64(2*j+1)*x*now-float64(j)*before)/float64(j+1)
			}
			if k == 0 {
				now = 1
			}
			p.legendre[k][i] = float64(2*k+1) / 2 * weights[i] * now
		}
		for j := 0; j <= k; j++ {
			p.antider[k][j+1] = mono[k][j] / float64(j+1)
		}
		at := 0.0 // the constant that makes it vanish at −1
		for j := k + 1; j >= 1; j-- {
			at = -(at + p.antider[k][j])
		}
		p.antider[k][0] = -at
	}
	return p
})

// apply fills in the polynomial and the mass of a panel from the density at the nodes.
func (p *projector) apply(f *[24]float64, out *panel) {
	for k := range degree {
		c := 0.0
		for i, v := range f {
			c += p.legendre[k][i] * v
		}
		for j := 0; j <= k+1; j++ {
			out.c[j] += c * p.antider[k][j]
		}
	}
	out.mass, _ = out.eval(1)
}

// EmptyBoxError says that no point of the simplex of Size cells has every coordinate ≥ Floor.
type EmptyBoxError struct {
	Floor float64 // w
	Size  int     // r
}

// Error says which floors leave room.
func (e *EmptyBoxError) Error() string {
	return fmt.Sprintf("truncated: no point of the simplex has all %d coordinates ≥ %g; want 0 < floor < %g", e.Size,
		e.Floor, 1/float64(e.Size))
}
