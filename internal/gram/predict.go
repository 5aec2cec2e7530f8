package gram

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/mcmc"
)

// Prediction is of one released number given all of them: its mean over the draws, and its standard deviation with that
// of the number given a draw, the noise of the release included.
type Prediction struct{ Mean, SD float64 }

// misses add up, over draws, how far released numbers lie from what a draw predicts of them: of entries, of s̃ and, but
// for a step, of t̃.
type misses struct {
	draws               float64
	sum, square, within []float64
}

// add is of the state of a chain.
func (m *misses) add(c *chain) {
	p := c.p
	d, e, k := p.Dim, p.Dim+1, 0
	if m.sum == nil {
		n := len(p.Entries) + e
		m.sum, m.square, m.within = make([]float64, n), make([]float64, n), make([]float64, n)
	}
	put := func(miss, variance float64) {
		m.sum[k], m.square[k], m.within[k] = m.sum[k]+miss, m.square[k]+miss*miss, m.within[k]+variance
		k++
	}
	m.draws++
	for i := range p.Entries {
		put(p.Entries[i].Noisy-c.f[i], p.Entries[i].Variance)
	}
	r := c.c[e : 2*e]
	if c.curved != nil {
		c.curved.at(p, c.w)
		times(c.s, c.curved.mean, r[:d], d)
		for j := range d {
			put(p.XY[j]-r[j], p.Curve.Variance[j*d+j])
		}
		return
	}
	c.variance(c.s, c.w, math.Exp(2*c.logSigma), p.rows(c.f), c.a, r)
	for j := range e {
		put(r[j], c.a[j*e+j])
	}
}

// predictions are those of all chains together.
func (p *Problem) predictions(chains []mcmc.Chain) (out []Prediction) {
	released := make([]float64, 0, len(p.Entries)+p.Dim+1)
	for _, e := range p.Entries {
		released = append(released, e.Noisy)
	}
	if released = append(released, p.XY...); p.Curve == nil {
		released = append(released, p.YY)
	}
	for k, v := range released {
		draws, mean, variance := 0., 0., 0.
		for _, c := range chains {
			m := &c.(*chain).misses
			draws += m.draws
			mean += m.sum[k]
			variance += m.square[k] + m.within[k]
		}
		mean /= draws
		out = append(out, Prediction{v - mean, math.Sqrt(math.Max(variance/draws-mean*mean, 0))})
	}
	return out
}
