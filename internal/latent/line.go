package latent

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

// point is a count that a move of k records changes to count + k·sign.
type point struct {
	count, sign int64
	weight      *weight
}

// line is the posterior along a direction: what k records more or less do to the counts they touch.
type line struct {
	cells  []int32 // the counts, in the array of all tables
	signs  []int8
	points []point   // of tables with a weight
	noise  []Term    // measured cells, y counted from where k = 0
	picks  []factor  // of the probability of picking the direction
	sums   []int32   // linear statistics that change
	steps  []int64   // by how much a record
	lo, hi int64     // k keeps counts ≥ 0
	picked direction // what the picks mean
}

// factor is (count + k·sign)^power in the probability of a record.
type factor struct {
	count, sign int64
	power       float64
}

// direction says which probability multiplies the posterior along a line.
type direction uint8

const (
	fixed    direction = iota // none: the direction was drawn without looking
	oneOfTwo                  // H_x + H_x' after the move
	oneOnly                   // H_x after the move
)

func (l *line) reset(picked direction) {
	l.cells, l.signs, l.points, l.noise = l.cells[:0], l.signs[:0], l.points[:0], l.noise[:0]
	l.picks, l.sums, l.steps = l.picks[:0], l.sums[:0], l.steps[:0]
	l.lo, l.hi, l.picked = math.MinInt64/4, math.MaxInt64/4, picked
}

// touch adds a cell of a table to the line.
func (c *Chain) touch(tb *tab, cell int, sign int8) {
	l, count := &c.line, c.counts[cell]
	l.cells, l.signs = append(l.cells, int32(cell)), append(l.signs, sign)
	if sign > 0 {
		l.lo = max(l.lo, -count)
	} else {
		l.hi = min(l.hi, count)
	}
	if tb.weight != nil {
		l.points = append(l.points, point{count, int64(sign), tb.weight})
	}
	if tb.each != nil && tb.each[cell-tb.off] != nil {
		l.points = append(l.points, point{count, int64(sign), tb.each[cell-tb.off]})
	}
	if tb.centre >= 0 {
		l.points = append(l.points, point{count, int64(sign), c.shared(tb, cell-tb.off)})
	}
	for _, terms := range tb.terms {
		if t := terms[cell-tb.off]; t.kind != silent {
			l.noise = append(l.noise, t.along(count, int64(sign)))
		}
	}
	if l.picked != fixed && tb.picks != 0 {
		l.picks = append(l.picks, factor{count, int64(sign), float64(tb.picks)})
	}
}

// tally adds a linear statistic that changes by step with every record moved.
func (c *Chain) tally(s int32, step int64) {
	if step == 0 {
		return
	}
	c.line.sums, c.line.steps = append(c.line.sums, s), append(c.line.steps, step)
	c.line.noise = append(c.line.noise, c.sums[s].Term.along(c.totals[s], step))
}

// along is the term as a function of k at count + k·sign.
func (t Term) along(count, sign int64) Term {
	if t.kind == lattice { // not linear in the count
		t.count, t.unit = count, sign
		return t
	}
	t.y -= t.unit * count
	t.unit *= sign
	return t
}

// at is the logarithm of the line's density at k, −∞ outside [lo, hi].
func (l *line) at(k int64) float64 {
	if k < l.lo || k > l.hi {
		return math.Inf(-1)
	}
	out := 0.0
	for i := range l.points {
		p := &l.points[i]
		out += p.weight.at(p.count + k*p.sign)
	}
	for i := range l.noise {
		switch t, d := &l.noise[i], l.noise[i].y-l.noise[i].unit*k; t.kind {
		case absolute:
			out -= t.rate * math.Abs(float64(d))
		case square:
			out -= t.rate * float64(d) * float64(d)
		case lattice:
			out += t.at(t.count + t.unit*k)
		default:
			out += t.law(d)
		}
	}
	if l.picked != fixed {
		out += l.chance(k)
	}
	return out
}

