package quantiles

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// jointDistribution is that of several ranks at once: positions e_1 ≤ … ≤ e_m among candidates that are ordered by how
// many records lie below them, with
//
//	P(e_1, …, e_m) ∝ exp(−x·Σ_i |b·(F(e_{i+1}) − F(e_i)) − τ_i|),  F(e_0) = 0, F(e_{m+1}) = n,
//
// F(e) the records below candidate e, τ_i ≥ 0 and b ≥ 1 integers, x > 0 rational. It is the distribution of the joint
// exponential mechanism for quantiles (theory/numbers.md §4), with the data in F alone.
//
// The sums over all sequences take O(m) additions and multiplications a candidate: a weight e^{−x|b(F′−F)−τ|} is a
// product of a function of F and one of F′ on either side of the place where the sign turns, and that place only moves
// up. No difference is ever formed, so every sum of positive numbers that are cut off is a lower bound with a known
// relative error. A draw compares uniform bits with such sums; where the bits fall so near a boundary that the error
// leaves it open, more bits are added to the same number and the sums are formed again with twice the digits. What
// is drawn therefore has the stated distribution, and no rounding enters it.
type jointDistribution struct {
	x      *big.Rat
	b      int64
	below  []int64 // b·F(e), not decreasing
	total  int64   // b·n
	gaps   []int64 // τ_0 … τ_m
	levels []level // sums at 64 digits, then 128, 256, …; made when they are needed
}

// level is the sums at one number of digits.
type level interface {
	// locate finds the next position after the positions so far for a uniform number; -1: the digits do not tell.
	locate(l *jointDistribution, step, from int, u *uniform) int
}

const (
	maxJointCandidates = 1 << 22
	maxRanks           = 1 << 10
	maxJointCells      = 1 << 27 // candidates × ranks
	maxJointRate       = 1 << 16 // x
)

// newJointDistribution checks x > 0, b ≥ 1, counts F(e) that do not decrease from ≥ 0 to ≤ n, and gaps τ_0, …, τ_m ≥ 0,
// m ≥ 1. Errors:
// *domain.Error.
func newJointDistribution(x *big.Rat, b int64, below []int64, n int64, gaps []int64) (*jointDistribution, error) {
	m := len(gaps) - 1
	switch {
	case x == nil || x.Sign() <= 0 || x.Cmp(new(big.Rat).SetInt64(maxJointRate)) > 0:
		return nil, domain.Refuse("quantiles", "x", x, "a rational number in (0, 2^16]")
	case b < 1:
		return nil, domain.Refuse("quantiles", "b", b, "at least 1")
	case len(below) < 1 || len(below) > maxJointCandidates:
		return nil, domain.Refuse("quantiles", "number of candidates", len(below), "1 to 2^22")
	case m < 1 || m > maxRanks || len(below)*m > maxJointCells:
		return nil, domain.Refuse("quantiles", "number of ranks", m, "1 to 2^10, times the candidates at most 2^27")
	case n < 0 || !slices.IsSorted(below) || below[0] < 0 || below[len(below)-1] > n:
		return nil, domain.Refuse("quantiles", "counts", "out of order", "0 ≤ F(e) ≤ F(e+1) ≤ n")
	}
	l := &jointDistribution{x: x, b: b, gaps: slices.Clone(gaps)}
	var targets int64
	for _, g := range gaps {
		if g < 0 || g > 1<<60 || targets > 1<<60-g {
			return nil, domain.Refuse("quantiles", "gap", g, "at least 0, and at most 2^60 in all")
		}
		targets += g
	}
	if n > 1<<60/b {
		return nil, domain.Refuse("quantiles", "n", n, "at most 2^60/b")
	}
	l.total = b * n
	for _, f := range below {
		l.below = append(l.below, b*f)
	}
	return l, nil
}

// ranks is m.
func (l *jointDistribution) ranks() int { return len(l.gaps) - 1 }

func distance(a, b int64) int64 { return max(a-b, b-a) }

// most is the largest exponent that a table of powers must reach.
func (l *jointDistribution) most() int64 { return l.total + slices.Max(l.gaps) }

// uniform is a number in [0, 1) of which some bits are known; more can be added.
type uniform struct {
	src  rand.Source
	bits *big.Int
	n    uint
}

func newUniform(src rand.Source) *uniform {
	u := &uniform{src: src, bits: new(big.Int)}
	u.refine()
	return u
}

// refine adds 64 bits.
func (u *uniform) refine() {
	u.bits.Lsh(u.bits, 64)
	u.bits.Or(u.bits, new(big.Int).SetUint64(u.src.Uint64()))
	u.n += 64
}

