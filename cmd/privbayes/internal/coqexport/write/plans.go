package main

import (
	"context"
	"fmt"
	"math/big"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/coqexport"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// planner is a mechanism before it is calibrated.
type planner interface {
	Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*mechanism.Plan, error)
}

// law is a plan of a small shape, at an ε that is p/q.
type law struct {
	name, says string
	planner    planner
	alpha      []float64
	n          int
	p, q       int
	flips      bool // by coins, not by weights
}

var smallPlans = []law{
	{"Hellinger", "the Hellinger mechanism, DL(7,4,5), n = 6, epsilon = 1",
		hellinger.New(), []float64{7, 4, 5}, 6, 1, 1, false},
	{"HellingerHalf", "the Hellinger mechanism, DL(1/2,1/2,1/2), n = 5, epsilon = 1/2",
		hellinger.New(), []float64{.5, .5, .5}, 5, 1, 2, false},
	{"HellingerGlobal", "the Hellinger mechanism with its global sensitivity, DL(1,1,1,1), n = 3, epsilon = 2",
		hellinger.New().Global(), []float64{1, 1, 1, 1}, 3, 2, 1, false},
	{"Map", "MAP on the grid of eighths, DL(1,1,1), n = 5, epsilon = 1",
		gridmap.New().WithGrid(8, 1), []float64{1, 1, 1}, 5, 1, 1, false},
	{"Flip", "permute-and-flip, DL(1,2,1), n = 5, epsilon = 1",
		hellinger.New().PermuteAndFlip(), []float64{1, 2, 1}, 5, 1, 1, true},
	{"FlipTwo", "permute-and-flip, DL(7,4), n = 12, epsilon = 1/2",
		hellinger.New().PermuteAndFlip(), []float64{7, 4}, 12, 1, 2, true},
}

// largePlans have laws that are too large for the proof assistant itself; the extracted checker takes them.
var largePlans = []law{
	{"HellingerLarge", "", hellinger.New(), []float64{7, 4, 5}, 14, 1, 1, false},
	{"MapLarge", "", gridmap.New().WithGrid(8, 1), []float64{1, 1, 1}, 43, 1, 1, false},
}

// laws writes the integers that calibrated plans of small shapes draw from, for every data set.
func laws(ctx context.Context) ([]file, error) {
	var out []file
	for _, l := range smallPlans {
		f, err := l.file(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		out = append(out, f)
	}
	for _, l := range largePlans {
		numbers, err := l.law(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		out = append(out, file{"Law" + l.name + compressed, numbers.Plain()})
	}
	return out, nil
}

// law asks the calibrated plan for its numbers.
func (l law) law(ctx context.Context) (*coqexport.Law, error) {
	d := len(l.alpha)
	levels := make([]string, d)
	for i := range levels {
		levels[i] = fmt.Sprint(i)
	}
	schema := &frame.Schema{Dataset: "small", Columns: []frame.Column{frame.Categorical("x", levels...)}}
	shape, err := model.NewShape(schema, model.Categorical("x").WithPrior(l.alpha...), l.n, true, "")
	if err != nil {
		return nil, err
	}
	plan, err := l.planner.Plan(ctx, shape, dp.PureDP(float64(l.p)/float64(l.q)))
	if err != nil {
		return nil, err
	}
	return coqexport.NewLaw(plan, d, l.n, big.NewRat(int64(l.p), int64(l.q)), l.flips)
}

func (l law) file(ctx context.Context) (file, error) {
	numbers, err := l.law(ctx)
	if err != nil {
		return file{}, err
	}
	what := "weights that a calibrated plan draws from,"
	if l.flips {
		what = fmt.Sprintf("coins of a calibrated plan, in units of 1/%d,", numbers.Unit)
	}
	return file{"Law" + l.name + ".v", fmt.Sprintf(`%sThe %s for every data set:
   %s. *)
From Coq Require Import ZArith List.
From PrivBayes Require Import %s.
Import ListNotations.
Open Scope Z_scope.

%s`, written, what, l.says, numbers.Requires(), numbers.Text())}, nil
}

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
		target    dp.Request
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
		folder, err := coqexport.Plan(ctx, plan)
		if err != nil {
			return nil, err
		}
		out = append(out, file{"Plan" + p.name + ".v", folder.Text()})
	}
	return out, nil
}
