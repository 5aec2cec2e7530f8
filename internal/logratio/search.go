// Package logratio bounds how far apart the posteriors of neighbouring data sets are, by the range of their log-ratio
// alone ([BoundedRange]) or, where that is monotone in one natural parameter ([Posteriors] of bits, of a rate, of
// finitely many points), exactly: the greatest log-ratio, hockey-stick and Rényi divergences over all pairs of data
// sets that differ in one record.
//
// With natural parameter η in [a, b], S the sum of the records' statistic and Λ the log evidence, two posteriors have
//
//	ln f_{S+d}(θ)/f_S(θ) = d·η(θ) − (Λ(S + d) − Λ(S)),
//
// affine in η: extremes are at the ends of the support, a hockey-stick divergence is a tail, and a Rényi divergence a
// second difference of Λ. The worst S is found by bounds on cells of S (search.go); the
// integrals are Gauss–Legendre panels (kernels.go). All bounds are inflated by a relative 1e-9 against rounding.
//
// Source: theory/sampling.md §22.
package logratio

import (
	"container/heap"
	"math"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/internal/num"
)

const (
	scanPairs   = 256  // lattices with at most that many pairs are scanned
	latticeGap  = 1e-4 // relative gap at which the search of a longer lattice stops
	realGap     = 2e-3 // and that over real S, to which tailGap·(ln²δ − tailFrom), at most ½, is added for a small δ
	tailGap     = 2e-3
	tailFrom    = 9
	negligible  = 1e-30 // a divergence below which there is nothing to find
	searchEvals = 2000  // cells after which it stops with a wider gap
)

// region is what a search over S needs. The cells are closed intervals that share their ends.
type region struct {
	tail  bool                       // a tail probability
	at    func(s float64) float64    // the divergence at S
	cheap func(a, b float64) float64 // a bound over [a, b] from the spread alone
	// a bound that tends to the divergence as the cell shrinks; one below the goal will do
	fine func(a, b, goal float64) float64
}

// search is an upper bound of at over all S in [first, last], within the gap unless it runs out of cells: cells are
// bounded and divided, the one with the greatest bound first. A cell of a lattice without inner points is its two ends.
func (o Posteriors) search(r region) float64 {
	known := map[float64]float64{}
	least := 0.0
	at := func(s float64) float64 {
		v, ok := known[s]
		if !ok {
			v = r.at(s)
			known[s] = v
			least = math.Max(least, v)
		}
		return v
	}
	last := math.Max(o.first, o.last)
	at(o.first)
	at(last)
	queue := &cells{}
	for _, c := range o.spreads.cover(o.first, last) {
		if o.lattice { // outwards to points
			a, b := math.Floor(c.s), math.Min(last, math.Ceil(c.s+c.h))
			c.s, c.h = a, b-a
		}
		c.bound = r.cheap(c.s, c.s+c.h)
		*queue = append(*queue, c)
	}
	heap.Init(queue)
	gap := 1 + realGap
	if o.lattice {
		gap = 1 + latticeGap
	}
	enough := func() float64 {
		v := least * gap
		// ln δ is about −½z²: a share of that is a share of the noise
		if r.tail && !o.lattice && least > negligible && least < 1 {
			v += least * math.Min(.5, tailGap*math.Max(0, math.Log(least)*math.Log(least)-tailFrom))
		}
		return math.Max(v, negligible)
	}
	measured := func(a, b, bound float64) {
		c := cell{s: a, h: b - a, bound: bound, measured: true}
		if o.lattice && c.h <= 1 {
			c.bound = math.Max(at(a), at(b))
		} else if c.bound > enough() {
			c.bound = math.Min(c.bound, r.fine(a, b, enough()))
		}
		if !(c.bound <= least) {
			heap.Push(queue, c)
		}
	}
	evals := searchEvals
	if !o.lattice {
		evals /= 3
	}
	for range evals {
		if o.stopped() {
			return math.Inf(1)
		}
		if queue.Len() == 0 || (*queue)[0].bound <= enough() {
			break
		}
		c := heap.Pop(queue).(cell)
		a, b := c.s, c.s+c.h
		if !c.measured {
			measured(a, b, c.bound)
			continue
		}
		mid := a + c.h/2
		if o.lattice {
			if c.h <= 1 { // nothing inside: its bound is attained
				heap.Push(queue, c)
				break
			}
			mid = math.Floor(mid)
		}
		if !(mid > a && mid < b) {
			heap.Push(queue, c)
			break
		}
		at(mid)
		measured(a, mid, c.bound)
		measured(mid, b, c.bound)
	}
	if queue.Len() > 0 {
		return math.Max(least, (*queue)[0].bound)
	}
	return least
}

