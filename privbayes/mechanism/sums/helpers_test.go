package sums

import (
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func schema(rows int) *frame.Schema {
	bonus, rating := frame.Real("bonus", 0, 50), frame.Integer("rating", 0, 1)
	bonus.Missing, bonus.OnMissing = []string{""}, frame.MissingOmitted
	rating.Missing, rating.OnMissing = []string{""}, frame.MissingAsCategory
	return &frame.Schema{Dataset: "test", RowsPerUnit: rows, Columns: []frame.Column{
		frame.Integer("age", 18, 90), frame.Real("wage", 0, 100), frame.Categorical("job", "a", "b", "c"),
		frame.Integer("visits", 0, 20), frame.Integer("odd", 0, 7), bonus, rating}}
}

func shapeOf(t testing.TB, m model.Model, n, rows int) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(schema(rows), m, n, true, ""))(t)
}

// every model that the mechanism releases.
var models = []model.Model{
	model.Mean("age"), model.Mean("wage"), model.Mean("odd"), model.MeanSD("age"), model.MeanSD("odd"),
	model.MeanSD("wage"), model.Means("age", "wage"), model.GroupMeans("wage", "job"), model.GroupMeans("odd", "job"),
	model.Mean("bonus"), model.Mean("rating"), model.GroupMeans("bonus", "job"), model.Poisson("visits"),
	model.Exponential("wage").WithRange(.01, 1),
	model.LaplaceScale("wage", 40).WithRange(.01, 1), model.NormalPrecision("wage", 40).WithRange(.001, .1),
}

var adjacencies = []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue}

func plan(t testing.TB, m mechanism.Mechanism, sh *model.Shape, target dp.Request) *mechanism.Plan {
	t.Helper()
	return must.Get(m.Plan(t.Context(), sh, target))(t)
}

// released draws from simulated data, and estimates.
func released(t testing.TB, p *mechanism.Plan, sh *model.Shape, seed uint64) (*model.Statistics, model.Estimate) {
	t.Helper()
	st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(seed)))(t)
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(seed+1)))(t)
	return st, must.Get(p.Estimate(t.Context(), d))(t)
}
