package counts

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Laplace adds Laplace noise of scale b = Δ₁/ε to every count, cut to [0, n], as in the notes and in most textbooks: Δ₁
// = 2 for one table under replace-one, also for two cells, where one noisy count would do ([Geometric] measures one).
// The noise is drawn on the lattice of 1/65536 of a record: two-sided geometric at rate γ/65536 per step, whose law is
// that of rounded Laplace noise, so the arithmetic is exact where floating-point Laplace noise leaks through its gaps
// (Mironov 2012). AsPublished(ε) asks for the same noise as PureDP(ε): here the paper's formula is right. n is at most
// 5e11.
func Laplace() Noise { return laplaceNoise.mechanism() }

var laplaceNoise = family{
	Family: noise.LaplaceFamily, kind: "laplace", title: "Laplace noise on counts", everyCell: true, checks: laplaceChecks,
	steps: func(s size, want dp.Notion) float64 {
		switch want {
		case dp.Pure: // in closed form
			return 0
		case dp.Approximate:
			return dominating * s.tables
		}
		return orders
	},
}

// laplacePairChecker derives the pair; enumeration stands with the geometric mechanism, whose law this is on another
// lattice.
var laplacePairChecker = definePair("laplace/pair", noise.LaplaceFamily.PairAt, cert.ClosedForm)

func laplaceChecks(ctx context.Context, d noise.Distribution, _ *model.Shape, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	r := parameter(d)
	c, err := laplacePairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula: fmt.Sprintf("%d counts shifted by %d steps of rate γ/%d, γ = %.6g", s.Cells, s.Rows*noise.LaplaceSteps,
			noise.LaplaceSteps, r.Float()),
		Source: "dp.ShiftedGeometricPair; theory/dirichlet.md §4",
		Bound:  loss.Allowed(t.Parameters), Scope: "all data; the rate is exact, rounded toward privacy",
	}, pairParams{r, s.Cells, s.Rows, t.Parameters})
	if err != nil || s.Rows == 1 {
		return []cert.Check{c}, err
	}
	shifts, err := shiftsCheck(ctx, r, s.Rows)
	return []cert.Check{c, shifts}, err
}
