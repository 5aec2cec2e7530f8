package privbayes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"

	"github.com/privbayes/privbayes-go/internal/draft"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Option refines Privatize.
type Option func(*options)

type options struct {
	ctx      context.Context
	keep     string
	seed     uint64
	seeded   bool
	charging func(func() error) error            // nil, but in tests: makes the charge, or does not
	files    draft.Files                         // where it is kept: the operating system's, but in tests
	load     func(path string) (*Release, error) // reads a kept release there
}

// Seeded draws from a seed, for tests and tutorials. The release is stamped "not private".
func Seeded(seed uint64) Option { return func(o *options) { o.seed, o.seeded = seed, true } }

// WithContext bounds planning, counting and long preparations of a draw. A draw that ends early stays charged; with KeepIn the next try
// draws under that charge.
func WithContext(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// Privatized is a model with its release: drawn, or loaded from the file it was kept in.
type Privatized struct {
	plan     *mechanism.Plan
	release  *release.Release
	stats    *model.Statistics
	frame    *Frame
	loaded   bool
	warnings warning.List // about this run
	err      error
}

// Privatize plans, charges the frame's budget, draws exactly once and, if asked, keeps the release in a file. It is eager: when it
// returns, the draw has happened. On an error before the charge nothing is drawn or charged; on one after it the charge stays, and with KeepIn
// the next try costs nothing more.
func (m *Model) Privatize(mech Mechanism, t Target, opts ...Option) *Privatized {
	if err := m.Err(); err != nil {
		return &Privatized{err: err}
	}
	o := options{ctx: context.Background(), files: draft.OS}
	for _, opt := range opts {
		opt(&o)
	}
	if o.load == nil {
		o.load = func(path string) (*Release, error) { return release.LoadContext(o.ctx, path) }
	}
	p, err := m.privatize(mech, t, o)
	if err != nil {
		return &Privatized{err: step("Privatize", err)}
	}
	return p
}

var errNoMechanism = errors.New("no mechanism; want one such as Geometric() or DiscreteGaussian()")

func (m *Model) privatize(mech Mechanism, t Target, o options) (*Privatized, error) {
	if mech == nil {
		return nil, errNoMechanism
	}
	plan, err := mech.Plan(o.ctx, m.shape, t)
	if err != nil {
		return nil, err
	}
	if err := plan.Fits(o.ctx); err != nil {
		return nil, err
	}
	st, err := model.Count(m.shape, m.frame.f)
	if err != nil {
		return nil, err
	}
	p := &Privatized{plan: plan, stats: st, frame: m.frame}
	if o.keep != "" {
		err = p.keep(m, o)
	} else {
		err = p.draw(m, o)
	}
	if err != nil {
		return nil, err
	}
	if o.keep == "" && !o.seeded && os.Getenv("GONB_PIPE") != "" {
		p.warnings = append(p.warnings, warning.NotKept())
	}
	if m.frame.budget == nil && !o.seeded && !p.loaded {
		p.warnings = append(p.warnings, warning.NoBudget())
	}
	return p, nil
}

// draw charges first, then reads the statistics once.
func (p *Privatized) draw(m *Model, o options) error {
	stream, err := o.stream()
	if err != nil {
		return err
	}
	id, err := releaseID(stream, p.plan)
	if err != nil {
		return err
	}
	if err := m.charge(p.plan, id, o.seeded); err != nil {
		return err
	}
	return p.drawNamed(o, id, stream)
}

// drawNamed draws what is paid for.
func (p *Privatized) drawNamed(o options, id string, stream *dp.Stream) error {
	drawn, err := p.plan.Draw(o.ctx, p.stats, id, stream)
	if err != nil {
		return err
	}
	p.release, err = release.New(p.plan, drawn)
	return err
}

func (o options) stream() (*dp.Stream, error) {
	if o.seeded {
		return dp.Seeded(o.seed), nil
	}
	return dp.Secure()
}

// releaseID names a release before its draw: random bits of the stream, bound to the plan so that one seed used for two plans
// gives two names.
func releaseID(s *dp.Stream, p *mechanism.Plan) (string, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	h := sha256.Sum256(append([]byte(s.Identifier()), b...))
	return hex.EncodeToString(h[:16]), nil
}

func (m *Model) charge(p *mechanism.Plan, id string, seeded bool) error {
	if m.frame.budget == nil {
		return nil
	}
	g, mode := p.Certified(), budget.Adaptive
	if _, list := p.Pair().(loss.Declared); list {
		mode = budget.ListDeclared
	}
	return m.frame.budget.Charge(p.Shape().Schema().Dataset, budget.Charge{
		ID: id, What: p.Title() + ", " + p.Shape().Model().String(), Level: g.Level, Adjacency: g.Adjacency, Rows: g.RowsPerUnit, Seeded: seeded, State: mode,
	})
}

// Err is the first error of the chain.
func (p *Privatized) Err() error {
	if p == nil || p.err == nil && p.release == nil {
		return step("Privatize", ErrNoFrame)
	}
	return p.err
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

// Evaluate scores the release on test rows beside the non-private model and plain noise on counts at the same level. It releases
// nothing: the draws behind the plain baseline are seeded diagnostics of the report's private part. The test frame must have the model's
// columns declared as in its schema: *model.MismatchError.
func (p *Privatized) Evaluate(test *Frame) (*Report, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	if err := test.Err(); err != nil {
		return nil, step("Evaluate", err)
	}
	r, err := eval.NewReport(p.release, p.stats, test.f)
	return r, step("Evaluate", err)
}

// Table shows the release.
func (p *Privatized) Table() *table.Table { return p.release.Table() }

// String shows the release and the warnings, or the first error of the chain.
func (p *Privatized) String() string { return table.Text(p) }

// PosteriorFigure draws the posterior of the target, released and non-private. It reads the data: private, do not publish.
func (p *Privatized) PosteriorFigure() (*figure.Figure, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	np, err := model.FitPrivately(seal.Key{}, p.stats)
	if err != nil {
		return nil, step("PosteriorFigure", err)
	}
	return eval.PosteriorFigure(p.release, np), nil
}
