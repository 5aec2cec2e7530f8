package latent

import (
	"math"
	"math/rand/v2"
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