// chance is ln(H_x + H_x') at k, or ln H_x, without the factors that do not change. The record x loses by a move (sign
// −) and x' gains; copies of x are all gain.
func (l *line) chance(k int64) float64 {
	from, to := 0.0, 0.0
	if l.picked == oneOnly {
		from = math.Inf(-1)
	}
	for i := range l.picks {
		p := &l.picks[i]
		h := &from
		if p.sign > 0 {
			h = &to
		}
		switch n := p.count + k*p.sign; {
		case n == 0:
			*h = math.Inf(-1)
		case !math.IsInf(*h, -1):
			*h += p.power * logOf(n)
		}
	}
	if from < to {
		from, to = to, from
	}
	if math.IsInf(to, -1) {
		return from
	}
	return from + math.Log1p(math.Exp(to-from))
}

// density is an unnormalised law on the integers, as a logarithm.
type density interface{ at(k int64) float64 }

// sliceStep is one step from 0 by slice sampling with stepping out and shrinkage (Neal, "Slice sampling", Annals of
// Statistics 31, 2003) on the integers. The interval is half-open, [L, R), of a width w and moved by multiples of it,
// and whether it goes on is asked at L and at R themselves: then every point of the slice that the interval holds would
// have made the same interval with the same probability, since it meets the same questions at the same places. An
// interval of more than mostSteps widths is no move: it would be so from every point of it, too. steps is how many
// widths the interval was made longer by.
func sliceStep(d density, width int64, r *rand.Rand) (k, steps int64) {
	level := d.at(0) - r.ExpFloat64()
	left := -r.Int64N(width)
	right := left + width
	for ; d.at(left) >= level; steps++ {
		if left -= width; steps == mostSteps {
			return 0, steps + 1
		}
	}
	for ; d.at(right) >= level; steps++ {
		if right += width; steps == mostSteps {
			return 0, steps + 1
		}
	}
	return shrink(d, level, left, right, r), steps
}

// mostSteps bounds the steps out of one slice, between two of which nobody asks whether to stop.
const mostSteps = 1 << 13

// shrink draws from the slice within [left, right), which holds 0: a point outside the slice becomes the end.
func shrink(d density, level float64, left, right int64, r *rand.Rand) int64 {
	for {
		k := left + r.Int64N(right-left)
		switch {
		case k == 0 || d.at(k) >= level:
			return k
		case k < 0:
			left = k + 1
		default:
			right = k
		}
	}
}

// move makes one slice step along the line that was built.
func (c *Chain) move(kind int) {
	l := &c.line
	if l.lo >= l.hi {
		return
	}
	s := &c.taken[kind]
	var k int64
	if c.wide {
		lo, hi := max(l.lo, -wideRange), min(l.hi, wideRange)
		k = shrink(l, l.at(0)-c.rng.ExpFloat64(), lo, hi+1, c.rng)
	} else {
		var steps int64
		k, steps = sliceStep(l, s.width, c.rng)
		c.since += int(steps)
		if steps > mostSteps { // too narrow for this line: see Adapt
			s.sum += float64(steps) * float64(s.width)
		}
	}
	s.moves++
	s.sum += math.Abs(float64(k))
	if k == 0 {
		return
	}
	for i, cell := range l.cells {
		c.counts[cell] += k * int64(l.signs[i])
	}
	for i, t := range l.sums {
		c.totals[t] += k * l.steps[i]
	}
}

// wideRange bounds a slice over the whole range where the number of records is latent or huge.
const wideRange = 1 << 40

// gammaPower is the factor Γ(shift + c)^power of a count c.
type gammaPower struct {
	shift float64
	power int
}

// weight is the logarithm of a product of gamma functions of one count c,
//
//	w(c) = Σ_j e_j·[ln Γ(a_j + c) − ln Γ(a_j)],
//
// kept for small counts and expanded in powers of 1/c for the others:
//
//	ln Γ(c + a) = (c + a − ½)·ln c − c + ½·ln 2π + Σ_k (−1)^{k+1}·B_{k+1}(a)/(k(k+1)·c^k)   (DLMF 5.11.8).
type weight struct {
	small   []float64
	powers  []gammaPower
	series  [terms]float64 // of 1/c^k, k = 1 …
	slope   float64        // Σ e_j: of c·ln c − c
	log     float64        // Σ e_j(a_j − ½): of ln c
	always  float64
	last    int  // terms of the expansion that are taken
	general bool // a shift too large for it
}

