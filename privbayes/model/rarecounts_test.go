package model_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Of 100 rows with 5 counts of 1 the likeliest log-rate is near log .05, however large the bound of the counts is. The
// prior N(0, 5²) moves it to the root of 5 − 100·e^t − t/25.
func TestRareCountsUnderWideBounds(t *testing.T) {
	counts, want := make([]float64, 100), math.Log(.05)
	for i := range 5 {
		counts[i] = 1
	}
	for range 20 {
		want += (5 - 100*math.Exp(want) - want/25) / (100*math.Exp(want) + 1./25)
	}
	for _, most := range []float64{2, 1 << 20} {
		s := &frame.Schema{Dataset: "visits", Columns: []frame.Column{frame.Integer("visits", 0, most)}}
		f := must.Get(frame.FromColumns(s, map[string]any{"visits": counts}))(t)
		sh := must.Get(model.NewShape(s, model.PoissonRegression("visits ~ 1"), 100, true, ""))(t)
		fit := must.Get(model.FitPrivately(access.Mine(), must.Get(model.Count(sh, f))(t)))(t)
		if got := must.Get(fit.CoefficientDraws())(t).Values[0][0]; math.Abs(got-want) > .01 {
			t.Errorf("counts up to %v: the log-rate is %v, want %v", most, got, want)
		}
	}
}
