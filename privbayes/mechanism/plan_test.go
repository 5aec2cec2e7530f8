package mechanism_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A plan's settings are found by name, and a mechanism of a later version is named when its plan is read.
func TestSettingsAndUnknownMechanisms(t *testing.T) {
	p := must.Get(counts.Geometric().Plan(t.Context(), shape(t, model.Categorical("c0"), 10, 1, 3), dp.PureDP(1)))(t)
	if len(p.Settings()) == 0 {
		t.Error("no settings")
	}
	for _, s := range p.Settings() {
		if s.Value == "" || p.Setting(s.Name) != s.Value {
			t.Errorf("setting %+v, by name %q", s, p.Setting(s.Name))
		}
	}
	text := must.Get(json.Marshal(p))(t)
	var unknown *cert.UnknownError
	if _, err := mechanism.ParsePlan(t.Context(),
		bytes.Replace(text, []byte(`"geometric"`), []byte(`"later"`), 1)); !errors.As(err, &unknown) ||
		unknown.Name != "later" {
		t.Error("a mechanism of a later version:", err)
	}
}

// silent is a sampler of nothing.
type silent struct{}

func (silent) Draw(context.Context, mechanism.Private, *dp.Stream) (out mechanism.Output, err error) {
	return out, nil
}

func (silent) Estimate(context.Context, mechanism.Output) (e model.Estimate, err error) {
	return e, nil
}

// A plan claims something: a family that states neither a level nor a pair to derive it from has none, whatever is
// asked for.
func TestPlansOfNoLevel(t *testing.T) {
	f := mechanism.Family[*model.Shape, int]{Kind: "example.org/silent", Title: "Silent",
		Prepare:   func(_ context.Context, sh *model.Shape, _ dp.Request) (*model.Shape, error) { return sh, nil },
		Calibrate: func(context.Context, *model.Shape) (int, error) { return 1, nil },
		Certify: func(_ context.Context, sh *model.Shape, _ int) (mechanism.Spec, error) {
			holds := cert.Check{Statement: "0 ≤ 1", Bound: 1, Method: cert.ClosedForm}
			return mechanism.Spec{Shape: sh, Arithmetic: dp.Exact, Checks: []cert.Check{holds}, Sampler: silent{}}, nil
		},
	}
	sh := shape(t, model.Categorical("c0"), 10, 1, 3)
	for _, target := range []dp.Request{dp.PureDP(1), dp.AsPublished(1), dp.AsPublished(1, 1e-6)} {
		if p, err := f.Plan(t.Context(), sh, target); err == nil {
			t.Errorf("%s: %+v", target.Parameters, p.Certified())
		}
	}
}
