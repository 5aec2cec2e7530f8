package mechanism

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Family is a mechanism as its mathematics: the parameters P of a distribution, and for a problem Q, which a shape and a
// target pose,
//
//	calibrate   the parameters that spend the target and no more,
//	certify     what releases at given parameters have, with the checks that show it,
//	expect      the errors that they make.
//
// Planning, predicting and planning again from a file follow from these three: [Front] has them. All of it reads public
// inputs only. Errors of the mechanism (*UnsupportedError, *UnmetTarget) that name none get its title.
type Family[Q, P any] struct {
	Kind, Title string                                                              // the registered kind, and the name for people
	Supports    func(sh *model.Shape) error                                         // nil: every model made of count tables
	Prepare     func(ctx context.Context, sh *model.Shape, t dp.Request) (Q, error) // of shapes that are supported
	Calibrate   func(ctx context.Context, q Q) (P, error)
	Certify     func(ctx context.Context, q Q, p P) (Spec, error)
	// Expect is nil where nothing is cheaper than a plan
	Expect func(ctx context.Context, q Q, p P) ([]Expectation, error)
	// there is no paper's mode: a nominal target is refused, in files, too
	NoNominal bool
	// Read reads parameters from a file; nil: as JSON, strictly, and what their method Valid refuses
	Read func(params json.RawMessage) (P, error)
	// Of is the mechanism that the parameters of a file say, with its options; nil: this one
	Of func(p P) (Family[Q, P], error)
}

// Plan calibrates and certifies.
func (f Family[Q, P]) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*Plan, error) {
	q, p, err := f.calibrated(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	return f.certified(ctx, t, q, p)
}

// expected calibrates like Plan and predicts the errors, without the certificate where that is cheaper.
func (f Family[Q, P]) expected(ctx context.Context, sh *model.Shape, t dp.Request) ([]Expectation, error) {
	q, p, err := f.calibrated(ctx, sh, t)
	switch {
	case err != nil:
		return nil, err
	case f.Expect != nil:
		return f.Expect(ctx, q, p)
	}
	plan, err := f.certified(ctx, t, q, p)
	if err != nil {
		return nil, err
	}
	return plan.Expected(), nil
}

// Rebuild certifies given parameters, usually from a file. Those of a paper's own mode must be the paper's: no target
// is held against what they give, so that a file could name any ε as the nominal one.
func (f Family[Q, P]) Rebuild(ctx context.Context, sh *model.Shape, t dp.Request, p P) (*Plan, error) {
	q, err := f.prepared(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	if t.NominalScale {
		if err := f.nominal(ctx, q, t, p); err != nil {
			return nil, err
		}
	}
	return f.certified(ctx, t, q, p)
}

// nominal requires the parameters to be those that the paper's formula gives for the target.
func (f Family[Q, P]) nominal(ctx context.Context, q Q, t dp.Request, p P) error {
	paper, err := f.Calibrate(ctx, q)
	if err != nil {
		return f.named(err)
	}
	have, errA := json.Marshal(p)
	want, errB := json.Marshal(paper)
	var a, b any
	if err := errors.Join(errA, errB, json.Unmarshal(have, &a), json.Unmarshal(want, &b)); err != nil {
		return err
	}
	if !near(a, b) {
		return &NominalError{Mechanism: f.Title, Target: t.Parameters, Have: string(have), Want: string(want)}
	}
	return nil
}

// near compares two JSON values, numbers to a relative 1e-9 as two machines may compute them.
func near(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && (x == y || math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y)))
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, near)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, near)
	}
	return a == b
}

// NominalError is a plan of a paper's own mode whose parameters are not the paper's at the ε that it names.
type NominalError struct {
	Mechanism  string
	Target     dp.Parameters
	Have, Want string // parameters, JSON
}

func (e *NominalError) Error() string {
	return fmt.Sprintf("mechanism: %s: at the nominal %s the paper's parameters are %s; have %s", e.Mechanism, e.Target,
		safetext.Clip(safetext.Line(e.Want), 500), safetext.Clip(safetext.Line(e.Have), 500))
}

