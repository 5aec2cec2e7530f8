package mechanism_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
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
		found, ok, err := p.Predicted(t.Context(), .95, nil)
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

// At a right guess the intervals of the population are predicted as they are drawn, for every kind of sums and for
// shares; without one they are not. Values are Beta(½, 1)'s quantiles on [0, 100], of mean 100/3 and standard deviation
// 29.8, and nine of ten rows are in one cell.
func TestPredictedAtAGuess(t *testing.T) {
	const n, draws = 20000, 8
	s := &frame.Schema{Dataset: "skewed", Columns: []frame.Column{frame.Categorical("a", "x", "y", "z"),
		frame.Categorical("b", "1", "2"), frame.Real("v", 0, 100), frame.Real("w", -100, 300)}}
	numbers, words := map[string][]float64{}, map[string][]string{}
	for i := range n {
		at := (float64(i/2) + .5) / (n / 2)
		numbers["v"], words["b"] = append(numbers["v"], 100*at*at), append(words["b"], fmt.Sprint(1+i%2))
		numbers["w"] = append(numbers["w"], 100*at*at)
		words["a"] = append(words["a"], []string{"x", "x", "x", "x", "x", "x", "x", "x", "x", "y"}[i*7%10])
	}
	f := must.Get(frame.FromColumns(s, map[string]any{"a": words["a"], "b": words["b"], "v": numbers["v"],
		"w": numbers["w"]}))(t)
	pure, zcdp := dp.PureDP(1), dp.ZCDP(.1)
	values, share := &mechanism.Guess{Value: 100. / 3, SD: 100 * math.Sqrt(4./45)}, &mechanism.Guess{Value: .9}
	for _, c := range []struct {
		model  model.Model
		target dp.Request
		guess  *mechanism.Guess
	}{
		{model.Mean("w"), pure, values}, {model.Mean("w"), zcdp, values}, {model.MeanSD("w"), pure, values},
		{model.Mean("w"), pure.Under(dp.AddRemove), values}, {model.GroupMeans("w", "b"), pure, values},
		{model.Categorical("a"), pure, share}, {model.Categorical("a"), zcdp, share},
	} {
		sh := must.Get(model.NewShape(&frame.Schema{Dataset: "skewed", Columns: s.Columns, ApproximateRows: n}, c.model, n,
			c.target.Adjacency.PublicN(), "adjacency"))(t)
		var by mechanism.Mechanism = sums.New()
		if c.guess == share {
			by = counts.Geometric()
		}
		p := must.Get(by.Plan(t.Context(), sh, c.target))(t)
		found, _ := must.Get2(p.Predicted(t.Context(), .95, c.guess))(t)
		even, _ := must.Get2(p.Predicted(t.Context(), .95, nil))(t)
		st, population := must.Get(model.Count(sh, f))(t), 0.
		for seed := range uint64(draws) {
			list, _, _, err := p.Intervals(t.Context(), must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(seed)))(t), .95)
			if err != nil {
				t.Fatal(err)
			}
			population += (list[0].Population.Upper - list[0].Population.Lower) / 2 / draws
		}
		if math.Abs(found.Population/population-1) > .1 || math.Abs(even.Population/population-1) < .15 ||
			!(found.Sampling < found.Population) {
			t.Errorf("%s of %s, %v: ±%.4g, at the guess %.4g (sampling %.4g), without %.4g", p.Title(), c.model, c.target,
				population, found.Population, found.Sampling, even.Population)
		}
	}
}

// Where one cell is guessed to be small, what is predicted is of the widest of the others: of a table with a guess of
// .001 for one of four cells, that of a cell with .333.
func TestPredictedIsOfTheWidestCell(t *testing.T) {
	const n = 2000
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("a", "w", "x", "y", "z")}}
	sh := must.Get(model.NewShape(s, model.Categorical("a"), n, true, ""))(t)
	p := must.Get(counts.Geometric().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	for guess, widest := range map[float64]float64{.001: .333, .333: .333, .25: .25, .6: .6, .99: .99} {
		found, _ := must.Get2(p.Predicted(t.Context(), .95, &mechanism.Guess{Value: guess}))(t)
		want := 1.959964 * math.Sqrt(widest*(1-widest)/n)
		if math.Abs(found.Sampling/want-1) > 1e-6 || found.Population < want {
			t.Errorf("at %v: ±%v, of sampling %v; want %v", guess, found.Population, found.Sampling, want)
		}
	}
}

// A guess that no rows could have, or that nothing is predicted at, is an argument error that says what is wanted.
func TestBadGuesses(t *testing.T) {
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("a", "x", "y"), frame.Real("v", 0, 100),
		frame.Real("w", 0, 1), frame.Real("z", 0, 1, 2, 3)}}
	for _, c := range []struct {
		model model.Model
		by    mechanism.Mechanism
		guess mechanism.Guess
		want  string
	}{
		{model.Mean("v"), sums.New(), mechanism.Guess{Value: 100}, "between the bounds 0 and 100"},
		{model.Mean("v"), sums.New(), mechanism.Guess{Value: -1}, "between the bounds"},
		{model.Mean("v"), sums.New(), mechanism.Guess{Value: math.NaN()}, "between the bounds"},
		{model.Mean("v"), sums.New(), mechanism.Guess{Value: 10, SD: 31}, "from 0 to 30"},
		{model.Mean("v"), sums.New(), mechanism.Guess{Value: 10, SD: -1}, "from 0 to 30"},
		{model.Categorical("a"), counts.Geometric(), mechanism.Guess{Value: 1}, "above 0 and below 1"},
		{model.Categorical("a"), counts.Geometric(), mechanism.Guess{Value: .5, SD: .1}, "follows from it"},
		{model.Means("v", "w"), sums.New(), mechanism.Guess{Value: .5}, "one column's mean"},
		{model.CDF("z"), counts.Geometric(), mechanism.Guess{Value: .5}, "none for a CDF"},
	} {
		sh := must.Get(model.NewShape(s, c.model, 1000, true, ""))(t)
		p := must.Get(c.by.Plan(t.Context(), sh, dp.PureDP(1)))(t)
		_, ok, err := p.Predicted(t.Context(), .95, &c.guess)
		if !errors.As(err, new(*dp.ParameterError)) || ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s at %+v: %v, want %q", c.model, c.guess, err, c.want)
		}
	}
	for text, want := range map[string]mechanism.Guess{"3": {Value: 3}, "[3, 2]": {Value: 3, SD: 2}, "[3]": {},
		"[3, 0]": {}, `"3"`: {}, "[1, 2, 3]": {}, "{}": {}} {
		var g mechanism.Guess
		if err := json.Unmarshal([]byte(text), &g); g != want || (err == nil) != (want.Value > 0) {
			t.Errorf("%s: %+v, %v", text, g, err)
		}
	}
}
