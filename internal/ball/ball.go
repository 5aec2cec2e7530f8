// Package ball draws exactly from a Gaussian restricted to a Euclidean ball,
//
//	density ∝ exp(−½w′Pw + h′w) on ‖w‖ ≤ B,  P the precision, h = Pμ,
//
// the posterior of Bayesian linear regression under a prior truncated to a ball (theory/networks.md §5.3). Rejection,
// not a Markov chain: a draw has the stated distribution and no convergence error enters a privacy claim.
//
// Work is bounded: a draw takes few proposals of one of two kinds, from a Gaussian or from a cap, and gives up after a
// stated number.
package ball

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// MaxDim is the largest dimension accepted.
const MaxDim = 1000

// ProposalsError says that no proposal was kept within the limit of a draw.
type ProposalsError struct{ Tried int }

// Error says how many were tried.
func (e *ProposalsError) Error() string {
	return fmt.Sprintf("ball: none of %d proposals was kept; want a distribution that is less sharp on the ball", e.Tried)
}

// Sampler holds one law, rotated to the axes of P: p_i the eigenvalues, g = Q′h. It is immutable and safe for
// concurrent use.
//
// Proposals are Gaussian with precision p_i + λ and mean g_i/(p_i + λ), that is, the law times e^{−λ‖v‖²/2}; one inside
// the ball is kept with probability e^{−λ(B²−‖v‖²)/2} ≤ 1, which cancels the tilt. The draw is exact for every λ ≥ 0
// with all p_i + λ > 0. Its acceptance is largest at the only λ ≥ 0 with
//
//	Σ_i [1/(p_i+λ) + (g_i/(p_i+λ))²] = B²  (E‖v‖² = B²),  or λ = 0 where the left side is below B² already,
//
// because d/dλ of the log acceptance is ½(E‖v‖² − B²). A law that is pressed against the sphere needs about B√λ of
// them; beyond capFrom proposals a cap is tried in their place, whose number stays small there.
type Sampler struct {
	mean, sd []float64 // of the proposal, on the axes of P
	q        []float64 // row-major Q
	lambda   float64
	radius   float64 // B
	unit     float64 // the power of two that lengths are measured in
	expected float64
	cap      *capped // nil: the tilted Gaussian
}

