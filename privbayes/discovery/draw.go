package discovery

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Found are the categories that were released. They are immutable.
type Found struct {
	drawn
	plan       *Plan
	categories []string
	counts     []int64
	cuts       []int64 // of every level at which nodes got noise, of a superset with levels
}

// Draw counts the units of every category in one pass, charges the budget and releases the categories above the cut.
// Errors: those of [frame.CountOpen] before the charge, and those of [keep.Request.Draw].
func (p *Plan) Draw(ctx context.Context, r Request) (*Found, error) {
	counts, err := frame.CountOpen(ctx, access.Mine(), r.Input, p.schema, p.column.Name, p.most)
	if err != nil {
		return nil, err
	}
	out, loaded, err := work(p, &p.asked, p.of(), r, keep.Work[*Found]{
		Parse: Parse, Load: Load, Same: p.same,
		Draw: func(ctx context.Context, id string, src *dp.Stream) (*Found, error) {
			return p.draw(ctx, counts, id, src)
		},
	}).Do(ctx)
	if err != nil {
		return nil, err
	}
	out.loaded = loaded // it is not shared yet
	return out, nil
}

// draw releases what is above the cut. The counts are in the order of the texts, and so is what is released.
func (p *Plan) draw(ctx context.Context, of *frame.OpenCounts, id string, src *dp.Stream) (*Found, error) {
	out := &Found{plan: p, drawn: drawnBy(&p.asked, id, src)}
	if p.tree != nil {
		p.drawWithin(out, of, src)
		return out, nil
	}
	for i, n := range of.Units {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if y, shown := p.rule.Released(n, p.rule.Draw(src)); shown {
			out.categories, out.counts = append(out.categories, of.Categories[i]), append(out.counts, y)
		}
	}
	return out, nil
}

// same says where what is kept is not what would be drawn: *keep.Error.
func (p *Plan) same(path string, have *Found) error {
	h := have.plan
	return cmp.Or(p.differs(path, &h.asked, field{"at most", strconv.Itoa(h.most), strconv.Itoa(p.most)}),
		differentRule(path, h, p, fmt.Sprint(h.rule), fmt.Sprint(p.rule)))
}

// Plan is the public plan.
func (f *Found) Plan() *Plan { return f.plan }

// Count is a category with its noisy count. Low and High are the ends of an interval of the units that hold it.
type Count struct {
	Category string `json:"category"`
	Value    int64  `json:"value"`
	Low      int64  `json:"low"`
	High     int64  `json:"high"`
}

// Categories are those that are listed, in the order of their texts.
func (f *Found) Categories() []string { return append([]string(nil), f.categories...) }

// Cuts are the noisy counts above which nodes of each level are listed: nil but of a superset with levels. The first is
// public before the draw, and the others follow from what is listed above. Levels at which no node got noise have none.
func (f *Found) Cuts() []int64 { return append([]int64(nil), f.cuts...) }

// Counts are the categories with their noisy counts, and intervals that cover each with the given probability, given
// that the category is listed: see [partition.Rule.Interval]. A value near the cut is too high in the mean. Errors:
// *dp.ParameterError.
func (f *Found) Counts(level float64) ([]Count, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("discovery", "level of an interval", level, "a number above 0 and below 1")
	}
	out := make([]Count, len(f.counts))
	for i, y := range f.counts {
		low, high := f.plan.ruleOf(f.categories[i], f.cuts).Interval(y, level)
		out[i] = Count{f.categories[i], y, low, high}
	}
	return out, nil
}

// AddTo is a schema whose column has the categories that were found, and one of all others. It says by which release,
// so that plans under it do. Errors: *dp.ParameterError for another data set or unit, *frame.ColumnError for a
// column that is not open, *frame.SchemaError for more categories than a column may have.
func (f *Found) AddTo(s *frame.Schema) (*frame.Schema, error) {
	p := f.plan
	c, err := s.OpenColumn(p.column.Name)
	if err != nil {
		return nil, err
	}
	if err := p.fits(s, c); err != nil {
		return nil, err
	}
	if len(f.categories) == 0 {
		return nil, domain.Refuse("discovery", "categories", "none that is listed", "at least one: a larger ε, or a list in "+
			"the schema")
	}
	return f.into(s, p.column.FoundAs(p.parts(f.categories), f.by("", p.most)))
}

// Warned is the release with further warnings, about how it was made. They stand in no file.
func (f *Found) Warned(list ...warning.Warning) *Found {
	with := *f
	with.about = append(with.about.And(nil), list...)
	return &with
}

// shownCounts is how many categories a table shows.
const shownCounts = 40

// Table shows the categories with the largest counts.
func (f *Found) Table() *table.Table {
	p := f.plan
	t := table.New(fmt.Sprintf("Categories of %s in %s", safetext.Quote(p.column.Name), safetext.Quote(p.schema.Dataset)),
		"category", "units, noisy", "95 % from", "to")
	all, _ := f.Counts(.95)
	for _, c := range largest(all, shownCounts) {
		t.Add(safetext.Line(c.Category), c.Value, c.Low, c.High)
	}
	if n := len(all); n > shownCounts {
		t.Note(fmt.Sprintf("%d categories are listed, of which these have the largest counts.", n))
	}
	above := strconv.FormatInt(p.rule.Cut, 10)
	if p.deep() {
		above = "the cut of their level, " + joined(f.cuts)
		t.Note("The count of 12* is of all codes that begin with 12, also of those listed on their own. As a category of " +
			"the schema it stands for the others.")
	}
	t.Note("Listed are categories whose noisy count is above " + above + ". How many others there are is not known. " +
		"Each interval covers its count with 95 %, given that the category is listed.")
	p.aboutSuperset(t)
	return f.guaranteed(t)
}

// String shows the categories as text.
func (f *Found) String() string { return table.Text(f) }
