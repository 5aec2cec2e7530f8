package mechanism

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// PostProcess is what is made of noisy counts before the prior is added. It reads only public values and is free.
type PostProcess string

const (
	// PosteriorMean is E[count | noisy count] under a flat prior on 0 … n (on all counts ≥ 0 where n is private).
	PosteriorMean PostProcess = "posterior mean"
	// Clamp cuts noisy counts to [0, n].
	Clamp PostProcess = "clamp"
)

func (p PostProcess) valid() error {
	if p != PosteriorMean && p != Clamp {
		return &ParamsError{"post_process", string(p), `"posterior mean" or "clamp"`}
	}
	return nil
}

// estimate turns raw noisy counts into estimated counts, and, for naive Bayes, into class counts: the mean of the K row sums of
// each class weighted 1/C_k (the variance of a sum of C_k counts grows with C_k), shifted to add up to n where n is public.
func (c *countDrawer) estimate(raw [][]int64) (model.Estimate, error) {
	tables := c.shape.Tables()
	if len(raw) != len(tables) {
		return model.Estimate{}, &ParamsError{"raw", "a wrong number of tables", "one per table of the model"}
	}
	n, public := c.shape.N()
	top := math.Inf(1)
	if public {
		top = float64(n)
	}
	var e model.Estimate
	for t, r := range raw {
		if len(r) != c.measured[t] {
			return model.Estimate{}, &ParamsError{"raw", "a wrong number of cells in " + tables[t].Name, "the measured cells of the table"}
		}
		est := make([]float64, tables[t].Cells())
		for i, y := range r {
			est[i] = c.one(float64(y), top)
		}
		if len(r) == 1 && len(est) == 2 {
			est[1] = top - est[0]
		}
		e.Tables = append(e.Tables, est)
	}
	if c.shape.Model().Kind == model.KindNaiveBayes {
		e.Class = classCounts(c.shape, raw, top)
	}
	return e, nil
}

func classCounts(sh *model.Shape, raw [][]int64, top float64) []float64 {
	out := make([]float64, sh.Classes())
	weights := 0.0
	for k, t := range sh.Tables() {
		levels := t.Levels[1]
		w := 1 / float64(levels)
		weights += w
		for i, y := range raw[k] {
			out[i/levels] += w * float64(y)
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

// one estimates a count in [0, top] from its noisy value.
func (c *countDrawer) one(y, top float64) float64 {
	if c.post == Clamp {
		return math.Min(math.Max(y, 0), top)
	}
	if g, ok := c.law.(geometricLaw); ok {
		return geometricMean(y, top, g.Rate())
	}
	return gridMean(y, top, c.law)
}

// geometricMean is Σ f q^|y−f| / Σ q^|y−f| over f = 0 … top, q = e^{−γ}, with both sides of y in closed form.
func geometricMean(y, top, gamma float64) float64 {
	switch {
	case y <= 0: // weights q^f
		return ratio(powers(gamma, top))
	case y >= top:
		return top - ratio(powers(gamma, top))
	}
	s0, s1 := powers(gamma, y)
	t0, t1 := powers(gamma, top-y)
	return y + (t1-s1)/(s0+t0-1)
}

func ratio(s0, s1 float64) float64 { return s1 / s0 }

// powers returns Σ_{k=0}^{m} q^k and Σ_{k=0}^{m} k q^k, m maybe +Inf; the second by series where cancellation would cost digits.
func powers(gamma, m float64) (s0, s1 float64) {
	one := -math.Expm1(-gamma) // 1 − q
	q := math.Exp(-gamma)
	if math.IsInf(m, 1) {
		return 1 / one, q / (one * one)
	}
	if g := gamma * (m + 1); g < 1e-3 {
		return (m + 1) * (1 - gamma*m/2 + gamma*gamma*m*(2*m+1)/12), m * (m + 1) / 2 * (1 - gamma*(2*m+1)/3 + gamma*gamma*m*(m+1)/4)
	}
	s0 = -math.Expm1(-gamma*(m+1)) / one
	s1 = (q*(s0-math.Exp(-gamma*m)) - m*q*math.Exp(-gamma*m)) / one
	return s0, s1
}

// gridPoints bounds the work of one mean.
const gridPoints = 512

// gridMean is the same mean for any law, on at most gridPoints counts spaced evenly over where the weight is: a flat prior on a
// grid of counts, which is as public a choice as a flat prior on all of them.
func gridMean(y, top float64, law noise) float64 {
	sd := math.Sqrt(law.Variance())
	lo := math.Min(top, math.Max(0, math.Floor(y-12*sd)-2))
	hi := math.Min(top, math.Ceil(math.Max(y, 0)+12*sd)+2)
	best := math.Min(math.Max(y, 0), top)
	ref := law.LogProb(int64(y - math.Round(best)))
	points := math.Min(hi-lo, gridPoints)
	var s0, s1 float64
	for i := 0.0; i <= points; i++ {
		f := lo
		if points > 0 {
			f = math.Round(lo + (hi-lo)*i/points)
		}
		w := math.Exp(law.LogProb(int64(y-f)) - ref)
		if points < hi-lo && (i == 0 || i == points) { // the trapezoid rule, where the grid is coarse
			w /= 2
		}
		s0 += w
		s1 += w * f
	}
	if s0 == 0 {
		return best
	}
	return s1 / s0
}
