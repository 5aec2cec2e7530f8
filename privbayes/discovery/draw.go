package discovery

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Found are the categories that were released. They are immutable.
type Found struct {
	plan       *Plan
	id         string  // in ledgers
	seed       *uint64 // nil: secure randomness
	categories []string
	counts     []int64
	about      warning.List
	loaded     bool
}

// Request is a draw.
type Request struct {
	Paths  []string       // CSV files that are one table
	Budget *budget.Budget // charged before the draw; may be nil
	Seed   *uint64        // nil: secure randomness
	Path   string         // file that keeps what is found; empty: it is not kept
}

// room is the disk space that is set aside before the draw. How much is needed follows from the data, and is not asked.
const room = 1 << 24

// Draw counts the units of every category in one pass, charges the budget and releases the categories above the cut.
// Errors: those of [frame.CountOpen] before the charge, and those of [keep.Request.Draw].
func (p *Plan) Draw(ctx context.Context, r Request) (*Found, error) {
	counts, err := frame.CountOpen(ctx, access.Mine(), r.Paths, p.schema, p.column.Name, p.most)
	if err != nil {
		return nil, err
	}
	public, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	out, loaded, err := keep.Work[*Found]{
		Public: public, Dataset: p.schema.Dataset, Budget: r.Budget, Seed: r.Seed, Path: r.Path,
		Charge: budget.Charge{What: p.of(), Level: p.guarantee.Parameters, Adjacency: p.guarantee.Adjacency,
			Unit: budget.UnitOf(p.schema), State: budget.Adaptive,
			Design: p.schema.DesignName(0)},
		Room: func() (int64, error) { return int64(3*len(public)) + room, nil }, Parse: Parse, Load: Load, Same: p.same,
		Draw: func(ctx context.Context, id string, src *dp.Stream) (*Found, error) {
			return p.draw(ctx, counts, id, src)
		},
	}.Do(ctx)
	if err != nil {
		return nil, err
	}
	out.loaded = loaded // it is not shared yet
	return out, nil
}

// draw releases what is above the cut. The counts are in the order of the texts, and so is what is released.
func (p *Plan) draw(ctx context.Context, of *frame.OpenCounts, id string, src *dp.Stream) (*Found, error) {
	out := &Found{plan: p, id: id}
	if s, ok := src.Seed(); ok {
		out.seed = &s
	}
	if p.column.Within != nil {
		out.categories, out.counts = p.drawWithin(of, src)
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
	for _, of := range []struct{ field, have, want string }{
		{"data set", h.schema.Dataset, p.schema.Dataset}, {"column", h.column.Name, p.column.Name},
		{"at most", strconv.Itoa(h.most), strconv.Itoa(p.most)},
		{"target", h.target.Parameters.Apart(p.target.Parameters), p.target.Parameters.Apart(h.target.Parameters)},
		{"adjacency", h.target.Adjacency.String(), p.target.Adjacency.String()},
		{"schema", "digest " + h.schema.Digest(), "digest " + p.schema.Digest()},
	} {
		if of.have != of.want {
			return &keep.Error{Path: path, Field: of.field, Have: safetext.Quote(of.have), Want: safetext.Quote(of.want)}
		}
	}
	a, errA := json.Marshal(h)
	b, errB := json.Marshal(p)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		return &keep.Error{Path: path, Field: "rule", Have: fmt.Sprint(h.rule), Want: fmt.Sprint(p.rule)}
	}
	return nil
}

// Plan is the public plan.
func (f *Found) Plan() *Plan { return f.plan }

// ID is the name of the draw in ledgers.
func (f *Found) ID() string { return f.id }

// Loaded reports whether the categories came from the file they were kept in.
func (f *Found) Loaded() bool { return f.loaded }

// Randomness is "secure" or "seeded: not private".
func (f *Found) Randomness() string {
	if f.seed != nil {
		return dp.Seeded(*f.seed).String()
	}
	return "secure"
}

// Guarantee is that of the plan, or none, with the reason, for a draw from a seed or under a schema inferred from data.
func (f *Found) Guarantee() dp.Guarantee {
	g := f.plan.guarantee
	switch {
	case f.seed != nil:
		g.Parameters = dp.NotPrivate("seeded")
	case f.plan.schema.Inferred:
		g.Parameters = dp.NotPrivate("schema inferred from data")
	}
	return g
}

// Count is a category with its noisy count. Low and High are the ends of an interval of the units that hold it.
type Count struct {
	Category string `json:"category"`
	Value    int64  `json:"value"`
	Low      int64  `json:"low"`
	High     int64  `json:"high"`
}

// Categories are those that are listed, in the order of their texts.
func (f *Found) Categories() []string { return append([]string(nil), f.categories...) }

// Counts are the categories with their noisy counts, and intervals that cover each with the given probability, given
// that the category is listed: see [partition.Rule.Interval]. A value near the cut is too high in the mean. Errors:
// *dp.ParameterError.
func (f *Found) Counts(level float64) ([]Count, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("discovery", "level of an interval", level, "a number above 0 and below 1")
	}
	out := make([]Count, len(f.counts))
	for i, y := range f.counts {
		low, high := f.plan.rule.Interval(y, level)
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
	unit := s.UnitName()
	if s.Weighted() != nil {
		unit = s.Unweighted().UnitName()
	}
	for _, of := range []struct{ field, have, want string }{
		{"data set", s.Dataset, p.schema.Dataset}, {"unit", unit, p.unit()},
		{"unit_key", s.UnitKey, p.schema.UnitKey},
		{"rows_per_unit", strconv.Itoa(max(s.RowsPerUnit, 1)), strconv.Itoa(max(p.schema.RowsPerUnit, 1))},
		{"missing marks of the column", fmt.Sprintf("%q", c.Missing), fmt.Sprintf("%q", p.column.Missing)},
	} {
		if of.have != of.want {
			return nil, domain.Refuse("discovery", of.field, safetext.Quote(of.have), safetext.Quote(of.want)+
				", for which the categories were found")
		}
	}
	out := s.Clone()
	_, at, err := out.Column(c.Name)
	if err != nil {
		return nil, err
	}
	g := p.guarantee
	out.Columns[at] = p.column.FoundAs(f.categories, &frame.Found{Release: f.id, Epsilon: float64(g.Epsilon),
		Delta: g.Delta, Adjacency: g.Adjacency.String(), Unit: p.unit(), UnitKey: p.schema.UnitKey, AtMost: p.most})
	if len(f.categories) == 0 {
		return nil, domain.Refuse("discovery", "categories", "none that is listed", "at least one: a larger ε, or a list in "+
			"the schema")
	}
	if f.Guarantee().Notion == dp.None {
		out.Inferred = true // by a draw that is not private
	}
	b := out.JSON() // other columns may still be open
	return frame.ParseSchema(b)
}

// Warnings lists what is dangerous about the level, and about the run that made the release.
func (f *Found) Warnings() warning.List { return f.plan.Warnings().And(f.about) }

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
	t.Note(fmt.Sprintf("Listed are categories whose noisy count is above %d. How many others there are is not known. "+
		"Each interval covers its count with 95 %%, given that the category is listed.", p.rule.Cut))
	p.aboutWeight(t)
	p.aboutSuperset(t)
	t.Note("Guarantee: " + p.guarantee.String() + ".")
	if g := f.Guarantee(); g.Notion == dp.None {
		t.Note("This draw: " + g.Parameters.String() + ".")
	}
	return t
}

// String shows the categories as text.
func (f *Found) String() string { return table.Text(f) }
