package structure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A repetition measures the tables that were measured, and no others. Over 300 of them a count has the variance of
// sampling n records and of the noise of its table: a repetition without either is far from that. The rows of a unit
// may all be alike: of units of three, sampling has three times the variance.
func TestRepetitionsHaveSamplingAndNoise(t *testing.T) {
	repetitions(t, 1)
	repetitions(t, 3)
}

func repetitions(t *testing.T, rows int) {
	const n, repeats = 400, 300
	states := []string{"a", "b"}
	dag := must.Get(bayesnet.NewDAG([]bayesnet.Node{{Name: "x", States: states},
		{Name: "y", States: states, Parents: []string{"x"}}}))(t)
	net := must.Get(bayesnet.NewNet(dag, [][]float64{{.5, .5}, {.7, .3, .3, .7}}))(t)
	schema := model.SchemaOf("t", dag)
	schema.RowsPerUnit = rows
	sh := must.Get(model.NewShape(schema, model.MaxEntropy().Star("x"), n, true, ""))(t)
	plan := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(1.4*float64(rows))))(t)
	st := must.Get(model.Count(sh, must.Get(model.Simulate("t", net, n, dp.Seeded(1)))(t)))(t)
	d := must.Get(plan.Draw(t.Context(), st, "id", dp.Seeded(2)))(t)
	e := must.Get(plan.Estimate(t.Context(), d))(t)
	fitted := must.Get(model.Fit(sh, e))(t)
	first := e.Structure.Measured
	sum, squares := make([]float64, len(first)), make([]float64, len(first))
	for i := range uint64(repeats) {
		again := must.Get(plan.Bootstrap(t.Context(), d, fitted, n, e.Potentials, rand.NewPCG(i, 3)))(t)
		if len(again.Structure.Measured) != len(first) {
			t.Fatal("other tables were measured")
		}
		for k, m := range again.Structure.Measured {
			if !slices.Equal(m.Columns, first[k].Columns) || m.Noise != first[k].Noise {
				t.Fatal("other tables were measured")
			}
			y := float64(m.Counts[0])
			sum[k], squares[k] = sum[k]+y, squares[k]+y*y
		}
	}
	for k, m := range first {
		mean := sum[k] / repeats
		found := (squares[k] - repeats*mean*mean) / (repeats - 1)
		p := math.Min(1, math.Max(mean/n, 0))
		sampling, noise := float64(rows)*n*p*(1-p), m.Noise.Variance()
		off := func(want float64) float64 { // in standard errors, with the largest excess kurtosis, 3
			return math.Abs(found-want) / (want * math.Sqrt(5./repeats))
		}
		if off(sampling+noise) > 6 {
			t.Errorf("%v: a variance of %.1f, want %.1f + %.1f", m.Columns, found, sampling, noise)
		}
		if len(m.Columns) == 1 && m.Columns[0] == "x" && rows == 1 && (off(sampling) < 6 || off(noise) < 3) {
			t.Errorf("%v: %.1f does not tell %.1f and %.1f apart", m.Columns, found, sampling, noise)
		}
		if rows > 1 && off(sampling/float64(rows)+noise) < 6 {
			t.Errorf("%v: %.1f is that of rows that differ", m.Columns, found)
		}
	}
}
