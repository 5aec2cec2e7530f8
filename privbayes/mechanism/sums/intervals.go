package sums

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// Intervals are score intervals of every mean ([score.Mean]), which assume no distribution of the values, and the
// interval of the rows' standard deviation. A rate or another parameter has none: its posterior knows the noise, and is
// about the parameter. Source: theory/intervals.md §1, §2.
func (d *sampler) Intervals(ctx context.Context, drawn mechanism.Output, level float64) (list []mechanism.Interval,
	how string, ok bool) {
	if d.shape.OneParameter() != nil || d.latent() || len(drawn.Raw) != 1 || len(drawn.Raw[0]) != d.dims() {
		return nil, "", false
	}
	how = "score intervals of means, which assume no distribution of the values; these are moved to the bounds"
	if d.Kind != moments && d.Coarse == 0 && d.shape.Schema().Sampling != frame.Census {
		how += ". No squares were released, so the values may spread as far as the bounds allow"
	}
	if d.Unit > 0 {
		how += ", and units as the sample: how alike the rows of one are is part of what was released"
	}
	for i := range d.shape.Parameters() {
		if ctx.Err() != nil {
			return nil, "", false
		}
		if i == 1 && d.Kind == moments {
			list = append(list, d.ofSpread(drawn.Raw[0], level))
			continue
		}
		list = append(list, d.ofMean(i, drawn.Raw[0], level))
	}
	return list, how, true
}

// ofMean is the interval of mean i.
func (d *sampler) ofMean(i int, raw []int64, level float64) mechanism.Interval {
	l := d.shape.Lattice()
	scaled := func(lower, upper float64) *mechanism.Range {
		c := min(i, len(l.Low)-1)
		return &mechanism.Range{Lower: l.Value(c, lower*float64(l.Steps)), Upper: l.Value(c, upper*float64(l.Steps))}
	}
	if s, ok := d.share(i, raw); ok {
		return mechanism.Interval{Population: scaled(s.Interval(level)), Rows: scaled(s.OfRows(level))}
	}
	test, rows := d.test(i, raw)
	room := d.rounding()
	wide := func(lower, upper float64) *mechanism.Range {
		return scaled(math.Max(lower-room, 0), math.Min(upper+room, 1))
	}
	return mechanism.Interval{Population: wide(test.Interval(level)), Rows: wide(rows.Interval(level))}
}

// rounding is how far, as a share of the range, rounding to the coarse lattice may move a mean that is made of its
// places alone: half a coarse step, whatever the values are.
func (d *sampler) rounding() float64 {
	if d.Coarse == d.Steps || d.Kind != triple && d.Kind != groupTriple && d.Unit == 0 {
		return 0
	}
	return .5 / float64(d.Coarse)
}

// share is the test of mean i of a column of zeros and ones, whose spread follows from its mean.
func (d *sampler) share(i int, raw []int64) (s score.Share, ok bool) {
	n, sd := float64(d.n), math.Sqrt(d.law.variance(0))
	s = score.Share{Size: n, Own: sd, Other: sd, Fixed: true, Normal: d.law.law == gaussianLaw,
		Alike: float64(d.rows)}
	pair := func(ones, zeros int64) {
		s.Count, s.Rest, s.Fixed = float64(ones), float64(zeros), false
		s.Size = math.Max(s.Count+s.Rest, 0) + sd/math.Sqrt2
	}
	switch d.Kind {
	case moments: // Σ(2k − 1)
		s.Count, s.Own = (float64(raw[0])+n)/2, sd/2
	case oneSum, sumSquares:
		s.Count = float64(raw[0])
	case halves, groupHalves:
		pair(raw[2*i], raw[2*i+1])
	case triple, groupTriple:
		pair(raw[3*i+2], raw[3*i])
	default:
		return s, false
	}
	if s.Fixed {
		s.Rest = n - s.Count
	}
	return s, d.Steps == 1
}

// test is the test of mean i of the population, and of the rows.
func (d *sampler) test(i int, raw []int64) (population, rows score.Mean) {
	steps, n := float64(d.Steps), float64(d.n)
	noise := math.Sqrt(d.law.variance(0)) / steps
	normal := d.law.law == gaussianLaw
	at := func(j int) float64 { return float64(raw[j]) / steps }
	switch d.Kind {
	case moments:
		half, _ := d.half()
		m := float64(half)
		sd := [2]float64{math.Sqrt(d.law.variance(0)) / m, math.Sqrt(d.law.variance(1)) / m / m}
		population = score.OfPowers(float64(raw[0])/m, float64(raw[1])/m/m, n, sd, normal, d.rows)
	case sumSquares, columnsSquares:
		half, _ := d.coarseHalf()
		m2, second := float64(half)*float64(half), d.powers()+i
		sd := [2]float64{2 * noise, math.Sqrt(d.law.variance(second)) / m2}
		population = score.OfPowers(2*at(i)-n, float64(raw[second])/m2, n, sd, normal, d.rows)
	case triple, groupTriple:
		b, sd := d.group(i, raw)
		population = score.OfBernstein(b, sd, normal, d.rows)
	case UnitMoments, groupUnitMoments:
		population = d.unitTest(i, raw)
	case halves, groupHalves:
		population = score.OfTotals(at(2*i), at(2*i+1), 0, [2]float64{noise, math.Inf(1)}, normal, d.rows)
	case columnsCount, countedSquares: // Σ(2k − K) and n·K: of Σx and Σ(1 − x) half their sum and difference
		a, c := at(i)/2, at(d.Width)/2
		sd, second := [2]float64{noise / math.Sqrt2, math.Inf(1)}, 0.0
		if p := d.powers(); p > 0 {
			half, _ := d.coarseHalf()
			m2 := float64(half) * float64(half)
			second, sd[1] = float64(raw[p+i])/m2, math.Sqrt(d.law.variance(p))/m2
		}
		population = score.OfTotals(c+a, c-a, second, sd, normal, d.rows)
	default:
		population = score.OfPowers(2*at(i)-n, 0, n, [2]float64{2 * noise, math.Inf(1)}, normal, d.rows)
	}
	return population, population.OfRows()
}

