package truncated

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// curve is a concave log-density r(δ) with r(0) = 0 its maximum on the interval in question.
type curve interface {
	value(d float64) float64           // r(δ)
	slopes(d float64) (r1, r2 float64) // r′(δ), r″(δ) ≤ 0
	// longest panel at δ on which e^r is as good as a polynomial; grows with scale
	span(d float64, scale float64) float64
}

const (
	// A cutoff is the fall of the log-density after which panels stop. If r(x) = −c, concavity gives r ≥ −c·t/x on [0,
	// x] and a slope of at least c/x beyond: the mass left out is at most e^−c/(1 − e^−c) of the mass kept.
	fineCutoff, coarseCutoff = 64, 42
	// coarse panels serve integrals by the 24-point rule (error below 1e-19 at a fall of 24 nats), fine ones the
	// sampler's polynomials of degree 15.
	coarseFall, coarseScale = 22, 3
	fineFall, fineScale     = 1.5, 1
)

// edges cuts [lo, hi] ∋ 0 (either end may be infinite) into panels, ascending, between which r falls by about fall at
// most.
func edges(c curve, lo, hi, fall, scale, cutoff float64) []float64 {
	left := march(c, -1, -lo, fall, scale, cutoff)
	right := march(c, 1, hi, fall, scale, cutoff)
	out := make([]float64, 0, len(left)+len(right)+1)
	for i := len(left) - 1; i >= 0; i-- {
		out = append(out, -left[i])
	}
	out = append(out, 0)
	return append(out, right...)
}

// march lists the panel ends in direction dir, as distances from 0, up to reach or to the cutoff.
func march(c curve, dir, reach, fall, scale, cutoff float64) []float64 {
	var out []float64
	x, r := 0.0, 0.0
	for x < reach && r > -cutoff {
		r1, r2 := c.slopes(dir * x)
		s, k := math.Max(-dir*r1, 0), math.Max(-r2, 0)
		h := math.Min(2*fall/(s+math.Sqrt(s*s+2*fall*k)), c.span(dir*x, scale)) // solves s·h + k·h²/2 = fall
		next := math.Min(x+h, reach)
		nr := c.value(dir * next)
		for nr < r-1.25*fall { // the curvature grows outwards
			h /= 2
			next = math.Min(x+h, reach)
			nr = c.value(dir * next)
		}
		if !(next > x) { // below the spacing of floats
			next = math.Nextafter(x, math.Inf(1))
			nr = c.value(dir * next)
		}
		x, r = next, nr
		out = append(out, x)
	}
	return out
}

// tailSpan is the longest panel where the curvature is e^−u: a constant near its bulk; in the tail, where e^r is all
// but an exponential, at most half the way back.
func tailSpan(u, scale float64) float64 { return math.Max(1.25*scale, math.Min(scale/3, 0.5)*u) }

// grid is the coarse quadrature of one law: nodes δ and their shares of the mass.
type grid struct {
	d, share []float64
	log      float64 // ln ∫ e^r dδ
}

// newGrid integrates e^r over [lo, hi].
func newGrid(c curve, lo, hi float64) grid {
	at := edges(c, lo, hi, coarseFall, coarseScale, coarseCutoff)
	n := len(nodes) * (len(at) - 1)
	g := grid{d: make([]float64, 0, n), share: make([]float64, 0, n)}
	total := 0.0
	for i := 1; i < len(at); i++ {
		half, mid := (at[i]-at[i-1])/2, (at[i]+at[i-1])/2
		for k, x := range nodes {
			d := mid + half*x
			f := half * weights[k] * math.Exp(c.value(d))
			g.d, g.share = append(g.d, d), append(g.share, f)
			total += f
		}
	}
	for i := range g.share {
		g.share[i] /= total
	}
	g.log = math.Log(total)
	return g
}

// logMean is the logarithm of the mean of f at the nodes.
func (g *grid) logMean(f func(d float64) float64) float64 {
	s := 0.0
	for i, d := range g.d {
		s += g.share[i] * f(d)
	}
	return math.Log(s)
}

var nodes, weights = num.GaussLegendre24()
