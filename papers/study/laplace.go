package study

import (
	"math"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Independent Laplace noise of scale b on k counts is radial: ‖Z‖₁ = ρ is Gamma(k) with scale b, independent of the
// direction Z/ρ, which is uniform on the faces of the ℓ₁ sphere. Along a ray from x the distance H grows smoothly from
// 0, which it does not across coordinate axes (H has a cone's tip at x), so integrals are taken along rays and over
// directions.

// noise is continuous Laplace noise on the counts, clamped to [0, n]. Radii are in units of b.
type noise struct {
	*bench
	rays   []ray
	shape  int     // k, the number of independent Laplace variables
	scale  float64 // b
	totals float64 // Σα
	shared bool    // the total n is kept: the second count is n minus the first
}

// laplacePerCell puts Lap(2/ε) on every count.
func (b *bench) laplacePerCell() *noise {
	z := &noise{bench: b, shape: len(b.X), scale: 2 / b.Epsilon}
	posterior := make([]float64, len(b.X))
	for i, a := range b.Prior {
		z.totals += a
		posterior[i] = a + float64(b.X[i])
	}
	often := float64(slices.Min(b.X)) < 5*z.scale // a count is clamped with probability above ½e^−5
	points := 9
	if often {
		points = 6 // kinks spoil more digits than a finer rule would give
	}
	z.rays = orthants(posterior, often, points)
	return z
}

// laplaceOneCell puts Lap(1/ε) on the first of two counts; the second is n minus the first.
func (b *bench) laplaceOneCell() *noise {
	return &noise{
		bench: b, shape: 1, scale: 1 / b.Epsilon, totals: b.Prior[0] + b.Prior[1], shared: true,
		rays: []ray{{[]float64{1, -1}, 0.5}, {[]float64{-1, 1}, 0.5}},
	}
}

// distances are H and ‖x − r‖₁ at radius t.
func (z *noise) distances(r ray, t float64) (h, l1 float64) {
	log, sum, n := 0.0, 0.0, float64(z.space.N())
	for i, k := range z.X {
		x := float64(k)
		v := max(0, min(n, x+t*z.scale*r.dir[i]))
		log += num.LogBC(z.Prior[i]+x, z.Prior[i]+v)
		sum += v
		l1 += math.Abs(v - x)
	}
	if !z.shared {
		log -= num.LogBC(z.totals+n, z.totals+sum)
	}
	return math.Sqrt(max(0, -math.Expm1(log))), l1
}

// reach cuts the radius: P[ρ > 40·b] < 1e-14 for k ≤ 3.
const reach = 40

// radialPoints is the number of nodes in a panel along a ray.
const radialPoints = 14

// kinks are the ends of panels along a ray, ascending: fixed radii and those where a count meets a bound.
func (z *noise) kinks(r ray) []float64 {
	cuts := []float64{0, 5, 15, reach}
	for i, d := range r.dir {
		bound := 0.0
		if d > 0 {
			bound = float64(z.space.N())
		}
		if at := (bound - float64(z.X[i])) / d / z.scale; at > 0 && at < reach {
			cuts = append(cuts, at)
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// density is that of Gamma(k) at t.
func (z *noise) density(t float64) float64 {
	switch z.shape {
	case 1:
		return math.Exp(-t)
	case 2:
		return t * math.Exp(-t)
	}
	return t * t / 2 * math.Exp(-t)
}

// below is P[Gamma(k) ≤ t].
func (z *noise) below(t float64) float64 {
	switch {
	case z.shape == 1:
		return -math.Expm1(-t)
	case z.shape == 2:
		return 1 - (1+t)*math.Exp(-t)
	}
	return 1 - (1+t+t*t/2)*math.Exp(-t)
}

// meanL1 is E‖clamp noise‖₁ = Σ_i b(1 − ½e^{−x_i/b} − ½e^{−(n−x_i)/b}).
func (z *noise) meanL1() float64 {
	sum := 0.0
	for _, x := range z.X {
		sum -= z.scale / 2 * (math.Expm1(-float64(x)/z.scale) + math.Expm1(-float64(z.space.N()-x)/z.scale))
	}
	return sum
}

// outcome integrates the noise.
func (z *noise) outcome(name string) (Outcome, error) {
	o := Outcome{Name: name, Scale: z.scale}
	points := legendre(radialPoints)
	byH, byL1 := make([]trace, len(z.rays)), make([]trace, len(z.rays))
	var h1, h2 float64
	for k, r := range z.rays {
		if k%256 == 0 && z.ctx.Err() != nil {
			return o, z.ctx.Err()
		}
		near, far := newTrace(r.weight), newTrace(r.weight)
		ends := z.kinks(r)
		for i := 1; i < len(ends); i++ {
			panels(ends[i-1:i+1], points, func(t, w float64) {
				h, l := z.distances(r, t)
				w *= r.weight * z.density(t)
				h1 += w * h
				h2 += w * h * h
				near.add(t, h)
				far.add(t, l)
			})
			h, l := z.distances(r, ends[i])
			near.add(ends[i], h)
			far.add(ends[i], l)
		}
		byH[k], byL1[k] = near, far
	}
	o.MeanH, o.SDH, o.MeanL1 = h1, math.Sqrt(max(0, h2-h1*h1)), z.meanL1()
	q := z.quantiles(byH)
	o.Q05, o.Q25, o.Q50, o.Q75, o.Q95 = q[0], q[1], q[2], q[3], q[4]
	q = z.quantiles(byL1)
	o.Q05L1, o.Q25L1, o.Q50L1, o.Q75L1, o.Q95L1 = q[0], q[1], q[2], q[3], q[4]
	o.ProbTruth = z.cdf(byL1, 0) // when every count can be clamped onto itself
	return o, z.ctx.Err()
}

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
