package counts

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"gonum.org/v1/gonum/floats"
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

// CellNoise is the noise of every table; none by unit, where moments of units stand with the counts.
func (c *countSampler) CellNoise() (out []mechanism.CellNoise) {
	if c.unitNoise != nil {
		return nil
	}
	for t, tb := range c.shape.Tables() {
		out = append(out, mechanism.CellNoise{Variance: c.cell(t), Distribution: c.laws[t],
			Once: c.measured[t] < tb.Cells()})
	}
	return out
}

// CellNoise knows that the noise keeps the total, so that counts of one table are not independent.
func (d *knormSampler) CellNoise() (out []mechanism.CellNoise) {
	for t := range d.shape.Tables() {
		out = append(out, mechanism.CellNoise{Variance: d.cell(t)})
	}
	return out
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
	s := mechanism.Shares{N: float64(n), Alike: float64(rows), Level: level}
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
		s.Fixed = public && d.Rows == 1
		s.Variance = cell(t) * float64(len(tables[t])) / float64(len(counts))
		s.Normal = noise.FormOf(c.laws[t]).Sigma2 > 0
		switch graph := c.shape.Graph(); {
		case class != nil && i == 0:
			records, s.Variance = class, ofClass
		case graph != nil && graph.Node(i).Name == c.shape.Columns()[0].Name: // its margin, which stands before all
			margin, v := make([]float64, d.Levels), s
			for k, y := range records {
				margin[k%d.Levels] += y
			}
			v.Fixed, v.Variance = public, s.Variance*float64(d.Rows)
			out = slices.Insert(out, 0, v.List(margin)...)
		}
		for j := range d.Rows {
			if ctx.Err() != nil {
				return nil, "", false
			}
			row := records[j*d.Levels : (j+1)*d.Levels]
			if class != nil && i > 0 {
				out = append(out, inClass(s, class[j], ofClass).List(row)...)
				continue
			}
			if m, ok := c.shape.Model().(model.HistogramModel); ok && m.Cumulative() {
				for k := range row[1:] {
					out = append(out, s.Share(row, 0, k+1))
				}
				continue
			}
			cells := s
			if c.unitNoise != nil {
				cells.Alike = c.alike(row, drawn.Raw[1], public)
				how = fmt.Sprintf("; rows of a unit are alike as far as one released design effect of the table says, %.2f of "+
					"at most %d: a cell whose rows are more alike than the others' is covered less often", cells.Alike, rows)
			}
			out = append(out, cells.List(row)...)
			out = append(out, s.Totals(c.shape, row)...)
		}
	}
	return out, words + how, true
}

// Areas are the shares of one level of a feature in the classes of naive Bayes, or of one column of a contingency table
// of two in the levels of the other, each unit with one row.
func (c *countSampler) Areas(drawn mechanism.Output, feature, label string, level float64) (mechanism.Areas, bool) {
	return c.areas(drawn, feature, label, level, c.cell)
}

// Areas know that the noise keeps the total.
func (d *knormSampler) Areas(drawn mechanism.Output, feature, label string, level float64) (mechanism.Areas, bool) {
	return d.areas(drawn, feature, label, level, d.cell)
}

func (c *countSampler) areas(drawn mechanism.Output, feature, label string, level float64,
	cell func(table int) float64) (out mechanism.Areas, ok bool) {
	noisy, err := c.records(drawn.Raw)
	joint := c.shape.Joint() && len(c.shape.Columns()) == 2
	if _, rows := c.shape.Unit(); err != nil || !c.shape.SharesClass() && !joint || rows > 1 {
		return out, false
	}
	for t, tb := range c.shape.Tables() {
		of, levels, areas := 1, 1, tb.Levels[1] // from one level, and from one area, to the next in the table
		if joint && tb.Columns[0] == feature {
			of, levels, areas = 0, tb.Levels[1], 1
		}
		l := slices.Index(tb.Labels[of], label)
		if tb.Columns[of] != feature || l < 0 {
			continue
		}
		v, others := cell(t), float64(tb.Levels[of]-1)
		s := mechanism.Shares{Alike: 1, Level: level, Normal: noise.FormOf(c.laws[t]).Sigma2 > 0}
		for a := range tb.Levels[1-of] {
			count := noisy[t][a*areas+l*levels]
			rest := -count
			for k := range tb.Levels[of] {
				rest += noisy[t][a*areas+k*levels]
			}
			out.List = append(out.List, score.Rate(count, rest, math.Sqrt(v), math.Sqrt(v*others), s.Normal))
			if joint {
				out.Direct = append(out.Direct, s.Correlated(count, rest, v, v*others, 0))
			}
		}
		out.Value = func(theta float64) float64 { return theta }
		return out, true
	}
	return out, false
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

// inClass are the shares in a class of so many records, which all tables of naive Bayes know together: far better than
// one of them. The counts of a row are moved to that total; what they lose is independent of it, so that the noise of
// y − p·total has the variance v(1 − 1/d) + V(1/d − p)², V that of the total.
func inClass(s mechanism.Shares, total, variance float64) mechanism.Shares {
	s.Fixed, s.N, s.OfTotal = true, total, variance
	return s
}

// Predicted is of a share of every distribution, of which all cells hold as many rows, or one has the share that is
// guessed and the others as many as each other, the widest of them: as [countSampler.Intervals].
func (c *countSampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	mechanism.Predicted, bool) {
	return c.predicted(rows, level, guess, c.cell)
}

// Predicted knows that the noise keeps the total.
func (d *knormSampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	mechanism.Predicted, bool) {
	return d.predicted(rows, level, guess, d.cell)
}

func (c *countSampler) predicted(rows int, level float64, at *mechanism.Guess, cell func(table int) float64) (
	p mechanism.Predicted, ok bool) {
	_, public := c.shape.N()
	_, alike := c.shape.Unit()
	n := float64(rows)
	guess := at.Words("as many rows in every cell")
	list := c.shape.Conditionals()
	for i, d := range list {
		t := c.shape.TableOf(i)
		cells := float64(d.Rows * d.Levels)
		s := mechanism.Shares{N: n, Alike: float64(alike), Level: level, Fixed: public && d.Rows == 1,
			Variance: cell(t) * float64(c.shape.Tables()[t].Cells()) / cells, Normal: noise.FormOf(c.laws[t]).Sigma2 > 0}
		switch {
		case c.shape.SharesClass() && i == 0:
			s.Variance = classVariance(c.shape, cell)
		case c.shape.SharesClass():
			s = inClass(s, n/float64(d.Rows), classVariance(c.shape, cell))
		}
		if c.unitNoise != nil { // rows of a unit half as alike as can be
			guess = fmt.Sprintf("%s, and a correlation of .5 between rows of a unit", guess)
			s.Alike = 1 + float64(alike-1)/2
		}
		shares, of := at.Spread(d.Levels), n/float64(d.Rows)
		row := make([]float64, d.Levels)
		floats.ScaleTo(row, of, shares)
		for from := range at.Cells(d.Levels) {
			to := from + 1
			if m, ok := c.shape.Model().(model.HistogramModel); ok && m.Cumulative() { // the middle has the widest
				to = d.Levels / 2
			}
			share := floats.Sum(shares[from:to])
			p = p.Or(s.Share(row, from, to).Away(share, mechanism.InShares, guess).Sampled(level, share*(1-share), of,
				s.Alike))
		}
	}
	return p, len(list) > 0 && !math.IsNaN(p.Rows)
}
