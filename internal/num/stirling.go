package num

import "math"

// stirlingFrom is where the Stirling series starts to be used; below it recurrences lead up to it. At 12 the first term
// left out of StirlingTail is below 1e-18.
const stirlingFrom = 12

// halfLog2Pi is ½ ln 2π.
const halfLog2Pi = 0.918938533204672741780329736405617639861397473637783412817

// stirlingCoef holds B_{2k}/(2k(2k−1)), k = 1, 2, …, the coefficients of z^{1−2k} in
//
//	S(z) = lnΓ(z) − [(z − ½) ln z − z + ½ ln 2π].
//
// Source: DLMF 5.11.1.
var stirlingCoef = [...]float64{
	1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156, -3617. / 122400,
}

// StirlingTail is S(z), z > 0, absolute error about 2e-15. Below stirlingFrom it uses
// S(z) = S(z+1) + (z + ½) ln(1 + 1/z) − 1, whose increment is computed without cancellation.
func StirlingTail(z float64) float64 {
	s := 0.0
	for z < stirlingFrom {
		s += stirlingStep(z)
		z++
	}
	u, p := 1/(z*z), 0.0
	for k := len(stirlingCoef) - 1; k >= 0; k-- {
		p = p*u + stirlingCoef[k]
	}
	return s + p/z
}

// stirlingStep is S(z) − S(z+1) = (z + ½) ln(1 + 1/z) − 1 = atanh(s)/s − 1 with s = 1/(2z + 1).
func stirlingStep(z float64) float64 {
	s := 1 / (2*z + 1)
	if s < seriesBelow {
		return atanhMinus(s) / s
	}
	return (z+0.5)*(math.Log1p(z)-math.Log(z)) - 1
}

// seriesBelow is the |s| up to which atanhMinus sums its series.
const seriesBelow = 0.35

// atanhMinus is atanh(s) − s = s³/3 + s⁵/5 + …, |s| < 1, relative error about 2ε.
func atanhMinus(s float64) float64 {
	if math.Abs(s) >= seriesBelow {
		return math.Atanh(s) - s
	}
	u, sum := s*s, 0.0
	power := s * u
	for k := 3.0; ; k += 2 {
		next := sum + power/k
		if next == sum {
			return sum
		}
		sum, power = next, power*u
	}
}

// Log1pMinus is ln(1 + r) − r ≤ 0, r > −1, relative error about 4ε. With s = r/(2 + r) it is 2(atanh s − s) − r·s, in
// which the second term dominates.
func Log1pMinus(r float64) float64 {
	if s := r / (2 + r); math.Abs(s) < seriesBelow {
		return 2*atanhMinus(s) - r*s
	}
	return math.Log1p(r) - r
}

// XLogXMinus is (1 + r) ln(1 + r) − r ≥ 0, r ≥ −1, relative error about 4ε: the deviance of a Poisson count relative to
// its mean. With s = r/(2 + r) it is [2s² + 2(1 + s)(atanh s − s)]/(1 − s).
func XLogXMinus(r float64) float64 {
	switch s := r / (2 + r); {
	case r == -1:
		return 1
	case math.Abs(s) < seriesBelow:
		return (2*s*s + 2*(1+s)*atanhMinus(s)) / (1 - s)
	}
	return (1+r)*math.Log1p(r) - r
}
