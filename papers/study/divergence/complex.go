package divergence

import (
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/num"
)

// stirlingSeries holds B_{2k}/(2k(2k−1)), k = 1, 2, … (DLMF 5.11.1).
var stirlingSeries = [...]float64{1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360, 1. / 156,
	-3617. / 122400}

// stirling is S(z) = lnΓ(z) − [(z − ½) ln z − z + ½ ln 2π], z off the negative axis, continuous there. By the
// recurrence S(z) = S(z+1) + (z + ½) ln(1 + 1/z) − 1 to where its series has an error below 1e-16: |z| ≥ 12, and 24
// where Re z < 0.
func stirling(z complex128) complex128 {
	if imag(z) == 0 && real(z) > 0 {
		return complex(num.StirlingTail(real(z)), 0)
	}
	var s complex128
	for far := cmplx.Abs(z); far < 12 || far < 24 && real(z) < 0; far = cmplx.Abs(z) {
		s += stirlingStep(z)
		z++
	}
	u := 1 / (z * z)
	var p complex128
	for k := len(stirlingSeries) - 1; k >= 0; k-- {
		p = p*u + complex(stirlingSeries[k], 0)
	}
	return s + p/z
}

// stirlingStep is (z + ½) ln(1 + 1/z) − 1 = atanh(w)/w − 1, w = 1/(2z+1).
func stirlingStep(z complex128) complex128 {
	w := 1 / (2*z + 1)
	if cmplx.Abs(w) > 0.15 {
		return (z+0.5)*cmplx.Log(1+1/z) - 1
	}
	u, sum := w*w, complex128(0)
	for k := 21; k >= 3; k -= 2 {
		sum = (sum + complex(1/float64(k), 0)) * u
	}
	return sum
}

// xlogx is φ(x) = (1+x) ln(1+x) − x, by its series Σ_{k≥2} (−x)^k/(k(k−1)) where that would cancel.
func xlogx(x complex128) complex128 {
	if cmplx.Abs(x) > 0.1 {
		return (1+x)*cmplx.Log(1+x) - x
	}
	var sum complex128
	for k := 17; k >= 2; k-- {
		sum = complex(1/float64(k*(k-1)), 0) - x*sum
	}
	return sum * x * x
}
