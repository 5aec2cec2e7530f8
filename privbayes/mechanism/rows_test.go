package mechanism_test

import (
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Every mechanism refuses rows that were chosen by a number that the adjacency hides, and values of rows that were
// chosen by their values; where a unit goes by its own hash it does not.
func TestRowsThatDoNotGoWithAnAdjacency(t *testing.T) {
	plain := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y", "z")}}
	keyed := plain.Clone()
	keyed.UnitKey = "id"
	refusals := 0
	for _, c := range []struct {
		schema *frame.Schema
		adj    dp.Adjacency
		rows   []string
		refuse bool
	}{
		{plain, dp.AddRemove, []string{"Split(0.7, 1), train"}, true},
		{plain, dp.AddRemove, []string{"Head(20)", "WithoutN"}, true},
		{keyed, dp.AddRemove, []string{"Holdout(3, 1), test"}, true},
		{keyed, dp.ReplaceValue, nil, true},
		{plain, dp.ReplaceValue, []string{"Split(0.7, 1), train"}, false},
		{plain, dp.ReplaceOne, []string{"Split(0.7, 1), train"}, false},
		{keyed, dp.ReplaceOne, []string{"Split(0.7, 1), train"}, false},
		{keyed, dp.AddRemove, []string{"WithoutN", "Split(0.7, 1) by hash, train"}, false},
	} {
		public := c.adj.PublicN()
		sh, err := model.NewShape(c.schema, model.NaiveBayes("a"), 20, public, "WithoutN")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mechanisms() {
			if !c.refuse && m.Title() != counts.Geometric().Title() {
				continue
			}
			var rows *mechanism.RowsError
			_, err := m.Plan(t.Context(), sh.OfRows(c.rows...), dp.ApproxDP(1, 1e-6).Under(c.adj))
			if refused := errors.As(err, &rows); refused != c.refuse || !c.refuse && err != nil {
				t.Errorf("%s, %s, %q: %v", m.Title(), c.adj, c.rows, err)
			}
			if e, ok := m.(mechanism.Expecter); ok && c.refuse {
				if _, err := e.Expect(t.Context(), sh.OfRows(c.rows...), dp.PureDP(1).Under(c.adj)); !errors.As(err, &rows) {
					t.Errorf("%s predicts: %v", m.Title(), err)
				}
			}
			if c.refuse {
				refusals++
			}
		}
	}
	if refusals < 80 {
		t.Errorf("only %d refusals", refusals)
	}
}
