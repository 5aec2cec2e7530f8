package release

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Areas are the estimates of many areas, each by itself and together.
type Areas struct {
	release *Release
	of      string
	direct  []Interval
	pooled  []mechanism.Pooled
}

// Areas estimates many areas together: the means of the groups of a GroupMeans model, with feature and label empty, or
// the share of one level of a feature in every class of naive Bayes, such as of the ill in every region, or of a level
// of one column of a contingency table of two in every level of the other. Every area keeps its direct estimate beside
// the pooled one. Errors: those of [mechanism.Plan.Pooled].
func (r *Release) Areas(ctx context.Context, feature, label string) (*Areas, error) {
	var list []Interval
	if !r.plan.Shape().Joint() {
		var err error
		if list, _, err = r.Intervals(ctx, shownLevel); err != nil {
			return nil, err
		}
	}
	return r.areas(ctx, feature, label, list)
}

// areas are those of Areas, from the intervals of all numbers.
func (r *Release) areas(ctx context.Context, feature, label string, list []Interval) (*Areas, error) {
	pooled, err := r.plan.Pooled(ctx, r.drawn, feature, label, shownLevel)
	if err != nil {
		return nil, err
	}
	a := &Areas{release: r, of: r.plan.Shape().Model().String(), pooled: pooled}
	if feature == "" {
		a.direct = list
		return a, nil
	}
	a.of = fmt.Sprintf("%s = %s", safetext.Word(feature), safetext.Word(label))
	if r.plan.Shape().Joint() {
		a.direct = r.within(feature, label, pooled)
		return a, nil
	}
	target := r.fitted.Target()
	at := target.Dim()
	for i, d := range r.plan.Shape().Conditionals()[1:] {
		if c := r.plan.Shape().Columns()[i+1]; c.Name == feature {
			at += slices.Index(c.Labels(), label)
			for j := range d.Rows {
				e := list[at+j*d.Levels]
				e.Of, e.Label = target.Labels[j], ""
				a.direct = append(a.direct, e)
			}
			break
		}
		at += d.Rows * d.Levels
	}
	return a, nil
}

// within are the shares of a level of one column of a contingency table in the levels of the other.
func (r *Release) within(feature, label string, pooled []mechanism.Pooled) (out []Interval) {
	columns, cells := r.plan.Shape().Columns(), r.fitted.Posteriors()[0].Mean()
	of, levels, areas := 1, 1, columns[1].Levels()
	if columns[0].Name == feature {
		of, levels, areas = 0, areas, 1
	}
	l := slices.Index(columns[of].Labels(), label)
	for a, p := range pooled {
		all := 0.0
		for k := range columns[of].Levels() {
			all += cells[a*areas+k*levels]
		}
		i := Interval{Of: columns[1-of].Labels()[a], Estimate: cells[a*areas+l*levels] / all, Interval: *p.Direct()}
		out = append(out, i.inside())
	}
	return out
}

// Area is one of many areas.
type Area struct {
	Name   string           `json:"area"`
	Direct Interval         `json:"direct"`
	Pooled mechanism.Pooled `json:"pooled"`
}

// List are the areas in the order of the schema.
func (a *Areas) List() []Area {
	out := make([]Area, len(a.direct))
	for i, d := range a.direct {
		out[i] = Area{d.Of, d, a.pooled[i]}
	}
	return out
}

// shownRates is how many rates of areas are shown at most.
const shownRates = 1000

