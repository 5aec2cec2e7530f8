package survey

import "math"

// Bins is what can be said of a quantile from weighted counts of bins: it lies between two edges, of which 0 is before
// the first bin. Estimate is the bin in which the noisy counts cross it, Shown as of [Interval].
type Bins struct {
	Lower, Upper, Estimate int
	Shown                  bool
}

// Quantile is the interval of the quantile at p in (0, 1), at a level in (0, 1), from the boxes of bins in order. At an
// edge, T = (1 − p)·Σt below − p·Σt above has the sampling variance (1 − p)²·Σt² below + p²·Σt² above, and noise of a
// standard deviation that noise gives of every edge from 1 on: nil where every bin has its own noise n. An edge is
// below the quantile, or above it, where T is that far from 0. The interval goes from the edge before the first that is
// not below to the one after the last that is not above, so that edges in disorder make it wider and leave it a bin at
// least.
func Quantile(bins []Boxes, p float64, n Noise, noise func(edge int) float64, level float64) (b Bins) {
	k := len(bins)
	var all, below Boxes
	for _, z := range bins {
		all = Boxes{all.Weight + bounded(z.Weight), all.Rest + bounded(z.Rest)}
	}
	if noise == nil {
		noise = func(edge int) float64 {
			j := float64(edge)
			return n.box() * math.Sqrt((1-p)*(1-p)*j+p*p*(float64(k)-j))
		}
	}
	times := math.Sqrt2 * math.Erfinv(level)
	first, last, crossed := k, 0, false
	for j := 1; j < k; j++ {
		below = Boxes{below.Weight + bounded(bins[j-1].Weight), below.Rest + bounded(bins[j-1].Rest)}
		above := Boxes{all.Weight - below.Weight, all.Rest - below.Rest}
		t := (1-p)*below.Weight - p*above.Weight
		v := (1-p)*(1-p)*math.Max(below.squares(), 0) + p*p*math.Max(above.squares(), 0)
		v = clip(v, 0, math.Max(all.Weight, n.box()))
		if crossed = crossed || t >= 0; !crossed {
			b.Estimate = j
		}
		sd := noise(j)
		reach := times * math.Sqrt(v+sd*sd)
		if !(t < -reach) {
			first = min(first, j)
		}
		if !(t > reach) {
			last = j
		}
	}
	if k > 0 {
		b.Lower, b.Upper = first-1, last+1
	}
	b.Shown = all.Weight > 2*n.box()*math.Sqrt(float64(k))
	return b
}
