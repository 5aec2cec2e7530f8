package release

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// NotAnsweredError says that a learned structure has no answer with a stated error about some columns.
type NotAnsweredError struct {
	Columns []string
	Why     string
	Want    string // what would have one
	// Distance is how far the model's table of the two columns is from that of the rows, at level .95; nil where nothing
	// is known of it. Statements of a learned structure measure it.
	Distance *Distance
}

// Error names the columns.
func (e *NotAnsweredError) Error() string {
	text := "release: " + strings.Join(words(e.Columns), " × ") + ": " + e.Why
	if d := e.Distance; d != nil {
		text += fmt.Sprintf("; the true table is within %s of the model's, with probability %g", atMost(d.Upper),
			shownLevel)
	}
	return text + "; want " + e.Want
}

func unanswered(columns []string, why, want string) *NotAnsweredError {
	return &NotAnsweredError{Columns: columns, Why: why, Want: want}
}

// words are names as they are printed.
func words(names []string) (out []string) {
	for _, n := range names {
		out = append(out, safetext.Word(n))
	}
	return out
}

// measuredTable is a noisy table of a learned structure: its cells, those that follow from a public n included, in
// records.
type measuredTable struct {
	columns  []int // places among the columns of the shape, the last running fastest
	cells    []float64
	variance float64 // of the noise of a cell
	kurtosis float64 // excess, of the noise of a cell
	normal   bool
	given    bool // public beforehand: nothing chose it
}

// firstMeasured is the first table that was measured of these columns, alone or with others. Where nothing chose it, it
// is the one of all that nothing chose whose counts have the least noise, which is public.
func (r *Release) firstMeasured(names ...string) (m measuredTable, err error) {
	s := r.Structure()
	if s == nil || len(s.Measured) == 0 {
		return m, domain.Refuse("release", "measured tables", r.plan.Title(), "a structure learned by noisy tables")
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return m, domain.Refuse("release", "columns", safetext.Quote(name)+" twice", "each column once")
		}
		if !slices.Contains(s.Columns, name) {
			return m, domain.Refuse("release", "column", safetext.Quote(name), safetext.OneOf(name, s.Columns))
		}
	}
	at := s.Holds(names...)
	if at < 0 {
		want := "a pair that was measured: " + r.measuredPairs(5)
		if slices.ContainsFunc(s.Closed, func(p [2]string) bool {
			return len(names) == 2 && slices.Contains(names, p[0]) &&
				slices.Contains(names, p[1])
		}) {
			want = "the pair reserved, or a larger MaxCells: the fit had no room for it"
		}
		return m, &NotAnsweredError{names, "never measured, so that no error can be stated", want, r.distance(names)}
	}
	m = r.measuredAt(at, names)
	for k := at + 1; m.given && k < len(s.Measured); k++ {
		if !s.HasAll(k, names...) {
			continue
		}
		if other := r.measuredAt(k, names); other.given && other.variance < m.variance {
			m = other
		}
	}
	return m, nil
}

// measuredAt is the margin over some columns of a table that was measured.
func (r *Release) measuredAt(at int, names []string) measuredTable {
	s, columns := r.Structure(), r.plan.Shape().Columns()
	t, wide := s.Measured[at], measuredTable{}
	for _, name := range t.Columns {
		wide.columns = append(wide.columns, slices.IndexFunc(columns, func(c frame.Column) bool { return c.Name == name }))
	}
	unit := float64(t.Noise.Unit())
	for _, y := range t.Counts {
		wide.cells = append(wide.cells, float64(y)/unit)
	}
	wide.variance = t.Noise.Variance() / (unit * unit)
	if law, ok := t.Noise.(noise.Probabilities); ok {
		f := noise.FormOf(law)
		if wide.normal = f.Sigma2 > 0; f.Rate > 0 { // E Z⁴ = 2q(1 + 10q + q²)/(1 − q)⁴, Var Z = 2q/(1 − q)²
			q := math.Exp(-f.Rate)
			wide.kurtosis = (1+10*q+q*q)/(2*q) - 3
		}
	}
	if n, _ := r.plan.Shape().N(); len(wide.cells) < columns[wide.columns[0]].Levels() { // one of two, of a public total
		wide.cells, wide.variance = append(wide.cells, float64(n)-wide.cells[0]), 2*wide.variance
	}
	m := wide.margin(columns, names)
	m.given = at < len(columns) || s.Rounds[at-len(columns)].Given
	return m
}

