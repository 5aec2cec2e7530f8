package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// HistogramModel is the Dirichlet posterior of the shares of the bins of a numeric column: see Histogram and CDF.
type HistogramModel struct {
	ofCounts
	cumulative bool
}

// Histogram is the share of every public bin of a numeric column, under the prior Dirichlet(α, …, α) with α = 1. The
// bins are the schema's edges, in the column's units.
//
// Its intervals cover shares that follow the prior. A flat prior on many bins says that no bin is likely to be much
// larger than others: of skewed data, where few bins hold most, the shares are pulled towards equal ones, and with them
// every number that is read off, unless n is far above the number of bins. Bins that grow with the value help.
func Histogram(column string) HistogramModel {
	return HistogramModel{ofCounts: ofCounts{base{column, Prior{1}}}}
}

// CDF is the share of rows below each public edge of a numeric column: the counts and the prior are those of Histogram,
// so that the share below an edge has a Beta posterior.
func CDF(column string) HistogramModel {
	m := Histogram(column)
	m.cumulative = true
	return m
}

// WithPrior sets the prior: one hyperparameter α > 0 for every bin, or one per bin from the lowest. α is public: choose
// it without the data.
func (m HistogramModel) WithPrior(alpha ...float64) HistogramModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// String describes the model.
func (m HistogramModel) String() string {
	if m.cumulative {
		return "CDF of " + safetext.Quote(m.target)
	}
	return "histogram of " + safetext.Quote(m.target)
}

func (m HistogramModel) describe() Description {
	d := Description{Kind: "histogram", Target: m.target, Alpha: m.alpha}
	if m.cumulative {
		d.Kind = "cdf"
	}
	return d
}

func (m HistogramModel) with(d Description) Model { m.target, m.alpha = d.Target, d.Alpha; return m }

func (m HistogramModel) columns(s *frame.Schema) ([]frame.Column, error) {
	c, err := targetColumn(m, s, true)
	switch {
	case err != nil:
		return nil, err
	case !c.Numeric():
		return nil, wrong(m, m.target, fmt.Sprintf("a %s column", c.Kind), "an integer or real column; Categorical for "+
			"categories")
	case c.HasMissing():
		return nil, refuseMissing(m, *c, "a column without missing values")
	}
	return []frame.Column{*c}, nil
}

// Cumulative reports whether the model is about shares below edges, and not in bins.
func (m HistogramModel) Cumulative() bool { return m.cumulative }

// below is the posterior of the share of the first k bins.
func (f *Fitted) below(k int) posterior.Beta {
	b := posterior.Beta{}
	for i, a := range f.class.Alpha() {
		if i < k {
			b.A += a
		} else {
			b.B += a
		}
	}
	return b
}

// BinShare is the posterior of one line of a Histogram or a CDF: the share of rows from an edge to another.
type BinShare struct {
	From, To float64 // in the column's units; of a CDF, From is the lowest edge
	posterior.Beta
}

// Shares are the bins of a Histogram, or what lies below each edge of a CDF but the highest. Errors: *Error for other
// models.
func (f *Fitted) Shares() ([]BinShare, error) {
	m, ok := f.shape.model.(HistogramModel)
	if !ok {
		return nil, wrong(f.shape.model, "", "no bins", "Histogram or CDF")
	}
	edges := f.shape.columns[0].Edges
	var out []BinShare
	for i := range len(edges) - 1 {
		switch {
		case !m.cumulative:
			out = append(out, BinShare{edges[i], edges[i+1], f.class.Marginal(i)})
		case i > 0:
			out = append(out, BinShare{edges[0], edges[i], f.below(i)})
		}
	}
	return out, nil
}

// shareLevel is the level of the intervals shown.
const shareLevel = .95

