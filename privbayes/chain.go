package privbayes

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Model is a model on a frame, before anything is drawn.
type Model struct {
	frame *Frame
	shape *model.Shape
	err   error
}

// Err is the first error of the chain so far.
func (m *Model) Err() error {
	if m == nil || m.err == nil && m.shape == nil {
		return step("Model", errNoFrame)
	}
	return m.err
}

// Shape is the public side of the model: schema, model, n and tables.
func (m *Model) Shape() (*model.Shape, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	return m.shape, nil
}

// Plan calibrates and certifies a release without drawing it: it reads no data and costs nothing. Of the options only
// WithContext matters: it bounds long enumerations, and cert.WithWorkLimit and cert.WithProgress travel on it.
func (m *Model) Plan(mech Mechanism, t Target, opts ...Option) (*Plan, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	p, err := m.plan(refined(opts).ctx, mech, t)
	return p, step("Plan", err)
}

func (m *Model) plan(ctx context.Context, mech Mechanism, t Target) (*Plan, error) {
	if mech == nil {
		return nil, errors.New("no mechanism; want one such as Geometric() or DiscreteGaussian()")
	}
	mech, err := catalog.For(m.shape, mech)
	if err != nil {
		return nil, err
	}
	return mech.Plan(ctx, m.shape, t)
}

// Compare draws many releases and scores them on test rows: the result reads private data and is a Diagnostic. See
// eval.Compare.
func (m *Model) Compare(ctx context.Context, o CompareOptions) (*Diagnostic, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	if err := m.frame.needsRows("Compare"); err != nil {
		return nil, step("Compare", err)
	}
	d, err := eval.Compare(ctx, m.frame.f, m.shape.Model(), o)
	return d, step("Compare", err)
}

// Table shows the public shape of the model.
func (m *Model) Table() *table.Table { return m.shape.Table() }

// String shows the public shape of the model.
func (m *Model) String() string { return table.Text(m) }

// NewShape is the shape of a model on n records under a public schema, for planning before there is any data. See
// model.NewShape.
func NewShape(s *Schema, m ModelSpec, n int) (*Shape, error) {
	sh, err := model.NewShape(s, m, n, true, "")
	return sh, step("NewShape", err)
}

// Advise compares every mechanism of the library on a shape, at each target, before anything is spent and without data.
// It answers within ten seconds, and names what it left out to do so; [AdviseWith] takes a context and options: more
// time, a progress report, mechanisms, the public prior. Errors: *advise.Error for a private n or targets on different
// terms. See advise.For.
func Advise(sh *Shape, targets ...Target) (*Advice, error) {
	return AdviseWith(context.Background(), AdviseOptions{}, sh, targets...)
}

// AdviseWith is [Advise] under a context, whose end stops it within 50 ms, and with options.
func AdviseWith(ctx context.Context, o AdviseOptions, sh *Shape, targets ...Target) (*Advice, error) {
	a, err := advise.For(ctx, sh, targets, o)
	return a, step("Advise", err)
}

// Advise is [Advise] for the model's shape. The shape has the frame's number of rows: under an adjacency that hides n,
// such as add-remove, it refuses with *advise.Error; use [NewShape] with a public size to plan for.
func (m *Model) Advise(targets ...Target) (*Advice, error) {
	return m.AdviseWith(context.Background(), AdviseOptions{}, targets...)
}

// AdviseWith is [AdviseWith] for the model's shape; see [Model.Advise].
func (m *Model) AdviseWith(ctx context.Context, o AdviseOptions, targets ...Target) (*Advice, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	for _, t := range targets {
		if !t.Adjacency.PublicN() {
			return nil, step("Advise", &advise.Error{What: "the frame's n is private under " + t.Adjacency.String(),
				Want: "a size to plan for: Advise(NewShape(schema, model, size), target)"})
		}
	}
	return AdviseWith(ctx, o, m.shape, targets...)
}

// Sweep is [AdviseWith] over numbers of records at one target: how the errors of the mechanisms fall as a table grows,
// in one table and one figure. The sizes are the user's own; the shape's n does not matter. See advise.OverN.
func Sweep(ctx context.Context, o AdviseOptions, sh *Shape, sizes []int, t Target) (*advise.Sweep, error) {
	s, err := advise.OverN(ctx, sh, sizes, t, o)
	return s, step("Sweep", err)
}

// Option refines Privatize, PrivateAccuracy and NoiseAware.
type Option func(*options)

type options struct {
	ctx  context.Context
	slot *publication.Slot
	keep.Request
}

