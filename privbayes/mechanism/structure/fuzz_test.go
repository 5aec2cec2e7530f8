package structure

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Whatever a file says was drawn, it is refused by a typed error, or gives a network of probabilities, the same every
// time.
func FuzzRounds(f *testing.F) {
	zero := map[string]string{"c0": "v1", "c2": "v2"}
	var samplers []mechanism.Sampler
	for _, m := range []model.LearnedModel{model.Tree(), model.MaxEntropy().StructuralZeros(zero), model.Cliques(3),
		model.MaxEntropy().MaxCells(8).Workload(1, "c1"), model.Tree().Star("c1").StructuralZeros(zero),
		model.MaxEntropy().MaxCells(100), model.MaxEntropy().MaxCells(100).StructuralZeros(zero)} {
		sh, target := shape(f, m.Always(), 60, 2, 2, 3), dp.ZCDP(1)
		if m.Settings().MaxCells == 100 { // in batches
			sh, target = shape(f, m.Always(), 60, 4, 4, 4), dp.ZCDP(2000)
		}
		p := must.Get(DiscreteGaussian().Plan(f.Context(), sh, target))(f)
		d := p.Sampler(access.Mine())
		st := must.Get(sh.Simulate(f.Context(), 1, dp.Seeded(1)))(f)
		if m.Settings().Algorithm != model.Grown { // simulated tables have no triples
			drawn := must.Get(d.Draw(f.Context(), mechanism.Open(access.Mine(), st), dp.Seeded(2)))(f)
			b := must.Get(json.Marshal(drawn))(f)
			f.Add(b, uint8(len(samplers)))
		}
		samplers = append(samplers, d)
	}
	f.Add([]byte(`{"raw":[[9],[8],[1,2,3]],"rounds":[{"chosen":[0,1,2],"counts":[1]},{"stop":true,"counts":[7]}]}`),
		uint8(2))
	f.Add([]byte(`{"raw":[[9223372036854775807],[-9223372036854775808],[1,2,3]],"rounds":[{"chosen":[-1],"counts":null}]}`), uint8(0))
	f.Fuzz(func(t *testing.T, b []byte, which uint8) {
		var drawn mechanism.Output
		if json.Unmarshal(b, &drawn) != nil {
			return
		}
		d := samplers[int(which)%len(samplers)]
		_ = d.(mechanism.Warner).Warned(drawn)
		e, err := d.Estimate(t.Context(), drawn)
		if err != nil {
			var typed *dp.ParameterError
			if !errors.As(err, &typed) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		for _, c := range e.Conditionals {
			for _, p := range c {
				if !(p >= 0) || math.IsInf(p, 1) {
					t.Fatal(e.Conditionals)
				}
			}
		}
		again, err := d.Estimate(t.Context(), drawn)
		if err != nil || len(again.Families) != len(e.Families) || again.Structure.String() != e.Structure.String() {
			t.Fatal(err)
		}
	})
}
