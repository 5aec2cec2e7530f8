package privbayes_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Advice says n and depends on it, so where n is private it is given for a size that the user states.
func TestAdviceDoesNotPublishPrivateSizes(t *testing.T) {
	target := privbayes.PureDP(1).Under(dp.AddRemove)
	r, schema := data.Votes()
	var private *advise.Error
	if a, err := privbayes.ReadFrame(r, schema).Model(privbayes.Binary("Class")).Advise(target); !errors.As(err,
		&private) {
		t.Errorf("%v, %v", a, err)
	}
	sh := must.Get(privbayes.NewShape(schema, privbayes.Binary("Class"), 400))(t)
	a := must.Get(privbayes.Advise(sh, target))(t)
	if best, ok := a.Best(0); !ok || best.Certified.Adjacency != dp.AddRemove {
		t.Error(best, ok)
	}
	for _, r := range a.Rows(0) { // every number says where it comes from
		if r.Refused == "" && (r.Sets == 0 || math.IsNaN(r.Expected) != (r.ExpectedHow == "")) {
			t.Errorf("%s: %d data sets, predicted %v by %q", r.Mechanism, r.Sets, r.Expected, r.ExpectedHow)
		}
	}
}

// A comparison under a context, with options, of a model: cancelled it gives the context's error, and a mechanism of
// one's own has a row.
func TestAdviseWith(t *testing.T) {
	m := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class"))
	o := privbayes.AdviseOptions{Mechanisms: []privbayes.Mechanism{privbayes.KNorm()}, Time: time.Hour}
	a := must.Get(m.AdviseWith(t.Context(), o, privbayes.PureDP(.5), privbayes.PureDP(1)))(t)
	if best, ok := a.Best(1); !ok || len(a.Rows(1)) != 1 || best.Mechanism != privbayes.KNorm().Title() {
		t.Error(a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.AdviseWith(ctx, o, privbayes.PureDP(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	sh := must.Get(m.Shape())(t)
	if _, err := privbayes.AdviseWith(ctx, o, sh, privbayes.PureDP(1)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var private *advise.Error
	if _, err := m.AdviseWith(t.Context(), o, privbayes.PureDP(1).Under(dp.AddRemove)); !errors.As(err, &private) {
		t.Error(err)
	}
}
