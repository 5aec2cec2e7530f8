package study

import (
	"math"
	"slices"
)

// cdf is P[f ≤ v] for a function f that does not decrease along rays: the mean over directions of P[ρ ≤ ρ_v], ρ_v the radius where
// f passes v.
//
// H and the ℓ₁ distance are such functions: the distance of the counts grows in every cell, and H along a straight line, because
// −ln BC(c, c + ρω) has the derivative ½ω·(∇A(c + ρω) − ∇A(c + ½ρω)) ≥ 0 for the convex log-normaliser A.
func (z *noise) cdf(v float64, f func(ray, float64) float64) float64 {
	return total(func(yield func(float64) bool) {
		for _, r := range z.coarse {
			if !yield(r.weight * z.below(z.radius(r, v, f))) {
				return
			}
		}
	})
}

// radius is where f passes v along a ray, in units of b; +Inf if it stays below. f starts almost like a multiple of the radius and
// bends later, which suits false position with the Illinois rule.
func (z *noise) radius(r ray, v float64, f func(ray, float64) float64) float64 {
	lo, hi := 0.0, float64(reach)
	flo, fhi := -v, f(r, hi*z.scale)-v
	if fhi <= 0 {
		return math.Inf(1)
	}
	for range 60 {
		if hi-lo < 1e-9*hi {
			break
		}
		t := (lo*fhi - hi*flo) / (fhi - flo)
		if !(t > lo && t < hi) {
			t = (lo + hi) / 2
		}
		g := f(r, t*z.scale) - v
		switch {
		case math.Abs(g) < 1e-10*v:
			return t
		case g > 0:
			hi, fhi = t, g
			flo /= 2
		default:
			lo, flo = t, g
			fhi /= 2
		}
	}
	return (lo + hi) / 2
}

// quantiles solves cdf(v) = level by secants from the quantiles of the quadrature nodes, to 1e-8 of the level or twelve steps.
func (z *noise) quantiles(levels, nodes, weights []float64, f func(ray, float64) float64) []float64 {
	out := quantiles(nodes, weights, levels)
	for i, level := range levels {
		if z.ctx.Err() != nil || out[i] == 0 {
			continue
		}
		a, b := out[i]*0.99, out[i]
		ga, gb := z.cdf(a, f)-level, z.cdf(b, f)-level
		best, least := b, math.Abs(gb)
		for range 12 {
			if least < 1e-8 || ga == gb {
				break
			}
			a, b, ga = b, b-gb*(b-a)/(gb-ga), gb
			if !(b > 0) {
				break
			}
			gb = z.cdf(b, f) - level
			if math.Abs(gb) < least {
				best, least = b, math.Abs(gb)
			}
		}
		out[i] = best
	}
	slices.Sort(out) // equal ones may differ by rounding
	return out
}
