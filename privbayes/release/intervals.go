package release

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Interval is an estimate of a release with its intervals, which hold the noise. Population is about the population
// that the rows are an independent sample of, Rows about the rows themselves; nil where the release knows none, or
// where the schema's Sampling leaves it out.
type Interval struct {
	Of       string  `json:"of"`              // the column, the distribution or the parameter
	Label    string  `json:"label,omitempty"` // the level; of a parameter none
	Estimate float64 `json:"estimate"`
	mechanism.Interval
	dates *frame.Column // the column of dates that it is of; nil of others
}

// shownLevel is the level of the intervals that are printed.
const shownLevel = .95

// Intervals are the estimates of a release with intervals at a level in (0, 1), and how they were found: of means and
// shares by inverting a test, which assumes neither a prior nor a distribution of the values. They are in the units of
// the data. Those of a linear regression are quantiles of the noise-aware posterior, which is drawn now if it was not.
// Those of a learned structure are of the levels of every column, the target's first. The list is empty for mechanisms
// that know none: noiseaware.Of has those of networks, the draws of a posterior sample speak for themselves. Errors:
// *dp.ParameterError, those of model.Fitted.Sample, the context's. Those of an item of a publication are from all
// items: see [Release.PartOf].
func (r *Release) Intervals(ctx context.Context, level float64) (list []Interval, how string, err error) {
	list, _, how, err = r.intervals(ctx, level)
	return list, how, err
}

// alone are the intervals from the numbers of the release alone.
func (r *Release) alone(ctx context.Context, level float64) (list []Interval, how string, err error) {
	if r.est.Sampling != nil {
		return r.coefficients(ctx, level)
	}
	if s := r.Structure(); s != nil && len(s.Measured) > 0 {
		return r.ofColumns(ctx, level)
	}
	found, how, ok, err := r.plan.Intervals(ctx, r.drawn, level)
	if err != nil || !ok {
		return nil, "", err
	}
	for _, e := range estimates(r.fitted) {
		if len(list) == len(found) {
			break
		}
		f := found[len(list)]
		e.Interval = f
		list = append(list, e.inside())
	}
	return list, how, nil
}

// Numbers are Intervals, of a learned structure with its [Release.MeasuredMeans] behind them, whose Label is "mean".
// Where the release has no intervals they are its estimates alone, and how is empty. Errors: those of Intervals.
func (r *Release) Numbers(ctx context.Context, level float64) (list []Interval, how string, err error) {
	list, how, err = r.Intervals(ctx, level)
	switch s := r.Structure(); {
	case err != nil:
	case len(list) == 0:
		list = r.dated(estimates(r.fitted))
	case s != nil && len(s.Measured) > 0:
		means, wrong := r.MeasuredMeans(ctx, level)
		for i := range means {
			means[i].Label = meanLabel
		}
		if list, err = append(list, means...), wrong; len(means) > 0 {
			how += "; of means Fieller's method, from noisy counts of bins and noisy sums within them"
		}
	}
	return list, how, err
}

// meanLabel is the label of means among shares.
const meanLabel = "mean"

// inside moves an estimate into its intervals, which the prior, a cut or other tables may have moved it out of. They
// meet, as no test rejects the share or the mean of the noisy sums. The interval of the population is the narrower at
// one end where rows are fewer than a few, since that of the rows has half a record of room.
func (i Interval) inside() Interval {
	for _, r := range []*mechanism.Range{i.Population, i.Rows} {
		if r != nil {
			i.Estimate = math.Min(math.Max(i.Estimate, r.Lower), r.Upper)
		}
	}
	return i
}

