package privbayes

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Option refines Privatize.
type Option func(*options)

type options struct {
	ctx    context.Context
	keep   string
	seed   uint64
	seeded bool
}

// KeepIn draws and writes the release atomically on first use; afterwards it loads the file and checks that plan, schema and data
// set agree (*KeptError if not). The folder must exist: *release.FileError, before anything is charged. A notebook that runs the cell again, in this session or another, loads and does not draw.
func KeepIn(path string) Option { return func(o *options) { o.keep = path } }

// Seeded draws from a seed, for tests and tutorials. The release is stamped "not private".
func Seeded(seed uint64) Option { return func(o *options) { o.seed, o.seeded = seed, true } }

// WithContext bounds planning, counting and long preparations of a draw. A draw that ends early stays charged.
func WithContext(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// Privatized is a model with its release: drawn, or loaded from the file it was kept in.
type Privatized struct {
	plan     *mechanism.Plan
	release  *release.Release
	stats    *model.Statistics
	frame    *Frame
	loaded   bool
	warnings []string
	err      error
}

// Privatize plans, charges the frame's budget, draws exactly once and, if asked, keeps the release in a file. It is eager: when it
// returns, the draw has happened. On an error before the charge nothing is drawn or charged; on one after it the charge stays.
func (m *Model) Privatize(mech Mechanism, t Target, opts ...Option) *Privatized {
	if err := m.Err(); err != nil {
		return &Privatized{err: err}
	}
	o := options{ctx: context.Background()}
	for _, opt := range opts {
		opt(&o)
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
		switch r, err := loadKept(o.keep, plan); {
		case err == nil:
			p.release, p.loaded = r, true
			return p, m.charge(plan, r.ID(), r.Randomness() != "secure")
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	if err := canKeep(o.keep); err != nil {
		return nil, err
	}
	if err := p.draw(m, o); err != nil {
		return nil, err
	}
	if o.keep == "" && !o.seeded && os.Getenv("GONB_PIPE") != "" {
		p.warnings = append(p.warnings, "this release is not kept: if the cell runs again, it draws and spends again. Add KeepIn(\"name.release.json\").")
	}
	if m.frame.budget == nil && !o.seeded {
		p.warnings = append(p.warnings, "no budget is bound to this frame: nothing adds up what its releases spend together. See OpenBudget and WithBudget.")
	}
	return p, nil
}

// draw charges first, then reads the statistics once.
func (p *Privatized) draw(m *Model, o options) error {
	stream, err := dp.Secure()
	if o.seeded {
		stream, err = dp.Seeded(o.seed), nil
	}
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
	drawn, err := p.plan.Draw(o.ctx, p.stats, id, stream)
	if err != nil {
		return err
	}
	if p.release, err = release.New(p.plan, drawn); err != nil {
		return err
	}
	if o.keep == "" {
		return nil
	}
	if err = p.release.SaveNew(o.keep); errors.Is(err, fs.ErrExist) {
		// another program kept one between the look and the write: keep to that one
		p.release, err = loadKept(o.keep, p.plan)
		p.loaded = err == nil
	}
	return err
}

// canKeep refuses a path at which no file can be made, before anything is charged or drawn: it makes one beside it and removes it.
func canKeep(path string) error {
	if path == "" {
		return nil
	}
	_, linked := os.Lstat(path)
	if _, err := os.Stat(path); err != nil && linked == nil {
		return &release.FileError{Path: path, Want: "a release file or nothing, not a link to nowhere; nothing was drawn or charged", Err: err}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".release-*")
	if err != nil {
		return &release.FileError{Path: path, Want: "a folder that exists and can be written, to keep it in; nothing was drawn or charged", Err: err}
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
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
	g, mode := p.Certified(), dp.Adaptive
	if _, list := p.Pair().(dp.Declared); list {
		mode = dp.ListDeclared
	}
	return m.frame.budget.Charge(p.Shape().Schema().Dataset, dp.Charge{
		ID: id, What: p.Title() + ", " + p.Shape().Model().String(), Level: g.Level, Adjacency: g.Adjacency, Rows: g.RowsPerUnit, Seeded: seeded, State: mode,
	})
}

// loadKept reads a kept release and compares its plan with the one asked for.
func loadKept(path string, plan *mechanism.Plan) (*release.Release, error) {
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, &release.FileError{Path: path, Want: "a release file or a place for one", Err: err}
	}
	r, err := release.Load(path)
	if err != nil {
		return nil, err
	}
	have, want := r.Plan(), plan
	if a, b := have.Shape().Schema().Dataset, want.Shape().Schema().Dataset; a != b {
		return nil, &KeptError{path, "data set", label.Quote(a), label.Quote(b)}
	}
	if a, b := have.Shape().Schema().Digest(), want.Shape().Schema().Digest(); a != b {
		have, want := schemaDifference(have.Shape().Schema(), want.Shape().Schema())
		return nil, &KeptError{path, "schema", have, want}
	}
	a, errA := json.Marshal(have)
	b, errB := json.Marshal(want)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	if !bytes.Equal(a, b) {
		return nil, keptPlan(path, have, want)
	}
	return r, nil
}

// schemaDifference shows where two schemas differ: unit, or the first column that is another one.
func schemaDifference(a, b *Schema) (have, want string) {
	column := func(s *Schema, i int) string {
		if i >= len(s.Columns) {
			return fmt.Sprintf("one of %d columns", len(s.Columns))
		}
		c := s.Columns[i]
		return fmt.Sprintf("one whose column %d is %s, %s, with levels %s", i+1, label.Quote(c.Name), c.Kind, strings.Join(c.Labels(), ", "))
	}
	for i := range max(len(a.Columns), len(b.Columns)) {
		if have, want = column(a, i), column(b, i); have != want {
			return have, want
		}
	}
	return fmt.Sprintf("one with unit %s and digest %.12s", label.Quote(a.Unit), a.Digest()), fmt.Sprintf("unit %s and digest %.12s", label.Quote(b.Unit), b.Digest())
}

// keptPlan names what differs between two plans for one data set: the first of target, model, n, rows and mechanism, else the parameters.
func keptPlan(path string, have, want *mechanism.Plan) error {
	n := func(p *mechanism.Plan) string {
		if v, public := p.Shape().N(); public {
			return fmt.Sprint(v)
		}
		return "private"
	}
	rows := func(p *mechanism.Plan) string {
		return cmp.Or(p.Shape().RowsText(), "all rows of the data set")
	}
	target := func(p *mechanism.Plan) string { return fmt.Sprintf("%s, %s", p.Target().Level, p.Target().Adjacency) }
	for _, d := range []struct{ field, have, want string }{
		{"target", target(have), target(want)},
		{"model", have.Shape().Model().String(), want.Shape().Model().String()},
		{"n", n(have), n(want)},
		{"rows", rows(have), rows(want)},
		{"mechanism", have.Title(), want.Title()},
	} {
		if d.have != d.want {
			return &KeptError{path, d.field, d.have, d.want}
		}
	}
	return &KeptError{path, "plan", fmt.Sprintf("%s with parameters %s", have.Title(), have.Params()), fmt.Sprintf("parameters %s", want.Params())}
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

// Warnings lists what the user should know, such as a release that is not kept.
func (p *Privatized) Warnings() []string { return append([]string(nil), p.warnings...) }

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

// String shows the release and the warnings.
func (p *Privatized) String() string {
	if err := p.Err(); err != nil {
		return err.Error() + "\n"
	}
	s := p.release.String()
	for _, w := range p.warnings {
		s += "warning: " + w + "\n"
	}
	return s
}

// HTML shows what String shows.
func (p *Privatized) HTML() string {
	if err := p.Err(); err != nil {
		return errorHTML(err)
	}
	s := p.release.HTML()
	for _, w := range p.warnings {
		s += "<p><b>Warning:</b> " + html.EscapeString(w) + "</p>"
	}
	return s
}

// PosteriorFigure draws the posterior of the target, released and non-private. It reads the data: private, do not publish.
func (p *Privatized) PosteriorFigure() (*eval.Figure, error) {
	if err := p.Err(); err != nil {
		return nil, err
	}
	np, err := model.FitPrivately(seal.Key{}, p.stats)
	if err != nil {
		return nil, step("PosteriorFigure", err)
	}
	return eval.PosteriorFigure(p.release, np), nil
}