// rates are tables of the areas of naive Bayes of many classes, or of a table of two columns of which one has as many
// levels, for every level of a feature, and of two levels for the rarer one: pooled next to direct. None of a census,
// which has no more than its rows, nor of several rows a unit; more says that there are too many to be shown.
func (r *Release) rates() (out []*table.Table, more bool) {
	sh, shown := r.plan.Shape(), 0
	_, rows := sh.Unit()
	if sh.Schema().Sampling == frame.Census || rows > 1 || !sh.SharesClass() && !(sh.Joint() && len(sh.Columns()) == 2) {
		return nil, false
	}
	var list []Interval // of naive Bayes, once: they take longer than one of the tables
	for i, c := range sh.Columns() {
		areas := sh.Columns()[0]
		if sh.Joint() {
			areas = sh.Columns()[1-i]
		} else if i == 0 {
			continue
		}
		if areas.Levels() < manyAreas {
			continue
		}
		if list == nil && !sh.Joint() {
			var err error
			if list, _, err = r.Intervals(context.Background(), shownLevel); err != nil {
				return nil, false
			}
		}
		labels := r.rarer(i)
		if shown += len(labels) * areas.Levels(); shown > shownRates {
			return out, true
		}
		for _, label := range labels {
			if a, err := r.areas(context.Background(), c.Name, label, list); err == nil {
				out = append(out, a.Table())
			}
		}
	}
	return out, false
}

// rarer are the levels of a column, and of two the rarer one.
func (r *Release) rarer(column int) []string {
	sh := r.plan.Shape()
	labels, first, all := sh.Columns()[column].Labels(), 0.0, 0.0
	if len(labels) != 2 {
		return labels
	}
	if sh.Joint() {
		first, all = sh.Tables()[0].Margin(r.fitted.Posteriors()[0].Mean(), column)[0], 1
	} else {
		target := r.fitted.Target().Dim()
		for _, d := range r.fitted.Posteriors()[1+(column-1)*target:][:target] {
			first, all = first+d.Mean()[0], all+1
		}
	}
	if first > all/2 {
		return labels[1:]
	}
	return labels[:1]
}

// Table shows direct and pooled estimates side by side.
func (a *Areas) Table() *table.Table {
	t := table.New("Areas: "+a.of, "area", "direct", "direct: 95 %", "pooled", "pooled: 95 %")
	decimals := alike(decimalsOf(a.direct), a.direct)
	for i, d := range a.direct {
		p, k := a.pooled[i], decimals[i]
		t.Add(safetext.Word(d.Of), d.Text(d.Estimate, k), d.ends(d.within(), k), d.Text(p.Mean, k), d.Ends(p.Range, k))
	}
	return t.Note("Both intervals include the noise. The direct one holds for each area. The pooled one holds over all " +
		"areas: an area that is unlike the others is drawn towards them.")
}

// String is the table as text.
func (a *Areas) String() string { return table.Text(a) }

// Figure is a dot plot of the areas in the order of their pooled estimates, which are public.
func (a *Areas) Figure() *figure.Forest {
	f := &figure.Forest{Title: "Areas: " + a.of, XLabel: a.release.plan.Shape().Columns()[0].Quantity(),
		Subtitle: "Estimates with 95 % intervals that include the noise. Written: the direct ones.",
		Caption:  a.release.Caption(), Series: []string{"pooled", "direct"}, Written: 1}
	order := make([]int, len(a.direct))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.pooled[j].Mean, a.pooled[i].Mean) })
	for _, i := range order {
		p, d, within := a.pooled[i], a.direct[i], a.direct[i].within()
		f.Rows = append(f.Rows, figure.ForestRow{Name: safetext.Word(d.Of), Dates: d.layout(), Marks: []figure.Mark{
			{At: p.Mean, From: p.Lower, To: p.Upper}, {At: d.Estimate, From: within.Lower, To: within.Upper}}})
	}
	return f
}

// manyAreas are pooled without being asked.
const manyAreas = 20

// withPooled adds the pooled estimates of many groups beside the direct ones.
func (r *Release) withPooled(t *table.Table, list []Interval) *table.Table {
	if len(list) < manyAreas {
		return t
	}
	pooled, err := r.plan.Pooled(context.Background(), r.drawn, "", "", shownLevel)
	if err != nil {
		return t
	}
	t.Columns = append(t.Columns, "pooled", "pooled: 95 %")
	decimals := r.Decimals(list)
	for i, p := range pooled {
		t.Rows[i] = append(t.Rows[i], list[i].Text(p.Mean, decimals[i]), list[i].Ends(p.Range, decimals[i]))
	}
	return t.Note("The pooled estimate is drawn towards the others: its interval holds over all areas, not for each.")
}
