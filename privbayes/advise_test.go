package privbayes_test

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Advice says n and depends on it, so where n is private it is given for a size that the user states.
func TestAdviceDoesNotPublishPrivateSizes(t *testing.T) {
	target := privbayes.PureDP(1).Under(dp.AddRemove)
	r, schema := data.Votes()
	var private *advise.Error
	if a, err := privbayes.ReadFrame(r, schema).Model(privbayes.Binary("Class")).Advise(target); !errors.As(err, &private) {
		t.Errorf("%v, %v", a, err)
	}
	sh, err := privbayes.NewShape(schema, privbayes.Binary("Class"), 400)
	if err != nil {
		t.Fatal(err)
	}
	a, err := privbayes.Advise(sh, target)
	if err != nil {
		t.Fatal(err)
	}
	if best, ok := a.Best(0); !ok || best.Certified.Adjacency != dp.AddRemove {
		t.Error(best, ok)
	}
	for _, r := range a.Rows(0) { // every number says where it comes from
		if r.Refused == "" && (r.Sets == 0 || math.IsNaN(r.Expected) != (r.ExpectedHow == "")) {
			t.Errorf("%s: %d data sets, predicted %v by %q", r.Mechanism, r.Sets, r.Expected, r.ExpectedHow)
		}
	}
}
