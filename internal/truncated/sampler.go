package truncated

import (
	"math"
	"math/rand/v2"
	"sort"
	"sync"

	"github.com/privbayes/privbayes-go/internal/sample"
)

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
