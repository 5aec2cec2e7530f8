package weighted

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Of values that are spread evenly, whatever the weights, which vary by half of their mean, the intervals of draws are
// as wide as predicted: the mean of 40 half-widths to a tenth; half of it is not. A guess is used.
func TestPredictedIntervalsOfWeightedRows(t *testing.T) {
	const n, draws, mean = 4000, 40, 10.
	src := rand.New(rand.NewPCG(7, 8))
	columns := map[string][]string{}
	numbers := map[string][]float64{}
	for i := range n {
		w := mean * (1 + math.Sqrt(.75)*(2*src.Float64()-1))
		numbers["w"] = append(numbers["w"], math.Round(4*w)/4)
		columns["region"] = append(columns["region"], fmt.Sprint(i%4))
		numbers["v"] = append(numbers["v"], 100*src.Float64())
		numbers["low"] = append(numbers["low"], 100*math.Pow(src.Float64(), 4)) // mean 20, standard deviation 26.67
	}
	s := must.Get(frame.ParseSchema(fmt.Appendf(nil, `{"dataset": "even", "population": %d, "about_rows": %d,
		"weight": {"column": "w", "min": "1", "max": "20", "step": "0.25", "computed": "design"}, "columns": [
		{"name": "region", "kind": "categorical", "categories": ["0", "1", "2", "3"]},
		{"name": "v", "kind": "real", "min": 0, "max": 100}, {"name": "low", "kind": "real", "min": 0, "max": 100}]}`,
		int(n*mean), n)))(t)
	f := must.Get(frame.FromColumns(s, map[string]any{"region": columns["region"], "v": numbers["v"],
		"low": numbers["low"], "w": numbers["w"]}))(t)
	for _, c := range []struct {
		model model.Model
		guess *mechanism.Guess
		unit  float64
		near  float64
	}{
		{model.ContingencyTable("region"), nil, 1, .1}, {model.Mean("v"), nil, 1, .1},
		{model.GroupMeans("v", "region"), nil, 1, .1}, {model.Total("v"), nil, 1, .1},
		{model.Total("v", "region"), nil, 1, .1}, {model.Mean("low"), &mechanism.Guess{Value: 20, SD: 26.67}, 1, .1},
		{model.Quantiles("v", .25, .5).WithResolution(31), nil, 100, .25},
	} {
		for _, target := range []dp.Request{dp.PureDP(1), dp.PureDP(.5).Under(dp.AddRemove), dp.ZCDP(.1)} {
			sh := must.Get(model.NewShape(s, c.model, n, true, ""))(t)
			p := must.Get(New().Plan(t.Context(), sh, target))(t)
			found, ok, err := p.Predicted(t.Context(), .95, c.guess)
			if err != nil || !ok {
				t.Errorf("%s: %v, %v", sh.Model(), ok, err)
				continue
			}
			st, width := must.Get(model.Count(sh, f))(t), 0.
			for seed := range uint64(draws) {
				d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(seed)))(t)
				list, _, _, err := p.Intervals(t.Context(), d, .95)
				if err != nil {
					t.Fatal(err)
				}
				i := list[len(list)-1].Population
				width += (i.Upper - i.Lower) / 2 / draws / c.unit
			}
			if off := math.Abs(found.Population/width - 1); off > c.near || math.Abs(found.Population/2/width-1) <= c.near ||
				found.Rows >= found.Population || found.Sampling >= found.Population {
				t.Errorf("%s, %v: ±%.4g, predicted %+v", sh.Model(), target, width, found)
			}
		}
	}
	// without a population, and where no interval is shown, nothing is predicted
	for _, change := range []func(s *frame.Schema){func(s *frame.Schema) { s.Population = 0 },
		func(s *frame.Schema) { s.Weight.Computed = frame.FromRespondents }} {
		o := s.Clone()
		change(o)
		p := must.Get(New().Plan(t.Context(), must.Get(model.NewShape(o, model.Mean("v"), n, true, ""))(t), dp.PureDP(1)))(t)
		if found, ok, err := p.Predicted(t.Context(), .95, nil); ok || err != nil {
			t.Error(found, err)
		}
	}
}
