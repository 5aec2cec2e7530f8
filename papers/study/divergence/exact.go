package divergence

import (
	"fmt"
	"math"
	"math/cmplx"
)

// Tail is a probability computed by a contour integral.
type Tail struct {
	Probability float64 // 0 where it is below the smallest float64
	Complement  float64 // 1 − Probability
	Log         float64 // ln of Probability
	// RelativeError is an estimate, for the smaller of the two: the change at the last halving of the step, plus
	// rounding.
	RelativeError float64
}

// AccuracyError is an integral that did not settle: the last estimate and its relative error.
type AccuracyError struct{ Estimate, RelativeError float64 }

func (e *AccuracyError) Error() string {
	return fmt.Sprintf("divergence: the tail integral settled at %.6g only to %.1g; want 1e-6", e.Estimate,
		e.RelativeError)
}

// ExactTail is Pr[KL(p‖q) > η] by inversion of the moment generating function M of equation (14) at complex arguments:
//
//	Pr = 1/(2πi) ∫ M(z)e^{−zη}/z dz
//
// along the hyperbola z(v) = c + w[0.6(cosh v − 1) + i sinh v]. It crosses the real axis at the minimum c of
// M(t)e^{−tη}/t on (0, T), where the integrand is largest, and w is the width there. It bends to the right, around the
// only singularities of M, t ≥ T; M has at most polynomial growth away from them, so the integrand falls doubly
// exponentially in v and the trapezoidal rule converges exponentially. The step is halved until two sums agree to
// 1e-11. With c < 0 instead, the pole at 0 is enclosed too, and the integral is −Pr[KL ≤ η]: of the two, the one below
// ½ is computed.
//
// The relative error is stated in the answer, mostly below 1e-11, and grows like |ln Pr|. For d = 2 and for p at a
// corner it agrees with the beta distribution function, tested for β in [0.1, 1e7] and α in [1e-3, 1e3]. No condition
// on α. It depends on p: private, do not publish.
//
// Domain: p on the simplex; β, α, η > 0; otherwise a *ParameterError; an integral that does not settle to 1e-6 is an
// *AccuracyError.
func ExactTail(p []float64, beta, alpha, eta float64) (Tail, error) {
	l, err := newLaw("ExactTail", p, beta, alpha, eta)
	if err != nil {
		return Tail{}, err
	}
	right := eta >= l.mean
	log, relative := l.contour(eta, right)
	if !(log <= -math.Ln2) { // the other one is the smaller
		if other, r := l.contour(eta, !right); r < 1e-6 {
			log, relative, right = other, r, !right
		}
	}
	tail := Tail{math.Exp(log), -math.Expm1(log), log, relative}
	if !right {
		tail = Tail{tail.Complement, tail.Probability, math.Log(-math.Expm1(log)), relative}
	}
	if !(relative < 1e-6) {
		return Tail{}, &AccuracyError{tail.Probability, relative}
	}
	return tail, nil
}

// contour is ln Pr[KL > η] from a contour that crosses to the right of 0, or ln Pr[KL ≤ η] from one to the left, and
// the relative error.
func (l *law) contour(eta float64, right bool) (log, relative float64) {
	at, sign := l.left, -1.0
	if right {
		at, sign = l.right, 1
	}
	c := root(at, func(t float64) float64 { return l.slope(t) - eta - 1/t })
	top := l.logMGF(c) - c*eta - math.Log(math.Abs(c))
	width := 1 / math.Sqrt(l.curvature(c)+1/(c*c))
	var sizes float64 // Σ |term|·(1 + size of the parts of its exponent), the scale of rounding
	term := func(v float64) float64 {
		x, y := math.Cosh(v), math.Sinh(v)
		z := complex(c+width*0.6*(x-1), width*y)
		log, size := l.complexLogMGF(z)
		exponent := log - z*complex(eta, 0) - cmplx.Log(z*complex(sign, 0)) - complex(top, 0)
		f := cmplx.Exp(exponent) * complex(0.6*y, x)
		sizes += cmplx.Abs(f) * (1 + size + math.Abs(top))
		return imag(f)
	}
	step, sum, previous := 0.25, 0.5*term(0), math.NaN()
	var change float64
	for first, stride := 1, 1; ; first, stride = 1, 2 { // at first every node, after a halving the odd ones
		quiet := 0
		for k := first; ; k += stride {
			v := float64(k) * step
			f := term(v)
			sum += f
			if quiet++; math.Abs(f) > 1e-17*math.Abs(sum) {
				quiet = 0
			}
			if quiet > 4 && v > 1 || v > 60 {
				break
			}
		}
		value := sum * step
		if change = math.Abs(value-previous) / math.Abs(value); change < 1e-11 || change < 1e-15*sizes/math.Abs(sum) ||
			step < 0.25/256 {
			break
		}
		previous = value
		step /= 2
	}
	log = min(top+math.Log(sum*step*width/math.Pi), 0)
	if math.IsNaN(log) {
		return log, math.Inf(1)
	}
	return log, change + 1e-15*sizes/math.Abs(sum)
}
