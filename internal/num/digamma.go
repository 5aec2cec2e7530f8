package num

import "math"

// digammaCoef holds B_{2k}/(2k), k = 1, 2, …: ψ(x) ~ ln x − 1/(2x) − Σ B_{2k}/(2k·x^{2k}) (DLMF 5.11.2).
var digammaCoef = [...]float64{1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12, -3617. / 8160}

// trigammaCoef holds B_{2k}: ψ′(x) ~ 1/x + 1/(2x²) + Σ B_{2k}/x^{2k+1}.
var trigammaCoef = [...]float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510}

// Digamma is ψ(x) = d lnΓ(x)/dx, x > 0, error at most 1e-15·max(1, |ψ|): the zero at 1.4616… costs relative, not
// absolute accuracy. ψ(0) = −Inf; NaN for x < 0. It climbs to stirlingFrom by ψ(x) = ψ(x+1) − 1/x.
func Digamma(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	}
	s := 0.0
	for ; x < stirlingFrom; x++ {
		s += 1 / x
	}
	return math.Log(x) - 0.5/x - evenSeries(digammaCoef[:], x) - s
}

// Trigamma is ψ′(x) = Σ_{k≥0} 1/(x+k)², x > 0, relative error at most 1e-15. ψ′(0) = +Inf; NaN for x < 0.
func Trigamma(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case math.IsInf(x, 1):
		return 0
	}
	s := 0.0
	for ; x < stirlingFrom; x++ {
		s += 1 / x / x
	}
	return s + (1+0.5/x+evenSeries(trigammaCoef[:], x))/x
}

// evenSeries is Σ_k c_k x^{−2k}, k = 1, 2, ….
func evenSeries(c []float64, x float64) float64 {
	u, p := 1/x/x, 0.0
	for k := len(c) - 1; k >= 0; k-- {
		p = (p + c[k]) * u
	}
	return p
}
