package noiseaware

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Row summarises one probability or question. Naive is the posterior with the noise ignored.
type Row struct {
	Of, Label                         string // as in Parameter: Name, Label
	NaiveMean, NaiveLower, NaiveUpper float64
	Mean, SD, Lower, Upper            float64
	// Of a question: the interval before any count was seen, and, of the share of one level, a score interval from one
	// measured table, without a prior. NaN where there is none, 0 of probabilities.
	PriorLower, PriorUpper, ScoreLower, ScoreUpper float64
	// Median says that NaiveMean and Mean are medians and SD is 0: of a question whose mean need not exist, a ratio of
	// which the lower part may be 0 (with α = 1, where the counts leave it open).
	Median bool
}

// Summary has a row for every probability, in the order of Parameters, with equal-tailed credible intervals of the
// given level in (0, 1): *dp.ParameterError.
func (p *Posterior) Summary(level float64) ([]Row, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("noiseaware", "level", level, "a level of intervals above 0 and below 1")
	}
	return Summaries(p.params, level), nil
}

// Summaries is Summary for chosen parameters; at a level outside (0, 1) the ends of intervals are NaN.
func Summaries(params []Parameter, level float64) []Row {
	out := make([]Row, len(params))
	for i, q := range params {
		m := q.Law()
		r := Row{Of: q.Name, Label: q.Label, NaiveMean: q.Naive.Mean(), Mean: m.Mean(), SD: m.SD()}
		r.NaiveLower, r.NaiveUpper = q.Naive.CredibleInterval(level)
		r.Lower, r.Upper = m.CredibleInterval(level)
		out[i] = r
	}
	return out
}

