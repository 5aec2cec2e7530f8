package advise_test

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Learned structures are priced by the distance of pairs on simulated tables: more rows and a larger ε cost less, and
// what applies to no learner says so.
func TestAdviceOnLearnedStructures(t *testing.T) {
	s := &frame.Schema{Dataset: "advised", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y", "z"), frame.Categorical("c", "x", "y"), frame.Categorical("d", "x", "y")}}
	errors := map[string]float64{}
	for name, n := range map[string]int{"few": 300, "many": 20000} {
		for _, m := range []model.Learned{model.Tree(), model.MaxEntropy()} {
			sh, err := model.NewShape(s, m.Always(), n, true, "")
			if err != nil {
				t.Fatal(err)
			}
			a, err := advise.For(t.Context(), sh, []dp.Target{dp.ZCDP(.05), dp.ZCDP(2)}, advise.Options{Data: 12})
			if err != nil {
				t.Fatal(err)
			}
			for i, level := range []string{"low", "high"} {
				best, ok := a.Best(i)
				if !ok || !(best.Error > 0 && best.Error < .5) || math.IsNaN(best.KL) || !strings.Contains(best.Go, "Learned") {
					t.Errorf("%s, %s: %+v", m, level, best)
				}
				errors[name+level+m.String()] = best.Error
			}
			if !strings.Contains(a.String(), "total variation") || !strings.Contains(a.String(), "random tree") {
				t.Error(a)
			}
		}
	}
	for _, m := range []model.Learned{model.Tree(), model.MaxEntropy()} {
		if errors["fewlow"+m.String()] < 2*errors["fewhigh"+m.String()] ||
			errors["fewlow"+m.String()] < 2*errors["manylow"+m.String()] {
			t.Errorf("%v", errors)
		}
	}
}