// bounds are the ends of where the number lies.
func (u *uniform) bounds(prec uint) (low, high *big.Float) {
	place := func(k *big.Int, mode big.RoundingMode) *big.Float {
		x := new(big.Float).SetPrec(prec).SetMode(mode).SetInt(k)
		return x.SetMantExp(x, -int(u.n))
	}
	low = place(u.bits, big.ToNegativeInf)
	high = place(new(big.Int).Add(u.bits, big.NewInt(1)), big.ToPositiveInf)
	return low.SetMode(big.ToNearestEven), high.SetMode(big.ToNearestEven)
}

// draw gives positions e_1 ≤ … ≤ e_m with exactly the law's probability. A jointDistribution is not safe for concurrent
// use.
func (l *jointDistribution) draw(src rand.Source) []int {
	out := make([]int, l.ranks())
	from := 0
	for i := range out {
		u := newUniform(src)
		for k := 0; ; k++ {
			if out[i] = l.level(k).locate(l, i, from, u); out[i] >= 0 {
				break
			}
			u.refine()
		}
		from = out[i]
	}
	return out
}

// level is the sums at 64·2^k digits.
func (l *jointDistribution) level(k int) level {
	for len(l.levels) <= k {
		if len(l.levels) == 0 {
			l.levels = append(l.levels, sumsOf(l, newQuick(l.x, l.most())))
			continue
		}
		l.levels = append(l.levels, sumsOf(l, newCareful(l.x, l.most(), 64<<len(l.levels))))
	}
	return l.levels[k]
}

// sums are the weights of all ways to go on from a candidate.
type sums[T any] struct {
	arithmetic[T]
	after [][]T // after[i][e]: i+1 positions are placed, the last at e; the sum over the rest
}

// sumsOf forms the sums from the last position to the first.
func sumsOf[T any](l *jointDistribution, with arithmetic[T]) *sums[T] {
	m := l.ranks()
	s := &sums[T]{arithmetic: with, after: make([][]T, m)}
	last := make([]T, len(l.below))
	for e, f := range l.below {
		last[e] = s.power(distance(l.total-f, l.gaps[m]))
	}
	s.after[m-1] = last
	for i := m - 2; i >= 0; i-- {
		s.after[i] = s.step(l, l.gaps[i+1], s.after[i+1])
	}
	return s
}

// step sums e^{−x|below(e′) − below(e) − gap|}·next(e′) over e′ ≥ e, for every e. Below the turn, the first e′ with
// below(e′) ≥ below(e) + gap, the weight is e^{−x(below(e) + gap)}·e^{x·below(e′)}, from it on e^{x(below(e) +
// gap)}·e^{−x·below(e′)}.
func (s *sums[T]) step(l *jointDistribution, gap int64, next []T) []T {
	near, far := make([]T, len(next)), make([]T, len(next)+1)
	for e := len(next) - 1; e >= 0; e-- {
		near[e] = s.times(s.power(-l.below[e]), next[e])
		far[e] = s.plus(far[e+1], s.times(s.power(l.below[e]), next[e]))
	}
	w := newWindow(s.arithmetic, near)
	out := make([]T, len(next))
	turn := 0
	for e, f := range l.below {
		for turn < e || turn < len(next) && l.below[turn] < f+gap {
			turn++
		}
		out[e] = s.plus(s.times(s.power(f+gap), w.move(e, turn)), s.times(s.power(-f-gap), far[turn]))
	}
	return out
}

// weights are those of every candidate from one on as the position of a step.
func (s *sums[T]) weights(l *jointDistribution, step, from int) []T {
	at := int64(0)
	if step > 0 {
		at = l.below[from]
	}
	out := make([]T, len(l.below)-from)
	for i := range out {
		e := from + i
		out[i] = s.times(s.power(distance(l.below[e]-at, l.gaps[step])), s.after[step][e])
	}
	return out
}

// operations bounds how many errors of 2^{−digits()} a sum of weights carries: along each step the two powers, two
// products and at most 2C additions of a stretch, and the last sum.
func (s *sums[T]) operations(l *jointDistribution) int64 {
	return int64(l.ranks()+1) * int64(4*len(l.below)+64)
}

