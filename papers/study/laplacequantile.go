package study

import (
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/num"
)

// trace is a distance along a ray at ascending radii, from (0, 0) on: in every panel of the quadrature its nodes and
// then its end. Beyond the last radius it is taken to be constant.
//
// ‖x − r‖₁ grows along rays. So does H where no count is at a bound, because −ln BC(c, c + ω·t) has the derivative
// ½ω·(∇A(c + ω·t) − ∇A(c + ω·t/2)) ≥ 0 for the convex log-normaliser A. When one count has reached its bound and others
// move on, H can fall again: the posterior mean may come nearer.
type trace struct {
	weight float64
	t, v   []float64
	falls  bool // somewhere
}

func newTrace(weight float64) trace {
	room := make([]float64, 2*(1+4*perPanel))
	return trace{weight: weight, t: room[: 1 : len(room)/2], v: room[len(room)/2 : len(room)/2+1]}
}

func (r *trace) add(t, v float64) {
	r.falls = r.falls || v < r.v[len(r.v)-1]
	r.t, r.v = append(r.t, t), append(r.v, v)
}

// perPanel is the number of points a trace has per panel.
const perPanel = radialPoints + 1

// crossing is the radius between points j−1 and j where the trace passes v: inverse interpolation through the nearest
// four points of the panel, or by a line where that leaves the segment.
func (r *trace) crossing(j int, v float64) float64 {
	lo, hi := r.t[j-1], r.t[j]
	start := (j - 1) / perPanel * perPanel
	from := max(start, min(j-2, start+perPanel-3))
	cubic := 0.0
	for a := from; a < from+4; a++ {
		term := r.t[a]
		for b := from; b < from+4; b++ {
			if a != b {
				term *= (v - r.v[b]) / (r.v[a] - r.v[b])
			}
		}
		cubic += term
	}
	if cubic >= lo && cubic <= hi { // false for NaN
		return cubic
	}
	return lo + (hi-lo)*(v-r.v[j-1])/(r.v[j]-r.v[j-1])
}

// below is P[distance ≤ v] along the ray: the mass of the radii, whose distribution function is f, in front of each
// crossing upward less that in front of each crossing downward.
func (r *trace) below(v float64, f func(t float64) float64) float64 {
	if !r.falls {
		j := sort.Search(len(r.v), func(k int) bool { return r.v[k] > v })
		if j == len(r.v) {
			return 1
		}
		return f(r.crossing(j, v))
	}
	p := 0.0
	for j := 1; j < len(r.v); j++ {
		switch before, after := r.v[j-1] <= v, r.v[j] <= v; {
		case before && !after:
			p += f(r.crossing(j, v))
		case !before && after:
			p -= f(r.crossing(j, v))
		}
	}
	if r.v[len(r.v)-1] <= v {
		p++
	}
	return p
}

// cdf is P[distance ≤ v], v ≥ 0, the mean over directions.
func (z *noise) cdf(traces []trace, v float64) float64 {
	sum := 0.0
	for k := range traces {
		sum += traces[k].weight * traces[k].below(v, z.below)
	}
	return sum
}

// quantiles solves cdf(v) = level for the levels of an Outcome; 0 where the truth itself has that probability.
func (z *noise) quantiles(traces []trace) []float64 {
	top := 0.0
	for _, r := range traces {
		top = max(top, slices.Max(r.v))
	}
	out, least := make([]float64, len(quantiles5)), 0.0
	for i, level := range quantiles5 {
		if z.ctx.Err() != nil || z.cdf(traces, least) >= level {
			out[i] = least
			continue
		}
		a, b, err := num.RootBracket(func(v float64) float64 { return z.cdf(traces, v) - level }, least, top, 1e-10*top)
		if err != nil { // the level is reached by a jump at the top
			a, b = top, top
		}
		out[i], least = (a+b)/2, a
	}
	return out
}