// renyiRegion bounds the Rényi divergence of the given order, d the shift between neighbours. With K(S) = D_λ(S+d ‖ S),
//
//	K = ∫ Λ″(S + u) w(u) du,  w ≥ 0 on [0, λd] of total weight λd²/2,
//
// so that K ≤ λd²/2 · sup σ², and likewise on the other side of S + d for D_λ(S ‖ S+d). Between S = a and b, K lies
// below the greater of its ends by all but h²/8 · sup(−K″), h = b − a, and
//
//	−K″ ≤ λd² sup σ⁴            since Λ⁗ = E(η−Eη)⁴ − 3σ⁴ ≥ −2σ⁴,
//	−K″ ≤ 2d sup σ³ + sup σ²/(λ−1)   since K″ = [Λ″(S+λd) + (λ−1)Λ″(S) − λΛ″(S+d)]/(λ−1) and |Λ‴| ≤ 2σ³,
//
// with the supremum over all that the order reaches in the first, and over [a, b + d] in the second.
func (o Posteriors) renyiRegion(order float64) region {
	d := o.d
	wide := func(a, b float64) float64 { return o.spreads.sup(a-(order-1)*d, b+order*d) }
	at := func(s float64) float64 { return math.Max(o.renyiAt(order, s)) }
	return region{
		at: at,
		cheap: func(a, b float64) float64 {
			v := d * wide(a, b)
			return order / 2 * v * v
		},
		fine: func(a, b, _ float64) float64 {
			return math.Max(at(a), at(b)) + o.bend(order, a, b)*(b-a)*(b-a)/8
		},
	}
}

// bend is the bound of −K″ over [a, b].
func (o Posteriors) bend(order, a, b float64) float64 {
	near, far := o.spreads.sup(a, b+o.d), o.spreads.sup(a-(order-1)*o.d, b+order*o.d)
	return math.Min(2*o.d*near*near*near+near*near/(order-1), order*o.d*o.d*far*far*far*far)
}

// renyiAt is both Rényi divergences of S and S + d: D_λ(S+d ‖ S) and D_λ(S ‖ S+d).
func (o Posteriors) renyiAt(order, s float64) (up, down float64) {
	var r [3]float64
	o.law.ratios(s, []float64{o.d, order * o.d, (1 - order) * o.d}, r[:])
	const ratioError = 3e-15 // of ratios, amplified near order 1
	slack := ratioError * (1 + 2*order) / (order - 1)
	return (r[1]-order*r[0])/(order-1) + slack, (r[2]-(1-order)*r[0])/(order-1) + slack
}

