package study

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// fraction is a rate as the samplers take it: the float64 itself where it is a quotient of small integers, else rounded
// to 2^−40.
func fraction(rate float64) (n, d uint64) {
	for d = 1; d <= 1000; d++ {
		if k := math.Round(rate * float64(d)); k >= 1 && k/float64(d) == rate {
			return uint64(k), d
		}
	}
	return max(1, uint64(math.Round(rate*(1<<40)))), 1 << 40
}

func twoSided(rate float64) sample.TwoSidedGeometric {
	n, d := fraction(rate)
	return sample.TwoSidedGeometric{Num: n, Den: d}
}

// clamped is the law of a count x in [0, n] with two-sided geometric noise at the given rate, clamped to [0, n].
func clamped(x, n int64, rate float64) []float64 {
	g := twoSided(rate)
	p := make([]float64, n+1)
	for v := range p {
		p[v] = math.Exp(g.LogProb(int64(v) - x))
	}
	p[0], p[n] = math.Exp(g.LogTail(x)), math.Exp(g.LogTail(n-x)) // the law is symmetric
	return p
}

// geometric is the clamped geometric mechanism on the first of two counts: q = e^−ε, one count determines the other.
func (b *bench) geometric() law { return law{b.h, b.l1, clamped(b.X[0], b.space.N(), b.Epsilon)} }

// knorm is sum-zero noise P(Z) ∝ exp(−ε/2·‖Z‖₁), Σ Z = 0, and [project]: for d = 2 the two-sided geometric law at rate
// ε on the line, for d = 3 a sum over the lattice up to |Z_i| ≤ 36/ε + 2, outside of which there is less than e^−36 of
// the mass.
func (b *bench) knorm() law {
	w := int64(36/b.Epsilon) + 2
	d, n := len(b.X), b.space.N()
	num, den := fraction(b.Epsilon / 2)
	noise, _ := sample.NewSumZero(d, num, den) // ε and d are in its domain
	p := make([]float64, len(b.h))
	q, norm := math.Exp(-2*noise.Rate()), math.Exp(-noise.LogNorm())
	power := make([]float64, 2*w+1) // e^{−γ‖z‖₁} = q^{‖z‖₁/2}
	for t := range power {
		power[t] = math.Exp(float64(t)*math.Log(q)) * norm
	}
	r := make([]int64, d)
	for u := -w; u <= w; u++ {
		if d == 2 {
			r[0], r[1] = b.X[0]+u, b.X[1]-u
			project(r, n)
			p[b.rank(r)] += power[gap(u, 0)]
			continue
		}
		for v := max(-w, -w-u); v <= min(w, w-u); v++ {
			r[0], r[1], r[2] = b.X[0]+u, b.X[1]+v, b.X[2]-u-v
			project(r, n)
			p[b.rank(r)] += power[(gap(u, 0)+gap(v, 0)+gap(u+v, 0))/2]
		}
	}
	return law{b.h, b.l1, p}
}

// project maps integers of sum n to counts of sum n, in place: negative cells become 0, then the excess is taken from
// the positive cells in equal parts, again and again while cells run empty, and what does not divide from the largest,
// the first of equals first. Any fixed map would do for privacy (theory/hellinger.md §8).
func project(r []int64, n int64) {
	excess, positive := -n, int64(0)
	for i, v := range r {
		r[i] = max(0, v)
		excess += r[i]
	}
	for excess > 0 {
		positive = 0
		least := int64(math.MaxInt64)
		for _, v := range r {
			if v > 0 {
				positive++
				least = min(least, v)
			}
		}
		if excess < positive {
			break
		}
		k := min(least, excess/positive)
		for i, v := range r {
			if v > 0 {
				r[i] -= k
			}
		}
		excess -= k * positive
	}
	if excess <= 0 {
		return
	}
	before := append(make([]int64, 0, 3), r...) // the order is that of the cells before the last units go
	for ; excess > 0; excess-- {
		at := 0
		for i, v := range before {
			if v > before[at] {
				at = i
			}
		}
		r[at]--
		before[at] = -1
	}
}

// perCell is independent two-sided geometric noise, q = e^{−ε/2}, on every count, clamped to [0, n]. The noisy counts
// need not sum to n, so that the totals A = Σα + n and B = Σα + Σr differ and ln BC = Σφ(α_i + x_i, α_i + r_i) − φ(A,
// B).
func (b *bench) perCell() law {
	d, n := len(b.X), b.space.N()
	var phi, prob [][]float64
	sumPrior := 0.0
	for i, x := range b.X {
		prob = append(prob, clamped(x, n, b.Epsilon/2))
		phi = append(phi, b.space.Phi(i, x))
		sumPrior += b.Prior[i]
	}
	whole := make([]float64, int64(d)*n+1)
	for s := range whole {
		whole[s] = num.LogBC(sumPrior+float64(n), sumPrior+float64(s))
	}
	size := int(n + 1)
	for range d - 1 {
		size *= int(n + 1)
	}
	l := law{make([]float64, 0, size), make([]float64, 0, size), make([]float64, 0, size)}
	cells := func(i, sum int, log, l1, p float64) {
		last, x := prob[i], b.X[i]
		for v, w := range last {
			if w *= p; w < negligible {
				continue
			}
			l.h = append(l.h, math.Sqrt(math.Max(0, -math.Expm1(log+phi[i][v]-whole[sum+v]))))
			l.l1 = append(l.l1, l1+float64(gap(int64(v), x)))
			l.p = append(l.p, w)
		}
	}
	for u, pu := range prob[0] {
		lu := float64(gap(int64(u), b.X[0]))
		if d == 2 {
			cells(1, u, phi[0][u], lu, pu)
			continue
		}
		for v, pv := range prob[1] {
			if p := pu * pv; p > negligible {
				cells(2, u+v, phi[0][u]+phi[1][v], lu+float64(gap(int64(v), b.X[1])), p)
			}
		}
	}
	l.h, l.l1, l.p = slices.Clip(l.h), slices.Clip(l.l1), slices.Clip(l.p)
	return l
}

// negligible outcomes are left out: at most 201³ of them weigh less than 1e-17 together.
const negligible = 1e-24
