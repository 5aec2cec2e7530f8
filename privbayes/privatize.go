package privbayes

import (
	"context"
	"errors"
	"os"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Option refines Privatize.
type Option func(*options)

type options struct {
	ctx context.Context
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

// WithContext bounds planning, counting and long preparations of a draw. A draw that ends early stays charged; with KeepIn the next try
// draws under that charge.
func WithContext(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// KeepIn draws once and keeps: on first use it draws and writes the release to path, atomically; afterwards it loads the file and checks
// that plan, schema and data set agree (*KeptError if not). A notebook that runs the cell again, in this session or another, loads and does
// not draw. Programs that keep in one file at the same time share one release and one charge.
//
// Before the charge a draft beside the file, path + ".draft", takes the release's name and room for it: *release.FileError if the folder
// does not exist, cannot be written, or the disk is full, and nothing is charged. Whatever fails or ends the program afterwards, the next
// try finds the draft and costs nothing more: a draw of which nothing can have been seen is made again under the same charge, and one that
// is in the draft is used. A draw that could not be written is an *UnwrittenError, from which it can be taken; a draft of another plan is
// a *DraftError. That a draw which nobody saw may be made again for free supposes that what ended it did not depend on the numbers drawn:
// a deadline so short that slow draws miss it is a side channel in time. And a draft must not be copied: a copy made before the draw draws once
// more under its charge.
func KeepIn(path string) Option { return func(o *options) { o.Path = path } }

// Errors of releases that are kept: see package keep.
type (
	// KeptError says that a kept release is not the one asked for.
	KeptError = keep.Error
	// UnwrittenError says that a release was charged and drawn but is not in the file that was to keep it; it can be taken from the error.
	UnwrittenError = keep.UnwrittenError
	// DraftError says that the draft of a kept release cannot be gone on with.
	DraftError = keep.DraftError
)

// Privatized is a model with its release: drawn, or loaded from the file it was kept in.
type Privatized struct {
	release  *release.Release
	stats    *model.Statistics
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
	p, err := m.privatize(mech, t, refined(opts))
	if err != nil {
		return &Privatized{err: step("Privatize", err)}
	}
	return p
}

var errNoMechanism = errors.New("no mechanism; want one such as Geometric() or DiscreteGaussian()")

func (m *Model) privatize(mech Mechanism, t Target, o options) (p *Privatized, err error) {
	if mech == nil {
		return nil, errNoMechanism
	}
	if o.Plan, err = mech.Plan(o.ctx, m.shape, t); err != nil {
		return nil, err
	}
	if err := o.Plan.Fits(o.ctx); err != nil {
		return nil, err
	}
	if o.Statistics, err = model.Count(m.shape, m.frame.f); err != nil {
		return nil, err
	}
	o.Budget = m.frame.budget
	p = &Privatized{stats: o.Statistics}
	if p.release, p.loaded, err = o.Draw(o.ctx); err != nil {
		return nil, err
	}
	if o.Path == "" && o.Seed == nil && os.Getenv("GONB_PIPE") != "" {
		p.warnings = append(p.warnings, warning.NotKept())
	}
	if o.Budget == nil && o.Seed == nil && !p.loaded {
		p.warnings = append(p.warnings, warning.NoBudget())
	}
	return p, nil
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

// Warnings lists what is dangerous about the release (see release.Release.Warnings) and about how it was made: not kept in a notebook, not
// counted by a budget. It is empty after an error. Nothing in it depends on private rows; notebooks and String show it.
func (p *Privatized) Warnings() warning.List {
	if p.Err() != nil {
		return nil
	}
	return p.release.Warnings().And(p.warnings)
}

// Table shows the release.
func (p *Privatized) Table() *table.Table { return p.release.Table() }

// String shows the release and the warnings, or the first error of the chain.
func (p *Privatized) String() string { return table.Text(p) }

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

// ChargedAccuracy releases the number of test rows that the release predicts right, with geometric noise at the given target, and
// charges it to the budget of the test frame. See eval.ChargedAccuracy. Errors are those of Privatize and Evaluate.
func (p *Privatized) ChargedAccuracy(test *Frame, t Target, opts ...Option) (*eval.NoisyAccuracy, error) {
	const name = "ChargedAccuracy"
	if err := p.Err(); err != nil {
		return nil, err
	}
	if err := test.Err(); err != nil {
		return nil, step(name, err)
	}
	o := refined(opts)
	o.Budget = test.budget
	a, err := eval.ChargedAccuracy(o.ctx, p.release, p.stats, test.f, t, o.Request)
	return a, step(name, err)
}

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
