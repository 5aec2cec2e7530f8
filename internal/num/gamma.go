package num

import (
	"math"
	"math/cmplx"
)

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

// LogGamma is lnΓ(x), x > 0; NaN otherwise.
func LogGamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	l, _ := math.Lgamma(x)
	return l
}

// LogGammaDiff is lnΓ(x + h) − lnΓ(x), x > 0, x + h > 0: the log of the rising factorial. It does not subtract two
// large numbers: absolute error at most 5e-15·max(1, |value|), also for h far below the spacing of x.
//
//	lnΓ(x+h) − lnΓ(x) = (x − ½) ln(1+r) + h(ln(x+h) − 1) + S(x+h) − S(x),  r = h/x, for x, x+h ≥ 12,
//
// reached by the recurrence, which adds −ln(1 + h/x).
func LogGammaDiff(x, h float64) float64 {
	y := x + h
	switch {
	case !(x > 0 && y > 0) || math.IsInf(x, 1):
		return math.NaN()
	case h == 0:
		return 0
	case math.IsInf(h, 1):
		return h
	}
	s := 0.0
	for x < stirlingFrom || y < stirlingFrom {
		s += logRatio(x, y, h)
		x, y = x+1, y+1
	}
	l := logRatio(x, y, h)
	tail, power, u := 0.0, 1/x, 1/(x*x)
	for k, c := range stirlingCoef {
		tail += c * power * math.Expm1(-float64(2*k+1)*l)
		power *= u
	}
	return (x-0.5)*l + h*(math.Log(y)-1) + tail - s
}

// logRatio is ln(y/x) with y = x + h: from h when y is near x, from y when h ≈ −x.
func logRatio(x, y, h float64) float64 {
	if h < -0.5*x {
		return math.Log(y / x)
	}
	return math.Log1p(h / x)
}

// LogGammaBregman is the Bregman divergence of lnΓ, which is convex:
//
//	D(y; x) = lnΓ(y) − lnΓ(x) − (y − x)ψ(x) ≥ 0,  x, y > 0,  h = y − x.
//
// The caller passes h, since y − x may have lost it. Relative error at most 5e-15, however small h is. Kullback–Leibler
// and Rényi divergences of Dirichlet laws are sums of such terms.
//
// The recurrence is D(y; x) = D(y+1; x+1) + h/x − ln(1+h/x); for x, y ≥ 12, with r = h/x,
//
//	D = x[(1+r)ln(1+r) − r] − ½[ln(1+r) − r] + Σ_k c_k x^{1−2k}[(1+r)^{1−2k} − 1 + (2k−1)r].
func LogGammaBregman(y, x, h float64) float64 {
	if !(x > 0 && y > 0) || math.IsInf(x, 1) || math.IsInf(y, 1) || math.IsNaN(h) {
		return math.NaN()
	}
	s := 0.0
	for x < stirlingFrom || y < stirlingFrom {
		if h < -0.5*x {
			s += h/x - math.Log(y/x)
		} else {
			s -= Log1pMinus(h / x)
		}
		x, y = x+1, y+1
	}
	r := h / x
	tail, power, u := 0.0, 1/x, 1/(x*x)
	for k, c := range stirlingCoef {
		tail += c * power * bregmanPower(float64(2*k+1), r)
		power *= u
	}
	return s + x*XLogXMinus(r) - 0.5*Log1pMinus(r) + tail
}

// bregmanPower is (1+r)^−k − 1 + k·r ≥ 0, by its series Σ_{j≥2} C(−k, j) r^j where the closed form cancels.
func bregmanPower(k, r float64) float64 {
	if k*math.Abs(r) > 0.1 {
		return math.Pow(1+r, -k) - 1 + k*r
	}
	sum, term := 0.0, -k*r
	for j := 1.0; j < 30; j++ {
		term *= -(k + j) / (j + 1) * r
		sum += term
		if math.Abs(term) <= 1e-17*math.Abs(sum) {
			break
		}
	}
	return sum
}

