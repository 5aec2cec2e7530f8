package latent

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// The rows of a shared node: given the centre m ~ Dirichlet(2/L, …, 2/L) they are independent Dirichlet(a) with
//
//	a_l = A·(λ/L + (1 − λ)·m_l),  A = rowWeight, λ = rowFloor.
const (
	rowWeight = 1.0
	rowFloor  = 0.1
)

// shared reports whether the rows of a node share a centre.
func (p *Problem) shared(v int) bool { return p.Shared != nil && p.Shared[v] }

// ShareRows sets the default prior. A row weighs one record, a root or a centre two: a root of L levels has
// Dirichlet(2/L, …, 2/L), each of two rows Dirichlet(1/L, …, 1/L), and three rows or more share a centre.
func (p *Problem) ShareRows() {
	p.Alpha, p.Shared = nil, make([]bool, len(p.Levels))
	for v, levels := range p.Levels {
		rows := 1
		for _, u := range p.Parents[v] {
			rows *= p.Levels[u]
		}
		weight := 2 * rowWeight
		if rows == 2 {
			weight = rowWeight
		}
		p.Alpha = append(p.Alpha, slices.Repeat([]float64{weight / float64(levels)}, levels))
		p.Shared[v] = rows > 2
	}
}

// centre is that of a shared node's rows, with what follows from it.
type centre struct {
	log   []float64 // ln m
	a     []float64
	level []*weight // Γ(a_l + c)/Γ(a_l)
	rows  []int64   // the node's table, while the centre moves
}

// centreCounts of a level's weights are kept; from there on centreTerms of the expansion are right to 1e-12, as a ≤ 1.
const centreCounts, centreTerms = 64, 4

func newCentre(log []float64) *centre {
	h := &centre{log: log, a: make([]float64, len(log))}
	for range log {
		h.level = append(h.level, &weight{small: make([]float64, centreCounts), powers: make([]gammaPower, 1),
			last: centreTerms})
	}
	for l := range log {
		h.fill(l)
	}
	return h
}

// fill finds what follows from coordinate l.
func (h *centre) fill(l int) {
	h.a[l] = rowAlpha(len(h.log), h.log[l])
	h.level[l].powers[0] = gammaPower{h.a[l], 1}
	h.level[l].fill()
}

// rowAlpha is a_l by ln m_l.
func rowAlpha(levels int, log float64) float64 {
	return rowWeight * (rowFloor/float64(levels) + (1-rowFloor)*math.Exp(log))
}

func (h *centre) clone() *centre {
	if h == nil {
		return nil
	}
	return newCentre(slices.Clone(h.log))
}

// logPrior is the logarithm of the density of ln m: Σ alpha_l·ln m_l.
func (h *centre) logPrior(alpha []float64) (out float64) {
	for l, x := range h.log {
		out += alpha[l] * x
	}
	return out
}

// shared is the weight of cell i of the family of a shared node.
func (c *Chain) shared(tb *tab, i int) *weight {
	v := tb.vars[tb.centre]
	return c.shares[v].level[i/tb.stride[tb.centre]%c.p.Levels[v]]
}

// Alpha is the prior of the rows of a node: of a shared one given its centre, until the next move.
func (c *Chain) Alpha(v int) []float64 {
	if h := c.shares[v]; h != nil {
		return h.a
	}
	return c.p.Alpha[v]
}

// Shares appends the Alpha of every shared node, node by node.
func (c *Chain) Shares(out []float64) []float64 {
	for _, h := range c.shares {
		if h != nil {
			out = append(out, h.a...)
		}
	}
	return out
}

// Prior draws CPTs from the prior.
func (l *Layout) Prior(src rand.Source) [][]float64 {
	return l.draw(src, func(int, []int64) {}, func(v int) []float64 {
		if !l.p.shared(v) {
			return l.p.Alpha[v]
		}
		m := make([]float64, l.p.Levels[v])
		sample.LogDirichlet(src, l.p.Alpha[v], m)
		return newCentre(m).a
	})
}

// Draw draws CPTs given the latent tables: Dirichlet(α + count) rows, each node in the order of Chain.Family.
func (c *Chain) Draw() [][]float64 { return c.draw(c.rng, c.Family, c.Alpha) }

