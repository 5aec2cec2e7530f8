package sample

import (
	"math"
	"math/rand/v2"
)

// Float64 is uniform on the midpoints of 2^53 cells of (0, 1), rounded to float64: never 0, and the top midpoint, which
// would round to 1, is 1 − 2^−53.
func Float64(src rand.Source) float64 {
	return math.Min((float64(src.Uint64()>>11)+0.5)*0x1p-53, 1-0x1p-53)
}

// Normal is a standard normal draw, by Marsaglia's polar method.
func Normal(src rand.Source) float64 {
	for {
		u, v := 2*Float64(src)-1, 2*Float64(src)-1
		if s := u*u + v*v; s < 1 && s > 0 {
			return u * math.Sqrt(-2*math.Log(s)/s)
		}
	}
}

// LogGamma is the logarithm of a Gamma(shape, 1) draw, 0 < shape < ∞. A draw at shape a + 1 is Marsaglia and Tsang's
// ("A Simple Method for Generating Gamma Variables", 2000); Gamma(a) = Gamma(a+1)·U^{1/a} is taken in log space,
// because for small a the draw itself underflows. Shape 0 is a point mass at 0, −Inf; a negative, infinite or NaN shape
// gives NaN.
func LogGamma(src rand.Source, shape float64) float64 {
	if !(shape >= 0) || math.IsInf(shape, 1) {
		return math.NaN()
	}
	if shape < 1 {
		return LogGamma(src, shape+1) + math.Log(Float64(src))/shape
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := Normal(src)
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(Float64(src)) < x*x/2+d-d*v+d*math.Log(v) {
			return math.Log(d) + math.Log(v)
		}
	}
}

// LogDirichlet fills out with the logarithms of a Dirichlet(alpha) draw: log-Gammas, normalised by log-sum-exp, so that
// components far below the smallest float64 keep their logarithm. alpha and out have the same length; every alpha ≥ 0,
// one of them > 0.
func LogDirichlet(src rand.Source, alpha, out []float64) {
	top := math.Inf(-1)
	for i, a := range alpha {
		out[i] = LogGamma(src, a)
		top = math.Max(top, out[i])
	}
	sum := 0.0
	for _, l := range out {
		sum += math.Exp(l - top)
	}
	norm := top + math.Log(sum)
	for i := range out {
		out[i] -= norm
	}
}
