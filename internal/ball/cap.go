package ball

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// capFrom is the number of expected proposals beyond which a cap is tried, capTries how many proposals it is tried
// with.
const (
	capFrom  = 200
	capTries = 64
)

// capped proposes near the mode of a law that is pressed against the sphere: P positive definite, P⁻¹g outside the
// ball. The mode is Be with ‖e‖ = 1 and (P + λ)Be = g for a λ > 0. At Be − ue + t, t ⟂ e, the log-density is, up to a
// constant, −½w′Pw − λBu for w = t − ue, and with π = e′Pe, r = Pe,
//
//	w′Pw = t′(P − rr′/π)t + π(u − r·t/π)².
//
// On the ball u ≥ ‖t‖²/(2B). Proposals are u = ‖t‖²/(2B) + s/(λB), s exponential, and t Gaussian on e's complement with
// precision K = P + λ − rr′/π: their density is ∝ exp(−½t′(P − rr′/π)t − λBu). One inside the ball is kept with
// probability exp(−½π(u − r·t/π)²). The draw is exact; the sharper the law, the more of them are kept.
type capped struct {
	e, r   []float64 // Pe, on the axes of P
	sd     []float64 // (p + λ)^−½
	spread []float64 // (p+λ)⁻¹r/√π, over √(1 − r′(p+λ)⁻¹r/π): the rank-one rest of K⁻¹
	back   []float64 // K⁻¹e/(e′K⁻¹e)
	pi     float64
	lambda float64
	b      float64
}

// tryCap takes a cap where it needs fewer proposals, as tried on numbers of its own, than the tilted Gaussian is
// expected to.
func (s *Sampler) tryCap(p, g []float64) {
	c := newCap(p, g, s.radius/s.unit)
	if c == nil {
		return
	}
	src, v, kept := rand.NewPCG(1, 2), make([]float64, len(p)), 0
	for range capTries {
		if c.propose(src, v) {
			kept++
		}
	}
	if need := capTries / math.Max(float64(kept), .5); need < s.expected {
		s.cap, s.expected = c, need
	}
}

// newCap is nil where the law has no such mode.
func newCap(p, g []float64, b float64) *capped {
	outside := func(lambda float64) float64 {
		total := -b * b
		for i := range p {
			m := g[i] / (p[i] + lambda)
			total += m * m
		}
		return total
	}
	if p[0] <= 0 || !(outside(0) > 0) { // eigenvalues ascend
		return nil
	}
	hi := p[len(p)-1]
	for outside(hi) > 0 {
		hi *= 2
	}
	lo, hi, err := num.RootBracket(outside, 0, hi, 0)
	if err != nil {
		return nil
	}
	d := len(p)
	c := &capped{e: make([]float64, d), r: make([]float64, d), sd: make([]float64, d), spread: make([]float64, d),
		back: make([]float64, d), lambda: (lo + hi) / 2, b: b}
	length := 0.0
	for i := range p {
		c.e[i] = g[i] / (p[i] + c.lambda)
		length += c.e[i] * c.e[i]
	}
	for i := range p {
		c.e[i] /= math.Sqrt(length)
		c.r[i] = p[i] * c.e[i]
		c.pi += c.r[i] * c.e[i]
		c.sd[i] = 1 / math.Sqrt(p[i]+c.lambda)
	}
	rest, along := 0.0, 0.0 // 1 − r′(p+λ)⁻¹r/π without cancellation, and r′(p+λ)⁻¹e
	for i := range p {
		v := c.r[i] * c.sd[i] * c.sd[i] * c.e[i]
		rest += c.lambda * v / c.pi
		along += v
	}
	total := 0.0 // e′K⁻¹e
	for i := range p {
		v := c.r[i] * c.sd[i] * c.sd[i]
		c.spread[i] = v / math.Sqrt(c.pi*rest)
		c.back[i] = c.e[i]*c.sd[i]*c.sd[i] + v*along/(c.pi*rest)
		total += c.e[i] * c.back[i]
	}
	for i := range c.back {
		c.back[i] /= total
	}
	if !(c.lambda > 0) || !(rest > 0) || !(total > 0) || math.IsInf(total, 1) {
		return nil
	}
	return c
}

// propose fills v and tells whether it is kept.
func (c *capped) propose(src rand.Source, v []float64) bool {
	common, along := sample.Normal(src), 0.0
	for i, sd := range c.sd {
		v[i] = sd*sample.Normal(src) + c.spread[i]*common
		along += c.e[i] * v[i]
	}
	square, slope := 0.0, 0.0
	for i := range v {
		v[i] -= along * c.back[i]
		square += v[i] * v[i]
		slope += c.r[i] * v[i]
	}
	u := square/(2*c.b) - math.Log(sample.Float64(src))/(c.lambda*c.b)
	apart := u - slope/c.pi
	if square+u*u > 2*c.b*u || math.Log(sample.Float64(src)) > -c.pi*apart*apart/2 {
		return false
	}
	for i, e := range c.e {
		v[i] += (c.b - u) * e
	}
	return true
}