// deltaRegion bounds the hockey-stick divergence at ε of the posteriors at S and S + d, in either direction, by the
// least of three bounds.
//
// From one order λ > 1. The law f_{S+d}^λ f_S^{1−λ}, normalised, is the posterior T at S + λd, and with L the log-ratio
//
//	δ = e^{(λ−1)(D_λ − ε)} · E_T ψ(L − ε),  ψ(x) = e^{−(λ−1)x}(1 − e^{−x}) for x > 0, else 0.
//
// ψ ≤ (1/λ)(1 − 1/λ)^{λ−1} gives Canonne, Kamath and Steinke's Proposition 12; ∫ψ = 1/(λ(λ−1)) and the greatest density
// of L, which is that of η over d, a bound that is within 7 % of the truth three standard deviations out. ln of that
// density has the slope mode − mean in S, at most √3σ for a unimodal law (Johnson and Rogers 1951).
//
// From the total variation, at most ½√J with J = d(E_{S+d}η − E_Sη) ≤ d² sup σ².
//
// From the ends of the cell. δ is the maximum over events A, tails of η, of P_{S+d}(A) − e^ε·P_S(A). With X = (η −
// Eη)/σ,
//
//	P_S(A)‴ = σ³·E[1_A(X³ − 3X − EX³)],  P_S(A)″ = σ²·E[1_A(X² − 1)],
//
// both halves of a mean zero, so that |P‴| ≤ σ³(E|X|³ + 3 + 2)/2 ≤ 4.25σ³ and |P″| ≤ σ². (E|X|³ ≤ 3.5: for a
// log-concave density p ↦ E X₊^p/Γ(p+1) is log-concave, by Borell, so E X₊³ ≤ 6(E X₊²/2)^{3/2}/P(X > 0)^{1/2}, where
// P(X > 0) ≥ 1/e by Grünbaum; the same holds for X₋, and the two second moments add up to 1.) The second derivative in
// S of P_{S+d}(A) − e^ε·P_S(A) is ∫P‴ − (e^ε − 1)P″, at least −B for B = 4.25·d·sup σ³ + (e^ε − 1)·sup σ², for every A:
// adding BS²/2 makes each convex in S, hence their maximum too, and δ lies below the greater of its ends by all but
// Bh²/8.
func (o Posteriors) deltaRegion(epsilon float64) region {
	at := func(s float64) float64 {
		up, down := o.law.excess(s, o.d, epsilon)
		return math.Max(up, down)
	}
	top := o.spreads.sup(o.first, math.Max(o.first, o.last)+o.d)
	whole := o.d * o.spreads.whole()
	order := o.orderFor(epsilon, whole/o.d)
	everywhere := math.Exp((order-1)*(order/2*whole*whole-epsilon) + logChernoff(order)) // for every S
	return region{
		tail: true, at: at,
		cheap: func(a, b float64) float64 {
			near := o.spreads.sup(a, b+o.d)
			best := math.Min(1, o.d*near/2)
			if everywhere <= negligible {
				return math.Min(best, everywhere)
			}
			order := o.orderFor(epsilon, math.Max(near, top/3))
			far := o.d * o.spreads.sup(a-(order-1)*o.d, b+order*o.d)
			return math.Min(best, math.Exp((order-1)*(order/2*far*far-epsilon)+logChernoff(order)))
		},
		fine: func(a, b, goal float64) float64 {
			h, near := b-a, o.spreads.sup(a, b+o.d)
			chord := (4.25*o.d*near*near*near + math.Expm1(epsilon)*near*near) * h * h / 8
			best := math.Max(at(a), at(b)) + chord
			order := o.orderFor(epsilon, math.Max(near, top/3)) // where σ is less, δ is far below the worst
			// the divergence found tells a better order; an infinite one, to take a smaller
			for range 8 {
				if best <= goal {
					return best
				}
				v, rho := o.fromOrder(epsilon, order, a, b)
				best = math.Min(best, v)
				next := 1 + (order-1)/2
				if !math.IsInf(rho, 1) {
					next = o.orderFor(epsilon, math.Sqrt(2*rho)/o.d)
				}
				if next < order*1.2 && next > order/1.2 || next > 8*order {
					break
				}
				order = next
			}
			// [S, S+d] lies inside [a, b+d]: the posteriors are ordered by likelihood ratio
			if !o.lattice && h < o.d/4 {
				up, down := o.law.excess(a, o.d+h, epsilon)
				best = math.Min(best, math.Max(up, down))
			}
			return best
		},
	}
}

// logChernoff is (λ−1)·ln(1 − 1/λ) − ln λ, the logarithm of sup ψ.
func logChernoff(order float64) float64 { return (order-1)*math.Log1p(-1/order) - math.Log(order) }

// orderFor is about the best order for a standard deviation of η: it minimises (λ−1)(λρ − ε) − ln λ(λ−1), ρ = d²σ²/2.
func (o Posteriors) orderFor(epsilon, sigma float64) float64 {
	rho := o.d * sigma * o.d * sigma / 2
	if !(rho > 0) || math.IsInf(rho, 1) {
		return 2
	}
	order := math.Max(1.05, .5+(epsilon+math.Sqrt(epsilon*epsilon+16*rho))/(4*rho))
	if w, ok := o.law.(wholeBeta); ok { // infinite from 1 + min(α, β)/r on
		order = math.Min(order, 1+.9*math.Min(w.alpha, w.beta)/w.r)
	}
	return order
}

