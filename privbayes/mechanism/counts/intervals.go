package counts

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Intervals are score intervals ([score.Share]) of every probability, from the noisy counts of one table that holds it,
// without a prior; of a contingency table also of the levels of every column; in a class of naive Bayes with the
// class's records from all tables. The noise of several counts is taken as Laplace, or normal, of their variance. Where
// a distribution has one row and n is public, its counts are moved to that total first. Source: theory/intervals.md §3.
func (c *countSampler) Intervals(ctx context.Context, drawn mechanism.Output, level float64) ([]mechanism.Interval,
	string, bool) {
	list, how, ok := c.intervals(ctx, drawn, level, c.cell)
	if ok {
		c.bands(drawn, level, list)
	}
	return list, how, ok
}

// cell is the variance of the noise of a count of a table, in records.
func (c *countSampler) cell(t int) float64 {
	v := c.laws[t].Variance() / float64(c.unit*c.unit)
	if c.measured[t] < c.shape.Tables()[t].Cells() {
		return 2 * v // of one count of two, which has the variance v once they are moved to the total
	}
	return v
}

// Intervals know that the noise keeps the total: its covariance is that of independent noise of d/(d − 1) times the
// variance that is moved to the total.
func (d *knormSampler) Intervals(ctx context.Context, drawn mechanism.Output, level float64) ([]mechanism.Interval,
	string, bool) {
	return d.intervals(ctx, drawn, level, d.cell)
}

// cell is the variance of independent noise with the same covariance once the counts are moved to the total.
func (d *knormSampler) cell(t int) float64 {
	z := d.sums[t]
	return sumZeroVariance(z) * float64(z.Dim()) / float64(z.Dim()-1)
}

// sumZeroVariance is E Z_1², by the trapezoidal rule in steps of a thirtieth of the noise where that is wide.
func sumZeroVariance(z sample.SumZero) (sum float64) {
	far := math.Ceil(20 / z.Rate())
	by := math.Ceil(far / 600)
	for x := by; x <= far; x += by {
		sum += 2 * by * x * x * z.Marginal(int64(x))
	}
	return sum
}

// maxIntervals are found in about half a second.
const maxIntervals = 10_000

func (c *countSampler) intervals(ctx context.Context, drawn mechanism.Output, level float64,
	cell func(table int) float64) (out []mechanism.Interval, how string, ok bool) {
	const words = "score intervals of each share from the counts of one table, without a prior"
	noisy, err := c.records(drawn.Raw)
	if err != nil {
		return nil, "", false
	}
	n, public := c.shape.N()
	tables := slices.Clone(drawn.Raw[:len(noisy)])
	for t := range tables {
		if c.measured[t] < c.shape.Tables()[t].Cells() {
			tables[t] = []int64{tables[t][0], int64(n)*c.unit - tables[t][0]}
		}
	}
	_, rows := c.shape.Unit()
	s := shares{n: float64(n), alike: float64(rows), level: level}
	list, all := c.shape.Conditionals(), 0
	class, ofClass := model.ClassMargin(c.shape, noisy), classVariance(c.shape, cell) // of naive Bayes, with its variance
	for i, counts := range c.shape.ConditionalCounts(tables) {
		d, t := list[i], c.shape.TableOf(i)
		if all += d.Rows * d.Levels; all > maxIntervals {
			return nil, "", false
		}
		records := make([]float64, len(counts))
		for k, y := range counts {
			records[k] = float64(y) / float64(c.unit)
		}
		s.fixed = public && d.Rows == 1
		s.variance = cell(t) * float64(len(tables[t])) / float64(len(counts))
		s.normal = noise.FormOf(c.laws[t]).Sigma2 > 0
		switch graph := c.shape.Graph(); {
		case class != nil && i == 0:
			records, s.variance = class, ofClass
		case graph != nil && graph.Node(i).Name == c.shape.Columns()[0].Name: // its margin, which stands before all
			margin, v := make([]float64, d.Levels), s
			for k, y := range records {
				margin[k%d.Levels] += y
			}
			v.fixed, v.variance = public, s.variance*float64(d.Rows)
			out = slices.Insert(out, 0, v.list(margin)...)
		}
		for j := range d.Rows {
			if ctx.Err() != nil {
				return nil, "", false
			}
			row := records[j*d.Levels : (j+1)*d.Levels]
			if class != nil && i > 0 {
				out = append(out, s.inClass(class[j], ofClass).list(row)...)
				continue
			}
			if m, ok := c.shape.Model().(model.HistogramModel); ok && m.Cumulative() {
				for k := range row[1:] {
					out = append(out, s.share(row, 0, k+1))
				}
				continue
			}
			cells := s
			if c.unitNoise != nil {
				cells.alike = c.alike(row, drawn.Raw[1], public)
				how = fmt.Sprintf("; rows of a unit are alike as far as one released design effect of the table says, %.2f of "+
					"at most %d: a cell whose rows are more alike than the others' is covered less often", cells.alike, rows)
			}
			out = append(out, cells.list(row)...)
			out = append(out, s.totals(c.shape, row)...)
		}
	}
	return out, words + how, true
}

