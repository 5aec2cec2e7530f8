package keep_test

import (
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
)

// Charges record the design where their rows are those of the sample, and none where others were added, or where some
// were chosen and their number is public.
func TestChargesRecordTheDesign(t *testing.T) {
	s := &frame.Schema{Dataset: "d", Population: 90, Columns: []frame.Column{frame.Categorical("a", "x", "y")},
		Design: &frame.Design{Method: frame.SimpleRandom, Rate: "0.5", Secret: true}}
	const name, sized = "srs, rate 1/2, of 90", "srs, 8 rows, rate 1/2, of 90"
	undesigned := s.Clone()
	undesigned.Design, undesigned.Population = nil, 0
	known := frame.RowStep{Name: "Head", Count: 2}
	for _, c := range []struct {
		s     *frame.Schema
		adj   dp.Adjacency
		steps []frame.RowStep
		want  string
	}{
		{s, dp.ReplaceOne, nil, sized}, {s, dp.AddRemove, nil, name}, {undesigned, dp.AddRemove, nil, ""},
		{s, dp.AddRemove, []frame.RowStep{known}, name}, {s, dp.ReplaceOne, []frame.RowStep{known}, ""},
		{s, dp.AddRemove, []frame.RowStep{{}}, ""}, {s, dp.AddRemove, []frame.RowStep{{Name: "Append"}}, ""},
	} {
		sh := must.Get(model.NewShape(c.s, model.Categorical("a"), 8, c.adj == dp.ReplaceOne, "add-remove adjacency"))(t)
		g := dp.Guarantee{Parameters: dp.PureDP(1).Parameters, Adjacency: c.adj}
		if got := must.Get(keep.ChargeOf("a", g, budget.Adaptive, sh.OfRows(c.steps...)))(t); got.Design != c.want {
			t.Errorf("%v %v: %q, want %q", c.adj, c.steps, got.Design, c.want)
		}
	}
}