// estimates are the numbers of a model: its parameters, the shares below edges, or the means of its distributions.
func estimates(f *model.Fitted) (out []Interval) {
	if d := f.Draws(); d != nil {
		for i, v := range d.Mean() {
			out = append(out, Interval{Of: d.Names[i], Estimate: v})
		}
		return out
	}
	if m, ok := f.Shape().Model().(model.HistogramModel); ok && m.Cumulative() {
		shares, _ := f.Shares()
		c := f.Shape().Columns()[0]
		for _, s := range shares {
			out = append(out, Interval{Of: c.Name, Label: "below " + c.Text(s.To), Estimate: s.Mean()})
		}
		return out
	}
	for _, d := range append(f.Posteriors(), f.Margins()...) {
		for i, v := range d.Mean() {
			out = append(out, Interval{Of: d.Name, Label: d.Labels[i], Estimate: v})
		}
	}
	return out
}

// Summary is what was learned of the target, or of every parameter, in the units of the data: the estimate and its 95 %
// interval, which holds the noise, of the population, of the rows, or of both (see [Release.Intervals]). Without one no
// interval is shown; r.Model().Summary() shows that of the posterior at the released counts, which ignores the noise.
func (r *Release) Summary() *table.Table {
	if r.est.Sampling != nil {
		return r.estimated()
	}
	if r.slow() {
		return r.withMissing(r.withoutIntervals())
	}
	list, own, how, err := r.intervals(context.Background(), shownLevel)
	if err != nil || len(list) == 0 {
		return r.withMissing(r.estimated())
	}
	return r.summaryOf(list, own, how)
}

// summaryOf shows intervals, and next to them the estimates from its own counts, where other items are in them.
func (r *Release) summaryOf(list, own []Interval, how string) *table.Table {
	target := list[0].Of
	shares := r.fitted.Draws() == nil
	title := "Estimates of the " + r.plan.Shape().Model().String()
	if shares {
		title = "Shares of " + safetext.Word(target)
	}
	joint := r.plan.Shape().Joint()
	if d, ok := r.plan.Shape().Model().(model.HistogramModel); shares && !(ok && d.Cumulative()) && !joint {
		list = list[:r.fitted.Target().Dim()]
	}
	t := intervalTable(title, list, r.Decimals(list), func(i Interval) string {
		switch {
		case !shares:
			return safetext.Word(i.Of)
		case joint && i.Of != target:
			return safetext.Word(i.Of) + " = " + i.Label
		}
		return i.Label
	})
	if own != nil {
		t.Columns = append(t.Columns, "its own counts")
		decimals := r.Decimals(list)
		for k := range t.Rows {
			t.Rows[k] = append(t.Rows[k], own[k].Text(own[k].Estimate, decimals[k]))
		}
		if list[0].AtOnce != nil {
			t.Note("The intervals of all shares at once are from its own counts.")
		}
	}
	r.shorten(t, "Intervals(ctx, level)")
	return r.withMissing(r.about(r.withPooled(t, list), how))
}

// quickMeans are given their intervals in about a second: one takes a millisecond.
const quickMeans = 1000

// slow reports whether the intervals of a release take longer than a user waits for what is shown first.
func (r *Release) slow() bool {
	return r.plan.Shape().Lattice() != nil && len(r.plan.Shape().Parameters()) > quickMeans
}

// withoutIntervals are the estimates of many means, and how to have their intervals.
func (r *Release) withoutIntervals() *table.Table {
	t := r.points()
	return t.Note(fmt.Sprintf("No interval is shown, as those of %d means take more than a second: Intervals(ctx, level) "+
		"has them.", len(t.Rows)))
}

// withMissing says how missing values were read: of a mean it is about the rows with a value.
func (r *Release) withMissing(t *table.Table) *table.Table {
	for _, how := range r.plan.Shape().Missing() {
		t.Note(how + ".")
	}
	return t
}

// shorten leaves out what a large contingency table has too much of, and says where it is.
func (r *Release) shorten(t *table.Table, where string) {
	if more := len(t.Rows) - shownCells; r.plan.Shape().Joint() && more > 0 {
		t.Rows = t.Rows[:shownCells]
		t.Note(fmt.Sprintf("%s more: %s has them.", table.Count(more, "row"), where))
	}
}