// summary shows the shares with their edges.
func (m HistogramModel) summary(f *Fitted) *table.Table {
	c := f.shape.columns[0]
	shares, _ := f.Shares()
	head := []string{"from", "below", "share", "95 % from", "to"}
	title := "Shares of the bins of "
	if m.cumulative {
		head, title = []string{"below", "share", "95 % from", "to"}, "Shares below the edges of "
	}
	t := table.New(title+plain(m.target), head...)
	for i, s := range shares {
		lo, hi := s.CredibleInterval(shareLevel)
		row := []any{c.Text(s.To), s.Mean(), lo, hi}
		if !m.cumulative {
			row = append([]any{c.Text(s.From)}, row...)
			if i == len(shares)-1 && c.Max == s.To {
				row[1] = "up to " + c.Text(s.To)
			}
		}
		t.Add(row...)
	}
	if c.OnOutOfDomain == frame.DomainClamp {
		t.Note("The first and the last bin hold what lies beyond the bounds, too.")
	}
	return t.Note("Intervals cover shares that follow the prior, not the shares of any skewed data: a flat prior " +
		"draws them towards equal ones.")
}

// shown is what is read off.
func (m HistogramModel) shown(f *Fitted, _ cellOf) []*table.Table {
	c := f.shape.columns[0]
	t := table.New("Read off the bins of "+plain(m.target), "of "+plain(m.target), "value")
	mean, _ := f.BinnedMean()
	value := func(x float64) string {
		if c.Date != "" {
			return c.Text(math.Round(x))
		}
		return table.Number(x)
	}
	t.Add("mean", value(mean))
	for _, p := range []float64{.1, .25, .5, .75, .9} {
		q, _ := f.BinnedQuantile(p)
		t.Add(fmt.Sprintf("%g-quantile", p), value(q))
	}
	return []*table.Table{t.Note("By interpolation: as if the rows of a bin were spread evenly over it. A wide " +
		"bin at an end can move the mean by much.")}
}

// binEnds are the least and the largest value of bin i; of whole numbers these are whole.
func binEnds(c frame.Column, i int) (lo, hi float64) {
	lo, hi = c.Edges[i], c.Edges[i+1]
	if c.Kind != frame.KindInteger {
		return lo, hi
	}
	if lo = math.Ceil(lo); i == len(c.Edges)-2 { // closed, unless the greatest value lies below the last edge
		return lo, math.Floor(c.Max)
	}
	return lo, math.Ceil(hi) - 1
}

// BinnedMean is the mean that a Histogram or a CDF gives where the rows of a bin are spread evenly over it, in the
// column's units. Errors: *Error for other models.
func (f *Fitted) BinnedMean() (float64, error) {
	if _, ok := f.shape.model.(HistogramModel); !ok {
		return 0, wrong(f.shape.model, "", "no bins", "Histogram or CDF")
	}
	sum := 0.0
	for i, share := range f.class.Mean() {
		lo, hi := binEnds(f.shape.columns[0], i)
		sum += share * (lo + hi) / 2
	}
	return sum, nil
}

// BinnedQuantile is the p-quantile, 0 < p < 1, that a Histogram or a CDF gives where the rows of a bin are spread
// evenly over it, in the column's units. Errors: *Error for other models and other p.
func (f *Fitted) BinnedQuantile(p float64) (float64, error) {
	if _, ok := f.shape.model.(HistogramModel); !ok {
		return 0, wrong(f.shape.model, "", "no bins", "Histogram or CDF")
	}
	if !(p > 0 && p < 1) {
		return 0, wrong(f.shape.model, "", fmt.Sprintf("p = %v", p), "0 < p < 1")
	}
	c, shares, below := f.shape.columns[0], f.class.Mean(), 0.0
	i := 0
	for ; i < len(shares)-1 && below+shares[i] < p; i++ {
		below += shares[i]
	}
	lo, hi := binEnds(c, i)
	inside := math.Min(math.Max((p-below)/shares[i], 0), 1)
	if c.Kind == frame.KindInteger {
		return math.Min(hi, lo+math.Floor(inside*(hi-lo+1))), nil
	}
	return lo + inside*(hi-lo), nil
}

const cdfScore = "largest distance from the held-out CDF"

func (m HistogramModel) words() Words {
	w := m.ofCounts.words()
	w.Measures = []string{cdfScore, "log loss", "KL of target posterior"}
	w.Guess, w.Headline, w.Score, w.Bars = "equal shares", cdfScore, cdfScore, "Distance from the held-out CDF"
	if w.Error = "a share of a bin"; m.cumulative {
		w.Error = "a share below an edge"
	}
	return w
}

