package budget_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A picture of a budget has a bar for each charge and one for what is left; limits under which charges do not add up
// have none.
func TestFigure(t *testing.T) {
	b := must.Get(budget.New("votes", budget.Unit{Name: "member", Rows: 1}, dp.PureDP(1)))(t)
	for i, eps := range []float64{.25, .5} {
		must.Do(t, b.Charge("votes", budget.Charge{ID: strings.Repeat("a", i+1), What: "a release",
			Level:     dp.PureDP(eps).Parameters,
			Adjacency: dp.ReplaceOne, Unit: b.Unit(), State: budget.Adaptive}))
	}
	f := must.Get(b.Figure())(t)
	if len(f.Series) != 2 || f.Series[0].Y[1] != .5 || f.Series[1].Y[0] != .25 ||
		f.Title != "2 releases used 0.75 of ε = 1" {
		t.Errorf("%+v", f)
	}
	wide := must.Get(budget.New("votes", budget.Unit{Name: "member", Rows: 1}, dp.ApproxDP(1, 1e-6)))(t)
	var bad *dp.ParameterError
	if _, err := wide.Figure(); !errors.As(err, &bad) {
		t.Error(err)
	}
}