// shownCells is how many shares of a contingency table are shown at most.
const shownCells = 200

// intervalTable shows intervals under their names, with the decimals that their widths leave: those of one number each,
// then those of bands, where there are any.
func intervalTable(title string, list []Interval, decimals []int, name func(Interval) string) *table.Table {
	t := table.New(title, "", "estimate")
	rows := make([][]any, len(list))
	for k, i := range list {
		rows[k] = []any{name(i), i.Text(i.Estimate, decimals[k])}
	}
	column := func(head string, of func(i mechanism.Interval) *mechanism.Range) {
		if !slices.ContainsFunc(list, func(i Interval) bool { return of(i.Interval) != nil }) {
			return
		}
		t.Columns = append(t.Columns, head)
		for k, i := range list {
			rows[k] = append(rows[k], i.ends(of(i.Interval), decimals[k]))
		}
	}
	population := func(i mechanism.Interval) *mechanism.Range { return i.Population }
	ofRows := func(i mechanism.Interval) *mechanism.Range { return i.Rows }
	atOnce := func(of func(i mechanism.Interval) *mechanism.Range) func(i mechanism.Interval) *mechanism.Range {
		return func(i mechanism.Interval) *mechanism.Range {
			if i.AtOnce == nil {
				return nil
			}
			return of(*i.AtOnce)
		}
	}
	column("population: 95 %", population)
	column("rows: 95 %", ofRows)
	single := len(t.Columns)
	column("population, all at once", atOnce(population))
	column("rows, all at once", atOnce(ofRows))
	for _, row := range rows {
		t.Add(row...)
	}
	if len(t.Columns) > single {
		t.Note("95 %: of each share by itself. All at once: intervals that contain all shares together, with a " +
			"proved probability of at least 95 %.")
	}
	return t
}

// Figure is a dot plot of the numbers that Summary shows, with their 95 % intervals: of the population, or else of the
// rows. It reads the release only, and may be published. Errors: *dp.ParameterError where the release knows no
// intervals.
func (r *Release) Figure() (*figure.Forest, error) {
	if r.est.Sampling != nil {
		return r.effects()
	}
	list, how, err := r.Intervals(context.Background(), shownLevel)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, domain.Refuse("release", "figure", r.plan.Title(),
			"a mechanism whose releases have intervals, such as noise on counts or on sums")
	}
	m, about := r.plan.Shape().Model(), "population"
	f := &figure.Forest{Title: "Estimates of the " + m.String(), XLabel: "share of the records"}
	if r.fitted.Draws() != nil {
		if f.XLabel = "share of the population"; r.plan.Shape().Words().Error != "a share" {
			f.XLabel = r.plan.Shape().Columns()[0].Quantity()
		}
	} else {
		f.Title = "Shares of " + safetext.Word(list[0].Of)
		list = list[:min(len(list), r.fitted.Target().Dim())]
	}
	if list[0].Population == nil {
		about = "rows"
	}
	f.Series = []string{"estimate, 95 % interval of the " + about}
	banded := list[0].band() != nil
	if banded {
		f.Series = []string{"95 % band of the " + about + ": all shares at once", f.Series[0] + ", each share by itself"}
		f.Written = 1
	}
	f.Caption = r.Caption() + ". Intervals: " + how
	half, _, err := r.Intervals(context.Background(), .5)
	if err != nil {
		return nil, err
	}
	thick, units := "95 %", r.fitted.Units()
	for k, i := range list {
		name, within := i.Label, i.within()
		if name == "" {
			name = i.Of
		}
		if within == nil { // the spread of a sample has none
			continue
		}
		if name = safetext.Word(name); about == "population" && i.Population == nil {
			name += " (of the rows)"
		}
		m := figure.Mark{At: i.Estimate, From: within.Lower, To: within.Upper}
		if inner := half[k].within(); inner != nil && *inner != *within { // some intervals are the same at every level
			m.From50, m.To50, thick = inner.Lower, inner.Upper, "50 % (thick) and 95 % (thin)"
		}
		row := figure.ForestRow{Name: name, Marks: []figure.Mark{m}, Dates: i.layout()}
		if band := i.band(); banded && band != nil {
			row.Marks = []figure.Mark{{At: i.Estimate, From: band.Lower, To: band.Upper}, m}
		}
		if len(units) == len(list) {
			row.Unit = units[k]
		}
		f.Rows = append(f.Rows, row)
	}
	f.Subtitle = "Estimates with " + thick + " intervals of the " + about + ". No raw value is shown."
	_, groups := m.(model.GroupMeansModel) // whose rows are of one quantity
	if finding := lone(f.Rows); finding != "" && groups {
		if short := safetext.Word(r.plan.Shape().Columns()[0].Name) + finding; utf8.RuneCountInString(short) <= 62 {
			f.Title = short
		}
	}
	return f, nil
}