// draw draws rows from Dirichlet(alpha(v) + counts); alpha is asked once a node.
func (l *Layout) draw(src rand.Source, family func(v int, out []int64), alpha func(v int) []float64) [][]float64 {
	out := make([][]float64, len(l.p.Levels))
	var counts []int64
	sum := make([]float64, slices.Max(l.p.Levels))
	for v, r := range l.p.Levels {
		cells := r * len(l.rows[v].configs)
		counts = append(counts[:0], make([]int64, cells)...)
		family(v, counts)
		out[v] = make([]float64, cells)
		prior := alpha(v)
		for lo := 0; lo < cells; lo += r {
			for i := range r {
				sum[i] = prior[i] + float64(counts[lo+i])
			}
			row := out[v][lo : lo+r]
			sample.LogDirichlet(src, sum[:r], row)
			total := 0.0
			for i := range row {
				row[i] = math.Exp(row[i])
				total += row[i]
			}
			for i := range row {
				row[i] /= total
			}
		}
	}
	return out
}

func (c *Chain) moveCentres() {
	for v, h := range c.shares {
		if h != nil {
			c.moveCentre(v, h)
		}
	}
}

// moveCentre makes L − 1 slices of a node's centre: levels x and y uniform, s = m_x + m_y fixed, on β = ln(m_x/m_y)
// with the density
//
//	m_x^α_x·m_y^α_y·∏_rows Γ(a_x + g_x)/Γ(a_x)·Γ(a_y + g_y)/Γ(a_y),
//
// in which the Jacobian is: |∂(ln m_x, ln m_y)/∂(ln s, β)| = 1. Beyond ±farthest·L β is not taken, where the prior
// probability is below 1e-86.
func (c *Chain) moveCentre(v int, h *centre) {
	levels := len(h.log)
	h.rows = slices.Grow(h.rows[:0], levels*len(c.rows[v].configs))[:levels*len(c.rows[v].configs)]
	c.Family(v, h.rows)
	density := func(l int, log float64) float64 {
		a := rowAlpha(levels, log)
		base, out := lnGamma(a), c.p.Alpha[v][l]*log
		for i := l; i < len(h.rows); i += levels {
			switch g := h.rows[i]; {
			case g == 1:
				out += math.Log(a)
			case g > 1:
				out += lnGamma(a+float64(g)) - base
			}
		}
		return out
	}
	for range levels - 1 {
		x := c.rng.IntN(levels)
		y := other(c.rng.IntN(levels-1), x)
		s := math.Max(h.log[x], h.log[y])
		s += math.Log(math.Exp(h.log[x]-s) + math.Exp(h.log[y]-s))
		parts := func(b float64) (float64, float64) { // ln m_x, ln m_y
			tail := math.Log1p(math.Exp(-math.Abs(b)))
			return s + math.Min(b, 0) - tail, s - math.Max(b, 0) - tail
		}
		b := sliceReal(func(b float64) float64 {
			if math.Abs(b) > farthest*float64(levels) {
				return math.Inf(-1)
			}
			p, q := parts(b)
			return density(x, p) + density(y, q)
		}, h.log[x]-h.log[y], math.Max(1.5, float64(levels)/2), c.rng)
		h.log[x], h.log[y] = parts(b)
		h.fill(x)
		h.fill(y)
	}
}

// farthest bounds ln(m_x/m_y), for each level of a node.
const farthest = 100

func lnGamma(x float64) float64 { y, _ := math.Lgamma(x); return y }

// sliceReal is one step from x by slice sampling with stepping out and shrinkage (Neal, "Slice sampling", Annals of
// Statistics 31, 2003). The density, a logarithm, must be −∞ far out.
func sliceReal(density func(x float64) float64, x, width float64, r *rand.Rand) float64 {
	level := density(x) - r.ExpFloat64()
	lo := x - width*r.Float64()
	hi := lo + width
	for density(lo) >= level {
		lo -= width
	}
	for density(hi) >= level {
		hi += width
	}
	for {
		z := lo + (hi-lo)*r.Float64()
		if density(z) >= level {
			return z
		}
		if z < x {
			lo = z
		} else {
			hi = z
		}
	}
}
