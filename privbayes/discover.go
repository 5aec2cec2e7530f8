//go:build !browser && !verifier

package privbayes

import (
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// finding is the table in which something is sought.
type finding struct {
	schema *Schema
	column string
	table  frame.Input
	budget *Budget
}

// request is the draw that options ask for, where it may be made under the guarantee: step says of what.
func (f finding) request(o options, g Guarantee, name string) (r discovery.Request, err error) {
	if err := unslotted(o, name); err != nil {
		return r, err
	}
	if f.budget != nil {
		unit := budget.UnitOf(f.schema)
		unit.Name = g.Unit
		if err := f.budget.For(f.schema.Dataset, unit); err != nil {
			return r, step(name, err)
		}
	}
	return discovery.Request{Input: f.table, Budget: f.budget, Seed: o.Seed, Path: o.Path}, nil
}

// Discovering is a release of the categories of a column, before anything is drawn.
type Discovering struct {
	finding
	most int
}

// Discover begins a release of the categories of a column that the schema declares as "kind": "open", from CSV files
// that are one table. A category that enough units hold is listed, with a noisy count. Of a unit that holds more than
// atMost categories some are left out, by a hash. Where the schema caps the rows of a unit, releases under a schema
// with the list need add-remove, and so a list that was found under it: the plan says so. See package discovery:
//
//	found, err := privbayes.Discover(schema, "product", 1, "sales.csv").WithBudget(b).
//		Privatize(privbayes.ApproxDP(.25, 5e-10), privbayes.KeepIn("product.categories.json"))
//	schema, err = found.AddTo(schema)
//	sales := privbayes.LoadFrame("sales.csv", schema)
func Discover(s *Schema, column string, atMost int, paths ...string) *Discovering {
	return &Discovering{finding{schema: s, column: column, table: frame.Input{Paths: paths}}, atMost}
}

// WithBudget has a budget charged.
func (d *Discovering) WithBudget(b *Budget) *Discovering {
	with := *d
	with.budget = b
	return &with
}

// Reading has the table read from readers of CSV, and from no files. They are read once, by Privatize.
func (d *Discovering) Reading(readers ...frame.Shard) *Discovering {
	with := *d
	with.table = frame.Input{Readers: readers}
	return &with
}

// Plan certifies the release, and reads no data. Of the options WithContext alone matters. See [discovery.New].
func (d *Discovering) Plan(t Target, opts ...Option) (*discovery.Plan, error) {
	if d == nil || d.schema == nil {
		return nil, step("Discover", ErrNoSchema)
	}
	p, err := discovery.New(refined(opts).ctx, t, d.schema, d.column, d.most)
	return p, step("Discover", err)
}

// Privatize plans, counts in one pass over the files, charges the budget and releases: options and errors are those of
// [Model.Privatize], and those of [LoadFrame] for the files.
func (d *Discovering) Privatize(t Target, opts ...Option) (*discovery.Found, error) {
	plan, err := d.Plan(t, opts...)
	if err != nil {
		return nil, err
	}
	o := refined(opts)
	r, err := d.request(o, plan.Certified(), "Discover")
	if err != nil {
		return nil, err
	}
	out, err := plan.Draw(o.ctx, r)
	if err != nil {
		return nil, step("Discover", err)
	}
	return out.Warned(aboutRun(o, d.schema, d.budget, out.Loaded())...), nil
}

// LoadCategories reads a file of categories that Discover released, and certifies its plan again; options as in
// [LoadRelease].
func LoadCategories(path string, opts ...Option) (*discovery.Found, error) {
	return discovery.Load(refined(opts).ctx, path)
}

// FindingRange is a release of a range of a column, before anything is drawn.
type FindingRange struct{ finding }

// FindRange begins a release of a range of a column of numbers that the schema declares with "bounds": "unknown", from
// CSV files that are one table. A quarter of the ε that the column's releases have together is about right. The range
// then takes the place of bounds: values beyond it are moved to its ends. See package discovery:
//
//	found, err := privbayes.FindRange(schema, "wage", "wages.csv").WithBudget(b).
//		Privatize(privbayes.PureDP(.25), privbayes.KeepIn("wage.range.json"))
//	schema, err = found.AddTo(schema)
//	wages := privbayes.LoadFrame("wages.csv", schema)
func FindRange(s *Schema, column string, paths ...string) *FindingRange {
	return &FindingRange{finding{schema: s, column: column, table: frame.Input{Paths: paths}}}
}

// WithBudget has a budget charged.
func (f *FindingRange) WithBudget(b *Budget) *FindingRange {
	with := *f
	with.budget = b
	return &with
}

// Reading has the table read from readers of CSV, and from no files. They are read once, by Privatize.
func (f *FindingRange) Reading(readers ...frame.Shard) *FindingRange {
	with := *f
	with.table = frame.Input{Readers: readers}
	return &with
}

// Quarter is the usual target: a quarter of the ε that the budget has for all releases together, whatever was used,
// under its adjacency. Of several such columns each would take a quarter. Error: *dp.ParameterError without a budget in
// ε.
func (f *FindingRange) Quarter() (Target, error) {
	if f == nil || f.budget == nil || !(f.budget.Limit().Epsilon > 0) {
		return Target{}, step("FindRange", domain.Refuse("discovery", "budget", "none in ε",
			"WithBudget of one with an ε, or a target"))
	}
	return dp.PureDP(float64(f.budget.Limit().Epsilon) / 4).Under(f.budget.Adjacency()), nil
}

// Plan certifies the release, and reads no data. Of the options WithContext alone matters. See [discovery.NewRange].
func (f *FindingRange) Plan(t Target, opts ...Option) (*discovery.RangePlan, error) {
	if f == nil || f.schema == nil {
		return nil, step("FindRange", ErrNoSchema)
	}
	p, err := discovery.NewRange(refined(opts).ctx, t, f.schema, f.column)
	return p, step("FindRange", err)
}

// Privatize plans, counts in one pass over the files, charges the budget and releases: options and errors are those of
// [Model.Privatize], and those of [LoadFrame] for the files. That no range was found is no error here: see
// [discovery.Range.Bounds].
func (f *FindingRange) Privatize(t Target, opts ...Option) (*discovery.Range, error) {
	plan, err := f.Plan(t, opts...)
	if err != nil {
		return nil, err
	}
	o := refined(opts)
	r, err := f.request(o, plan.Certified(), "FindRange")
	if err != nil {
		return nil, err
	}
	out, err := plan.Draw(o.ctx, r)
	if err != nil {
		return nil, step("FindRange", err)
	}
	return out.Warned(aboutRun(o, f.schema, f.budget, out.Loaded())...), nil
}

// LoadRange reads a file of a range that FindRange released, and certifies its plan again; options as in [LoadRelease].
func LoadRange(path string, opts ...Option) (*discovery.Range, error) {
	return discovery.LoadRange(refined(opts).ctx, path)
}