const (
	// smallCounts are kept: from there on the expansion is right to 1e-9 for shifts up to largeShift.
	smallCounts = 1 << 13
	largeShift  = smallCounts / 32
	terms       = 8
)

// bernoulli are B_0 … B_9.
var bernoulli = [terms + 2]float64{1, -0.5, 1. / 6, 0, -1. / 30, 0, 1. / 42, 0, -1. / 30, 0}

// newWeight is nil for the constant 0. Counts reach top; a negative top is no bound.
func newWeight(powers []gammaPower, top int64) *weight {
	w := &weight{last: terms}
	for _, p := range powers { // equal shifts are one factor
		found := false
		for i := range w.powers {
			if w.powers[i].shift == p.shift {
				w.powers[i].power += p.power
				found = true
			}
		}
		if !found {
			w.powers = append(w.powers, p)
		}
	}
	kept := w.powers[:0]
	for _, p := range w.powers {
		if p.power != 0 {
			kept = append(kept, p)
		}
	}
	if w.powers = kept; len(kept) == 0 {
		return nil
	}
	size := int64(smallCounts)
	if top >= 0 {
		size = min(size, top+1)
	}
	w.small = make([]float64, size)
	w.fill()
	return w
}

// fill computes everything from powers, and as many small counts as there is room for.
func (w *weight) fill() {
	w.slope, w.log, w.always, w.series, w.general = 0, 0, 0, [terms]float64{}, false
	for _, p := range w.powers {
		e := float64(p.power)
		w.slope += e
		w.log += e * (p.shift - 0.5)
		w.always += e * (0.5*math.Log(2*math.Pi) - num.LogGamma(p.shift))
		w.general = w.general || p.shift > largeShift
		for k := 1; k <= w.last; k++ {
			w.series[k-1] += e * sign(k+1) * bernoulliAt(k+1, p.shift) / float64(k*(k+1))
		}
	}
	for c := range w.small[1:] {
		sum := 0.0
		for _, p := range w.powers {
			sum += float64(p.power) * math.Log(p.shift+float64(c))
		}
		w.small[c+1] = w.small[c] + sum
	}
}

func sign(k int) float64 {
	if k%2 == 0 {
		return 1
	}
	return -1
}

// bernoulliAt is the Bernoulli polynomial B_k(a) = Σ_j C(k,j)·B_j·a^{k−j}.
func bernoulliAt(k int, a float64) float64 {
	sum, choose := 0.0, 1.0
	for j := 0; j <= k; j++ {
		sum = sum*a + choose*bernoulli[j]
		choose = choose * float64(k-j) / float64(j+1)
	}
	return sum
}

// at is w(c), c ≥ 0.
func (w *weight) at(c int64) float64 {
	if c < int64(len(w.small)) {
		return w.small[c]
	}
	return w.large(float64(c))
}

func (w *weight) large(c float64) float64 {
	if w.general {
		sum := 0.0
		for _, p := range w.powers {
			sum += float64(p.power) * num.LogGammaDiff(p.shift, c)
		}
		return sum
	}
	x, s, l := 1/c, 0.0, logOf(int64(c))
	for k := w.last - 1; k >= 0; k-- {
		s = (s + w.series[k]) * x
	}
	return w.slope*c*(l-1) + w.log*l + w.always + s
}

// logs keeps ln c of small counts.
var logs = func() (out [smallCounts]float64) {
	for c := range out {
		out[c] = math.Log(float64(c))
	}
	return out
}()

// logOf is ln c, −∞ at 0.
func logOf(c int64) float64 {
	if uint64(c) < uint64(len(logs)) {
		return logs[c]
	}
	return math.Log(float64(c))
}

// Term is what one noisy number says of an integer c, a count or a linear statistic of counts: the logarithm of its
// probability given c, up to a constant. The zero value says nothing.
type Term struct {
	kind  kind
	y     int64
	unit  int64 // of the noise's lattice per record
	rate  float64
	scale float64
	law   func(d int64) float64
	count int64 // of a rounded statistic along a line: see along
}

type kind uint8

const (
	silent kind = iota
	absolute
	square
	lattice
	general
)