// effects are those of a named change of each column of a regression: in the units of the response, all on one axis.
func (r *Release) effects() (*figure.Forest, error) {
	if err := r.fitted.Unsampled(); err != nil {
		return nil, err
	}
	d, target := r.fitted.Effects(), safetext.Word(r.plan.Shape().Model().Target())
	unit := r.plan.Shape().Columns()[0].Difference()
	if of, in := r.plan.Shape().Link(); of != "" {
		target, unit = of, in
	}
	f := &figure.Forest{Title: "Effects on " + target, XLabel: "difference of " + unit,
		Subtitle: "Of " + r.fitted.EffectsOf() + ":\nposterior means with 50 % (thick) and 95 % (thin) intervals of the " +
			"population. Associations, not causes.",
		Series: []string{"estimate, 95 % interval of the population"}, Reference: &figure.Reference{Name: "no difference"},
		Caption: r.Caption() + ". Intervals: " + r.posteriorGiven() + "."}
	for i, v := range d.Mean() {
		f.Rows = append(f.Rows, figure.ForestRow{Name: d.Names[i], Marks: []figure.Mark{{At: v, From: d.Quantile(i, .025),
			To: d.Quantile(i, .975), From50: d.Quantile(i, .25), To50: d.Quantile(i, .75)}}})
	}
	return f, nil
}

// lone says which of three or more rows lies below or above all others, by intervals that do not meet; nothing if none
// does.
func lone(rows []figure.ForestRow) string {
	for i, r := range rows {
		below, above, m := true, true, r.Marks[0]
		for k, o := range rows {
			below = below && (k == i || m.To < o.Marks[0].From)
			above = above && (k == i || m.From > o.Marks[0].To)
		}
		switch {
		case len(rows) < 3:
		case below:
			return ": " + r.Name + " is below all others"
		case above:
			return ": " + r.Name + " is above all others"
		}
	}
	return ""
}

// cells show the levels of conditional distributions with their intervals, of the population where there are any; ok is
// false without intervals.
func (r *Release) cells() (cell func(of, j, level int) any, ok bool) {
	if r.est.Sampling != nil || r.fitted.Draws() != nil || r.Structure() != nil {
		return nil, false
	}
	list, _, err := r.Intervals(context.Background(), shownLevel)
	if err != nil || len(list) == 0 {
		return nil, false
	}
	decimals := alike(bracketDecimals(list), list)
	conditionals := r.plan.Shape().Conditionals()
	start := r.fitted.Target().Dim()
	switch sh := r.plan.Shape(); {
	case sh.Joint(): // its cells, and the levels of every column
		conditionals, start = nil, 0
		for i, d := range r.fitted.Margins() {
			if i == 0 {
				conditionals = append(conditionals, model.Conditional{Rows: d.Dim(), Levels: sh.Cells() / d.Dim()})
			}
			conditionals = append(conditionals, model.Conditional{Rows: 1, Levels: d.Dim()})
		}
	case sh.Graph() == nil: // the first is the target's
		conditionals = conditionals[1:]
	}
	first := make([]int, len(conditionals)+1)
	for i, d := range conditionals {
		first[i], start = start, start+d.Rows*d.Levels
	}
	return func(of, j, level int) any {
		k := first[of] + j*conditionals[of].Levels + level
		d, within := decimals[k], list[k].within()
		return fmt.Sprintf("%.*f (%.*f–%.*f)", d, list[k].Estimate, d, within.Lower, d, within.Upper)
	}, true
}

