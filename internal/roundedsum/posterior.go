package roundedsum

import (
	"errors"
	"math"
)

// Curve is a posterior of one parameter on a grid.
type Curve struct {
	theta, below []float64 // the grid, and the probability at most each of its points
	mean, sd     float64
	evidence     float64 // log of ∫ prior·likelihood, by the prior as given
}

// Mean is the posterior mean.
func (c *Curve) Mean() float64 { return c.mean }

// SD is the posterior standard deviation.
func (c *Curve) SD() float64 { return c.sd }

// LogEvidence is the log of the integral of the prior's density, as it was given, times the likelihood.
func (c *Curve) LogEvidence() float64 { return c.evidence }

// Quantile is the least θ with probability p at most it, linear between grid points.
func (c *Curve) Quantile(p float64) float64 {
	lo, hi := 0, len(c.below)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; c.below[mid] <= p {
			lo = mid
		} else {
			hi = mid
		}
	}
	share := 0.0
	if d := c.below[hi] - c.below[lo]; d > 0 {
		share = math.Min(math.Max((p-c.below[lo])/d, 0), 1)
	}
	return c.theta[lo] + share*(c.theta[hi]-c.theta[lo])
}

// Numbers of points: where the mode is looked for by the normal law, and of the grid.
const (
	searchPoints = 160
	gridPoints   = 48 // panels: even
	finePoints   = 64 // of the interpolated curve, in each panel
)

// depth is how far below the mode, in nats, the grid ends.
const depth = 18

// ErrNoPosterior says that a likelihood has no number at any value of the parameter.
var ErrNoPosterior = errors.New("roundedsum: no value of the parameter gives the sum a probability")

// Posterior locates the mode first, by the normal law of the sum on the whole range, then takes the exact likelihood on
// a grid in log θ about it, which is widened until its ends are 18 nats down, or at the ends of the range.
func (o *OneSum) Posterior() (*Curve, error) {
	return posterior(o.Low, o.High, o.LogPrior, o.rough, o.LogLikelihood)
}

// posterior is OneSum.Posterior of any rough and exact log-likelihoods.
func posterior(low, high float64, prior, nearly, likelihood func(theta float64) float64) (*Curve, error) {
	a, b := math.Log(low), math.Log(high)
	// the density of log θ
	rough := func(x float64) float64 { return nearly(math.Exp(x)) + prior(math.Exp(x)) + x }
	seen := map[float64]float64{} // the steps below meet in many points
	exact := func(x float64) float64 {
		v, ok := seen[x]
		if !ok {
			v = likelihood(math.Exp(x)) + prior(math.Exp(x)) + x
			seen[x] = v
		}
		return v
	}
	lo, hi := window(a, b, rough, depth+7)
	for range 12 {
		step := (hi - lo) / 8
		top, left, right := math.Inf(-1), exact(lo), exact(hi)
		for i := 1; i < 8; i++ {
			top = math.Max(top, exact(lo+float64(i)*step))
		}
		top = math.Max(top, math.Max(left, right))
		wide := false
		if lo > a && !(left < top-depth) {
			lo, wide = math.Max(a, lo-4*step), true
		}
		if hi < b && !(right < top-depth) {
			hi, wide = math.Min(b, hi+4*step), true
		}
		if !wide {
			break
		}
	}
	// the rough window may be far too wide: narrow it by the exact density
	lo, hi = narrow(lo, hi, exact)
	return grid(lo, hi, exact)
}

// window is where a density is within the depth of its greatest value on [a, b].
func window(a, b float64, f func(x float64) float64, depth float64) (lo, hi float64) {
	for {
		best, at := math.Inf(-1), 0
		values := make([]float64, searchPoints+1)
		step := (b - a) / searchPoints
		for i := range values {
			if values[i] = f(a + float64(i)*step); values[i] > best {
				best, at = values[i], i
			}
		}
		first, last := at, at
		for first > 0 && values[first] > best-depth {
			first--
		}
		for last < searchPoints && values[last] > best-depth {
			last++
		}
		if last-first >= 24 || step < 1e-9*math.Max(1, math.Abs(a)) {
			return a + float64(first)*step, a + float64(last)*step
		}
		a, b = a+float64(max(first-2, 0))*step, a+float64(min(last+2, searchPoints))*step
	}
}

// narrow cuts the ends of a window that are more than the depth below the greatest value of sixteen points.
func narrow(lo, hi float64, f func(x float64) float64) (float64, float64) {
	const points = 16
	best := math.Inf(-1)
	var values [points + 1]float64
	step := (hi - lo) / points
	for i := range values {
		values[i] = f(lo + float64(i)*step)
		best = math.Max(best, values[i])
	}
	first, last := 0, points
	for first+1 < last && values[first+1] < best-depth {
		first++
	}
	for last-1 > first && values[last-1] < best-depth {
		last--
	}
	return lo + float64(first)*step, lo + float64(last)*step
}

// grid takes the density on equally spaced points, and integrates it by cubic interpolation of its log between them.
func grid(lo, hi float64, f func(x float64) float64) (*Curve, error) {
	values, best := make([]float64, gridPoints+1), math.Inf(-1)
	step := (hi - lo) / gridPoints
	for i := range values {
		values[i] = f(lo + float64(i)*step)
		best = math.Max(best, values[i])
	}
	if math.IsInf(best, 0) || math.IsNaN(best) {
		return nil, ErrNoPosterior
	}
	c := &Curve{}
	total, first, second, last := 0.0, 0.0, 0.0, 0.0
	fine := step / finePoints
	for i := range gridPoints*finePoints + 1 {
		x := lo + float64(i)*fine
		w := math.Exp(cubic(values, float64(i)/finePoints) - best)
		if i > 0 {
			total += (last + w) / 2
		}
		last = w
		theta := math.Exp(x)
		c.theta, c.below = append(c.theta, theta), append(c.below, total)
		half := 1.0
		if i == 0 || i == gridPoints*finePoints {
			half = .5
		}
		first, second = first+half*w*theta, second+half*w*theta*theta
	}
	for i := range c.below {
		c.below[i] /= total
	}
	c.mean = first / total
	c.sd = math.Sqrt(math.Max(second/total-c.mean*c.mean, 0))
	c.evidence = best + math.Log(total*fine)
	return c, nil
}

// cubic interpolates values at 0, 1, 2, … by the four around x.
func cubic(values []float64, x float64) float64 {
	i := min(max(int(x), 1), len(values)-3)
	t := x - float64(i)
	a, b, c, d := values[i-1], values[i], values[i+1], values[i+2]
	v := -a*t*(t-1)*(t-2)/6 + b*(t+1)*(t-1)*(t-2)/2 - c*(t+1)*t*(t-2)/2 + d*(t+1)*t*(t-1)/6
	if math.IsNaN(v) { // next to a point without density
		return math.Inf(-1)
	}
	return v
}