// margin is the table of some of the columns, in their order: sums of cells.
func (m measuredTable) margin(columns []frame.Column, names []string) measuredTable {
	out, size := m, 1
	out.columns = nil
	for _, i := range m.columns {
		if slices.Contains(names, columns[i].Name) {
			out.columns, size = append(out.columns, i), size*columns[i].Levels()
		}
	}
	cells := float64(len(m.cells) / size)
	out.cells, out.variance, out.kurtosis = make([]float64, size), m.variance*cells, m.kurtosis/cells
	for c, y := range m.cells {
		at, stride, rest := 0, 1, c
		for k := len(m.columns) - 1; k >= 0; k-- {
			levels := columns[m.columns[k]].Levels()
			if slices.Contains(out.columns, m.columns[k]) {
				at, stride = at+rest%levels*stride, stride*levels
			}
			rest /= levels
		}
		out.cells[at] += y
	}
	return out
}

// measuredPairs names some of the pairs that were measured.
func (r *Release) measuredPairs(most int) string {
	var list []string
	for _, t := range r.Structure().Measured {
		if name := strings.Join(words(t.Columns), " × "); len(t.Columns) == 2 && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return "there is none"
	}
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(list, ", ")
}

// MeasuredShares are the shares of the cells of a table that a learned structure measured, over one or two columns,
// with score intervals at a level in (0, 1): from the first table of these columns, whose noise is independent of what
// led to its choice, or from the least noisy one of those that nothing chose. The last column runs fastest; labels are
// joined by commas. Intervals of the rows hold whatever chose the table. One of the population stands with them where
// nothing chose it: of a column, and of a pair that was given. The estimate is that of the fit to all tables, moved
// into the interval.
//
// Errors: *NotAnsweredError for columns whose table was not measured; *dp.ParameterError for unknown columns, a level,
// and a release that learned no structure by noisy tables; those of bayesnet.Net.Query.
func (r *Release) MeasuredShares(ctx context.Context, level float64, columns ...string) ([]Interval, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("release", "level", level, "a number above 0 and below 1")
	}
	m, err := r.firstMeasured(columns...)
	if err != nil {
		return nil, err
	}
	fitted, err := r.fittedTable(ctx, m.columns)
	if err != nil {
		return nil, err
	}
	n, public := r.plan.Shape().N()
	_, alike := r.plan.Shape().Unit()
	found := mechanism.Shares{N: float64(n), Fixed: public, Alike: float64(alike), Variance: m.variance, Normal: m.normal,
		Level: level}.List(m.cells)
	for i := range found {
		if !m.given { // what these rows have by chance may have chosen the pair
			found[i].Population = nil
		}
	}
	mechanism.About(r.plan.Shape().Schema().Sampling, found)
	of, labels := r.cellNames(m.columns)
	var out []Interval
	for i, f := range found {
		out = append(out, Interval{Of: of, Label: labels[i], Estimate: fitted[i], Interval: f}.inside())
	}
	return out, nil
}

// cellNames names a table and its cells.
func (r *Release) cellNames(columns []int) (of string, labels []string) {
	var names []string
	labels = []string{""}
	for k, i := range columns {
		c, longer := r.plan.Shape().Columns()[i], []string{}
		names = append(names, c.Name)
		for _, before := range labels {
			for _, label := range c.Labels() {
				if k > 0 {
					label = before + ", " + label
				}
				longer = append(longer, label)
			}
		}
		labels = longer
	}
	return strings.Join(names, " × "), labels
}

// fittedTable is the fitted distribution of some columns, the last running fastest.
func (r *Release) fittedTable(ctx context.Context, columns []int) ([]float64, error) {
	net, nodes := r.fitted.Network(), []int{}
	for _, i := range columns {
		node, _ := net.DAG().Index(r.plan.Shape().Columns()[i].Name)
		nodes = append(nodes, node)
	}
	return net.WithContext(ctx).Query(nodes, nil)
}

// howMeasured says how the intervals of a learned structure were found.
const howMeasured = "score intervals of each share from one noisy table that holds it, without a prior"

