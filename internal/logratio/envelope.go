package logratio

import (
	"container/heap"
	"math"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/internal/num"
)

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