// Areas are the shares of one level of a feature in the classes of naive Bayes, each unit with one row.
func (c *countSampler) Areas(drawn mechanism.Output, feature, level string) (list []score.Area,
	value func(theta float64) float64, ok bool) {
	return c.areas(drawn, feature, level, c.cell)
}

// Areas know that the noise keeps the total.
func (d *knormSampler) Areas(drawn mechanism.Output, feature, level string) (list []score.Area,
	value func(theta float64) float64, ok bool) {
	return d.areas(drawn, feature, level, d.cell)
}

func (c *countSampler) areas(drawn mechanism.Output, feature, level string, cell func(table int) float64) (
	list []score.Area, value func(theta float64) float64, ok bool) {
	noisy, err := c.records(drawn.Raw)
	if _, rows := c.shape.Unit(); err != nil || !c.shape.SharesClass() || rows > 1 {
		return nil, nil, false
	}
	for t, tb := range c.shape.Tables() {
		l := slices.Index(tb.Labels[1], level)
		if tb.Columns[1] != feature || l < 0 {
			continue
		}
		own := math.Sqrt(cell(t))
		for row := range slices.Chunk(noisy[t], tb.Levels[1]) {
			rest := -row[l]
			for _, y := range row {
				rest += y
			}
			list = append(list, score.Rate(row[l], rest, own, own*math.Sqrt(float64(tb.Levels[1]-1)),
				noise.FormOf(c.laws[t]).Sigma2 > 0))
		}
		return list, func(theta float64) float64 { return theta }, true
	}
	return nil, nil, false
}

// classVariance is that of a class count of [model.ClassMargin]: of sums of C_k cells weighted by 1/C_k.
func classVariance(sh *model.Shape, cell func(table int) float64) float64 {
	sum, weights := 0.0, 0.0
	for t, tb := range sh.Tables() {
		w := 1 / float64(tb.Levels[len(tb.Levels)-1])
		sum, weights = sum+w*cell(t), weights+w
	}
	return sum / weights / weights
}

// shares are those of one distribution, with noise of one variance on every count.
type shares struct {
	n        float64
	alike    float64 // how many times the variance of independent rows
	variance float64 // of a count's noise
	fixed    bool    // the counts add up to n
	ofTotal  float64 // the variance of n, where that is noisy
	normal   bool
	level    float64
}

// inClass are the shares in a class of so many records, which all tables of naive Bayes know together: far better than
// one of them. The counts of a row are moved to that total; what they lose is independent of it, so that the noise of
// y − p·total has the variance v(1 − 1/d) + V(1/d − p)², V that of the total.
func (s shares) inClass(total, variance float64) shares {
	s.fixed, s.n, s.ofTotal = true, total, variance
	return s
}

// list is the share of every level.
func (s shares) list(counts []float64) (out []mechanism.Interval) {
	for k := range counts {
		out = append(out, s.share(counts, k, k+1))
	}
	return out
}

// share is that of the levels from one to before another.
func (s shares) share(counts []float64, from, to int) mechanism.Interval {
	in, rest := 0.0, 0.0
	for i, y := range counts {
		if from <= i && i < to {
			in += y
		} else {
			rest += y
		}
	}
	return s.pooled(in, rest, float64(to-from), float64(len(counts)))
}

// totals are the shares of the levels of every column of a contingency table, each of the sum of its cells; none for
// other models.
func (s shares) totals(sh *model.Shape, cells []float64) (out []mechanism.Interval) {
	if !sh.Joint() {
		return nil
	}
	all, d := floats.Sum(cells), float64(len(cells))
	for i, c := range sh.Columns() {
		for _, count := range sh.Tables()[0].Margin(cells, i) {
			out = append(out, s.pooled(count, all-count, d/float64(c.Levels()), d))
		}
	}
	return out
}

// pooled is the share of k of d levels together, from the sum of their counts and that of the rest.
func (s shares) pooled(count, rest, k, d float64) mechanism.Interval {
	q := score.Share{Normal: s.normal, Alike: s.alike, Fixed: s.fixed, Count: count, Rest: rest}
	if s.fixed {
		q.Count += (s.n - q.Count - q.Rest) * k / d
		q.Rest, q.Size = s.n-q.Count, s.n+math.Sqrt(s.ofTotal)/2
		q.Own = math.Sqrt(s.variance*k*(1-k/d) + s.ofTotal*math.Pow(math.Max(k/d, 1-k/d), 2))
	} else {
		q.Size = math.Max(q.Count+q.Rest, 0) + math.Sqrt(s.variance*d)/2
		q.Own, q.Other = math.Sqrt(s.variance*k), math.Sqrt(s.variance*(d-k))
	}
	wider := func(of func(q score.Share) (lower, upper float64)) *mechanism.Range {
		var r mechanism.Range
		r.Lower, r.Upper = of(q)
		if n := q; !q.Normal { // the noise of several counts lies between one's and the normal
			n.Normal = true
			lower, upper := of(n)
			r.Lower, r.Upper = math.Min(r.Lower, lower), math.Max(r.Upper, upper)
		}
		return &r
	}
	return mechanism.Interval{
		Population: wider(func(q score.Share) (float64, float64) { return q.Interval(s.level) }),
		Rows:       wider(func(q score.Share) (float64, float64) { return q.OfRows(s.level) })}
}
