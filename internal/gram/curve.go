package gram

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// The reference distribution of w in a step has the covariance at the mode times wider and, from the first doubling on,
// that of the draws times widest: it must reach into a long tail.
const (
	wider  = 1.4
	widest = 1.5
)

// curved is what a chain keeps of a step.
type curved struct {
	root, inverse []float64 // of V: its factor, and K
	of, mean      []float64 // w, and m(w)
	r             []float64 // a residual

	about, precision, factor []float64 // the reference distribution of w
}

func newCurved(p *Problem) *curved {
	d := p.Dim
	c := &curved{root: make([]float64, d*d), inverse: make([]float64, d*d), of: make([]float64, d),
		mean: make([]float64, d), r: make([]float64, d), about: make([]float64, d), precision: make([]float64, d*d),
		factor: make([]float64, d*d)}
	c.of[0] = math.NaN() // equal to nothing
	floored(p.Curve.Variance, c.root, d)
	inverse(c.root, c.inverse, make([]float64, d*d), d)
	return c
}

// refer puts the reference distribution at mean and so many times a covariance. It is frozen until the next call.
func (c *chain) refer(mean, covariance []float64, wide float64) {
	k, d := c.curved, c.p.Dim
	copy(k.about, mean)
	floored(covariance, c.l, d)
	inverse(c.l, k.precision, c.a, d)
	for i := range k.precision {
		k.precision[i] /= wide
	}
	floored(k.precision, k.factor, d)
}

// at computes m(w), unless it was the last one asked for: a move begins where the one before it ended.
func (k *curved) at(p *Problem, w []float64) {
	if !slices.Equal(w, k.of) {
		copy(k.of, w)
		p.Curve.Mean(w, k.mean)
	}
}

// logLikelihood is log N(s̃; S·m(w), V) but for a constant.
func (k *curved) logLikelihood(p *Problem, s, w []float64) float64 {
	k.at(p, w)
	times(s, k.mean, k.r, p.Dim)
	for i := range k.r {
		k.r[i] = p.XY[i] - k.r[i]
	}
	half(k.root, k.r, p.Dim)
	return -dot(k.r, k.r) / 2
}

// renew computes mean and residual anew, with no part for t̃.
func (k *curved) renew(c *chain) {
	p, d, e := c.p, c.p.Dim, c.p.Dim+1
	k.at(p, c.w)
	times(c.s, k.mean, k.r, d)
	clear(c.k)
	for i := range d {
		c.r[i] = p.XY[i] - k.r[i]
		copy(c.k[i*e:i*e+d], k.inverse[i*d:(i+1)*d])
	}
	c.r[d] = 0
	times(c.k, c.r, c.kr, e)
}

// start is a scattered start: 1.5 deviations about the mode.
func (k *Curve) start(src *rand.Rand) []float64 {
	d := len(k.Mode)
	l, z, w := make([]float64, d*d), make([]float64, d), make([]float64, d)
	floored(k.Spread, l, d)
	for i := range z {
		z[i] = 1.5 * sample.Normal(src)
		w[i] = k.Mode[i] + dot(l[i*d:i*d+i+1], z[:i+1])
	}
	return w
}
