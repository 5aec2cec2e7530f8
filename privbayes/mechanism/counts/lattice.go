package counts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// lattice is the public grid that coefficients of columns with more than two levels are rounded to.
type lattice struct {
	step        float64 // a power of two
	sensitivity float64 // S, the L1 sensitivity of φ
	exact       bool
	steps       int64 // the L1 sensitivity of the rounded coefficients, in steps
}

// maxLatticeN keeps the rounding of φ far below a step.
const maxLatticeN = 1_000_000_000

// newLattice chooses the step and bounds the sensitivity of the rounded coefficients. |round(a) − round(b)| ≤ |a − b| +
// 1 for each of the k = |N| − 1 coefficients, so rounding adds at most k steps; and computed φ are within 2^−44·n·√R of
// the true ones (sums of n terms of size at most √R, R the cells of the largest family, by a transform of log R
// levels), which adds 2k·2^−44·n·√R/step more. The step is S/(4000k) rounded down to a power of two: rounding costs
// about 0.03 % of the budget.
func newLattice(s *parity.Spectrum, n int) (lattice, error) {
	sens, exact, _, _, err := s.HelmertSensitivity(oddLimit)
	if err != nil {
		return lattice{}, err
	}
	k := float64(s.Size() - 1)
	_, exp := math.Frexp(sens / (4000 * k))
	l := lattice{step: math.Ldexp(1, exp-1), sensitivity: sens, exact: exact}
	computed := 2 * k * math.Ldexp(float64(n), -44) * s.Largest() / l.step
	l.steps = int64(math.Ceil(sens/l.step*(1+1e-15)) + k + math.Ceil(computed))
	return l, nil
}

// drawLattice rounds the coefficients to the lattice and adds noise in steps.
func (d *fourierSampler) drawLattice(ctx context.Context, tables [][]int64, src *dp.Stream) ([][]int64, error) {
	real := make([][]float64, len(tables))
	for t, counts := range tables {
		for _, c := range counts {
			real[t] = append(real[t], float64(c))
		}
	}
	phi, err := d.spectrum.CoefficientsReal(real)
	if err != nil {
		return nil, errors.New("mechanism: the tables are not those of the plan") // the cause would show counts
	}
	out := make([]int64, len(phi)-1)
	progress := cert.NewProgress(ctx, drawSteps*float64(len(out)))
	for i, v := range phi[1:] {
		if err := progress.Step(drawSteps); err != nil {
			return nil, err
		}
		out[i] = int64(math.Round(v/d.lattice.step)) + d.law.Draw(src)
	}
	return [][]int64{out}, nil
}

// The checker of the lattice's sensitivity.

type latticeParams struct {
	Arities  []int   `json:"arities"`
	Families [][]int `json:"families"`
	N        int     `json:"n"`
}

func (m FourierNoise) latticeChecks(ctx context.Context, sh *model.Shape, t dp.Request, p *fourierPlan,
	r noise.Rational) ([]cert.Check, error) {
	n, _ := sh.N()
	a, err := latticeChecker.Check(ctx, cert.Check{
		Statement: "replacing one record changes the rounded coefficients by at most this many steps in all",
		Formula: fmt.Sprintf("⌈S/h⌉ + |N| − 1 and the rounding of φ, S = max over records x, y of Σ|u_γ(x) − "+
			"u_γ(y)| = %.6g, h = %.3g", p.lattice.sensitivity, p.lattice.step),
		Source: "theory/networks.md §2.6; parity.HelmertSensitivity", Bound: cert.Number(p.lattice.steps),
		Scope: "every pair of records of this network",
	}, latticeParams{p.spectrum.Arities(), p.spectrum.Families(), n})
	if err != nil {
		return nil, err
	}
	b, err := fourierPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula:   shiftWords(r.Float(), p.counts),
		Source:    "dp.GeometricPair, theorem: shifts that add up to this many steps", Bound: loss.Allowed(t.Parameters),
		Scope: "all data; the rate is exact, rounded toward privacy",
	}, pairParams{r, 1, p.counts.Rows, t.Parameters})
	if err != nil || p.counts.Rows == 1 {
		return []cert.Check{a, b}, err
	}
	c, err := shiftsCheck(ctx, r, p.counts.Rows)
	return []cert.Check{a, b, c}, err
}

var latticeChecker = cert.Define("fourier/lattice", func(ctx context.Context, p latticeParams) (cert.Outcome, error) {
	if p.N < 0 || p.N > maxLatticeN {
		return cert.Outcome{}, domain.Refuse("counts", "n", p.N, "0 … 1e9")
	}
	s, err := parity.WatchedSpectrum(watch(ctx), p.Arities, p.Families)
	if err != nil {
		return cert.Outcome{}, cmp.Or(tooLarge(err), err)
	}
	l, err := newLattice(s, p.N)
	if err != nil {
		return cert.Outcome{}, cmp.Or(tooLarge(err), err)
	}
	method := cert.ClosedForm
	if !l.exact {
		method = cert.ProvedBound
	}
	return cert.Outcome{Value: float64(l.steps), Method: method}, nil
})
