package budget_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Names of data sets and releases are refused where they come in.
func TestTextsAreRefused(t *testing.T) {
	for _, bad := range []string{"", "a\nb", "a\rb", "a\x1b[2K", "a\u202eb", "a\u200bb", " a", "a\u00a0b", "\xff"} {
		var p *dp.ParameterError
		if _, err := budget.New(bad, budget.Unit{}, dp.PureDP(1)); !errors.As(err, &p) || p.Parameter != "data set" {
			t.Errorf("data set %q: %v", bad, err)
		}
		if _, err := budget.New("d", budget.Unit{}, dp.PureDP(1).Under(dp.UnderMetric(bad))); !errors.As(err, &p) {
			t.Errorf("budget under metric %q: %v", bad, err)
		}
		b := must.Get(budget.New("d", budget.Unit{}, dp.PureDP(1)))(t)
		tenth := dp.PureDP(.1).Parameters
		if err := b.Charge("d", budget.Charge{ID: bad, Level: tenth}); !errors.As(err, &p) ||
			p.Parameter != "id of a charge" {
			t.Errorf("id %q: %v", bad, err)
		}
		err := b.Charge("d", budget.Charge{ID: "1", What: "x\n" + bad, Level: tenth})
		if !errors.As(err, &p) || len(b.Charges()) != 0 {
			t.Errorf("what %q: %v", bad, err)
		}
	}
	b, err := budget.New(`x": 9-DP, "y`, budget.Unit{}, dp.PureDP(1))
	if err != nil || !strings.HasPrefix(b.String(), `Budget of "x\u0022: 9-DP, \u0022y": ε = 1`) {
		t.Error(b, err)
	}
	if err := b.Charge(b.Dataset(), budget.Charge{ID: "1", What: "g\u0435ometric noise, доход",
		Level: dp.PureDP(.1).Parameters}); err != nil ||
		!strings.Contains(b.String(), `g\u0435ometric noise, доход`) {
		t.Error(b, err)
	}
	if err := b.Charge("other", budget.Charge{ID: "1", Level: dp.PureDP(.1).Parameters}); err == nil ||
		strings.Contains(err.Error(), `x":`) {
		t.Error(err)
	}
}