// CSV is the summary as RFC 4180 text with a header, numbers in full precision: *dp.ParameterError.
func (p *Posterior) CSV(level float64) (string, error) {
	list, err := p.Summary(level)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	put := func(of, label string, x ...float64) error {
		cells := []string{of, label}
		for _, v := range x {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return w.Write(cells)
	}
	err = w.Write([]string{"of", "level", "naive_mean", "naive_lower", "naive_upper", "mean", "sd", "lower", "upper"})
	for _, r := range list {
		if err == nil {
			err = put(r.Of, r.Label, r.NaiveMean, r.NaiveLower, r.NaiveUpper, r.Mean, r.SD, r.Lower, r.Upper)
		}
	}
	w.Flush()
	return b.String(), err
}

// Choose lists the probabilities of one distribution, named as in Parameters ("" is the target): those of the given
// levels, or all. Errors: *dp.ParameterError.
func (p *Posterior) Choose(of string, levels ...string) ([]Parameter, error) {
	if of == "" {
		of = p.params[0].Name
	}
	var out []Parameter
	for _, q := range p.params {
		if q.Name == of && len(levels) == 0 {
			out = append(out, q)
		}
	}
	for _, label := range levels {
		q, ok := p.Parameter(of, label)
		if !ok {
			return nil, domain.Refuse("noiseaware", "level of "+of, fmt.Sprintf("%q", label), oneOf(p.names(of)))
		}
		out = append(out, q)
	}
	if len(out) == 0 {
		return nil, domain.Refuse("noiseaware", "distribution", fmt.Sprintf("%q", of), oneOf(p.names(of)))
	}
	return out, nil
}

func oneOf(names []string) string { return `one of "` + strings.Join(names, `", "`) + `"` }

// names lists the levels of a distribution or, if there is none of that name, the distributions.
func (p *Posterior) names(of string) (out []string) {
	last := ""
	for _, q := range p.params {
		if q.Name == of {
			out = append(out, q.Label)
		}
	}
	if out != nil {
		return out
	}
	for _, q := range p.params {
		if q.Name != last {
			out, last = append(out, q.Name), q.Name
		}
	}
	return out
}

// densityPoints is how many points a density is drawn with.
const densityPoints = 301

// Densities draws the noise-aware density of parameters, those of Choose, and those with the noise ignored (dashed);
// without any, of the target's first level. Of one parameter the 50 % and 95 % intervals stand below, and the title
// says the finding.
// Errors: *figure.FigureError for densities that are not finite.
func (p *Posterior) Densities(params ...Parameter) (*figure.Figure, error) {
	if len(params) == 0 {
		params = p.params[:1]
	}
	f := &figure.Figure{Title: "Posterior with and without the noise of the release", XLabel: "probability",
		YLabel: "density", Caption: p.caption, Subtitle: "Posterior given the noisy counts; \"noise ignored\": as if there were none."}
	for _, q := range params {
		d, name := q.Density(densityPoints), ""
		if len(params) > 1 {
			name = probability(q) + ", "
		}
		aware := figure.Series{Name: name + "noise-aware", Kind: figure.Density, X: d.X, Y: d.Aware}
		if len(params) == 1 {
			f.XLabel = probability(q)
			aware.Interval = q.mark()
			f.Title = titled("S"+f.XLabel[1:], *aware.Interval)
			f.Subtitle += " Bar below: 50 % and 95 % intervals."
		}
		f.Series = append(f.Series, aware,
			figure.Series{Name: name + noiseIgnored, Kind: figure.Density, X: d.X, Y: d.Naive, Dashed: true})
	}
	return f, f.Validate()
}

// mark is the mean with the 50 % and the 95 % interval.
func (q Parameter) mark() *figure.Mark {
	law := q.Law()
	m := &figure.Mark{At: law.Mean()}
	m.From, m.To = law.CredibleInterval(.95)
	m.From50, m.To50 = law.CredibleInterval(.5)
	return m
}

// titled is a quantity with its interval, if that fits a title.
func titled(of string, m figure.Mark) string {
	end := func(v float64) string { return figure.Between(v, m.From, m.To) }
	long := of + ": " + end(m.At) + ", 95 % interval " + end(m.From) + " to " + end(m.To)
	for _, title := range []string{long, of + ": " + end(m.At) + " (" + end(m.From) + " to " + end(m.To) + ")"} {
		if utf8.RuneCountInString(title) <= 62 {
			return title
		}
	}
	return of
}

// Intervals draws means with 95 % credible intervals, noise-aware and with the noise ignored, of parameters, those of
// Choose; without any, of all levels of the target. Parameters of a two-way table, whose labels are all of "row,
// column", such as those of a column that GroupBy made, have a line for every row and on it a noise-aware interval for
// every column.
func (p *Posterior) Intervals(params ...Parameter) (*figure.Forest, error) {
	if len(params) == 0 {
		var err error
		if params, err = p.Choose(""); err != nil {
			return nil, err
		}
	}
	what, labels := Labels(params)
	f := &figure.Forest{Title: what + ": means and 95 % intervals", XLabel: "probability", Caption: p.caption,
		Percent: true, Subtitle: "Given the noisy counts; \"noise ignored\": as if there were none.",
		Series: []string{"noise-aware", noiseIgnored}}
	rows, columns := twoWay(labels)
	if rows != nil {
		f.Subtitle, f.Series = "Means with 95 % intervals that include the noise.", columns
		for _, name := range rows {
			f.Rows = append(f.Rows, figure.ForestRow{Name: name})
		}
	}
	for i, r := range Summaries(params, 0.95) {
		aware := figure.Mark{At: r.Mean, From: r.Lower, To: r.Upper}
		if rows != nil {
			row := &f.Rows[i/len(columns)]
			row.Marks, row.Text = append(row.Marks, aware), strings.TrimPrefix(row.Text+" · "+percents(aware), " · ")
			continue
		}
		f.Rows = append(f.Rows, figure.ForestRow{Name: labels[i], Text: percents(aware),
			Marks: []figure.Mark{aware, {At: r.NaiveMean, From: r.NaiveLower, To: r.NaiveUpper}}})
	}
	_, _, err := f.Size()
	return f, err
}

// twoWay are the rows and the columns of labels that are all of "row, column", row by row, with at least two of both;
// nil for others.
func twoWay(labels []string) (rows, columns []string) {
	for _, l := range labels {
		row, column, _ := strings.Cut(l, ", ")
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	if min(len(rows), len(columns)) < 2 || len(rows)*len(columns) != len(labels) {
		return nil, nil
	}
	for i, l := range labels {
		if l != rows[i/len(columns)]+", "+columns[i%len(columns)] {
			return nil, nil
		}
	}
	return rows, columns
}

// percents are a probability and its interval in per cent.
func percents(m figure.Mark) string {
	high := fmt.Sprintf("%.0f", 100*m.To)
	if m.To < 1 && high == "100" { // 100 % would be certain
		if high = fmt.Sprintf("%.1f", 100*m.To); high == "100.0" {
			high = ">99.9"
		}
	}
	return fmt.Sprintf("%.0f (%.0f–%s) %%", 100*m.At, 100*m.From, high)
}

// Labels are what parameters share, such as "Class" or "P(V3 = y), given", and the label of each.
func Labels(params []Parameter) (what string, labels []string) {
	what, label := shared(params)
	for _, q := range params {
		labels = append(labels, label(q))
	}
	return what, labels
}

func shared(params []Parameter) (what string, label func(Parameter) string) {
	names, labels := true, true
	for _, q := range params {
		names, labels = names && q.Name == params[0].Name, labels && q.Label == params[0].Label
	}
	switch {
	case names:
		return params[0].Name, func(q Parameter) string { return q.Label }
	case labels && params[0].at.conditional() && oneFeature(params):
		return fmt.Sprintf("P(%s = %s), given", params[0].at.feature, params[0].Label),
			func(q Parameter) string { return q.at.class }
	case labels && params[0].at.conditional() && oneClass(params):
		return fmt.Sprintf("Share of %s, given %s", params[0].Label, params[0].at.class),
			func(q Parameter) string { return q.at.feature }
	case labels:
		return "P(" + params[0].Label + ")", func(q Parameter) string { return q.Name }
	}
	return "distribution and level", func(q Parameter) string { return q.Name + ": " + q.Label }
}

// probability names a parameter as the share of its level; "s" comes first.
func probability(q Parameter) string { return "share of " + q.Label + " in " + q.Name }

// tableLevel is the level of the intervals in tables.
const tableLevel = 0.95

// Table shows the target's levels, each with its mean, standard deviation and 95 % credible interval.
func (p *Posterior) Table() *table.Table { return p.table(p.ofTarget(), false) }

// Probabilities is Table for every probability of the model.
func (p *Posterior) Probabilities() *table.Table { return p.table(len(p.params), false) }

// NoiseIgnored is Table with the posterior that takes the released estimates for the counts, for comparison: its mean
// and its 95 % interval, which is too narrow, and how many times as wide the noise-aware one is.
func (p *Posterior) NoiseIgnored() *table.Table { return p.table(p.ofTarget(), true) }

// ofTarget is the number of levels of the target.
func (p *Posterior) ofTarget() int {
	k := 0
	for k < len(p.params) && p.params[k].Name == p.params[0].Name {
		k++
	}
	return k
}

// What ignores the noise stands last, under this name.
const (
	noiseIgnored = "noise ignored"
	ignoredMean  = noiseIgnored + ": mean"
	ignoredRange = noiseIgnored + ": 95 %"
	ignoredNote  = noiseIgnored + ": the posterior as if the released estimates were the counts."
)

func (p *Posterior) table(k int, ignored bool) *table.Table {
	t := table.New(p.title, "of", "level", "mean", "sd", "95 %")
	if ignored {
		t.Columns = append(t.Columns, ignoredMean, ignoredRange, "width ratio")
	}
	for _, r := range Summaries(p.params[:k], tableLevel) {
		d := table.Decimals(r.SD)
		t.Add(r.Of, r.Label, table.Fixed(r.Mean, d), table.Fixed(r.SD, d), interval(r.Lower, r.Upper, d),
			table.Fixed(r.NaiveMean, d), interval(r.NaiveLower, r.NaiveUpper, d),
			(r.Upper-r.Lower)/(r.NaiveUpper-r.NaiveLower))
	}
	t.Note("The intervals include the noise of the release. " + p.total)
	if ignored {
		t.Note(ignoredNote)
	}
	if _, ok := p.shape.Model().(model.HistogramModel); ok {
		t.Note("The prior is flat over the bins: 95 % is for shares that follow it. The shares of one skewed truth need " +
			"not be held, where n·ε is below some 30 times the number of bins.")
	}
	return t.Note(p.caption)
}

func interval(l, u float64, decimals int) string {
	if math.IsNaN(l) {
		return ""
	}
	return table.Fixed(l, decimals) + " – " + table.Fixed(u, decimals)
}

// String is the table as text.
func (p *Posterior) String() string { return table.Text(p) }

// Density is the noise-aware density of one probability on points, and Naive that with the noise ignored: the data of a
// figure.
type Density struct {
	X            []float64
	Naive, Aware []float64
}

// Density takes the densities at the given number of points, at least 2, over the range that holds 1 − 2e-4 of either
// law.
func (q Parameter) Density(points int) Density {
	m, points := q.Law(), max(points, 2)
	lo, hi := m.Quantile(1e-4), m.Quantile(1-1e-4)
	lo, hi = min(lo, q.Naive.Quantile(1e-4)), max(hi, q.Naive.Quantile(1-1e-4))
	var d Density
	for i := range points {
		x := lo + (hi-lo)*(float64(i)+0.5)/float64(points)
		d.X = append(d.X, x)
		d.Naive = append(d.Naive, density(q.Naive, x))
		d.Aware = append(d.Aware, m.PDF(x))
	}
	return d
}

func density(b posterior.Beta, x float64) float64 { return math.Exp(b.LogDensity(x)) }

// mostSets is a quarter of the least effective sample size: draws that far apart are nearly independent.
const mostSets = leastESS / 4

// SyntheticSets are m synthetic data sets of the given rows, each drawn from another draw of the posterior, far apart
// in the chains. 0 is for the defaults: 20 sets of five times the records, the public n or, where n is private, the
// posterior mean of it. They are a function of the release: the same each time, and free. Analyse each as if it were
// the table and Combine: see package synthetic. Of a learned structure take release.Release.SyntheticSets, which has
// the noise of sums within bins, too. Errors: *dp.ParameterError for more than 100 sets, and those of synthetic.New.
func (p *NetworkPosterior) SyntheticSets(m, rows int) (*synthetic.Sets, error) {
	if m > mostSets || m < 0 {
		return nil, domain.Refuse("noiseaware", "sets", m, fmt.Sprintf("1 to %d, or 0 for the default", mostSets))
	}
	var sets *synthetic.Sets
	draw := func(set, rows int) (*frame.Frame, error) {
		at := (2*set + 1) * p.Len() / (2 * sets.Len())
		return p.s.shape.RecordsOf(p.Draw(at).Net, rows, rand.NewChaCha8(p.seed("set", uint64(set))),
			p.s.bins...)
	}
	var within []string
	for _, w := range p.s.bins {
		if !w.Vague() {
			within = append(within, w.Column)
		}
	}
	sets, err := synthetic.New(synthetic.Spec{Sets: m, Rows: rows, Graph: p.s.dag, Draw: draw, Title: p.s.title,
		ID: p.s.id, Public: p.s.caption, Reason: p.s.reason, Records: p.records(), Warnings: p.Warnings(), WithinBins: within})
	return sets, err
}

// records is the public number of records, or the posterior mean of a latent one.
func (p *NetworkPosterior) records() float64 {
	if n, ok := p.Records(); ok {
		return float64(n)
	}
	sum := 0.0
	for i := range p.Len() {
		sum += float64(p.Draw(i).Records) / float64(p.Len())
	}
	return max(sum, 1)
}

// seed makes streams of its own for what is drawn beside the chains.
func (p *NetworkPosterior) seed(of string, i uint64) [32]byte {
	b := append(p.s.seed[:len(p.s.seed):len(p.s.seed)], of...)
	return sha256.Sum256(binary.LittleEndian.AppendUint64(b, i))
}