// halfRatioCoef holds (2^{1−m} − 2)·B_m/(m(m−1)), m = 2, 4, …, 16, the coefficients of t^{1−m} in the expansion of L.
var halfRatioCoef = [...]float64{
	-1. / 8, 1. / 192, -1. / 640, 17. / 14336, -31. / 18432, 691. / 180224, -5461. / 425984, 929569. / 15728640,
}

// LogGammaHalfRatio is
//
//	L(t) = ln[Γ(t + ½)/(Γ(t)·√t)] = −½ Σ_{k≥0} ln(1 + 1/(4(t+k)(t+k+1))),  t > 0,
//
// negative, increasing and concave; −1/(8t) for large t, ½ ln t + O(1) for small t. The squared Hellinger distance of
// two Dirichlet posteriors whose data differ in one record moved from cell i to cell j is −expm1(L(c_i − 1) + L(c_j)).
//
// Relative error at most 1e-15 on [1e-300, 1e300]; L(0) = −Inf, L(+Inf) = 0, NaN for t < 0.
func LogGammaHalfRatio(t float64) float64 {
	switch {
	case !(t >= 0):
		return math.NaN()
	case t == 0:
		return math.Inf(-1)
	case t >= stirlingFrom:
		return halfRatioTail(t)
	}
	s := 0.0
	if t < 1e-8 { // 4t(t+1) would be lost or overflow its inverse: ln(1 + 1/(4t(t+1))) = 2 ln(t + ½) − ln t − ln(1 + t)
		s = 0.5*(math.Log(t)+math.Log1p(t)) - math.Log(t+0.5)
		t++
	}
	// The factors 1 + x are multiplied as 1 + p, so that one logarithm serves all of them and small x keep their
	// digits.
	p := 0.0
	for ; t < stirlingFrom; t++ {
		x := 0.25 / (t * (t + 1))
		p += x + p*x
	}
	return s - 0.5*math.Log1p(p) + halfRatioTail(t)
}

// halfRatioTail is L(t) for t ≥ stirlingFrom, where the first term left out is below 1e-18 of the sum.
func halfRatioTail(t float64) float64 {
	u, p := 1/t/t, 0.0
	for k := len(halfRatioCoef) - 1; k >= 0; k-- {
		p = p*u + halfRatioCoef[k]
	}
	return p / t
}

// LogGammaBregmanComplex is D(x+h; x) of [LogGammaBregman] at a complex increment:
//
//	D = lnΓ(x+h) − lnΓ(x) − hψ(x),  x > 0,  Re(x + h) > 0,
//
// relative error about 1e-14, however small h is. NaN outside the domain. The log-mgf of a gamma variable's logarithm
// is hψ(x) + D.
func LogGammaBregmanComplex(x float64, h complex128) complex128 {
	if !(x > 0 && x+real(h) > 0) || math.IsInf(x, 1) {
		return cmplx.NaN()
	}
	var sum, linear complex128
	climb := complexProduct{value: 1}
	for x < stirlingFrom || square(complex(x, 0)+h) < stirlingFrom*stirlingFrom {
		u := complex(real(h)/x, imag(h)/x)
		if square(u) < seriesSquare {
			sum -= log1pMinusSeries(u)
		} else {
			climb.times(1 + u)
			linear += u
		}
		x++
	}
	sum += linear - climb.log()
	r := complex(real(h)/x, imag(h)/x)
	var l complex128 // ln(1+r) − r
	if square(r) < seriesSquare {
		l = log1pMinusSeries(r)
	} else {
		l = cmplx.Log(1+r) - r
	}
	return sum + complex(x, 0)*((1+r)*l+r*r) - 0.5*l + stirlingBregman(x, r)
}

