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
// the share of one level of a feature in every class of naive Bayes, such as of the ill in every region. Every area
// keeps its direct estimate beside the pooled one. Errors: those of [mechanism.Plan.Pooled].
func (r *Release) Areas(ctx context.Context, feature, label string) (*Areas, error) {
	list, _, err := r.Intervals(ctx, shownLevel)
	if err != nil {
		return nil, err
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

// rates are tables of the areas of naive Bayes of many classes, for every level of a feature, and of two levels for the
// rarer one: pooled next to direct. None of a census, which has no more than its rows, nor of several rows a unit; more
// says that there are too many to be shown.
func (r *Release) rates() (out []*table.Table, more bool) {
	sh, target := r.plan.Shape(), r.fitted.Target()
	_, rows := sh.Unit()
	if !sh.SharesClass() || target.Dim() < manyAreas || sh.Schema().Sampling == frame.Census || rows > 1 {
		return nil, false
	}
	list, _, err := r.Intervals(context.Background(), shownLevel) // once: they take longer than one of the tables
	if err != nil {
		return nil, false
	}
	at, shown := 1, 0
	for _, c := range sh.Columns()[1:] {
		labels, first := c.Labels(), 0.0
		for _, d := range r.fitted.Posteriors()[at : at+target.Dim()] {
			first += d.Mean()[0] / float64(target.Dim())
		}
		at += target.Dim()
		switch {
		case len(labels) == 2 && first <= .5:
			labels = labels[:1]
		case len(labels) == 2:
			labels = labels[1:]
		}
		if shown += len(labels) * target.Dim(); shown > shownRates {
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

// Table shows direct and pooled estimates side by side.
func (a *Areas) Table() *table.Table {
	t := table.New("Areas: "+a.of, "area", "direct", "direct: 95 %", "pooled", "pooled: 95 %")
	decimals := decimalsOf(a.direct)
	for i, d := range a.direct {
		p := a.pooled[i]
		t.Add(safetext.Word(d.Of), table.Fixed(d.Estimate, decimals), ends(d.within(), decimals),
			table.Fixed(p.Mean, decimals), ends(&p.Range, decimals))
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
		f.Rows = append(f.Rows, figure.ForestRow{Name: safetext.Word(d.Of), Marks: []figure.Mark{
			{At: p.Mean, From: p.Lower, To: p.Upper}, {At: d.Estimate, From: within.Lower, To: within.Upper}}})
	}
	return f
}