// within is the interval of the population, or else of the rows.
func (i Interval) within() *mechanism.Range {
	if i.Population != nil {
		return i.Population
	}
	return i.Rows
}

// band is what within is of a band of all numbers at once; nil without one.
func (i Interval) band() *mechanism.Range {
	if i.AtOnce == nil {
		return nil
	}
	if i.Population != nil {
		return i.AtOnce.Population
	}
	return i.AtOnce.Rows
}

// subject is what the intervals next to an estimate are about, where there is one.
func (r *Release) subject() string {
	if r.plan.Shape().Schema().Sampling == frame.Census {
		return "rows"
	}
	return "population"
}

// about says what intervals are about, and how they were found.
func (r *Release) about(t *table.Table, how string) *table.Table {
	t.Note("The intervals include the noise of the release: " + how + ".")
	s := r.plan.Shape().Schema()
	if s.Sampling == frame.Census {
		t.Note(`Of the rows: the schema says that they are the whole population ("sampling": "census").`)
	} else {
		rows := "rows"
		if r.plan.Shape().Stratified() != nil {
			rows = "rows of a stratum"
		}
		note := fmt.Sprintf("Of the population: the %s are taken as an independent sample of it.", rows)
		if s.Weight != nil && s.Weighted() == nil {
			note += " Their weights were set aside."
		}
		t.Note(note)
	}
	if _, ok := r.plan.Shape().Model().(model.MeanSDModel); ok && s.Sampling != frame.Census {
		t.Note("The standard deviation is that of the rows: no interval of the population's follows from what was released.")
	}
	_, k := r.plan.Shape().Unit()
	switch released := r.plan.Setting("released"); {
	case k < 2 || s.Sampling == frame.Census || strings.HasPrefix(released, sums.UnitMoments):
	case released == counts.UnitMoments:
		if r.plan.Shape().Joint() {
			t.Note(fmt.Sprintf("The %d rows of a unit may all be alike in one column: for its levels the variance of the "+
				"sample is taken %d times.", k, k))
		}
	default:
		t.Note(fmt.Sprintf("The %d rows of a unit may all be alike: the variance of the sample is taken %d times.", k, k))
	}
	if note := r.plan.UnitNote(context.Background()); note != "" {
		t.Note(note)
	}
	return t
}

// endless says how a release of quantiles comes to have intervals.
func (r *Release) endless() string {
	if _, public := r.plan.Shape().N(); !public || r.plan.Shape().Lattice().Omits {
		return "No interval follows from a private number of rows: HistogramQuantiles() has intervals."
	}
	return "No interval was asked for: WithIntervals() draws its ends, too."
}

// estimated is the model's summary without intervals that leave the noise out.
func (r *Release) estimated() *table.Table {
	if r.plan.Shape().Weighted() != nil {
		return r.points()
	}
	if r.fitted.Draws() != nil {
		t := r.sampled(r.fitted.Summary())
		if r.plan.Shape().Ranks() != nil {
			t.Note(r.endless())
		}
		return t
	}
	t := table.New("Estimates of "+safetext.Word(r.fitted.Target().Name), "", "estimate")
	target := r.fitted.Target()
	for i, v := range target.Mean() {
		t.Add(safetext.Word(target.Labels[i]), v)
	}
	r.shorten(t, "Model().Target()")
	note := "No interval is shown: that of the posterior at the released counts would leave out the noise"
	if _, noisy := r.plan.Measured(); noisy {
		note += "; NoiseAware() has intervals with it"
	}
	return t.Note(note + ".")
}