// cdfDistance is the largest difference, over edges, between shares that lie below and those of held-out rows.
func cdfDistance(shares []float64, f *Fitted, x *frame.Frame) (float64, error) {
	labels, err := f.Labels(x)
	if err != nil {
		return 0, err
	}
	held := make([]float64, len(shares))
	for _, l := range labels {
		held[l] += 1 / float64(len(labels))
	}
	worst, difference := 0.0, 0.0
	for i, s := range shares {
		difference += s - held[i]
		worst = math.Max(worst, math.Abs(difference))
	}
	return worst, nil
}

func (m HistogramModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) {
	d, err := cdfDistance(f.class.Mean(), f, x)
	if err != nil {
		return nil, err
	}
	lik, err := m.ofCounts.scores(f, x)
	return append([]Score{{Name: cdfScore, Value: d, Share: true}}, lik...), err
}

// measure gives the distance of the CDFs, the mean −log probability of the rows' bins, and KL(non-private ‖ released).
func (m HistogramModel) measure(f, np *Fitted, x *frame.Frame) ([]float64, error) {
	out, err := m.ofCounts.measure(f, np, x)
	if err == nil {
		out[0], err = cdfDistance(f.class.Mean(), f, x)
	}
	if err == nil && unseen(x) {
		out[0] = 0
	}
	return out, err
}

// guess is the distance of equal shares.
func (HistogramModel) guess(np *Fitted, x *frame.Frame) (float64, error) {
	shares := make([]float64, len(np.class.Labels))
	for i := range shares {
		shares[i] = 1 / float64(len(shares))
	}
	return cdfDistance(shares, np, x)
}

// distance is over bins, or over edges; the divergence is of the bins' shares.
func (m HistogramModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	absolute, kl = m.ofCounts.distance(sh, plain, released)
	if !m.cumulative {
		return absolute, kl
	}
	absolute = 0
	difference, edges := 0.0, len(plain[0])-1
	for i := range edges {
		difference += plain[0][i] - released[0][i]
		absolute += math.Abs(difference) / float64(edges)
	}
	return absolute, kl
}

// addShare adds a share with its interval to a series.
func addShare(s *figure.Series, x float64, b posterior.Beta) {
	lo, hi := b.CredibleInterval(shareLevel)
	s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, b.Mean()), append(s.Lo, lo), append(s.Hi, hi)
}

// figure draws bars between edges with their intervals, or the CDF at the edges but the last.
func (m HistogramModel) figure(f, np *Fitted, caption string) *figure.Figure {
	c := f.shape.columns[0]
	unit := safetext.Word(m.target)
	out := &figure.Figure{Title: "Histogram of " + unit, XLabel: c.Quantity(), YLabel: "share", Caption: caption,
		Private: np != nil}
	if m.cumulative {
		out.Title, out.YLabel, out.YPercent = "Share of the records below each "+unit, "share below", true
		out.XDates = c.Date
		out.Subtitle = "At the edges of the public bins, with 95 % bars of each share by itself, given the counts. In " +
			"between the curve is not known."
	} else {
		out.XTicks, out.YPercent = c.Labels(), true
		out.Subtitle = "Share of every public bin, with 95 % intervals given the counts."
	}
	draw := func(name string, f *Fitted, dashed bool) {
		s := figure.Series{Name: name, Kind: figure.Bars, Dashed: dashed}
		point := func(x float64, b posterior.Beta) { addShare(&s, x, b) }
		shares, _ := f.Shares()
		if !m.cumulative {
			for i, share := range shares {
				point(float64(i), share.Beta)
			}
			out.Series = append(out.Series, s)
			return
		}
		certain := func(x, y float64) {
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, y), append(s.Lo, y), append(s.Hi, y)
		}
		s.Kind = figure.Band
		certain(c.Edges[0], 0)
		for _, share := range shares { // all are below the last edge
			point(share.To, share.Beta)
		}
		out.Series = append(out.Series, s)
	}
	draw("released", f, false)
	if np != nil {
		draw("non-private", np, true)
	}
	return out
}
