package mechanism_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func FuzzParsePlan(f *testing.F) {
	net := must.Get(model.NewShape(schema(1, 2, 2, 2),
		model.Network("c0", model.Node("c0"), model.Node("c1", "c0"), model.Node("c2")), 8, true, ""))(f)
	for _, m := range mechanisms() {
		for _, sh := range []*model.Shape{shape(f, model.Categorical("c0").WithPrior(7, 4, 5), 6, 1, 3), net} {
			p, err := m.Plan(context.Background(), sh, dp.ApproxDP(1, 1e-3))
			if err != nil {
				continue
			}
			b := must.Get(json.Marshal(p))(f)
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<14 {
			return // the limits on sizes are tested elsewhere; here they would only cost time
		}
		p, err := mechanism.ParsePlan(context.Background(), b)
		if err != nil {
			return
		}
		if !p.Certificate().OK() || !p.Target().NominalScale && !p.Certified().Satisfies(p.Target().Parameters) {
			t.Fatalf("accepted: %s", b)
		}
		again := must.Get(json.Marshal(p))(t)
		if _, err := mechanism.ParsePlan(context.Background(), again); err != nil {
			t.Fatalf("does not parse again: %s: %v", again, err)
		}
	})
}