// stirlingBregman is S(x+h) − S(x) − hS′(x) for h = x·r, |x+h| ≥ 12, by a Taylor series in r where the difference
// cancels.
func stirlingBregman(x float64, r complex128) complex128 {
	u := 1 / (x * x)
	if square(r) < 0.0025 {
		// r²·Σ_j r^j Σ_k c_k x^{1−2k} C(1−2k, j+2)
		var total complex128
		for j := 11; j >= 0; j-- {
			d, power := 0.0, 1/x
			for k := range bregmanTerms {
				d += bregmanCoef[j][k] * power
				power *= u
			}
			total = total*r + complex(d, 0)
		}
		return total * r * r
	}
	value, slope := 0.0, 0.0 // S(x) and −xS′(x)
	for k := len(stirlingCoef) - 1; k >= 0; k-- {
		value = value*u + stirlingCoef[k]
		slope = slope*u + stirlingCoef[k]*float64(2*k+1)
	}
	return stirlingTailComplex(complex(x, 0)*(1+r)) - complex(value/x, 0) + r*complex(slope/x, 0)
}

// bregmanTerms is how many terms of Stirling's series the Taylor form needs.
const bregmanTerms = 7

// bregmanCoef[j][k] is stirlingCoef[k]·C(−(2k+1), j+2).
var bregmanCoef = func() (t [12][bregmanTerms]float64) {
	for k := range bregmanTerms {
		p := float64(2*k + 1)
		binomial := -p
		for j := range t {
			binomial *= -(p + float64(j+1)) / float64(j+2)
			t[j][k] = stirlingCoef[k] * binomial
		}
	}
	return t
}()

// stirlingTailComplex is S(z) for |z| ≥ 12, Re z ≥ 0.
func stirlingTailComplex(z complex128) complex128 {
	inv := reciprocal(z)
	u := inv * inv
	var p complex128
	for k := len(stirlingCoef) - 1; k >= 0; k-- {
		p = p*u + complex(stirlingCoef[k], 0)
	}
	return p * inv
}

// seriesSquare is the |u|² below which log1pMinusSeries is used.
const seriesSquare = 0.01

// log1pMinusSeries is ln(1 + u) − u = 2(atanh s − s) − u·s, s = u/(2+u), for |u| ≤ 0.1, relative error about 4ε.
func log1pMinusSeries(u complex128) complex128 {
	s := u * reciprocal(2+u)
	v := s * s
	p := complex(1./15, 0)
	p = p*v + 1./13
	p = p*v + 1./11
	p = p*v + 1./9
	p = p*v + 1./7
	p = p*v + 1./5
	p = p*v + 1./3
	return 2*s*v*p - u*s
}

// complexProduct multiplies factors of positive real part and remembers the turns of the product, so that its logarithm
// is the sum of the principal logarithms of the factors. The product is kept near 1.
type complexProduct struct {
	value complex128
	turns int
	scale int // value stands for value·2^scale
}

func (p *complexProduct) times(f complex128) {
	next := p.value * f
	// A factor turns by less than a quarter, so the product crosses the negative axis only from one half-plane to the
	// other.
	switch {
	case real(next) < 0 && imag(p.value) >= 0 && imag(next) < 0 && imag(f) > 0:
		p.turns++
	case real(next) < 0 && imag(p.value) < 0 && imag(next) >= 0 && imag(f) < 0:
		p.turns--
	}
	if m := math.Abs(real(next)) + math.Abs(imag(next)); m > 0x1p200 || m < 0x1p-200 {
		_, e := math.Frexp(m)
		next = complex(math.Ldexp(real(next), -e), math.Ldexp(imag(next), -e))
		p.scale += e
	}
	p.value = next
}

func (p *complexProduct) log() complex128 {
	if p.value == 1 && p.scale == 0 {
		return 0
	}
	l := cmplx.Log(p.value)
	return complex(real(l)+float64(p.scale)*math.Ln2, imag(l)+2*math.Pi*float64(p.turns))
}

// square is |z|².
func square(z complex128) float64 { return real(z)*real(z) + imag(z)*imag(z) }

// reciprocal is 1/z for z whose square neither overflows nor underflows.
func reciprocal(z complex128) complex128 {
	m := 1 / square(z)
	return complex(real(z)*m, -imag(z)*m)
}
