package mechanism_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Of rows that are spread evenly, the intervals of draws are as wide as the plan predicts: the mean half-width of the
// number that is predicted, over 40 draws, to a tenth; of quantiles, whose ends are those of leaves, to a quarter.
// Half of it is not.
func TestPredictedIntervalsAreThoseOfDraws(t *testing.T) {
	const n, draws = 2000, 40
	s := &frame.Schema{Dataset: "even", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "1", "2", "3", "4", "5"), frame.Real("v", 0, 100), frame.Real("w", -1, 1),
		frame.Real("z", 0, 1.25, 2.5, 3.75, 5, 6.25, 7.5, 8.75, 10)}}
	numbers, words := map[string][]float64{}, map[string][]string{}
	for i := range n { // independent of each other: one runs faster than the other
		even := float64(i/10) / (n / 10)
		numbers["v"], numbers["w"] = append(numbers["v"], 100*even), append(numbers["w"], 2*even-1)
		numbers["z"] = append(numbers["z"], 10*even)
		words["a"], words["b"] = append(words["a"], []string{"x", "y"}[i%2]),
			append(words["b"], fmt.Sprint(1+i/2%5))
	}
	f := must.Get(frame.FromColumns(s, map[string]any{"a": words["a"], "b": words["b"], "v": numbers["v"],
		"w": numbers["w"], "z": numbers["z"]}))(t)
	pure, zcdp := dp.PureDP(.5), dp.ZCDP(.05)
	for _, c := range []struct {
		model  model.Model
		by     mechanism.Mechanism
		target dp.Request
		at     int // of the interval that is predicted
		unit   float64
		near   float64
	}{
		{model.Categorical("b"), counts.Geometric(), pure, 0, 1, .1},
		{model.Categorical("b"), counts.DiscreteGaussian(), zcdp, 0, 1, .1},
		{model.Categorical("b"), counts.KNorm(), pure, 0, 1, .1},
		{model.Categorical("a"), counts.Geometric(), pure, 0, 1, .1},
		{model.Categorical("b"), counts.Geometric(), pure.Under(dp.AddRemove), 0, 1, .1},
		{model.ContingencyTable("a", "b"), counts.Geometric(), pure, 0, 1, .1},
		{model.NaiveBayes("a", "b"), counts.Geometric(), pure, 2, 1, .1},
		{model.CDF("z"), counts.Geometric(), pure, 3, 1, .1},
		{model.Mean("v"), sums.New(), pure, 0, 1, .1},
		{model.Mean("v"), sums.New(), zcdp, 0, 1, .1},
		{model.Mean("v"), sums.New(), pure.Under(dp.AddRemove), 0, 1, .1},
		{model.MeanSD("v"), sums.New(), pure, 0, 1, .1},
		{model.Means("v", "w"), sums.New(), pure, 0, 1, .1},
		{model.Means("v", "w"), sums.New(), zcdp, 0, 1, .1},
		{model.Means("v", "w"), sums.New(), pure.Under(dp.AddRemove), 0, 1, .1},
		{model.GroupMeans("v", "b"), sums.New(), pure, 0, 1, .1},
		{model.Quantiles("v", .5), quantiles.Histogram(), pure, 0, 100, .25},
		{model.Quantiles("v", .5), quantiles.Histogram(), zcdp, 0, 100, .2},
	} {
		sh := must.Get(model.NewShape(s, c.model, n, c.target.Adjacency.PublicN(), "adjacency"))(t)
		if !c.target.Adjacency.PublicN() { // at the declared size
			sh = must.Get(model.NewShape(&frame.Schema{Dataset: "even", Columns: s.Columns, ApproximateRows: n}, c.model, n,
				false, "adjacency"))(t)
		}
		p := must.Get(c.by.Plan(t.Context(), sh, c.target))(t)
		found, ok, err := p.Predicted(t.Context(), .95)
		if err != nil || !ok {
			t.Errorf("%s of %s: %v, %v", p.Title(), c.model, ok, err)
			continue
		}
		st, rows, population := must.Get(model.Count(sh, f))(t), 0., 0.
		for seed := range uint64(draws) {
			d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(seed)))(t)
			list, _, _, err := p.Intervals(t.Context(), d, .95)
			if err != nil {
				t.Fatal(err)
			}
			i := list[c.at]
			rows += (i.Rows.Upper - i.Rows.Lower) / 2 / draws / c.unit
			population += (i.Population.Upper - i.Population.Lower) / 2 / draws / c.unit
		}
		off := math.Max(math.Abs(found.Rows/rows-1), math.Abs(found.Population/population-1))
		if off > c.near || math.Abs(found.Rows/2/rows-1) <= c.near {
			t.Errorf("%s of %s, %v: rows ±%.4g, predicted %.4g; population ±%.4g, predicted %.4g", p.Title(), c.model,
				c.target, rows, found.Rows, population, found.Population)
		}
	}
}