// fromOrder is the bound from one order over S in [a, b], with the greatest D_λ/λ there; +Inf where that is infinite.
func (o Posteriors) fromOrder(epsilon, order, a, b float64) (delta, rho float64) {
	h := b - a
	upA, downA := o.renyiAt(order, a)
	upB, downB := o.renyiAt(order, b)
	up, down := math.Max(upA, upB), math.Max(downA, downB)
	slack := o.bend(order, a, b) * h * h / 8
	if most := math.Max(up, down) + slack; math.IsInf(most, 1) || math.IsNaN(most) {
		return math.Inf(1), math.Inf(1)
	}
	side := func(divergence, shift float64) float64 {
		steep := math.Sqrt(3) * o.spreads.sup(a+shift, b+shift) * h / 2
		density := o.spreads.peak(a+h/2+shift) + steep - math.Log(o.d*order*(order-1))
		if most := logChernoff(order); !(density < most) {
			density = most
		}
		return math.Exp((order-1)*(divergence+slack-epsilon) + density)
	}
	return math.Max(side(up, order*o.d), side(down, (1-order)*o.d)), math.Max(up, down) / order
}

// spreads is what is known of a one-parameter law whose density of η is log-concave for every S: enough to bound
// divergences between two values of S at which they were computed.
type spreads interface {
	// sup is an upper bound of the standard deviation σ of η over S in [lo, hi].
	sup(lo, hi float64) float64
	// whole is an upper bound of σ over every S, +Inf where there is none.
	whole() float64
	// cover divides [lo, hi] into adjoining cells, each no wider than a few 1/σ.
	cover(lo, hi float64) []cell
	// peak is the logarithm of the greatest density of η at S.
	peak(s float64) float64
}

// envelope bounds σ by cells of S, found once for a family. The density of η is log-concave (the coordinate of
// [BetaDensity] is η/r with h concave in it, and [GammaDensity] has θ^{shape−1}e^{−bθ} with shape ≥ 1), so its skewness
// is at most 2 in absolute value; as dΛ″/dS is the third cumulant, |d(1/σ)/dS| = |κ₃|/(2σ³) ≤ 1, and on a cell of
// half-width w around s
//
//	σ ≤ σ(s)/(1 − w·σ(s)).
//
// It takes cells of thousands of records where pairs of data sets would need one each.
//
// Proof of the skewness bound. Let f be a log-concave density of mean 0 and variance 1, and g(x) = e^{−(x+1)} on [−1,
// ∞) that of the centred exponential law, of third moment 2. Below −1, f ≥ g = 0; above, ln f − ln g is concave, so f −
// g changes sign at most twice there, from − to + and back: with the part below, the signs of f − g run through at most
// +, −, +, −. The moments of order 0, 1 and 2 agree, so unless f = g there are at least three changes (else a
// polynomial of degree 2 with the same signs would have a positive integral against f − g), at a < b < c. Then (f −
// g)·(x−a)(x−b)(x−c) ≤ 0 everywhere, and its integral is E_f x³ − 2 ≤ 0. The mirror image of f gives E_f x³ ≥ −2.
type envelope struct {
	k Density
	d float64
	// S from first to last, one more record included, is divided first; beyond are stretches of doubling width, whose
	// cells do not
	first float64
	last  float64 // depend on the order in which they are asked for
	mu    sync.Mutex
	list  []cell  // ascending, adjoining; bound is that of σ
	most  float64 // the greatest σ computed between first and last
	below int     // stretches beyond either end
	above int
	limit float64 // σ ≤ limit for every S
	stop  func() bool
}

const (
	envelopeCells = 4000 // of one stretch of S; beyond, its cells keep a wider bound
	// a cell whose bound is below that share of the greatest σ is divided down to a half-width of 1/(2σ),
	settled       = .97
	envelopeWidth = .04   // and others to that many 1/σ, or fewer:
	topped        = 1.004 // until the bounds are at most that many times the greatest σ
)

func newEnvelope(k Density, first, last, d float64) *envelope {
	lo, hi := k.Ends()
	_, a := k.Eval(0, lo)
	_, b := k.Eval(0, hi)
	// half the range (Popoviciu), or what the curvature of the density implies (Brascamp and Lieb 1976, Theorem 4.1)
	return &envelope{k: k, d: d, limit: math.Min((b-a)/2, k.flat()) * inflation, first: first,
		last: math.Max(first, last) + d}
}

