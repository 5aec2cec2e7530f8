package study

import (
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/internal/num"
)

// trace is a distance along a ray at ascending radii, from (0, 0) on.
//
// Both distances grow along rays: ‖x − r‖₁ in every cell, and H along a straight line because −ln BC(c, c + ω·t) has the derivative
// ½ω·(∇A(c + ω·t) − ∇A(c + ω·t/2)) ≥ 0 for the convex log-normaliser A. Where one count stays at its bound and others move on, H is
// taken to grow too.
type trace struct {
	weight float64
	t, v   []float64
}

func newTrace(weight float64) trace { return trace{weight, []float64{0}, []float64{0}} }

func (r *trace) add(t, v float64) { r.t, r.v = append(r.t, t), append(r.v, v) }

// radius is where the trace passes v: inverse interpolation through the nearest four points, by a line where these do not increase;
// +Inf where it stays at or below v.
func (r *trace) radius(v float64) float64 {
	j := sort.Search(len(r.v), func(k int) bool { return r.v[k] > v })
	switch {
	case j == len(r.v):
		return math.Inf(1)
	case j == 0:
		return 0
	}
	lo, hi := r.t[j-1], r.t[j]
	line := lo + (hi-lo)*(v-r.v[j-1])/(r.v[j]-r.v[j-1])
	from := max(0, min(j-2, len(r.v)-4))
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
	return line
}

// cdf is P[distance ≤ v], the mean over directions of P[ρ ≤ radius(v)].
func (z *noise) cdf(traces []trace, v float64) float64 {
	sum := 0.0
	for k := range traces {
		if t := traces[k].radius(v); t > 0 {
			sum += traces[k].weight * z.below(t)
		}
	}
	return sum
}

// quantiles solves cdf(v) = level for the levels of an Outcome; 0 where the truth itself has that probability.
func (z *noise) quantiles(traces []trace) []float64 {
	top := 0.0
	for _, r := range traces {
		top = max(top, r.v[len(r.v)-1])
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
