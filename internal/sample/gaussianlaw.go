package sample

import "math"

// LogProb is log P(Z = z) = −z²/(2σ²) − log Σ_k exp(−k²/(2σ²)), within 1e-15·(1 + 1/σ²) for |z| < 2^53
// when σ² is a float64.
func (g DiscreteGaussian) LogProb(z int64) float64 {
	v := float64(z)
	return -v*v/(2*g.Sigma2()) - g.logNorm()
}

// logNorm is log Σ_z exp(−z²/(2σ²)) ≥ 0: the sum itself for σ² ≤ 1, and by Poisson summation √(2πσ²)(1 + 2Σ_k
// exp(−2π²σ²k²)) above. The first terms left out, exp(−13²/2) and exp(−50π²), are far below the rounding.
func (g DiscreteGaussian) logNorm() float64 {
	s2, sum := g.Sigma2(), 0.0
	if s2 <= 1 {
		for z := 12.0; z >= 1; z-- {
			sum += 2 * math.Exp(-z*z/(2*s2))
		}
		return math.Log1p(sum)
	}
	for k := 4.0; k >= 1; k-- {
		sum += 2 * math.Exp(-2*math.Pi*math.Pi*s2*k*k)
	}
	return 0.5*math.Log(2*math.Pi*s2) + math.Log1p(sum)
}

// maxTerms bounds the work of LogTail; summation by integrals takes over when more terms would count.
const maxTerms = 2048

// LogTail is log P(Z ≥ z), any z. Below 1 it is the complement of P(Z ≥ 1−z) < ½.
//
// Case few terms: relative to the first, term j is exp(−j(2z+j)/(2σ²)), below e^{−40} from j = 80σ²/(z + √(z²+80σ²))
// on; the terms before that are added from the far side, smallest first.
//
// Case many terms (then σ > 200 and z/σ² < 0.02): summation by integrals, see logTailIntegral.
//
// The relative error of the tail is below 1e-13 + 2^−51·z²/σ², the second part from rounding z²/(2σ²).
func (g DiscreteGaussian) LogTail(z int64) float64 {
	if z <= 0 {
		if z < -math.MaxInt64+1 { // 1 − z would overflow; the complement is 0 in any case, σ being at most 2^31
			return 0
		}
		return math.Log1p(-math.Exp(g.LogTail(1 - z)))
	}
	s2, v := g.Sigma2(), float64(z)
	terms := 80 * s2 / (v + math.Sqrt(v*v+80*s2))
	if terms > maxTerms {
		return logTailIntegral(v, s2)
	}
	sum := 0.0
	for j := math.Ceil(terms); j >= 0; j-- {
		sum += math.Exp(-j * (2*v + j) / (2 * s2))
	}
	return g.LogProb(z) + math.Log(sum)
}

// logTailIntegral is log Σ_{k≥z} φ(k/σ)/σ by the Euler–Maclaurin formula at midpoints. With x = (z−½)/σ and Q the
// normal tail,
//
//	Σ = ∫_{z−½}^∞ f + f′(z−½)/24 − 7f‴(z−½)/5760 + …
//	  = Q(x) − φ(x)·(x/(24σ²) − 7(x³−3x)/(5760σ⁴)) + …
//
// The next term is 31f⁗′/967680, relative to the sum below 4e-5·(z/σ²)⁶ + 4e-4/σ⁶: under 1e-14 where this is used.
//
// Far out (x > 25), where Q underflows, Q(x) = φ(x)/x·S(x), S = 1 − 1/x² + 3/x⁴ − 15/x⁶ + …, whose ninth term is below
// 1e-16.
func logTailIntegral(z, s2 float64) float64 {
	x := (z - 0.5) / math.Sqrt(s2)
	logDensity := -x*x/2 - 0.5*math.Log(2*math.Pi)
	var logQ, hazard float64 // hazard = φ/Q
	if x <= 25 {
		q := math.Erfc(x/math.Sqrt2) / 2
		logQ, hazard = math.Log(q), math.Exp(logDensity)/q
	} else {
		s, term := 1.0, 1.0
		for k := 1.0; k <= 8; k++ {
			term *= -(2*k - 1) / (x * x)
			s += term
		}
		logQ, hazard = logDensity+math.Log(s/x), x/s
	}
	return logQ + math.Log1p(-hazard*(x/(24*s2)-7*x*(x*x-3)/(5760*s2*s2)))
}

// Variance is the variance of the discrete law, Σ z² P(Z = z) ≤ σ²: below σ² when σ is small, equal to it but for a
// relative 8π²σ²e^{−2π²σ²} (under 1e-30 for σ² > 4) when large.
func (g DiscreteGaussian) Variance() float64 {
	s2 := g.Sigma2()
	if s2 > 4 {
		return s2
	}
	sum := 0.0
	for z := int64(40); z >= 1; z-- {
		sum += 2 * float64(z*z) * math.Exp(g.LogProb(z))
	}
	return math.Min(sum, s2) // the sum of rounded terms may pass σ² in its last digit
}
