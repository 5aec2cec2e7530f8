package counts

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// PostProcess is what is made of noisy counts before the prior is added. It reads only public values and is free.
type PostProcess string

const (
	// PosteriorMean is E[count | noisy count] under the prior ∝ e^{−τf} on counts f = 0 … n (on all f ≥ 0 where n is private). τ is
	// fitted to the noisy numbers themselves, one per group of cells whose total is known better than its cells: the estimates of the
	// group add up to that total. A group is a class's row of an attribute × class table, or a whole table. τ = 0 is the flat prior of
	// theory/dirichlet.md §4; without τ, empty cells would take a share that grows with the noise.
	PosteriorMean PostProcess = "posterior mean"
	// FlatPosteriorMean is PosteriorMean with τ = 0.
	FlatPosteriorMean PostProcess = "flat posterior mean"
	// Clamp cuts noisy counts to [0, n].
	Clamp PostProcess = "clamp"
)

func (p PostProcess) valid() error {
	switch p {
	case PosteriorMean, FlatPosteriorMean, Clamp:
		return nil
	}
	return &mechanism.ParamsError{Field: "post_process", Value: string(p), Want: `"posterior mean", "flat posterior mean" or "clamp"`}
}

// Estimate turns raw noisy counts into estimated counts, and, for naive Bayes, into class counts.
func (c *countDrawer) Estimate(raw [][]int64) (model.Estimate, error) {
	tables := c.shape.Tables()
	if len(raw) != len(tables) {
		return model.Estimate{}, &mechanism.ParamsError{Field: "raw", Value: "a wrong number of tables", Want: "one per table of the model"}
	}
	for t, r := range raw {
		if len(r) != c.measured[t] {
			return model.Estimate{}, &mechanism.ParamsError{Field: "raw", Value: "a wrong number of cells in " + tables[t].Name, Want: "the measured cells of the table"}
		}
	}
	n, public := c.shape.N()
	top := math.Inf(1)
	if public {
		top = float64(n)
	}
	var e model.Estimate
	if c.shape.Model().Kind == model.KindNaiveBayes {
		e.Class = classCounts(c.shape, raw, top, float64(c.unit))
	}
	for t, r := range raw {
		est := make([]float64, tables[t].Cells())
		switch {
		case len(r) == 1 && len(est) == 2: // one count was measured; the other is n minus it
			est[0] = c.one(float64(r[0])/float64(c.unit), top, 0)
			est[1] = top - est[0]
		case e.Class != nil:
			levels := tables[t].Levels[1]
			for j, total := range e.Class {
				c.group(est[j*levels:(j+1)*levels], r[j*levels:(j+1)*levels], top, total)
			}
		default:
			c.group(est, r, top, top)
		}
		e.Tables = append(e.Tables, est)
	}
	return e, nil
}

// classCounts is the mean of the K row sums of each class weighted 1/C_k (the variance of a sum of C_k counts grows with C_k),
// shifted to add up to n where n is public, and cut to [0, n].
func classCounts(sh *model.Shape, raw [][]int64, top, unit float64) []float64 {
	out := make([]float64, sh.Classes())
	weights := 0.0
	for k, t := range sh.Tables() {
		levels := t.Levels[1]
		w := 1 / float64(levels)
		weights += w
		for i, y := range raw[k] {
			out[i/levels] += w * float64(y) / unit
		}
	}
	total := 0.0
	for j := range out {
		out[j] /= weights
		total += out[j]
	}
	if !math.IsInf(top, 1) {
		for j := range out {
			out[j] += (top - total) / float64(len(out))
		}
	}
	for j := range out {
		out[j] = math.Min(math.Max(out[j], 0), top)
	}
	return out
}

// group estimates cells that together hold total records, when that is known (not +Inf).
func (c *countDrawer) group(est []float64, raw []int64, top, total float64) {
	fill := func(tau float64) (sum float64) {
		for i, y := range raw {
			est[i] = c.one(float64(y)/float64(c.unit), top, tau)
			sum += est[i]
		}
		return sum
	}
	if sum := fill(0); c.post != PosteriorMean || math.IsInf(total, 1) || sum == total {
		return
	}
	// the sum falls in τ; bracket it by steps of the noise's own scale, then halve
	step := 1 / (1 + math.Sqrt(c.law.Variance())/float64(c.unit))
	lo, hi := -step, step
	for range 40 {
		if fill(lo) >= total {
			break
		}
		lo *= 2
	}
	for range 40 {
		if fill(hi) <= total {
			break
		}
		hi *= 2
	}
	for range 50 {
		mid := (lo + hi) / 2
		switch sum := fill(mid); {
		case math.Abs(sum-total) <= 1e-7*(1+total):
			return
		case sum > total:
			lo = mid
		default:
			hi = mid
		}
	}
}

// one estimates a count in [0, top] from its noisy value, under the prior ∝ e^{−τf}.
func (c *countDrawer) one(y, top, tau float64) float64 {
	if c.post == Clamp {
		return math.Min(math.Max(y, 0), top)
	}
	if top == 0 {
		return 0
	}
	var mean float64
	switch law := c.law.(type) {
	case geometricLaw:
		mean = geometricMean(y, top, law.Rate()*float64(c.unit), tau)
	case gaussianLaw:
		mean = gaussianMean(y, top, law.Sigma2(), tau)
	}
	return math.Min(math.Max(mean, 0), top)
}
