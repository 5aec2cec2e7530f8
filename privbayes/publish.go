package privbayes

import (
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
)

// Publication is a list of models on a frame that is to be released as one, before anything is drawn.
type Publication struct {
	frame  *Frame
	name   string
	target Target
	items  []publication.Item
	err    error
}

// Item is a model in a publication: Item(Table("sex", "region")).Within(.01). See package publication for the wishes.
func Item(m ModelSpec) publication.Item { return publication.Of(m) }

// Reserve sets a level aside in a publication, for one later release: see [publication.Reserve] and [FromSlot].
func Reserve(name string, level Target) publication.Item { return publication.Reserve(name, level) }

// Publish begins a publication: all items share one guarantee, one charge and one file. The target is pure ε, ρ, or ε
// and δ. Nothing is drawn before [Publication.Privatize].
func (f *Frame) Publish(name string, t Target, items ...publication.Item) *Publication {
	return &Publication{frame: f, name: name, target: t, items: items, err: f.Err()}
}

// Err is the first error of the chain so far.
func (p *Publication) Err() error {
	if p == nil || p.frame == nil {
		return step("Publish", errNoFrame)
	}
	return p.err
}

// shape is that of an item's model.
func (p *Publication) shape(m model.Model) (*Shape, error) { return p.frame.Model(m).Shape() }

// Plan divides the guarantee among the items and certifies all of them together. It reads no data and costs nothing. Of
// the options WithContext alone matters. See [publication.New].
func (p *Publication) Plan(opts ...Option) (*publication.Plan, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	plan, err := publication.New(refined(opts).ctx, p.name, p.target, p.items, p.shape)
	return plan, step("Publish", err)
}

// Needs is the smallest level that meets all wishes, and what each of them costs. It reads no data. See
// [publication.NeedsOf].
func (p *Publication) Needs(opts ...Option) (*publication.Needs, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	n, err := publication.NeedsOf(refined(opts).ctx, p.target, p.items, p.shape)
	return n, step("Publish", err)
}

// Privatize plans, charges the frame's budget once for the whole, draws every item exactly once or none, and, if asked,
// keeps the publication in a file: options and errors are those of [Model.Privatize].
func (p *Publication) Privatize(opts ...Option) (*publication.Publication, error) {
	plan, err := p.Plan(opts...)
	if err != nil {
		return nil, err
	}
	for _, l := range plan.Lines() {
		if n, public := l.Plan.Shape().N(); public && n == 0 && p.target.Adjacency.PublicN() {
			return nil, step("Publish", domain.Refuse("Privatize", "n", "0", "at least one row where n is public"))
		}
	}
	o := refined(opts)
	if err := unslotted(o, "Publish"); err != nil {
		return nil, err
	}
	out, loaded, err := plan.Draw(o.ctx, publication.Request{Statistics: p.frame.statisticsOf, Budget: p.frame.budget,
		Seed: o.Seed, Path: o.Path})
	if err != nil {
		return nil, step("Publish", err)
	}
	return out.Warned(aboutRun(o, p.frame.schema(), p.frame.budget, loaded)...), nil
}

// PlanPublication is [Publication.Plan] for a table of n rows under a public schema, before there is any data.
func PlanPublication(s *Schema, n int, name string, t Target, items ...publication.Item) (*publication.Plan, error) {
	plan, err := publication.New(refined(nil).ctx, name, t, items, func(m model.Model) (*Shape, error) {
		return NewShape(s, m, n)
	})
	return plan, step("Publish", err)
}

// LoadPublication reads a publication file and checks that its numbers follow from its plans and draws; options as in
// [LoadRelease].
func LoadPublication(path string, opts ...Option) (*publication.Publication, error) {
	p, err := publication.Load(refined(opts).ctx, path)
	return p, err
}
