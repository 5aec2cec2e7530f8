//go:build !browser && !verifier

package privbayes

import (
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
)

// Discovering is a release of the categories of a column, before anything is drawn.
type Discovering struct {
	schema *Schema
	column string
	most   int
	paths  []string
	budget *Budget
}

// Discover begins a release of the categories of a column that the schema declares as "kind": "open", from CSV files
// that are one table. A category that enough units hold is listed, with a noisy count. Of a unit that holds more than
// atMost categories some are left out, by a hash. See package discovery:
//
//	found, err := privbayes.Discover(schema, "product", 1, "sales.csv").WithBudget(b).
//		Privatize(privbayes.ApproxDP(.25, 5e-10), privbayes.KeepIn("product.categories.json"))
//	schema, err = found.AddTo(schema)
//	sales := privbayes.LoadFrame("sales.csv", schema)
func Discover(s *Schema, column string, atMost int, paths ...string) *Discovering {
	return &Discovering{schema: s, column: column, most: atMost, paths: paths}
}

// WithBudget has a budget charged.
func (d *Discovering) WithBudget(b *Budget) *Discovering {
	with := *d
	with.budget = b
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
	if err := unslotted(o, "Discover"); err != nil {
		return nil, err
	}
	if d.budget != nil {
		unit := budget.UnitOf(d.schema)
		unit.Name = plan.Certified().Unit
		if err := d.budget.For(d.schema.Dataset, unit); err != nil {
			return nil, step("Discover", err)
		}
	}
	out, err := plan.Draw(o.ctx, discovery.Request{Paths: d.paths, Budget: d.budget, Seed: o.Seed, Path: o.Path})
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
