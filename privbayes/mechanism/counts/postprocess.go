package counts

import (
	"context"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/denoise"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// PostProcess is what is made of noisy counts before the prior is added. It reads only public values and is free.
type PostProcess string

const (
	// PosteriorMean is E[count | noisy count] under the prior ∝ e^{−τf} on counts f = 0 … n (on all f ≥ 0 where n is
	// private). τ is fitted to the noisy numbers themselves, one per group of cells whose total is known better than
	// its cells: the estimates of the group add up to that total. A group is a class's row of an attribute × class
	// table, or a whole table. τ = 0 is the flat prior of theory/dirichlet.md §4; without τ, empty cells would take a
	// share that grows with the noise.
	PosteriorMean PostProcess = "posterior mean"
	// FlatPosteriorMean is PosteriorMean with τ = 0.
	FlatPosteriorMean PostProcess = "flat posterior mean"
	// Clamp cuts noisy counts to [0, n].
	Clamp PostProcess = "clamp"
	// Clip cuts noisy counts below at 1e-6 and not above, as the experiments of the Dirichlet paper do
	// (theory/dirichlet.md §5): here for comparison only, since a cell cut so low makes logarithmic losses large.
	Clip PostProcess = "clip at 1e-6"
	// Project is the nearest non-negative integer table with total n, by taking negative cells as 0 and then the excess
	// away evenly, from the larger cells first: for noise that keeps the total ([KNorm]). For public n.
	Project PostProcess = "project"
	// Consistent makes tables that share columns agree: the least-squares projection of all noisy tables on the tables
	// of one data set of n records, then negative cells cut to 0. Where the projection would not lower the noise of the
	// model's families, known without data, the noisy margins are used as they are, and the plan says so. For networks
	// and naive Bayes with public n. Source: theory/networks.md §2.7.
	Consistent PostProcess = "consistent"
)

// suffix names a post-processing other than the usual one.
func (p PostProcess) suffix(usual PostProcess) string {
	switch {
	case p == usual || p == "":
		return ""
	case p == Consistent:
		return ", least squares"
	case p == Clamp:
		return ", clamped"
	case p == Clip:
		return ", clipped at 1e-6"
	case p == Project:
		return ", projected"
	default:
		return ", " + string(p)
	}
}

func (p PostProcess) valid() error {
	switch p {
	case PosteriorMean, FlatPosteriorMean, Clamp, Clip, Project, Consistent:
		return nil
	}
	return domain.Refuse("counts", "post_process", safetext.Short(string(p)),
		`"posterior mean", "flat posterior mean", "clamp", "clip at 1e-6", "project" or "consistent"`)
}

// estimateSteps is about what one estimate of a count takes, in elementary steps.
const estimateSteps = 100

// records are raw noisy counts in records: *dp.ParameterError where they are not those of the plan.
func (c *countSampler) records(raw [][]int64) ([][]float64, error) {
	tables := c.shape.Tables()
	if k := c.unitDims(); k > 0 {
		if len(raw) != 2 || len(raw[1]) != k {
			return nil, domain.Refuse("counts", "raw", "numbers of another shape", "the table's, and the moments of units")
		}
		raw = raw[:1]
	}
	if len(raw) != len(tables) {
		return nil, domain.Refuse("counts", "raw", "a wrong number of tables", "one per table of the model")
	}
	noisy := make([][]float64, len(raw))
	for t, r := range raw {
		if len(r) != c.measured[t] {
			return nil, domain.Refuse("counts", "raw", "a wrong number of cells in "+safetext.Short(tables[t].Name),
				"the measured cells of the table")
		}
		noisy[t] = make([]float64, len(r))
		for i, y := range r {
			noisy[t][i] = float64(y) / float64(c.unit)
		}
	}
	return noisy, nil
}

// Estimate turns raw noisy counts into estimated counts, and, for naive Bayes, into class counts.
func (c *countSampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	noisy, err := c.records(drawn.Raw)
	if err != nil {
		return model.Estimate{}, err
	}
	progress := cert.NewProgress(ctx, 10*estimateSteps*float64(c.shape.Cells()))
	tables := c.shape.Tables()
	n, public := c.shape.N()
	top := math.Inf(1)
	if public {
		top = float64(n)
	}
	e := model.Estimate{Class: model.ClassMargin(c.shape, noisy)}
	if c.consistent != nil {
		if e.Tables, err = c.consistent.estimate(noisy, top); err == nil && e.Class != nil {
			e.Class = model.ClassMargin(c.shape, e.Tables)
		}
		return e, err
	}
	for t, r := range noisy {
		est := make([]float64, tables[t].Cells())
		switch {
		case len(r) == 1 && len(est) == 2: // one count was measured; the other is n minus it
			est[0] = c.one(r[0], top, 0)
			if est[1] = top - est[0]; c.post == Clip { // which cuts each cell for itself
				est[1] = c.one(top-r[0], top, 0)
			}
		case e.Class != nil && c.post != Project:
			levels := tables[t].Levels[1]
			for j, total := range e.Class {
				if err := c.group(progress, est[j*levels:(j+1)*levels], r[j*levels:(j+1)*levels], top, total); err != nil {
					return model.Estimate{}, err
				}
			}
		default:
			if err := c.group(progress, est, r, top, top); err != nil {
				return model.Estimate{}, err
			}
		}
		e.Tables = append(e.Tables, est)
	}
	return e, nil
}

// group estimates cells that together hold total records, when that is known (not +Inf).
func (c *countSampler) group(progress *cert.Progress, est []float64, raw []float64, top, total float64) (err error) {
	if c.post == Project {
		project(est, raw, total)
		return progress.Step(len(est))
	}
	fill := func(tau float64) (sum float64) {
		for i, y := range raw {
			if err == nil {
				err = progress.Step(estimateSteps)
			}
			if err != nil {
				return total // which ends the search
			}
			est[i] = c.one(y, top, tau)
			sum += est[i]
		}
		return sum
	}
	if c.post != PosteriorMean || math.IsInf(total, 1) {
		fill(0)
		return err
	}
	denoise.FitTotal(total, math.Sqrt(c.laws[0].Variance())/float64(c.unit), fill)
	return err
}

// one estimates a count in [0, top] from its noisy value, under the prior ∝ e^{−τf}.
func (c *countSampler) one(y, top, tau float64) float64 {
	switch c.post {
	case Clamp, Project: // one of two counts: the nearest table of the total
		return math.Min(math.Max(y, 0), top)
	case Clip:
		return math.Max(y, 1e-6)
	}
	if top == 0 {
		return 0
	}
	return math.Min(math.Max(noise.Mean(c.laws[0], y, top, tau), 0), top)
}

// project fills est with a composition of total: negative cells become 0, and the excess is taken from the positive
// cells in equal parts, again and again while cells run empty; what does not divide comes from the largest cells, the
// first of equals first. A deficit, which sum-zero noise cannot leave, goes to all cells in equal parts. Source:
// theory/hellinger.md §8, any fixed map will do.
func project(est, raw []float64, total float64) {
	excess := -total
	for i, y := range raw {
		est[i] = math.Max(0, y)
		excess += est[i]
	}
	if excess < 0 {
		for i := range est {
			est[i] -= excess / float64(len(est))
		}
		return
	}
	for excess > 0 {
		var positive []int
		least := math.Inf(1)
		for i, v := range est {
			if v > 0 {
				positive, least = append(positive, i), math.Min(least, v)
			}
		}
		if len(positive) == 0 { // what is left is rounding
			return
		}
		if share := math.Floor(excess / float64(len(positive))); share >= 1 {
			share = math.Min(share, least)
			for _, i := range positive {
				est[i] -= share
			}
			excess -= share * float64(len(positive))
			continue
		}
		sort.SliceStable(positive, func(a, b int) bool { return est[positive[a]] > est[positive[b]] })
		for _, i := range positive {
			step := min(1, excess, est[i])
			est[i], excess = est[i]-step, excess-step
			if excess <= 0 {
				return
			}
		}
	}
}

// Output laws are walked up to a probability outputTail outside, and only where they have at most outputWidth values to
// a side.
const (
	outputTail  = 1e-13
	outputWidth = 20_000
)

// walk visits y + z for every z of the noise but for a probability of outputTail, with its probability.
func walk(law noise.Probabilities, y int64, visit func(y int64, p float64)) (ok bool) {
	far := noise.Quantile(law, math.Log(outputTail/2))
	for z := -far; z <= far && far <= outputWidth; z++ {
		visit(y+z, math.Exp(law.LogProb(z)))
	}
	return far <= outputWidth
}

// OutputLaw visits every value that Draw may release of the tables, with its probability, where one count is measured;
// ok is false for other plans and where the noise is too wide. What is visited is overwritten by the next visit.
// Package advise sums errors over it.
func (c *countSampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(c.measured) != 1 || c.measured[0] != 1 || c.unitNoise != nil {
		return false
	}
	raw := [][]int64{{0}}
	return walk(c.laws[0], tables[0][0]*c.unit, func(y int64, p float64) { raw[0][0] = y; visit(raw, p) })
}

// OutputLaw is that of a table of two cells: what one gains the other loses.
func (d *knormSampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(d.sums) != 1 || d.sums[0].Dim() != 2 {
		return false
	}
	law, raw := d.sums[0], [][]int64{{0, 0}}
	far := int64(math.Ceil(-math.Log(outputTail) / (2 * law.Rate())))
	for z := -far; z <= far && far <= outputWidth; z++ {
		raw[0][0], raw[0][1] = tables[0][0]+z, tables[0][1]-z
		visit(raw, law.Marginal(z))
	}
	return far <= outputWidth
}

// OutputLaw is that of the one parity of a column with two levels.
func (d *fourierSampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if !d.spectrum.Binary() || d.spectrum.Size() != 2 || len(tables) != 1 || len(tables[0]) != 2 {
		return false
	}
	phi, err := d.spectrum.Coefficients(tables)
	if err != nil {
		return false
	}
	raw := [][]int64{{0}}
	return walk(d.law, (phi[0]-phi[1])/2, func(y int64, p float64) { raw[0][0] = y; visit(raw, p) })
}
