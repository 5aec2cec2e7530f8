package networks

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// PaperDraws is the number of samples of [PaperSampler] unless said otherwise: the paper draws many and does not say
// how many.
const PaperDraws = 50

// PaperPoint is the paper's sampler at one nominal ε.
type PaperPoint struct {
	Nominal  float64     // the ε of the paper
	Trim     float64     // ω = e^{−ε/2}
	OneDraw  float64     // the true ε of one draw
	Epsilon  float64     // the true ε of all draws
	Accuracy eval.Spread // of the mean of all draws
}

// PaperSamplerResult is the outcome of PaperSampler. The data are simulated, so nothing of it is private.
type PaperSamplerResult struct {
	Draws      int
	Points     []PaperPoint
	NonPrivate float64
	Table      *table.Table
}

// nominal asks a mechanism for the paper's own mode at every ε of a comparison.
type nominal struct{ mechanism.Mechanism }

// Plan is the plan of AsPublished(ε).
func (m nominal) Plan(ctx context.Context, sh *model.Shape, t dp.Request) (*mechanism.Plan, error) {
	return m.Mechanism.Plan(ctx, sh, dp.AsPublished(float64(t.Epsilon)))
}

// PaperSampler runs the posterior sampler of the network paper as it stands: conditionals in [ω, 1 − ω], ω = e^{−ε/2},
// and the mean of many draws, on the experiment of [Classify]. Every point tells what it really spends. Zero values of
// c take the paper's settings, with the nominal ε [2, 3, 5, 10]. Errors: *mechanism.UnmetTarget for a nominal ε up to 2
// ln 2, whose box is empty, of planning, and the context's.
func PaperSampler(ctx context.Context, c Classification, draws int) (*PaperSamplerResult, error) {
	if len(c.Epsilons) == 0 {
		c.Epsilons = []float64{2, 3, 5, 10}
	}
	c = c.withDefaults()
	net, err := ClassifierNet(c.Features, c.Hard, c.Seed)
	if err != nil {
		return nil, err
	}
	f, err := Records(net, c.Examples, c.Seed+1)
	if err != nil {
		return nil, err
	}
	d, err := eval.Compare(ctx, f, model.NaiveBayes("y"), eval.CompareOptions{
		Mechanisms: []mechanism.Mechanism{nominal{posteriorsample.New(draws)}}, Epsilons: c.Epsilons,
		Train: c.Train, Splits: c.Splits, Repeats: 1, Seed: c.Seed, Progress: c.Progress,
	})
	if err != nil {
		return nil, err
	}
	out := &PaperSamplerResult{Draws: draws, NonPrivate: d.NonPrivate.Mean}
	out.Table = table.New(fmt.Sprintf("The paper's sampler, mean of %d draws", draws), "ε of the paper", "ω",
		"true ε of one draw", "true ε of all draws", "accuracy")
	for i, o := range d.Outcomes {
		p := PaperPoint{Nominal: c.Epsilons[i], Trim: math.Exp(-c.Epsilons[i] / 2),
			Epsilon: float64(o.Certified.Epsilon), OneDraw: float64(o.Certified.Epsilon) / float64(draws),
			Accuracy: o.Score}
		out.Points = append(out.Points, p)
		out.Table.Add(p.Nominal, p.Trim, p.OneDraw, p.Epsilon,
			fmt.Sprintf("%.3f ± %.3f", o.Score.Mean, o.Score.OverSplits))
	}
	out.Table.Note(fmt.Sprintf("Naive Bayes, %d features, %d records for training, replace-one; non-private %.3f.",
		c.Features, d.N, out.NonPrivate))
	return out, nil
}