// locate implements level.
func (s *sums[T]) locate(l *jointDistribution, step, from int, u *uniform) int {
	weights := s.weights(l, step, from)
	var sum T
	for i, w := range weights {
		sum = s.plus(sum, w)
		weights[i] = sum
	}
	prec := uint(s.digits() + 64)
	slack := new(big.Float).SetMantExp(new(big.Float).SetInt64(s.operations(l)), -s.digits())
	one := new(big.Float).SetPrec(prec).SetInt64(1)
	more, less := new(big.Float).Add(one, slack), new(big.Float).Sub(one, slack)
	// The share of the total lies between low and high, with room for the errors of both sums and for the rounding of
	// these few operations.
	low, high := u.bounds(prec)
	low.Mul(low, less).Mul(low, less).Mul(low, less)
	high.Mul(high, more).Mul(high, more).Mul(high, more)
	total := s.wide(sum)
	share := func(i int) *big.Float { return s.wide(weights[i]).over(total, prec) }
	i := sort.Search(len(weights), func(i int) bool { return share(i).Cmp(low) > 0 })
	if i == len(weights) || share(i).Cmp(high) < 0 {
		return -1
	}
	return from + i // the sum before it is at most low
}

// window is a sum over a stretch of terms both of whose ends only move up, kept without a subtraction: terms that were
// added since the last turn have a running sum, those before it a sum from each to the turn.
type window[T any] struct {
	with     arithmetic[T]
	terms    []T // all that may be added, in order
	from, to int // the stretch is terms[from:to]
	turn     int
	before   []T // before[i−…]: sum of terms[i:turn], for from ≤ i < turn; by index
	since    T   // sum of terms[turn:to]
}

func newWindow[T any](with arithmetic[T], terms []T) *window[T] {
	return &window[T]{with: with, terms: terms, before: make([]T, len(terms))}
}

// move sets the ends to from ≤ to, neither below its last place, and gives the sum.
func (w *window[T]) move(from, to int) T {
	for ; w.to < to; w.to++ {
		w.since = w.with.plus(w.since, w.terms[w.to])
	}
	w.from = from
	if from >= w.turn && from < w.to {
		var sum, none T
		for i := w.to - 1; i >= from; i-- {
			sum = w.with.plus(sum, w.terms[i])
			w.before[i] = sum
		}
		w.turn, w.since = w.to, none
	}
	if from >= w.to {
		var none T
		w.turn, w.since = w.to, none
		return none
	}
	return w.with.plus(w.before[from], w.since)
}

// arithmetic is how sums are formed: products and sums of numbers ≥ 0, each off by at most 2^{−digits()}, relative. The
// zero value of T is 0.
type arithmetic[T any] interface {
	times(a, b T) T
	plus(a, b T) T
	power(k int64) T // e^{−xk}, any sign of k, within 16 such errors
	wide(a T) wide
	digits() int
}

// digitBits is the size of the digits of an exponent, each of which has a table of powers.
const (
	digitBits = 8
	places    = 8 // 64 bits in all
)

// powers holds e^{−x·d·2^{8j}} and its inverse for every digit d of eight bits.
type powers[T any] struct {
	down, up [places][]T
}

// newPowers fills the tables as far as exponents up to most need, from the two exponentials at prec + 96 digits.
func newPowers[T any](x *big.Rat, most int64, prec uint, of func(wide) T) *powers[T] {
	p := &powers[T]{}
	prec += 96
	down, up := exponential(x, prec)
	for j := 0; j < places && (j == 0 || most>>(digitBits*j) > 0); j++ {
		p.down[j], down = table(down, prec, of)
		p.up[j], up = table(up, prec, of)
	}
	return p
}

// table is 1, a, …, a^255, and a^256.
func table[T any](a wide, prec uint, of func(wide) T) (all []T, next wide) {
	next = wideOf(cutting(prec).SetInt64(1), 0)
	for range 1 << digitBits {
		all = append(all, of(next))
		next = next.times(a, prec)
	}
	return all, next
}

// power is e^{−xk}, a product of at most eight entries.
func (p *powers[T]) power(k int64, times func(a, b T) T) T {
	all := &p.down
	if k < 0 {
		k, all = -k, &p.up
	}
	out := all[0][k&(1<<digitBits-1)]
	for j := 1; k >= 1<<digitBits; j++ {
		k >>= digitBits
		if d := k & (1<<digitBits - 1); d > 0 {
			out = times(out, all[j][d])
		}
	}
	return out
}

