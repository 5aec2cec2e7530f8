package publication

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// characteristic is E cos(tZ) of integer noise with a closed form; ok is false for others.
func characteristic(z noise.Probabilities) (phi func(t float64) float64, ok bool) {
	switch f := noise.FormOf(z); {
	case f.Rate > 0:
		q := math.Exp(-f.Rate)
		b := math.Expm1(-f.Rate) * math.Expm1(-f.Rate)
		return func(t float64) float64 {
			s := math.Sin(t / 2)
			return b / (b + float64(4*q*s*s))
		}, true
	case f.Sigma2 > 0 && f.Sigma2 < 1: // Σ_z cos(tz)·e^{−z²/(2σ²)}, of few terms
		return func(t float64) float64 {
			sum, all := 1., 1.
			for z := 1.; z*z < 80*f.Sigma2; z++ {
				p := 2 * math.Exp(-z*z/(2*f.Sigma2))
				sum, all = sum+float64(p*math.Cos(t*z)), all+p
			}
			return sum / all
		}, true
	case f.Sigma2 > 0: // by Poisson's sum: that of e^{−σ²(t − 2πk)²/2}, of which k = 0 is left where σ² is 4 and more
		all := 1 + 2*math.Exp(-f.Sigma2*2*math.Pi*math.Pi)
		return func(t float64) float64 {
			t = math.Remainder(t, 2*math.Pi)
			sum := math.Exp(-f.Sigma2 * t * t / 2)
			if f.Sigma2 < 4 {
				a, b := t-2*math.Pi, t+2*math.Pi
				sum += math.Exp(-f.Sigma2*a*a/2) + math.Exp(-f.Sigma2*b*b/2)
			}
			return sum / all
		}, true
	}
	return nil, false
}

// quantile is an x with P(|Σ c_j Z_j| ≤ x) ≥ level, near the least one. With U a narrow symmetric noise that stays
// within r, |E + U| ≤ x and |U| ≤ r give |E| ≤ x + r: so x + r serves where x is the quantile of E + U, which has no
// lattice.
//
//   - Of discrete Gaussians alone, of which the one with the widest step h has σ² ≥ 1, U is uniform on that step, and
//     E + U is normal but for 1e-8. The step must be at most a twentieth of the deviation.
//   - Else U is normal of 1/250 of the deviation, cut at four of its own, and E + U is found by inverting the product
//     of characteristic functions: P(|E + U| ≤ x) = (2/π)·∫ φ(t)·sin(tx)/t dt by the midpoint rule, whose error is what
//     lies beyond 40 deviations. The cut of U costs 7e-5 of the level, which is asked for in addition.
//
// ok is false for distributions without a closed form, and for levels above 1 − 1.3e-4 that need inversion.
func quantile(list []term, level float64) (x float64, ok bool) {
	variance, widest, normal := 0., term{}, true
	for _, t := range list {
		v := t.noise.Variance()
		variance += float64(t.times * t.by * t.by * v)
		if math.Abs(t.by) > math.Abs(widest.by) {
			widest = t
		}
		normal = normal && noise.FormOf(t.noise).Sigma2 > 0
	}
	if variance == 0 {
		return 0, true
	}
	sd, step := math.Sqrt(variance), math.Abs(widest.by)
	if normal && step <= sd/20 && noise.FormOf(widest.noise).Sigma2 >= 1 {
		return float64(math.Sqrt2*math.Erfinv(level)*math.Sqrt(variance+step*step/12)) + step/2, true
	}
	const narrow, reach, beyond = 1. / 250, 4, 6.4e-5 // P(|N| > 4) = 6.3e-5
	if level > 1-2*beyond {                           // what is cut of U would be more than what is left
		return 0, false
	}
	phi, ok := inverted(list, narrow*sd, sd)
	if !ok {
		return 0, false
	}
	inside := func(x float64) float64 { // P(|E + U| ≤ x) less what is wanted
		p := 0.
		for i, f := range phi {
			t := (float64(i) + .5) * points / sd
			p += f * math.Sin(t*x) / (float64(i) + .5)
		}
		return 2/math.Pi*p - (level + beyond)
	}
	x, _, err := num.RootBracket(inside, 0, 20*sd, 1e-7*sd)
	return x + float64(reach*narrow*sd), err == nil
}

// points is how close characteristic functions are taken, in inverse deviations: the sum is then of a distribution that
// repeats after 40 deviations and more.
const points = .15

// inverted is the product of characteristic functions at the midpoints, with that of normal noise.
func inverted(list []term, smooth, sd float64) (out []float64, ok bool) {
	for i := 0; ; i++ {
		t := (float64(i) + .5) * points / sd
		f := math.Exp(-smooth * smooth * t * t / 2)
		if f < 1e-6 {
			break
		}
		out = append(out, f)
	}
	for _, one := range list {
		phi, ok := characteristic(one.noise)
		if !ok {
			return nil, false
		}
		for i := range out {
			if math.Abs(out[i]) > 1e-12 {
				x := phi(math.Abs(one.by) * (float64(i) + .5) * points / sd)
				if one.times > 1 {
					x = math.Copysign(math.Pow(math.Abs(x), one.times), x)
				}
				out[i] *= x
			}
		}
	}
	return out, true
}
