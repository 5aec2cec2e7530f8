package counts

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

type knormEnumParams struct {
	Rate  noise.Rational `json:"rate"`
	Cells int            `json:"cells"`
	N     int            `json:"n"`
}

func (m KNormNoise) checks(ctx context.Context, q sumZero, r noise.Rational) ([]cert.Check, error) {
	sh, t, tables, rows := q.shape, q.target, q.tables.Cells, q.tables.Rows
	ctx = selfCheck(ctx)
	a, err := knormPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula:   shiftWords(2*r.Float(), q.tables) + ", twice the rate of the noise",
		Source: "theory/hellinger.md §8: |½‖z + e_i − e_j‖₁ − ½‖z‖₁| ≤ 1, and the normaliser does not depend on " +
			"the data",
		Bound: loss.Allowed(t.Parameters), Scope: "all data; the rate is exact, rounded toward privacy",
		Citation: forPure(t.Parameters, knormTheorem),
	}, pairParams{r, tables, rows, t.Parameters})
	if err != nil {
		return nil, err
	}
	p := knormEnumParams{Rate: r, Cells: min(sh.Tables()[0].Cells(), 4), N: 5}
	b, err := knormEnumChecker.Check(ctx, cert.Check{
		Statement: "exact pure ε of the shipped law on one table, by enumeration",
		Formula:   "max |log p_x(o)/p_y(o)| = 2γ, and 1e-12 for the rounding of log-probabilities",
		Source:    "dp/finite.Audit on the sampler's own weights",
		Bound:     cert.Number(2*r.Float()*(1+1e-12) + 1e-12),
		Scope: fmt.Sprintf("every data set of n = %d over %d cells, every neighbour, every noisy table with "+
			"cells in [−%d, %d]", p.N, p.Cells, knormReach, p.N+knormReach),
	}, p)
	if err != nil || rows == 1 {
		return []cert.Check{a, b}, err
	}
	// moving s records of a table is a chain of s steps, each 2γ-DP, which one count shifted by s at rate 2γ dominates
	c, err := shiftsCheck(ctx, noise.Rational{Num: 2 * r.Num, Den: r.Den}, rows)
	return []cert.Check{a, b, c}, err
}

// knormReach is how far below 0 and above n the enumeration follows noisy counts.
const knormReach = 3

// noisyTables is the law of x + Z on a box of tables around the histograms of n records. Log-probabilities of single
// tables do not depend on what is left out of the box, so ratios are exact.
type noisyTables struct {
	law sample.SumZero
	n   int
	box [][]int64
}

func newNoisyTables(law sample.SumZero, n int) noisyTables {
	t := noisyTables{law: law, n: n}
	d := law.Dim()
	for h := range finite.Histograms(d, n+d*knormReach) {
		y := make([]int64, d)
		for i, v := range h {
			y[i] = int64(v - knormReach)
		}
		t.box = append(t.box, y)
	}
	return t
}

// Outputs is the number of tables in the box.
func (t noisyTables) Outputs() int { return len(t.box) }

// LogLaw is the log-probability of every table of the box.
func (t noisyTables) LogLaw(x []int, out []float64) {
	norm, z := t.law.LogNorm(), make([]int64, len(x))
	for o, y := range t.box {
		for i := range z {
			z[i] = y[i] - int64(x[i])
		}
		out[o] = t.law.LogWeight(z) - norm
	}
}

var knormEnumChecker = cert.Define("k-norm/enumeration",
	func(ctx context.Context, p knormEnumParams) (cert.Outcome, error) {
		if err := p.Rate.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		if p.Cells < 2 || p.Cells > 4 || p.N < 1 || p.N > 8 {
			return cert.Outcome{}, domain.Refuse("counts", "cells, n", fmt.Sprint(p.Cells, p.N), "2 ≤ cells ≤ 4, 1 ≤ n ≤ 8")
		}
		law, err := sample.NewSumZero(p.Cells, p.Rate.Num, p.Rate.Den)
		if err != nil {
			return cert.Outcome{}, err
		}
		res, err := finite.Audit(ctx, newNoisyTables(law, p.N),
			finite.Space{Cells: p.Cells, N: p.N, Adjacency: dp.ReplaceOne}, nil, nil)
		if err != nil {
			return cert.Outcome{}, err
		}
		return cert.Outcome{Value: res.Epsilon, Method: cert.Enumeration, Work: res.Work}, nil
	})

var knormPairChecker = definePair("k-norm/pair", knormFamily.PairAt, cert.ClosedForm)
