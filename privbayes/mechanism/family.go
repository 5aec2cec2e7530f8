package mechanism

import (
	"context"
	"encoding/json"

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

// Rebuild certifies given parameters, usually from a file.
func (f Family[Q, P]) Rebuild(ctx context.Context, sh *model.Shape, t dp.Target, p P) (*Plan, error) {
	q, err := f.prepared(ctx, sh, t)
	if err != nil {
		return nil, err
	}
	return f.certified(ctx, t, q, p)
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
