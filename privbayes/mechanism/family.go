package mechanism

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Family is a mechanism as its mathematics: the parameters P of a law, and for a problem Q, which a shape and a target
// pose,
//
//	calibrate   the parameters that spend the target and no more,
//	certify     what releases at given parameters have, with the checks that show it,
//	expect      the errors that they make.
//
// Planning, predicting and planning again from a file follow from these three. All of it reads public inputs only.
type Family[Q, P any] struct {
	Of        Mechanism // whose name and title stand in the plan
	Prepare   func(ctx context.Context, sh *model.Shape, t dp.Target) (Q, error)
	Calibrate func(ctx context.Context, q Q) (P, error)
	Certify   func(ctx context.Context, q Q, p P) (Spec, error)
	Expect    func(ctx context.Context, q Q, p P) ([]Expectation, error) // nil where nothing is cheaper than a plan
	// there is no paper's mode: a nominal target is refused, in files, too
	NoNominal bool
}

// Plan calibrates and certifies.
func (f Family[Q, P]) Plan(ctx context.Context, sh *model.Shape, t dp.Target) (*Plan, error) {
	q, p, err := f.calibrated(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	return f.certified(ctx, t, q, p)
}

// Expected calibrates like Plan and predicts the errors, without the certificate.
func (f Family[Q, P]) Expected(ctx context.Context, sh *model.Shape, t dp.Target) ([]Expectation, error) {
	q, p, err := f.calibrated(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	return f.Expect(ctx, q, p)
}

// Rebuild certifies given parameters, usually from a file. Those of a paper's own mode must be the paper's: no target
// is held against what they give, so that a file could name any ε as the nominal one.
func (f Family[Q, P]) Rebuild(ctx context.Context, sh *model.Shape, t dp.Target, p P) (*Plan, error) {
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
func (f Family[Q, P]) nominal(ctx context.Context, q Q, t dp.Target, p P) error {
	paper, err := f.Calibrate(ctx, q)
	if err != nil {
		return err
	}
	have, errA := json.Marshal(p)
	want, errB := json.Marshal(paper)
	var a, b any
	if err := errors.Join(errA, errB, json.Unmarshal(have, &a), json.Unmarshal(want, &b)); err != nil {
		return err
	}
	if !near(a, b) {
		return &NominalError{Mechanism: f.Of.Title(), Target: t.Level, Have: string(have), Want: string(want)}
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
	Target     dp.Level
	Have, Want string // parameters, JSON
}

func (e *NominalError) Error() string {
	return fmt.Sprintf("mechanism: %s: at the nominal %s the paper's parameters are %s; have %s", e.Mechanism, e.Target,
		label.Clip(label.Line(e.Want), 500), label.Clip(label.Line(e.Have), 500))
}

func (f Family[Q, P]) prepared(ctx context.Context, sh *model.Shape, t dp.Target) (q Q, err error) {
	if err := t.Valid(); err != nil {
		return q, err
	}
	if err := rowsAllow(sh, t.Adjacency); err != nil {
		return q, err
	}
	q, err = f.Prepare(ctx, sh, t)
	if err == nil && t.NominalScale && f.NoNominal {
		err = &UnsupportedError{f.Of.Title(), "a nominal scale: it has no paper mode",
			"PureDP, ApproxDP, RenyiDP or ZCDP"}
	}
	return q, err
}

func (f Family[Q, P]) calibrated(ctx context.Context, sh *model.Shape, t dp.Target) (q Q, p P, err error) {
	if q, err = f.prepared(ctx, sh, t); err != nil {
		return q, p, err
	}
	p, err = f.Calibrate(ctx, q)
	return q, p, err
}

func (f Family[Q, P]) certified(ctx context.Context, t dp.Target, q Q, p P) (*Plan, error) {
	s, err := f.Certify(ctx, q, p)
	if err != nil {
		return nil, err
	}
	if s.Title == "" { // as of a paper's own mode
		s.Title = f.Of.Title()
	}
	s.Mechanism, s.Target, s.Params = f.Of.Name(), t, p
	if s.Certificate == nil {
		s.Certificate = &cert.Certificate{Title: s.Title + ", " + s.Shape.Model().String(), Checks: s.Checks}
	}
	return New(s)
}

// Valid is what parameters check themselves for when they come from a file.
type Valid interface{ Valid() error }

// Rebuilds reads the parameters of a kind from a file, strictly, and certifies them by the family that they say.
func Rebuilds[Q, P any](kind string, of func(p P) (Family[Q, P], error)) Rebuild {
	return func(ctx context.Context, sh *model.Shape, t dp.Target, raw json.RawMessage) (*Plan, error) {
		var p P
		if err := DecodeParams(kind, raw, &p); err != nil {
			return nil, err
		}
		if v, ok := any(p).(Valid); ok {
			if err := v.Valid(); err != nil {
				return nil, err
			}
		}
		f, err := of(p)
		if err != nil {
			return nil, err
		}
		return f.Rebuild(ctx, sh, t, p)
	}
}