// Geometric is the term −rate·|y − unit·c| of two-sided geometric noise: P(Z = z) ∝ e^{−rate·|z|}, z in steps of which
// a record has unit.
func Geometric(y, unit int64, rate float64) Term {
	return Term{kind: absolute, y: y, unit: unit, rate: rate}
}

// Gaussian is the term −(y − unit·c)²/(2σ²) of discrete Gaussian noise: P(Z = z) ∝ e^{−z²/(2σ²)}.
func Gaussian(y, unit int64, sigma2 float64) Term {
	return Term{kind: square, y: y, unit: unit, rate: 1 / (2 * sigma2)}
}

// Noise is the term of a count with noise whose closed form has the rate, or σ², where one is above 0; else log P(Z =
// d) is law's.
func Noise(y, unit int64, rate, sigma2 float64, law func(d int64) float64) Term {
	switch {
	case sigma2 > 0:
		return Gaussian(y, unit, sigma2)
	case rate > 0:
		return Geometric(y, unit, rate)
	}
	return OfLaw(y, unit, law)
}

// OfLaw is the term law(y − unit·c) of any other law: log P(Z = d), or, where y was cut to a bound, log P(Z ≤ d) or log
// P(Z ≥ d). law must be fast and finite.
func OfLaw(y, unit int64, law func(d int64) float64) Term {
	return Term{kind: general, y: y, unit: unit, law: law}
}

// Rounded is the term −rate·|y − round(scale·c)| of geometric noise on a statistic rounded to a lattice.
func Rounded(y int64, scale, rate float64) Term {
	return Term{kind: lattice, y: y, unit: 1, scale: scale, rate: rate}
}

// at is the term at c.
func (t *Term) at(c int64) float64 {
	switch t.kind {
	case absolute:
		return -t.rate * math.Abs(float64(t.y-t.unit*c))
	case square:
		d := float64(t.y - t.unit*c)
		return -t.rate * d * d
	case lattice:
		return -t.rate * math.Abs(float64(t.y)-math.Round(t.scale*float64(c)))
	case general:
		return t.law(t.y - t.unit*c)
	}
	return 0
}

// urn is how many of k draws from an urn are of the first colour, when the urn starts with a and b and every draw adds
// one of its colour (Pólya), a, b ≥ 1; or, with −a and −b, takes it out, k ≤ a + b: the hypergeometric law. From one
// number to the next the probability goes by
//
//	P(x + 1)/P(x) = (a + x)(k − x)/((x + 1)(b + k − x − 1)),
//
// log-concave for such a and b: terms are summed from the largest down to 1e-20 of it on both sides, so that no gamma
// function is taken and rounding does not grow with the counts.
func (c *Chain) urn(k int64, a, b float64) int64 {
	lo, hi := int64(0), k
	if a < 0 || b < 0 || a == 0 || b == 0 {
		lo, hi = max(0, k+int64(b)), min(k, -int64(a))
	}
	if lo >= hi {
		return lo
	}
	m := float64(k)
	mode := lo
	if s := a + b - 2; s != 0 {
		mode = min(max(int64(math.Floor((m*(a-1)-(b-1))/s))+1, lo), hi)
	}
	up, down := c.higher[:0], c.lower[:0]
	total := 1.0
	for x, p := float64(mode), 1.0; x < float64(hi); x++ {
		p *= (a + x) * (m - x) / ((x + 1) * (b + m - x - 1))
		if p < 1e-20 {
			break
		}
		up = append(up, p)
		total += p
	}
	for x, p := float64(mode), 1.0; x > float64(lo); x-- {
		p *= x * (b + m - x) / ((a + x - 1) * (m - x + 1))
		if p < 1e-20 {
			break
		}
		down = append(down, p)
		total += p
	}
	c.higher, c.lower = up, down
	u := c.rng.Float64()*total - 1
	if u < 0 {
		return mode
	}
	for i := range max(len(up), len(down)) {
		if i < len(up) {
			if u -= up[i]; u < 0 {
				return mode + int64(i) + 1
			}
		}
		if i < len(down) {
			if u -= down[i]; u < 0 {
				return mode - int64(i) - 1
			}
		}
	}
	return mode
}