// exponential is e^{−x} and e^x for rational 0 < x ≤ 2^16, each within 2^{−prec}, relative: the Taylor series of e^y at
// y = x·2^{−s} < 2^{−16}, whose terms are positive, squared s ≤ 33 times, in 64 more digits; e^{−x} is its inverse. The
// error of the series, some 200 units of the last digit, doubles with every square.
func exponential(x *big.Rat, prec uint) (down, up wide) {
	work := prec + 64
	y := cutting(work).SetRat(x)
	halvings := max(y.MantExp(nil)+16, 0)
	y.SetMantExp(y, -halvings)
	sum, term := cutting(work).SetInt64(1), cutting(work).SetInt64(1)
	for k := int64(1); ; k++ {
		term.Mul(term, y)
		term.Quo(term, cutting(work).SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < -int(work) {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	inverse := cutting(work).Quo(cutting(work).SetInt64(1), sum)
	return wideOf(inverse, 0).cut(prec), wideOf(sum, 0).cut(prec)
}

// quick is arithmetic in 64 digits.
type quick struct{ *powers[scaled] }

func newQuick(x *big.Rat, most int64) quick { return quick{newPowers(x, most, 64, wide.scaled)} }

func (quick) times(a, b scaled) scaled { return a.times(b) }
func (quick) plus(a, b scaled) scaled  { return a.plus(b) }
func (q quick) power(k int64) scaled   { return q.powers.power(k, scaled.times) }
func (quick) wide(a scaled) wide       { return a.wide() }
func (quick) digits() int              { return 62 }

// careful is arithmetic in any number of digits.
type careful struct {
	*powers[wide]
	prec uint
}

func newCareful(x *big.Rat, most int64, prec uint) careful {
	return careful{newPowers(x, most, prec, func(a wide) wide { return a.cut(prec) }), prec}
}

func (c careful) times(a, b wide) wide { return a.times(b, c.prec) }
func (c careful) plus(a, b wide) wide  { return a.plus(b, c.prec) }
func (c careful) power(k int64) wide   { return c.powers.power(k, c.times) }
func (careful) wide(a wide) wide       { return a }
func (c careful) digits() int          { return int(c.prec) - 2 }

// scaled is a number m·2^e with 2^63 ≤ m < 2^64, or zero. Its operations cut off: results are lower bounds within one
// unit of the last of 64 digits.
type scaled struct {
	m uint64
	e int64
}

func (a scaled) times(b scaled) scaled {
	hi, lo := bits.Mul64(a.m, b.m)
	if hi == 0 {
		return scaled{}
	}
	shift := uint(hi>>63 ^ 1)
	return scaled{hi<<shift | lo>>63&uint64(shift), a.e + b.e + 64 - int64(shift)}
}

func (a scaled) plus(b scaled) scaled {
	if a.m == 0 || b.m != 0 && b.e > a.e {
		a, b = b, a
	}
	if b.m == 0 || a.e-b.e > 63 {
		return a
	}
	sum, carry := bits.Add64(a.m, b.m>>uint(a.e-b.e), 0)
	if carry == 1 {
		return scaled{sum>>1 | 1<<63, a.e + 1}
	}
	return scaled{sum, a.e}
}

// wide is the number itself.
func (a scaled) wide() wide {
	if a.m == 0 {
		return wide{}
	}
	return wideOf(new(big.Float).SetPrec(64).SetUint64(a.m), a.e)
}

// wide is a number m·2^e with ½ ≤ m < 1 in as many digits as it was made with, or zero where m is nil: a big.Float
// whose exponent has 64 bits.
type wide struct {
	m *big.Float
	e int64
}

// wideOf takes m over.
func wideOf(m *big.Float, e int64) wide {
	if m.Sign() == 0 {
		return wide{}
	}
	return wide{m, e + int64(m.MantExp(m))}
}

func (a wide) times(b wide, prec uint) wide {
	if a.m == nil || b.m == nil {
		return wide{}
	}
	return wideOf(cutting(prec).Mul(a.m, b.m), a.e+b.e)
}

func (a wide) plus(b wide, prec uint) wide {
	if a.m == nil || b.m != nil && b.e > a.e {
		a, b = b, a
	}
	if b.m == nil || a.e-b.e > int64(prec) {
		return a
	}
	shifted := new(big.Float).SetMantExp(b.m, int(b.e-a.e))
	return wideOf(cutting(prec).Add(a.m, shifted), a.e)
}

// cut leaves prec digits.
func (a wide) cut(prec uint) wide {
	if a.m == nil {
		return a
	}
	return wideOf(cutting(prec).Set(a.m), a.e)
}

// scaled leaves 64 digits.
func (a wide) scaled() scaled {
	if a.m == nil {
		return scaled{}
	}
	m, _ := new(big.Float).SetMantExp(a.m, 64).Uint64() // cuts off
	return scaled{m, a.e - 64}
}

// over is a/b in floats of prec digits, 0 where a is too far below b to matter.
func (a wide) over(b wide, prec uint) *big.Float {
	if a.m == nil || b.e-a.e > 1<<30 {
		return new(big.Float).SetPrec(prec)
	}
	q := new(big.Float).SetPrec(prec).Quo(a.m, b.m)
	return q.SetMantExp(q, int(a.e-b.e))
}

// cutting is a number of prec digits whose operations cut off.
func cutting(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToZero) }