// refined are the options, with their defaults.
func refined(opts []Option) options {
	o := options{ctx: context.Background()}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// Seeded draws from a seed, for tests and tutorials. The release is stamped "not private".
func Seeded(seed uint64) Option { return func(o *options) { o.Seed = &seed } }

// WithContext bounds planning, counting and long preparations of a draw, and the work of NoiseAware. A draw that ends
// early stays charged.
func WithContext(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// KeepIn draws once and keeps: on first use it draws and writes the release to path, atomically; afterwards it loads
// the file and checks that plan, schema and data set agree (*KeptError if not). A notebook that runs the cell again, in
// this session or another, loads and does not draw; programs that keep in one file at the same time share one release
// and one charge. What fails on the way costs one charge at most: the next try goes on with the draft beside the file,
// path + ".draft", which must not be copied. Errors: *release.FileError before anything is charged, *UnwrittenError,
// *DraftError. See package keep.
func KeepIn(path string) Option { return func(o *options) { o.Path = path } }

// FromSlot takes the release from a reserved slot of a publication, whose charge contains it: the frame's budget, which
// was charged for the publication, notes the use and counts nothing more. The target is at most that of
// [publication.Slot.Request]. Errors: *dp.SlotError for a slot that was used, a larger release, and other data.
func FromSlot(s *publication.Slot) Option {
	own := new(publication.Slot) // which accepts nothing
	if s != nil {
		*own = *s
	}
	return func(o *options) {
		o.slot = own
		o.Slot = &o.slot.Slot
	}
}

// unslotted refuses FromSlot where a step has a charge of its own: *dp.SlotError.
func unslotted(o options, name string) error {
	if o.slot == nil {
		return nil
	}
	return step(name, &dp.SlotError{Slot: o.slot.Slot, Field: "step", Have: name,
		Want: "Model(…).Privatize, for one release"})
}

// Privatized is a model with its release: drawn, or loaded from the file it was kept in.
type Privatized struct {
	release  *release.Release
	stats    *model.Statistics
	loaded   bool
	warnings warning.List // about this run
	err      error
}

// Privatize plans, charges the frame's budget, draws exactly once and, if asked, keeps the release in a file. It is
// eager: when it returns, the draw has happened. On an error before the charge nothing is drawn or charged; on one
// after it the charge stays, and with KeepIn the next try costs nothing more.
func (m *Model) Privatize(mech Mechanism, t Target, opts ...Option) *Privatized {
	p := &Privatized{err: m.Err()}
	if p.err == nil {
		p.err = step("Privatize", p.draw(m, mech, t, refined(opts)))
	}
	return p
}

func (p *Privatized) draw(m *Model, mech Mechanism, t Target, o options) (err error) {
	if o.Plan, err = m.plan(o.ctx, mech, t); err != nil {
		return err
	}
	if o.slot != nil {
		if err := o.slot.Accepts(o.Plan); err != nil {
			return err
		}
	}
	if n, public := m.shape.N(); public && n == 0 && t.Adjacency.PublicN() {
		return domain.Refuse("Privatize", "n", "0", "at least one row where n is public; the table has none")
	}
	if err := o.Plan.Fits(o.ctx); err != nil {
		return err
	}
	if o.Statistics, err = m.frame.statistics(o.ctx, m.shape); err != nil {
		return err
	}
	o.Budget = m.frame.budget
	p.stats = o.Statistics
	if p.release, p.loaded, err = o.Draw(o.ctx); err != nil {
		return err
	}
	p.warnings = aboutRun(o, m.shape.Schema(), o.Budget, p.loaded)
	return nil
}

// aboutRun warns of a release that is not kept in a notebook, or not counted by a budget.
func aboutRun(o options, s *Schema, b *Budget, loaded bool) (list warning.List) {
	if o.Path == "" && o.Seed == nil && os.Getenv("GONB_PIPE") != "" {
		list = append(list, warning.NotKept())
	}
	if b == nil {
		if o.Seed == nil && !loaded {
			list = append(list, warning.NoBudget())
		}
		return list
	}
	return append(list, s.Unpaid(func(release string) bool {
		return slices.ContainsFunc(b.Charges(), func(c budget.Charge) bool { return c.ID == release })
	})...)
}

// Err is the first error of the chain.
func (p *Privatized) Err() error {
	if p == nil || p.err == nil && p.release == nil {
		return step("Privatize", errNoFrame)
	}
	return p.err
}

// failed is the first error of the chain or of the test rows.
func (p *Privatized) failed(name string, test *Frame) error {
	if err := p.Err(); err != nil {
		return err
	}
	if err := test.Err(); err != nil {
		return step(name, err)
	}
	return step(name, test.needsRows(name))
}

// Release returns the release, or the first error of the chain.
func (p *Privatized) Release() (*Release, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	return p.release, nil
}

// Loaded reports whether the release came from the file it was kept in.
func (p *Privatized) Loaded() bool { return p.Err() == nil && p.loaded }

// Warnings lists what is dangerous about the release and about how it was made: not kept in a notebook, not counted by
// a budget.
func (p *Privatized) Warnings() warning.List {
	if p.Err() != nil {
		return nil
	}
	return p.release.Warnings().And(p.warnings)
}

// Table shows the release.
func (p *Privatized) Table() *table.Table { return p.release.Table() }

// Parts are the numbers that were learned.
func (p *Privatized) Parts() []*table.Table { return p.release.Parts() }

// StructureGraph is release.Release.StructureGraph; nil where an earlier step failed.
func (p *Privatized) StructureGraph() *figure.Graph {
	if p.Err() != nil {
		return nil
	}
	return p.release.StructureGraph()
}

// String shows the release and the warnings, or the first error of the chain.
func (p *Privatized) String() string { return table.Text(p) }

// Evaluate scores the release on test rows beside the non-private model and plain noise on counts at the same level. It
// releases nothing. The test frame must have the model's columns declared as in its schema: *model.MismatchError. See
// eval.NewReport.
func (p *Privatized) Evaluate(test *Frame) (*Report, error) {
	if err := p.failed("Evaluate", test); err != nil {
		return nil, err
	}
	r, err := eval.NewReport(p.release, p.stats, test.f)
	return r, step("Evaluate", err)
}

// PrivateAccuracy releases the number of test rows that the release predicts right, with geometric noise at the given
// target, and charges it to the budget of the test frame. See eval.PrivateAccuracy. Errors are those of Privatize and
// Evaluate.
func (p *Privatized) PrivateAccuracy(test *Frame, t Target, opts ...Option) (*eval.NoisyAccuracy, error) {
	if err := p.failed("PrivateAccuracy", test); err != nil {
		return nil, err
	}
	o := refined(opts)
	if err := unslotted(o, "PrivateAccuracy"); err != nil {
		return nil, err
	}
	o.Budget = test.budget
	a, err := eval.PrivateAccuracy(o.ctx, p.release, p.stats, test.f, t, o.Request)
	return a, step("PrivateAccuracy", err)
}

// PosteriorFigure draws the posterior of the target, released and non-private. It reads the data: private, do not
// publish.
func (p *Privatized) PosteriorFigure() (*figure.Figure, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	f, err := eval.PrivatePosterior(p.release, p.stats)
	return f, step("PosteriorFigure", err)
}

// NoiseAware is the posterior given the noisy counts of the release, with intervals that know the noise; it costs no
// budget. Options and errors are those of [NoiseAware].
func (p *Privatized) NoiseAware(opts ...Option) (*noiseaware.Posterior, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	return NoiseAware(p.release, opts...)
}

// NoiseAware is the posterior given the noisy counts of a release. The one option is WithContext: the context bounds
// the work, and cert.WithProgress travels on it, which is told of the sweeps of chains where there are some, from
// another goroutine. See noiseaware.OfContext for the releases it takes, and the errors; *dp.ParameterError for another
// option.
func NoiseAware(r *Release, opts ...Option) (*noiseaware.Posterior, error) {
	o := refined(opts)
	if o.Seed != nil || o.Path != "" || o.slot != nil {
		return nil, step("NoiseAware", domain.Refuse("privbayes", "option", "Seeded, KeepIn or FromSlot",
			"WithContext: the posterior is a function of the release, and nothing is drawn from the rows"))
	}
	var progress []noiseaware.Option
	if report := cert.ProgressOf(o.ctx); report != nil {
		progress = append(progress, noiseaware.WithProgress(report))
	}
	p, err := noiseaware.OfContext(o.ctx, r, progress...)
	return p, step("NoiseAware", err)
}

// Learn starts a release of a table whose graph is not known: which columns depend on one another is learned, as a part
// of the release and at its expense. Without an argument it learns as [MaxEntropy] does, over all columns of the
// schema. Privatize and Plan take the noise, [Geometric] or [DiscreteGaussian]:
//
//	r, err := frame.Learn(privbayes.Tree()).Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Release()
//	r.Structure()       // what was learned: an output
//	r.Model().Network() // as for a given network
//
// The plan says before any draw whether learning pays, in its setting "decision".
func (f *Frame) Learn(spec ...model.LearnedModel) *Model {
	if len(spec) == 0 {
		return f.Model(MaxEntropy())
	}
	return f.Model(spec[0])
}