// ofColumns are the shares of the levels of every column of a learned structure, the target's first.
func (r *Release) ofColumns(ctx context.Context, level float64) (list []Interval, how string, err error) {
	names := slices.Clone(r.Structure().Columns)
	if i := slices.Index(names, r.fitted.Target().Name); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, r.fitted.Target().Name)
	}
	for _, name := range names {
		shares, err := r.MeasuredShares(ctx, level, name)
		if err != nil {
			return nil, "", err
		}
		list = append(list, shares...)
	}
	return list, howMeasured, nil
}

// columnShares shows the columns besides the target.
func (r *Release) columnShares() []*table.Table {
	list, _, err := r.Intervals(context.Background(), shownLevel)
	if err != nil {
		return nil
	}
	decimals, of := r.Decimals(list), r.fitted.Target().Dim()
	t := intervalTable("Shares of the other columns", list[of:], decimals[of:], func(i Interval) string {
		return safetext.Word(i.Of) + " = " + i.Label
	})
	if more := len(t.Rows) - shownCells; more > 0 {
		t.Rows = t.Rows[:shownCells]
		t.Note(table.Count(more, "row") + " more: Intervals(ctx, level) has them.")
	}
	return []*table.Table{t.Note("Conditional probabilities are in Model().Network(). Those of a pair that was measured " +
		"have intervals by MeasuredShares, and a test by TestPair.")}
}

// MeasuredMeans are the means of the columns of numbers of a learned structure, of records with a value, with intervals
// at a level in (0, 1): from the noisy counts of a column's bins, of the table that [Release.MeasuredShares] takes, and
// the noisy sums within bins. They invert a test of the mean, for normal and for geometric noise. The estimate is
// that of the fit, moved into the interval. Intervals of the rows hold by the noise alone. Those of the population take
// the fitted standard deviation for that of a record. Values beyond the bounds were moved to them, and no interval
// includes that.
//
// Columns whose values are drawn evenly within bins have none: their sums were not released. Errors: *dp.ParameterError
// for a level and a release that learned no structure by noisy tables; those of bayesnet.Net.Query.
func (r *Release) MeasuredMeans(ctx context.Context, level float64) (out []Interval, err error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("release", "level", level, "a number above 0 and below 1")
	}
	if s := r.Structure(); s == nil || len(s.Measured) == 0 {
		return nil, domain.Refuse("release", "measured tables", r.plan.Title(), "a structure learned by noisy tables")
	}
	_, alike := r.plan.Shape().Unit()
	var found []mechanism.Interval
	for _, c := range r.plan.Shape().Columns() {
		terms, ok := r.fitted.MeanTerms(c.Name)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := r.firstMeasured(c.Name)
		if err != nil {
			return nil, err
		}
		mean, sd, err := r.fitted.NumberMoments(c.Name)
		if err != nil {
			return nil, err
		}
		q := score.BinnedMean{Counts: m.cells, At: terms.At, CountNoise: m.variance, Alike: float64(alike), Normal: m.normal,
			Lower: c.Edges[0], Upper: c.Edges[len(c.Edges)-1]}
		for b, step := range terms.Step {
			q.Room = math.Max(q.Room, step/2)
			if step > 0 {
				q.Sum += step * float64(terms.Sums[b])
				q.SumNoise += step * step * terms.Variance
			}
		}
		var of mechanism.Interval
		of.Rows = rangeOf(q.Interval(level))
		q.Deviation = sd
		of.Population = rangeOf(q.Interval(level))
		found = append(found, of)
		if math.IsNaN(mean) {
			mean = (of.Rows.Lower + of.Rows.Upper) / 2
		}
		out = append(out, Interval{Of: c.Name, Estimate: mean})
	}
	mechanism.About(r.plan.Shape().Schema().Sampling, found)
	for i, of := range found {
		out[i].Interval = of
		out[i] = out[i].inside()
	}
	return r.dated(out), nil
}

func rangeOf(lower, upper float64) *mechanism.Range {
	return &mechanism.Range{Lower: lower, Upper: upper}
}

// means shows the means of the columns of numbers; nil where there are none.
func (r *Release) means() []*table.Table {
	list, err := r.MeasuredMeans(context.Background(), shownLevel)
	if err != nil || len(list) == 0 {
		return nil
	}
	return []*table.Table{intervalTable("Means of columns of numbers", list, unlike(list), func(i Interval) string {
		return safetext.Word(i.Of)
	}).Note("From noisy counts of bins and noisy sums within them, of records with a value.")}
}
