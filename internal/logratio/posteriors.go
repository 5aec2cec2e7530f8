package logratio

import (
	"container/heap"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Limits of n and of a rate's prior: up to there rounding stays far below the inflation of the bounds.
const (
	MaxRecords  = 10_000_000
	maxExponent = 1e9  // of λ·c2
	maxRatio    = 1e12 // of c2/c1
)

// NewBits is n bits with a Beta(α, β) prior on the success probability, on 0 < l < u < 1 or, untrimmed, l = 0 and u =
// 1, and the likelihood to the power r in (0, 1]:
//
//	posterior ∝ θ^{α+rk−1}(1−θ)^{β+r(n−k)−1} on [l, u],  k ones.
//
// Natural parameter r·ln θ/(1−θ), Δ = 1. Untrimmed, Epsilon and Oscillation are infinite for every n. *domain.Error.
// Source: theory/sampling.md §11, §13, §14.
func NewBits(n int, alpha, beta, l, u, power float64) (*Posteriors, error) {
	whole := l == 0 && u == 1
	if err := domain.Check("logratio", "Beta–Bernoulli", Records(n), domain.Positive("α", alpha),
		domain.Positive("β", beta),
		domain.Arg("max(α, β)", math.Max(alpha, beta), math.Max(alpha, beta) <= 1e9, "at most 1e9"),
		domain.Arg("l", l, whole || l > 0 && l < 1, "inside (0, 1), or 0 with u = 1 for no trimming"),
		domain.Arg("u", u, whole || u > l && u < 1, "inside (l, 1), or 1 with l = 0 for no trimming"),
		domain.Arg("power", power, power > 0 && power <= 1, "inside (0, 1]")); err != nil {
		return nil, err
	}
	o := &Posteriors{name: "trimmed Beta–Bernoulli", last: float64(n - 1), d: 1, lattice: true, n: n}
	if whole {
		o.name = "untrimmed Beta–Bernoulli"
		law := wholeBeta{alpha, beta, power, float64(n)}
		o.law, o.spreads = law, law
	} else {
		k := NewBetaDensity(n, alpha, beta, l, u, power)
		o.law, o.spreads = continuous{k}, newEnvelope(k, o.first, o.last, 1)
	}
	if power != 1 {
		o.name = "tempered " + o.name
	}
	return o, nil
}

// NewRate is n records that enter through a statistic T in [t0, t1] alone, with likelihood ∝ θ^{nκ}e^{−θΣT} and the
// prior Exp(λ) on θ trimmed to [c1, c2]:
//
//	posterior ∝ θ^{nκ}e^{−θ(λ+ΣT)} on [c1, c2],
//
// all finite, κ, λ > 0, 0 < c1 < c2, t0 < t1. A likelihood to the power η has κ, t0 and t1 times η. Natural parameter
// −θ, Δ = t1 − t0, osc = (c2 − c1)Δ. *domain.Error. Source: theory/sampling.md §9, §10, §12, §22.
func NewRate(n int, kappa, lambda, c1, c2, t0, t1 float64) (*Posteriors, error) {
	if err := domain.Check("logratio", "rate", Records(n), domain.Positive("κ", kappa), domain.Positive("λ", lambda),
		domain.Positive("c1", c1),
		domain.Arg("c2", c2, c2 > c1 && domain.Finite(c2), fmt.Sprintf("a finite number > c1 = %v", c1)),
		domain.Number("t0", t0),
		domain.Arg("t1", t1, t1 > t0 && domain.Finite(t1-t0), fmt.Sprintf("a finite number > t0 = %v: a bounded "+
			"statistic", t0)),
		domain.Arg("λ", lambda, lambda*c2 <= maxExponent, fmt.Sprintf("λ·c2 at most %g", float64(maxExponent))),
		domain.Arg("c1", c1, c2/c1 <= maxRatio, fmt.Sprintf("at least c2/%g", float64(maxRatio)))); err != nil {
		return nil, err
	}
	k, count := NewGammaDensity(n, kappa, lambda, c1, c2), float64(n)
	o := &Posteriors{name: "rate, bounded statistic", law: continuous{k}, first: -count * t1,
		last: -count*t0 - (t1 - t0), d: t1 - t0, n: n}
	if n == 1 {
		o.last = o.first
	}
	o.spreads = newEnvelope(k, o.first, o.last, o.d)
	return o, nil
}

// NewFinite is n bits under a prior on finitely many natural parameters η_j: the posterior of η_j given k ones is ∝
// e^{kη_j + base_j}.
func NewFinite(n int, eta, base []float64) *Posteriors {
	return &Posteriors{name: "finite Bernoulli", law: discrete{eta, base}, last: float64(n - 1), d: 1, lattice: true,
		n: n}
}

// Records is the domain of n.
func Records(n int) domain.Argument {
	return domain.Arg("n", n, n >= 1 && n <= MaxRecords, "1 to 10,000,000 records")
}

// String names the family.
func (o Posteriors) String() string { return o.name }

// Profile is the greatest hockey-stick divergence of two neighbours at ε ≥ 0, the δ(ε) of one draw: exact for bits up
// to 257 records, else an upper bound, of bits within 0.01 %, of others within 0.2 % at a δ near 1, looser far out in
// ε, where 10 % of δ are less than 1 % of the noise. Searches of bits with millions of records, and of rates far out,
// may run out of evaluations and end with a wider gap. NaN for ε < 0. Source: theory/sampling.md §22 B.
func (o Posteriors) Profile(epsilon float64) float64 {
	switch {
	case !(epsilon >= 0):
		return math.NaN()
	case epsilon >= o.Epsilon():
		return 0
	}
	return math.Min(o.delta(epsilon), BoundedRange(o.Oscillation()).Delta(epsilon))
}

// Renyi is the greatest Rényi divergence of order λ > 1 of two neighbours, in nats, as accurate as Profile; +Inf if
// infinite, NaN for λ ≤ 1. Source: theory/sampling.md §22 C.
func (o Posteriors) Renyi(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	return min(o.renyi(order), BoundedRange(o.Oscillation()).Renyi(order), o.Epsilon())
}

// Interrupt makes the searches behind Profile and Renyi ask stop, and end with what the range implies, which is a bound
// still, once it says true; nil, the default, lets them end. Not to be called while they run.
func (o *Posteriors) Interrupt(stop func() bool) {
	o.stop = stop
	if e, ok := o.spreads.(*envelope); ok {
		e.stop = stop
	}
}

// inflation makes a computed bound at least the truth: the quadratures and sums of this package are accurate to about
// 1e-12, and a kernel exponent of 1e7 records costs another 1e-9.
const inflation = 1 + 1e-9

// Inflated is v upward, for n records.
func Inflated(v float64, n int) float64 { return v * (inflation + float64(n)*4e-16) }

// QuickRenyi is an upper bound of Renyi that visits no pairs of data sets, a few milliseconds for the first orders and
// microseconds then:
//
//	D_λ ≤ λΔ²/2 · sup Var η,
//
// the supremum over all posteriors that the order reaches, within about 1 % of the truth where λ records are few beside
// n. +Inf untrimmed; NaN for λ ≤ 1. Source: theory/sampling.md §22 C, since D_λ is an average of Λ″ with total weight
// λΔ²/2.
func (o Posteriors) QuickRenyi(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	if _, ok := o.spreads.(*envelope); !ok || math.IsInf(order, 1) {
		return math.Inf(1)
	}
	v := o.d * o.spreads.sup(o.first-(order-1)*o.d, o.last+order*o.d)
	return Inflated(order/2*v*v, o.n)
}

// wholeBeta is the law of the untrimmed family: Beta(α + rs, β + r(n − s)), natural parameter r·ln θ/(1−θ) on the whole
// line.
type wholeBeta struct{ alpha, beta, r, n float64 }

func (w wholeBeta) at(s float64) (a, b float64) { return w.alpha + w.r*s, w.beta + w.r*(w.n-s) }

func (w wholeBeta) support() (a, b float64) { return math.Inf(-1), math.Inf(1) }

func (w wholeBeta) ratios(s float64, shifts, out []float64) float64 {
	a, b := w.at(s)
	for j, d := range shifts {
		if h := w.r * d; a+h <= 0 || b-h <= 0 {
			out[j] = math.Inf(1)
		} else {
			out[j] = num.LogGammaDiff(a, h) + num.LogGammaDiff(b, -h)
		}
	}
	return 0
}

func (w wholeBeta) excess(s, d, epsilon float64) (up, down float64) {
	var r [1]float64
	w.ratios(s, []float64{d}, r[:])
	a, b := w.at(s)
	e, h := math.Exp(epsilon), w.r*d
	x, y := num.Logistic((epsilon + r[0]) / h)
	_, p := num.BetaTails(a+h, b-h, x, y)
	_, q := num.BetaTails(a, b, x, y)
	up = math.Max(0, p-e*q)
	x, y = num.Logistic((r[0] - epsilon) / h)
	p, _ = num.BetaTails(a, b, x, y)
	q, _ = num.BetaTails(a+h, b-h, x, y)
	return up, math.Max(0, p-e*q)
}

// BoundedRange bounds divergences from the range alone: the log-ratio of two laws has a range of at most w, as that of
// two posteriors has with w = osc, and that of two outputs of an exponential mechanism. Every method is the supremum
// over all pairs of laws with that range, attained by two-point laws, for w ≥ 0; with w = 2Lρ it is the tight form of
// Theorems 7.1 and 8.1 of the paper. Source: theory/sampling.md §22 D.
type BoundedRange float64

// Epsilon is the greatest log-ratio, w.
func (w BoundedRange) Epsilon() float64 { return float64(w) }

// TV is the total variation distance tanh(w/4): w/4 for small w, where Theorem 8.1 and Pinsker give more than w/2.
func (w BoundedRange) TV() float64 { return math.Tanh(float64(w) / 4) }

// KL is the Kullback–Leibler divergence in nats,
//
//	κ(w) = u − 1 − ln u,  u = w/(e^w − 1),  ≤ w²/8,
//
// where Theorem 7.1 says w.
func (w BoundedRange) KL() float64 {
	x := float64(w)
	switch {
	case math.IsInf(x, 1):
		return x
	case math.Abs(x) < 1e-2:
		// κ = x²/8 − x⁴/576 + x⁶/25920 − …, to 1e-15 of it
		return x * x / 8 * (1 - x*x/72*(1-x*x/45))
	}
	u := x / math.Expm1(x)
	logU := math.Log(x) - x - math.Log(-math.Expm1(-x))
	return u - 1 - logU
}

// ZCDP is w²/8, the least ρ with D_λ ≤ ρλ for every order.
func (w BoundedRange) ZCDP() float64 { return float64(w) * float64(w) / 8 }

// Delta is the hockey-stick divergence at ε ≥ 0:
//
//	δ(ε) = (e^{w/2} − e^{ε/2})²/(e^w − 1), 0 from ε = w on,
//
// the maximum of p(1 − e^{ε−b}) over two-point laws with losses b and b − w. NaN for ε < 0.
func (w BoundedRange) Delta(epsilon float64) float64 {
	x := float64(w)
	switch {
	case !(epsilon >= 0):
		return math.NaN()
	case epsilon >= x:
		return 0
	case math.IsInf(x, 1):
		return 1
	}
	root := -math.Expm1((epsilon - x) / 2) // 1 − e^{(ε−w)/2}
	return math.Min(1, root*root/-math.Expm1(-x)*(1+1e-14))
}

// Renyi is the Rényi divergence of order λ > 1, in nats, the maximum over two-point laws with losses b and b − w:
//
//	ln(p·e^{(λ−1)b} + (1−p)·e^{(λ−1)(b−w)})/(λ−1),  p = (1 − e^{b−w})/(1 − e^{−w}),
//
// never more than λw²/8 and w. NaN for λ ≤ 1.
func (w BoundedRange) Renyi(order float64) float64 {
	x := float64(w)
	switch {
	case !(order > 1):
		return math.NaN()
	case x == 0 || math.IsInf(x, 1) || math.IsInf(order, 1):
		return x
	}
	value := func(b float64) float64 {
		p := -math.Expm1(b-x) / -math.Expm1(-x)
		return b + math.Log1p((1-p)*math.Expm1(-(order-1)*x))/(order-1)
	}
	limit := math.Min(x, order*x*x/8)
	// Cells are halved around the best of a grid; the maximum is smooth, so its value is exact to the square of the
	// final width.
	best, width := x/2, x/2
	for range 60 {
		centre := best
		for i := -8.0; i <= 8; i++ {
			if b := centre + width*i/8; b >= 0 && b <= x && value(b) > value(best) {
				best = b
			}
		}
		width /= 2
	}
	return math.Min(limit, value(best)*inflation)
}

// law is a one-parameter posterior as the calculus uses it, of a density or of finitely many points.
type law interface {
	// support is the essential support [a, b] of the natural parameter.
	support() (a, b float64)
	// ratios fills out with Λ(s + shift) − Λ(s) − shift·c and returns c.
	ratios(s float64, shifts, out []float64) (c float64)
	// excess is the hockey-stick divergence at ε in both directions between s and s + d.
	excess(s, d, epsilon float64) (up, down float64)
}

// continuous is the law of a density.
type continuous struct{ Density }

func (c continuous) support() (a, b float64) {
	lo, hi := c.Ends()
	_, a = c.Eval(0, lo)
	_, b = c.Eval(0, hi)
	return a, b
}

func (c continuous) ratios(s float64, shifts, out []float64) float64 {
	return LogRatios(c.Density, s, shifts, out)
}

func (c continuous) excess(s, d, epsilon float64) (up, down float64) {
	return Hockey(c.Density, s, d, epsilon)
}

// discrete is a prior on finitely many natural parameters: h = s·η_j + base_j, in place of a density.
type discrete struct{ eta, base []float64 }

// logWeights is the log posterior of every point at statistic s.
func (d discrete) logWeights(s float64) []float64 {
	w := make([]float64, len(d.eta))
	for j := range w {
		w[j] = s*d.eta[j] + d.base[j]
	}
	z := num.LogSumExp(w)
	for j := range w {
		w[j] -= z
	}
	return w
}

func (d discrete) support() (a, b float64) {
	a, b = math.Inf(1), math.Inf(-1)
	for _, x := range d.eta {
		a, b = math.Min(a, x), math.Max(b, x)
	}
	return a, b
}

func (d discrete) ratios(s float64, shifts, out []float64) float64 {
	var buffer [64]float64
	w := buffer[:0]
	top := math.Inf(-1)
	for j, e := range d.eta {
		w = append(w, s*e+d.base[j])
		top = math.Max(top, w[j])
	}
	whole, c := 0.0, 0.0
	for j := range w {
		w[j] = math.Exp(w[j] - top)
		whole += w[j]
		c += w[j] * d.eta[j]
	}
	c /= whole
	for i, shift := range shifts {
		// In logs: a weight that underflows at s may carry the shifted law.
		ref, sum := math.Inf(-1), 0.0
		for j, e := range d.eta {
			ref = math.Max(ref, s*e+d.base[j]-top+shift*(e-c))
		}
		for j, e := range d.eta {
			sum += math.Exp(s*e + d.base[j] - top + shift*(e-c) - ref)
		}
		out[i] = ref + math.Log(sum/whole)
	}
	return c
}

func (d discrete) excess(s, shift, epsilon float64) (up, down float64) {
	x, y := d.logWeights(s+shift), d.logWeights(s)
	for j := range x {
		l := x[j] - y[j]
		if l > epsilon {
			up += math.Exp(x[j]) * -math.Expm1(epsilon-l)
		}
		if -l > epsilon {
			down += math.Exp(y[j]) * -math.Expm1(epsilon+l)
		}
	}
	return up, down
}

// Posteriors is Theorem A of theory/sampling.md §22: a one-parameter exponential family in its natural parameter η with
// essential support [a, b], posteriors indexed by the statistic S. Neighbours are S and S + d with S in [first, last],
// d the range of one record's statistic; on a lattice S moves in steps of d.
type Posteriors struct {
	name        string
	law         law
	first, last float64 // range of the smaller statistic of a pair
	d           float64
	lattice     bool
	n           int
	stop        func() bool // when it says true, searches give up; nil never
	spreads     spreads     // nil for a prior on finitely many points
}

// Oscillation is (b − a)·d, upward.
func (o Posteriors) Oscillation() float64 {
	a, b := o.law.support()
	return (b - a) * o.d * (1 + 1e-14)
}

// Epsilon is the greatest log-ratio of two neighbours, attained for this prior, the pure ε of one draw:
//
//	max( b·d − [Λ(first + d) − Λ(first)], [Λ(last + d) − Λ(last)] − a·d ).
//
// The log-ratio η·d − (Λ(S + d) − Λ(S)) is affine in η, so its extremes are at a and b; they are ∫(b − E_t η)dt and
// ∫(E_t η − a)dt over [S, S + d], and E_t η increases with t: the worst S are the ends.
func (o Posteriors) Epsilon() float64 {
	a, b := o.law.support()
	var r [1]float64
	shift := [1]float64{o.d}
	c := o.law.ratios(o.first, shift[:], r[:])
	e := o.d*(b-c) - r[0]
	if o.last != o.first {
		c = o.law.ratios(o.last, shift[:], r[:])
	}
	e = math.Max(e, r[0]-o.d*(a-c))
	return math.Min(Inflated(e, o.n), o.Oscillation())
}

// delta is the profile: the greatest hockey-stick divergence over all pairs, in both directions.
func (o Posteriors) delta(epsilon float64) float64 {
	pair := func(s, d float64) float64 {
		up, down := o.law.excess(s, d, epsilon)
		return math.Max(up, down)
	}
	switch {
	case o.short():
		return math.Min(1, Inflated(o.scan(pair), o.n))
	case o.spreads != nil:
		fallback := BoundedRange(o.Oscillation()).Delta(epsilon)
		return math.Min(fallback, math.Min(1, Inflated(o.search(o.deltaRegion(epsilon)), o.n)))
	}
	return math.Min(1, Inflated(o.worst(pair), o.n))
}

// renyi is the greatest Rényi divergence over all pairs, in both directions:
//
//	D_λ(S+d ‖ S) = [Λ(S+λd) − λΛ(S+d) − (1−λ)Λ(S)]/(λ−1), and D_λ(S ‖ S+d) with the shift (1−λ)d.
//
// Source: theory/sampling.md §22 C.
func (o Posteriors) renyi(order float64) float64 {
	if osc := o.Oscillation(); math.IsInf(order, 1) || order*osc > steepest && !math.IsInf(osc, 1) {
		return o.Epsilon()
	}
	pair := func(s, d float64) float64 {
		p := o
		p.d = d
		return math.Max(p.renyiAt(order, s))
	}
	switch {
	case o.short():
		return Inflated(o.scan(pair), o.n)
	case o.spreads != nil:
		return Inflated(o.search(o.renyiRegion(order)), o.n)
	}
	return Inflated(o.worst(pair), o.n)
}

const (
	worstGap   = 5e-3 // relative gap at which the search by pairs stops
	worstEvals = 6000 // evaluations after which it stops with a wider gap
	steepest   = 2e5  // λ·osc up to which the integrands are resolved; beyond, D_λ is bounded by ε
)

// cell is a range of S, [s, s + h], with an upper bound of the divergence over it.
type cell struct {
	s, h     float64
	bound    float64
	measured bool
}

type cells []cell

func (c cells) Len() int           { return len(c) }
func (c cells) Less(i, j int) bool { return c[i].bound > c[j].bound }
func (c cells) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cells) Push(x any)        { *c = append(*c, x.(cell)) }
func (c *cells) Pop() any {
	old := *c
	last := old[len(old)-1]
	*c = old[:len(old)-1]
	return last
}