// spread is η's standard deviation at s.
func spread(k Density, s float64) float64 {
	_, c := k.Eval(s, k.mode(s))
	lo, hi := k.Ends()
	_, whole := Integral(k, s, 0, lo, hi, one)
	_, first := Integral(k, s, 0, lo, hi, func(eta float64) float64 { return eta - c })
	_, second := Integral(k, s, 0, lo, hi, func(eta float64) float64 { return (eta - c) * (eta - c) })
	m := first / whole
	return math.Sqrt(math.Max(0, second/whole-m*m))
}

// stretch divides [lo, hi], the cell with the greatest bound first.
func (e *envelope) stretch(lo, hi float64) []cell {
	most := e.most
	if lo == e.first {
		defer func() { e.most = most }()
	}
	bounded := func(s, h float64) cell {
		sigma := spread(e.k, s+h/2) * inflation
		most = math.Max(most, sigma)
		c := cell{s: s, h: h, bound: e.limit}
		if room := 1 - sigma*h/2; room > 0 {
			c.bound = math.Min(e.limit, sigma/room)
		}
		if x := sigma * h / 2; x <= envelopeWidth && c.bound <= topped*most || x <= .5 && c.bound <= settled*most ||
			x <= 1e-3 {
			c.h = -h // done
		}
		return c
	}
	queue := &cells{bounded(lo, hi-lo)}
	var done []cell
	for queue.Len() > 0 {
		c := heap.Pop(queue).(cell)
		// cut short, the bounds are wider
		if c.h < 0 || queue.Len()+len(done) >= envelopeCells || e.stop != nil && e.stop() {
			c.h = math.Abs(c.h)
			done = append(done, c)
			continue
		}
		for _, s := range []float64{c.s, c.s + c.h/2} {
			half := bounded(s, c.h/2)
			half.bound = math.Min(half.bound, c.bound)
			heap.Push(queue, half)
		}
	}
	slices.SortFunc(done, func(x, y cell) int {
		if x.s < y.s {
			return -1
		}
		return 1
	})
	return done
}

// reachTo extends the cells to [lo, hi].
func (e *envelope) reachTo(lo, hi float64) {
	if e.list == nil {
		e.list = e.stretch(e.first, e.last)
	}
	for at := e.list[0].s; lo < at; {
		e.below++
		next := e.first - e.d*math.Exp2(float64(e.below))
		e.list = append(e.stretch(next, at), e.list...)
		at = next
	}
	end := e.list[len(e.list)-1]
	for at := end.s + end.h; hi > at; {
		e.above++
		next := e.last + e.d*math.Exp2(float64(e.above))
		e.list = append(e.list, e.stretch(at, next)...)
		at = next
	}
}

func (e *envelope) sup(lo, hi float64) float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reachTo(lo, hi)
	i, _ := slices.BinarySearchFunc(e.list, lo, func(c cell, lo float64) int {
		if c.s+c.h < lo {
			return -1
		}
		return 1
	})
	most := 0.0
	for ; i < len(e.list) && e.list[i].s <= hi; i++ {
		most = math.Max(most, e.list[i].bound)
	}
	return most
}

func (e *envelope) whole() float64 { return e.limit }

func (e *envelope) cover(lo, hi float64) []cell {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reachTo(lo, hi)
	var out []cell
	for _, c := range e.list {
		if a, b := math.Max(lo, c.s), math.Min(hi, c.s+c.h); a < b {
			out = append(out, cell{s: a, h: b - a})
		}
	}
	return out
}

func (e *envelope) peak(s float64) float64 {
	lo, hi := e.k.Ends()
	return e.k.height(s) - LogMass(e.k, s, lo, hi) + 1e-12
}

// sup of the untrimmed family: σ² = r²(ψ′(a) + ψ′(b)) is convex in S, because ψ′ is.
func (w wholeBeta) sup(lo, hi float64) float64 {
	most := 0.0
	for _, s := range []float64{lo, hi} {
		a, b := w.at(s)
		if a <= 0 || b <= 0 {
			return math.Inf(1)
		}
		most = math.Max(most, num.Trigamma(a)+num.Trigamma(b))
	}
	return w.r * math.Sqrt(most) * inflation
}

func (w wholeBeta) whole() float64 { return math.Inf(1) }

func (w wholeBeta) cover(lo, hi float64) []cell { return []cell{{s: lo, h: hi - lo}} }

func (w wholeBeta) peak(s float64) float64 {
	a, b := w.at(s)
	return num.LogBetaKernel(a, b, a/(a+b), b/(a+b)) - math.Log(w.r) + 1e-9
}
