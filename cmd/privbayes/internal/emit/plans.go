package main

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/prove"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// plans writes what the command prove writes of some plans: noise on counts, also for units of several rows that are
// added or removed, K-norm noise, noise on parities, and a posterior too large for its law.
func plans(ctx context.Context) ([]file, error) {
	_, votes := data.Votes()
	r, err := data.Network("asia")
	if err != nil {
		return nil, err
	}
	asia, _, err := bayesnet.ReadBIF(r)
	if err != nil {
		return nil, err
	}
	visits := &frame.Schema{Dataset: "visits", Unit: "person", RowsPerUnit: 3, Columns: []frame.Column{
		frame.Categorical("day", "mon", "tue", "wed", "thu", "fri"), frame.Categorical("late", "no", "yes")}}
	grades := &frame.Schema{Dataset: "grades", Columns: []frame.Column{frame.Categorical("grade", "a", "b", "c", "d")}}
	var out []file
	for _, p := range []struct {
		name      string
		schema    *frame.Schema
		model     model.Model
		n         int
		mechanism planner
		target    dp.Target
	}{
		{"Counts", votes, model.NaiveBayes("Class"), 435, counts.Geometric(), dp.PureDP(1)},
		{"Visits", visits, model.NaiveBayes("late"), 0, counts.Geometric(), dp.PureDP(0.5).Under(dp.AddRemove)},
		{"KNorm", votes, model.NaiveBayes("Class"), 435, counts.KNorm(), dp.PureDP(1)},
		{"Parities", model.SchemaOf("asia", asia), model.NetworkOf(asia.Node(0).Name, asia), 500, counts.Fourier(),
			dp.PureDP(1)},
		{"Posterior", grades, model.Categorical("grade"), 200, hellinger.New(), dp.PureDP(0.3)},
	} {
		shape, err := model.NewShape(p.schema, p.model, p.n, p.n > 0, "")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		plan, err := p.mechanism.Plan(ctx, shape, p.target)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		folder, err := prove.Plan(ctx, plan)
		if err != nil {
			return nil, err
		}
		out = append(out, file{"Plan" + p.name + ".v", folder.Text()})
	}
	return out, nil
}