// short reports whether all pairs are visited.
func (o Posteriors) short() bool { return o.lattice && math.Round((o.last-o.first)/o.d) <= scanPairs }

func (o Posteriors) stopped() bool { return o.stop != nil && o.stop() }

// scan is the greatest value over the pairs of a lattice.
func (o Posteriors) scan(pair func(s, d float64) float64) float64 {
	most := 0.0
	for i := 0.0; i <= math.Round((o.last-o.first)/o.d); i++ {
		if o.stopped() {
			return math.Inf(1)
		}
		most = math.Max(most, pair(o.first+i*o.d, o.d))
	}
	return most
}

// worst is an upper bound of pair(S, d) over all S, within worstGap unless it runs out of evaluations. The posteriors
// are ordered by likelihood ratio in S, so the pair (S, S + d) lies inside the pair (s, s + h + d) for every S in [s, s
// + h], and every divergence of the inner pair is at most that of the outer: pair(s, d + h) bounds a cell, and cells
// are halved, greatest bound first. The cells of a lattice shrink to single points.
func (o Posteriors) worst(pair func(s, d float64) float64) float64 {
	span := math.Max(0, o.last-o.first)
	least := math.Max(pair(o.first, o.d), pair(o.first+span, o.d))
	queue := &cells{{s: o.first, h: span, bound: pair(o.first, o.d+span)}}
	for evals := 0; evals < worstEvals; evals += 3 {
		if o.stopped() {
			break
		}
		top := heap.Pop(queue).(cell)
		if top.h == 0 || top.bound <= least*(1+worstGap) {
			return math.Max(top.bound, least)
		}
		left := cell{s: top.s, h: top.h / 2}
		right := cell{s: top.s + top.h/2, h: top.h / 2}
		if o.lattice { // [i, j] splits into [i, m] and [m+1, j]
			m := math.Floor(top.h / o.d / 2)
			left.h, right.s = m*o.d, top.s+(m+1)*o.d
			right.h = top.h - (m+1)*o.d
		}
		least = math.Max(least, pair(right.s, o.d))
		for _, c := range []cell{left, right} {
			c.bound = math.Min(top.bound, pair(c.s, o.d+c.h))
			heap.Push(queue, c)
		}
	}
	return math.Max(least, (*queue)[0].bound)
}
