package num

import (
	"math"
	"math/cmplx"
)

// LogGammaComplex is lnΓ(z), the branch that is real on the positive axis and continuous off the negative one. Relative
// error about 1e-14 for Re z > 0, near the zeros 1 and 2 as well; for Re z ≤ 0 by reflection, relative error about
// 1e-13 away from the poles. NaN at the poles 0, −1, −2, ….
//
// By the recurrence to |z| ≥ 12, then Stirling's series, whose first term left out is below 1e-18·sec¹⁸(arg z/2) ≤
// 1e-15 for Re z ≥ 0. Source: DLMF 5.5.1, 5.5.3, 5.11.1, 5.11.11.
func LogGammaComplex(z complex128) complex128 {
	x, y := real(z), imag(z)
	switch {
	case math.IsNaN(x+y) || y == 0 && x <= 0 && x == math.Trunc(x):
		return cmplx.NaN()
	case x <= 0:
		return logGammaReflected(z)
	case y == 0:
		return complex(LogGamma(x), 0)
	}
	zero := 1.0 // the nearer zero of lnΓ
	if x > 1.5 {
		zero = 2
	}
	if h := z - complex(zero, 0); square(h) < 0.8 || zero == 2 && square(h) < 2 {
		return h*complex(Digamma(zero), 0) + LogGammaBregmanComplex(zero, h)
	}
	climb := complexProduct{value: 1}
	for square(z) < stirlingFrom*stirlingFrom {
		climb.times(z)
		z++
	}
	return (z-0.5)*cmplx.Log(z) - z + halfLog2Pi + stirlingTailComplex(z) - climb.log()
}

// logGammaReflected is lnΓ(z) = ln π − ln sin πz − lnΓ(1−z) for Re z ≤ 0. Off the real axis the continuous branch of ln
// sin πz is ∓iπ(z − ½) − ln 2 + ln(1 − e^{±2πiz}), with the upper signs above it.
func logGammaReflected(z complex128) complex128 {
	if imag(z) < 0 || imag(z) == 0 && math.Signbit(imag(z)) {
		return cmplx.Conj(logGammaReflected(cmplx.Conj(z)))
	}
	turn := complex(real(z)-math.Round(real(z)), imag(z)) // e^{2πiz} has period 1: no digits lost for large |Re z|
	w := cmplx.Exp(2i * math.Pi * turn)
	logSine := -1i*math.Pi*(z-0.5) - math.Ln2 + cmplx.Log(1-w)
	if square(turn) < 0.01 {
		logSine = -1i*math.Pi*(z-0.5) - math.Ln2 + cmplx.Log(-2i*cmplx.Sin(math.Pi*turn)) + 1i*math.Pi*turn
	}
	return complex(math.Log(math.Pi), 0) - logSine - LogGammaComplex(1-z)
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