// New decomposes P: about d³ work, once a law. P is symmetric and finite, h finite of the same dimension 1 ≤ d ≤
// MaxDim, 0 < B < ∞; B²P and B·h are at most 1e150 in size. P need not be positive definite: on a ball the law is
// proper in any case. Errors: *domain.Error.
func New(p *mat.SymDense, h []float64, radius float64) (*Sampler, error) {
	if p == nil {
		return nil, domain.Refuse("ball", "dimension of the precision", 0, fmt.Sprintf("1 to %d", MaxDim))
	}
	d := p.SymmetricDim()
	switch {
	case d < 1 || d > MaxDim:
		return nil, domain.Refuse("ball", "dimension of the precision", float64(d), fmt.Sprintf("1 to %d", MaxDim))
	case len(h) != d:
		return nil, domain.Refuse("ball", "length of h", float64(len(h)), fmt.Sprintf("%d, the dimension of the "+
			"precision", d))
	case !(radius > 0) || math.IsInf(radius, 1):
		return nil, domain.Refuse("ball", "radius", radius, "0 < radius < ∞")
	}
	_, exp := math.Frexp(radius)
	s := &Sampler{mean: make([]float64, d), sd: make([]float64, d), q: make([]float64, d*d), radius: radius,
		unit: math.Ldexp(1, exp-1)}
	scaled, right := mat.NewSymDense(d, nil), make([]float64, d)
	for i := range d {
		for j := i; j < d; j++ {
			v := p.At(i, j) * s.unit * s.unit
			if !(math.Abs(v) <= 1e150) {
				return nil, domain.Refuse("ball", fmt.Sprintf("precision[%d,%d]", i, j), p.At(i, j),
					"a finite number, at most 1e150 in units of the radius")
			}
			scaled.SetSym(i, j, v)
		}
		if right[i] = h[i] * s.unit; !(math.Abs(right[i]) <= 1e150) {
			return nil, domain.Refuse("ball", fmt.Sprintf("h[%d]", i), h[i], "a finite number, at most 1e150 in "+
				"units of the radius")
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return nil, domain.Refuse("ball", "precision", math.NaN(), "a matrix whose eigenvalues converge")
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	g := make([]float64, d)
	for i := range d {
		for j := range d {
			v := vectors.At(i, j)
			s.q[i*d+j] = v
			g[j] += v * right[i]
		}
	}
	if err := s.tilt(values, g); err != nil {
		return nil, err
	}
	if s.expected > capFrom {
		s.tryCap(values, g)
	}
	return s, nil
}

// tilt finds λ and the proposal, in units of s.unit.
func (s *Sampler) tilt(p, g []float64) error {
	b2 := s.radius / s.unit * (s.radius / s.unit)
	square := func(lambda float64) float64 { // E‖v‖² − B², decreasing in λ
		total := -b2
		for i := range p {
			v := 1 / (p[i] + lambda)
			m := g[i] * v
			total += v + m*m
		}
		return total
	}
	floor := math.Max(0, -p[0]) // eigenvalues ascend
	flat := p[0] <= 1e-100      // or convex
	if flat || square(0) > 0 {
		lo, step := floor, math.Max(math.Abs(p[len(p)-1]), 1/b2)
		if flat { // every eigenvalue is positive from here on, and the mean square above B²
			lo = floor + 0.5*math.Min(1/b2, step)
		}
		hi := lo + step
		for square(hi) > 0 { // at most 2000 doublings
			step *= 2
			hi = lo + step
			if math.IsInf(hi, 1) {
				return domain.Refuse("ball", "radius", s.radius, "a ball not beyond float64 of the distribution's scale")
			}
		}
		a, b, err := num.RootBracket(square, lo, hi, 0)
		if err != nil {
			return domain.Refuse("ball", "precision", p[0], "finite moments on the ball")
		}
		s.lambda = math.Max(a, b)
	}
	variance := 0.0 // of ‖v‖²/2
	for i := range p {
		v := 1 / (p[i] + s.lambda)
		s.mean[i], s.sd[i] = g[i]*v, math.Sqrt(v)
		variance += v * (v/2 + s.mean[i]*s.mean[i])
	}
	s.expected = math.Max(1, math.Sqrt(2*math.Pi*variance)*s.lambda)
	if math.IsNaN(s.expected) || math.IsInf(s.expected, 1) {
		return domain.Refuse("ball", "precision", p[0], "finite moments on the ball")
	}
	return nil
}

// Dim is d.
func (s *Sampler) Dim() int { return len(s.mean) }

// Tilt is λ, in units of a precision.
func (s *Sampler) Tilt() float64 { return s.lambda / s.unit / s.unit }

// ExpectedProposals estimates the proposals a draw takes: √(2π)·λ·sd(‖v‖²/2), at least 1, within a factor of about 2 to
// 3; of a cap, by trying. It depends on P and h, hence on data.
func (s *Sampler) ExpectedProposals() float64 { return s.expected }

// most is the number of proposals after which a draw gives up: 2^24/d, and at least 2^20. Laws of either kind need a
// few thousand.
func (s *Sampler) most() int { return max(1<<20, 1<<24/len(s.mean)) }

// checkEvery is the number of proposals between looks at the context.
const checkEvery = 1024

// Draw fills out, of length Dim, with one draw, ‖out‖ ≤ B, and tells how many proposals it took: like the time a draw
// takes, a number that depends on the data and is not to be published. Errors: *domain.Error for a wrong length,
// *ProposalsError.
func (s *Sampler) Draw(src rand.Source, out []float64) (proposals int, err error) {
	return s.DrawContext(context.Background(), src, out)
}

// DrawContext is Draw, ended by ctx. Errors also: that of ctx.
func (s *Sampler) DrawContext(ctx context.Context, src rand.Source, out []float64) (proposals int, err error) {
	d := len(s.mean)
	if len(out) != d {
		return 0, domain.Refuse("ball", "length of out", float64(len(out)), fmt.Sprintf("%d, the dimension", d))
	}
	v, propose := make([]float64, d), s.propose
	if s.cap != nil {
		propose = s.cap.propose
	}
	for proposals = 1; !propose(src, v); proposals++ {
		if proposals >= s.most() {
			return proposals, &ProposalsError{proposals}
		}
		if proposals%checkEvery == 0 && ctx.Err() != nil {
			return proposals, ctx.Err()
		}
	}
	for i := range d {
		out[i] = 0
		for j, q := range s.q[i*d : (i+1)*d] {
			out[i] += q * v[j]
		}
		out[i] *= s.unit
	}
	s.pull(out)
	return proposals, nil
}

// propose fills v from the tilted Gaussian, and tells whether it is kept.
func (s *Sampler) propose(src rand.Source, v []float64) bool {
	square, b := 0.0, s.radius/s.unit
	for i, m := range s.mean {
		x := m + s.sd[i]*sample.Normal(src)
		v[i] = x
		square += x * x
	}
	return square <= b*b && math.Log(sample.Float64(src)) <= -s.lambda*(b*b-square)/2
}

// pull undoes a rotation's rounding past the sphere.
func (s *Sampler) pull(out []float64) {
	for {
		norm := 0.0
		for _, x := range out {
			norm += (x / s.unit) * (x / s.unit)
		}
		if norm = math.Sqrt(norm) * s.unit; norm <= s.radius {
			return
		}
		shrink := s.radius / norm * (1 - 1e-15)
		for i := range out {
			out[i] *= shrink
		}
	}
}

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