// group are the Bernstein sums of a group, for values in [0, 1], and their noise.
func (d *sampler) group(i int, raw []int64) (b [3]float64, sd float64) {
	j2 := float64(d.Coarse) * float64(d.Coarse)
	for k := range b {
		b[k] = float64(raw[3*i+k]) / j2
	}
	return b, math.Sqrt(d.law.variance(0)) / j2
}

// Areas are the groups of a GroupMeans model whose squares were released, each unit with one row.
func (d *sampler) Areas(drawn mechanism.Output, feature, label string, _ float64) (out mechanism.Areas, ok bool) {
	if d.Kind != groupTriple || d.lone() || feature != "" || label != "" || d.rows > 1 || len(drawn.Raw) != 1 ||
		len(drawn.Raw[0]) != d.dims() {
		return out, false
	}
	var groups [][3]float64
	for i := range d.Width {
		b, _ := d.group(i, drawn.Raw[0])
		groups = append(groups, b)
	}
	within := score.Within(groups)
	for i, b := range groups {
		_, sd := d.group(i, drawn.Raw[0])
		out.List = append(out.List, score.Group(b, sd, within, d.law.law == gaussianLaw))
		out.List[i].Room = d.rounding()
	}
	l := d.shape.Lattice()
	out.Value = func(theta float64) float64 { return l.Value(0, theta*float64(l.Steps)) }
	return out, true
}

// ofSpread is that of the rows' standard deviation. With u in [−1, 1] and the noise of both sums known, the variance v
// of the rows is within h of Σu²/n − ū² + s₁²/n², and between 0 and what a mean within its noise allows.
func (d *sampler) ofSpread(raw []int64, level float64) mechanism.Interval {
	half, unit := d.half()
	m, n := float64(half), float64(d.n)
	s1, s2 := math.Sqrt(d.law.variance(0))/m, math.Sqrt(d.law.variance(1))/m/m
	mean := float64(raw[0]) / m / n
	v := float64(raw[1])/m/m/n - mean*mean + s1*s1/n/n
	reach := -math.Log(1-level) / math.Sqrt2 // standard deviations of Laplace noise, which has the longest tails
	inside := math.Min(math.Max(mean, -1), 1)
	h := reach * math.Sqrt(s2*s2+4*inside*inside*s1*s1+5*s1*s1*s1*s1/n/n) / n
	near := math.Max(math.Abs(inside)-reach*s1/n, 0)
	most := 1 - near*near
	lower, upper := math.Max(v-h, 0), math.Min(v+h, most)
	switch {
	case v+h <= 0: // nothing would be left
		lower, upper = 0, math.Min(h, most)
	case v-h >= most:
		lower, upper = math.Max(most-h, 0), most
	}
	scale := m / float64(unit) * d.shape.Lattice().Step(0) * math.Sqrt(n/math.Max(n-1, 1))
	return mechanism.Interval{Rows: &mechanism.Range{Lower: scale * math.Sqrt(lower), Upper: scale * math.Sqrt(upper)}}
}

// Predicted is of the first mean, of values that are spread as guessed or evenly over the range, as many in every
// group; of units with moments of their own, at a correlation of one half. In the units of the data, and of several
// columns as for the one with the widest range.
func (d *sampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	p mechanism.Predicted, ok bool) {
	if d.shape.OneParameter() != nil || d.latent() {
		return p, false
	}
	l := d.shape.Lattice()
	of := float64(rows)
	if d.byGroup() && !d.lone() {
		of /= float64(max(l.Groups, 1))
	}
	for i := range l.Low {
		j := i
		if d.Unit > 0 || d.byGroup() {
			j = 0
		}
		mean, variance := guess.Place(l.Low[i], l.High[i], d.Steps == 1)
		alike := float64(d.rows)
		if d.Unit > 0 {
			alike = 1 + float64(d.Unit-1)/2
		}
		width := l.High[i] - l.Low[i]
		q := d.ofMean(j, d.guess(of, .5, mean, variance), level).Away(l.Value(i, mean*float64(l.Steps)),
			mechanism.InValues, guess.Words(d.guessed()))
		p = p.Or(q.Sampled(level, variance*width*width, of, alike))
	}
	return p, true
}