func (f Family[Q, P]) prepared(ctx context.Context, sh *model.Shape, t dp.Request) (q Q, err error) {
	if err := t.Valid(); err != nil {
		return q, err
	}
	if err := rowsAllow(sh, t.Adjacency); err != nil {
		return q, err
	}
	if err := f.supports(sh); err != nil {
		return q, err
	}
	q, err = f.Prepare(ctx, sh, t)
	if err == nil && t.NominalScale && f.NoNominal {
		err = &UnsupportedError{What: "a nominal scale: it has no paper mode", Use: "PureDP, ApproxDP, RenyiDP or ZCDP"}
	}
	return q, f.named(err)
}

func (f Family[Q, P]) calibrated(ctx context.Context, sh *model.Shape, t dp.Request) (q Q, p P, err error) {
	if q, err = f.prepared(ctx, sh, t); err != nil {
		return q, p, err
	}
	p, err = f.Calibrate(ctx, q)
	return q, p, f.named(err)
}

// certified makes the plan. Its level is what the dominating pair spends, where none is stated. Errors: those of New.
func (f Family[Q, P]) certified(ctx context.Context, t dp.Request, q Q, p P) (*Plan, error) {
	s, err := f.Certify(ctx, q, p)
	if err != nil {
		return nil, f.named(err)
	}
	if s.Title == "" { // as of a paper's own mode
		s.Title = f.Title
	}
	s.Mechanism, s.Target, s.Params = f.Kind, t, p
	if s.Certificate == nil {
		s.Certificate = &cert.Certificate{Title: s.Title + ", " + s.Shape.Model().String(), Checks: s.Checks}
	}
	if s.Level == (dp.Parameters{}) && s.Pair != nil {
		meets := false
		s.Level, meets, err = loss.Spend(ctx, s.Pair, t)
		switch {
		case err != nil:
			return nil, err
		case !meets && !t.NominalScale: // as of a file whose parameters were edited
			unmet := &UnmetTarget{Mechanism: s.Title, Target: t.Parameters, Certified: s.Level, Reachable: "more noise"}
			if !s.Certificate.OK() {
				unmet.failed = &CheckError{s.Certificate}
			}
			return nil, unmet
		}
	}
	return New(s)
}

// named gives errors that say what a mechanism cannot do its title.
func (f Family[Q, P]) named(err error) error {
	var unsupported *UnsupportedError
	var unmet *UnmetTarget
	if errors.As(err, &unsupported) && unsupported.Mechanism == "" {
		unsupported.Mechanism = f.Title
	}
	if errors.As(err, &unmet) && unmet.Mechanism == "" {
		unmet.Mechanism = f.Title
	}
	return err
}

func (f Family[Q, P]) supports(sh *model.Shape) error {
	if f.Supports == nil {
		return f.named(CountsOnly(sh))
	}
	return f.named(f.Supports(sh))
}

// Valid is what parameters check themselves for when they come from a file.
type Valid interface{ Valid() error }

// read reads the parameters of a file.
func (f Family[Q, P]) read(raw json.RawMessage) (p P, err error) {
	if f.Read != nil {
		return f.Read(raw)
	}
	if err := DecodeParams(f.Kind, raw, &p); err != nil {
		return p, err
	}
	if v, ok := any(p).(Valid); ok {
		err = v.Valid()
	}
	return p, err
}

// rebuild certifies the parameters of a file by the mechanism that they say.
func (f Family[Q, P]) rebuild(ctx context.Context, sh *model.Shape, t dp.Request, raw json.RawMessage) (*Plan, error) {
	p, err := f.read(raw)
	if err == nil && f.Of != nil {
		f, err = f.Of(p)
	}
	if err != nil {
		return nil, err
	}
	return f.Rebuild(ctx, sh, t, p)
}
