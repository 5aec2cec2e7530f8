package hellingersample

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// tables are the proposal laws of one block, made when first needed.
type tables struct {
	from  []int64
	cells []*sample.Weights
	terms *sample.Weights // N − N_j, nil for blocks of one
}

// Draw proposes until a candidate is kept.
func (m *mixture) Draw(src rand.Source) ([]int64, error) {
	r := make([]int64, m.dim())
	for {
		switch j := m.choice.Draw(src); {
		case j == m.choice.Len()-1:
			return slices.Clone(m.x), nil
		case j == 0:
			return composition(src, m.n, m.dim()), nil
		default:
			ok, err := m.propose(src, j-1, r)
			if ok || err != nil {
				return r, err
			}
		}
	}
}

// propose draws a candidate from block j and tells whether it is kept.
func (m *mixture) propose(src rand.Source, j int, r []int64) (bool, error) {
	b := &m.blocks[j]
	t, err := m.tables(j)
	if err != nil {
		return false, err
	}
	left, cost := m.n, 0.0
	for i := range r {
		if i == b.rest {
			continue
		}
		r[i] = t.from[i] + int64(t.cells[i].Draw(src))
		if left -= r[i]; left < 0 {
			return false, nil
		}
		cost += m.cells[i].cost[r[i]-m.cells[i].from]
	}
	w := &m.cells[b.rest]
	r[b.rest] = left
	k := left - t.from[b.rest]
	if k < 0 || k >= int64(t.cells[b.rest].Len()) {
		return false, nil
	}
	e := t.cells[b.rest].Exponent(int(k))
	cost += w.cost[left-w.from]
	if t.terms != nil && cost > 0 {
		e += float64(t.terms.Draw(src)) * cost
	}
	return sample.BernoulliExp(src, quantise(e), grid), nil
}

// tables makes or finds the proposal laws of block j. The cache is emptied when it is full.
func (m *mixture) tables(j int) (*tables, error) {
	if t, ok := m.cache[j]; ok {
		return t, nil
	}
	b, t, size := &m.blocks[j], &tables{}, int(m.blocks[j].end-m.blocks[j].n)
	n := float64(b.n)
	for i := range m.cells {
		w := &m.cells[i]
		lo, hi := w.span((m.a + negligible) / n)
		out := make([]float64, hi-lo)
		top := w.logs(n, b.tilt, lo, hi, out)
		for k, l := range out {
			out[k] = top - l
		}
		law, err := sample.NewWeights(out)
		if err != nil {
			return nil, err
		}
		t.from, t.cells = append(t.from, w.from+int64(lo)), append(t.cells, law)
		size += hi - lo + 64
	}
	if b.end-b.n > 1 {
		out := make([]float64, b.end-b.n)
		b.exponents(out)
		law, err := sample.NewWeights(out)
		if err != nil {
			return nil, err
		}
		t.terms = law
	}
	if m.cached += size; m.cached > maxCacheEntries {
		clear(m.cache)
		m.cached = size
	}
	m.cache[j] = t
	return t, nil
}

// Slack adds up, with B = bound + 60, M ≤ terms, u = 2^−53:
//
//   - ln BC^N of a candidate that matters, at most B in all: B times the error of logBC, and of the products and sums;
//   - ln t: four roundings of numbers that add up to at most B + 2n|ln λ| + Σ max ln t;
//   - the laws of the cells against their computed normalisers: both from the same exponents, one exp and one
//     compensated sum each;
//   - ln M and ln p as exponents of the law of the blocks, ln|R|;
//   - p_N by its recurrence, in the blocks, their sums and the rest of the law;
//   - the grid, and what is left out, twice e^−60.
func (m *mixture) Slack() float64 {
	const u = 0x1p-53
	d, n, b := float64(m.dim()), float64(m.n), m.bound+negligible
	tilt := 2*(tiltPerCell*d+tiltRoom) + tiltRoom
	logs := d*(math.Log1p(n)+2) + m.bound + math.Log(MaxMixtureTerms)
	return b*(m.phiError()+(d+4)*u) +
		4*u*(b+tilt) +
		d*(2*sample.RelativeError(b+tilt)+8*u) +
		2*u*(3*logs+4) + 5e-15*(1+3*logs) + 2*sample.RelativeError(sample.MaxExponent) +
		3*4*m.publicTerms()*u +
		gridError + 4*math.Exp(-negligible)
}
