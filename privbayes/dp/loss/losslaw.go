package loss

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// lossLaw is a privacy loss with a log-concave density on the whole line, whose log is analytic except for poles at
// height π·scale.
type lossLaw interface {
	// at returns ln f(t), its first derivative, and minus its second, which is ≥ 0.
	at(t float64) (logf, slope, curvature float64)
	// coordinate maps t to y with unit scale: beyond |y| ≫ 1 the density is nearly exponential or nearly 0.
	coordinate(t float64) (y, scale float64)
}

// hockeyStick is E(1 − e^{ε−L})₊ = ∫_ε^∞ (1 − e^{ε−t}) f(t) dt: an integral of positive terms, so that nothing cancels
// however small the profile is. Panels of 24 Gauss–Legendre nodes follow the local width of the density; what lies
// beyond the last one is at most f/|slope|, by log-concavity, and is added. The result is rounded up by 1e-9, far above
// the error of the quadrature.
func hockeyStick(law lossLaw, epsilon float64) float64 {
	f := func(t float64) float64 {
		logf, _, _ := law.at(t)
		return -math.Expm1(epsilon-t) * math.Exp(logf)
	}
	sum, t := 0.0, epsilon
	for range maxPanels {
		logf, slope, curvature := law.at(t)
		if tail := math.Exp(logf) / -slope; slope < 0 && (tail <= 1e-18*sum || tail == 0) {
			return math.Min(1, (sum+tail)*(1+1e-9))
		}
		y, scale := law.coordinate(t)
		h := scale * math.Max(2, math.Abs(y)/2)
		h = math.Min(h, math.Min(5/math.Sqrt(curvature), 10/math.Abs(slope)))
		if t-epsilon < 40 {
			h = math.Min(h, 20)
		}
		if t+h == t { // the density is narrower than the spacing of floats at t: no claim
			return 1
		}
		sum += num.Integrate24(f, t, t+h, 1)
		t += h
	}
	return 1
}

// maxPanels bounds the work. A profile that needs more panels is given the value that every profile stays below, 1: the
// density then rises by tens of thousands of e-folds beyond ε, so that nearly all of it lies there.
const maxPanels = 1 << 12

// betaLoss is L = r·logit(w) + C with w ~ Beta(a, b).
type betaLoss struct{ a, b, rate, shift float64 }

func (l betaLoss) coordinate(t float64) (y, scale float64) { return (t - l.shift) / l.rate, l.rate }

func (l betaLoss) at(t float64) (logf, slope, curvature float64) {
	y := (t - l.shift) / l.rate
	w, v := num.Logistic(y)
	slope, curvature = (l.a*v-l.b*w)/l.rate, (l.a+l.b)*w*v/(l.rate*l.rate)
	if math.Abs(y) > 30 { // the smaller of w and v may underflow
		small := math.Log1p(math.Exp(-math.Abs(y)))
		logf = -small*(l.a+l.b) - math.Max(y, 0)*l.b + math.Min(y, 0)*l.a - num.LogBeta(l.a, l.b)
	} else {
		logf = num.LogBetaKernel(l.a, l.b, w, v)
	}
	return logf - math.Log(l.rate), slope, curvature
}

// gammaLoss is L = sign·(r·ln g − C) with g ~ Gamma(shape).
type gammaLoss struct{ shape, rate, shift, sign float64 }

func (l gammaLoss) coordinate(t float64) (y, scale float64) {
	return (l.sign*t + l.shift) / l.rate, l.rate
}

func (l gammaLoss) at(t float64) (logf, slope, curvature float64) {
	u, _ := l.coordinate(t)
	g := math.Exp(u)
	return logGammaKernel(l.shape, u) - math.Log(l.rate), l.sign * (l.shape - g) / l.rate, g / (l.rate * l.rate)
}

// logGammaKernel is ln[g^a e^{−g}/Γ(a)] at g = e^u. For large a,
//
//	a(v − (e^v − 1)) + ½ ln(a/2π) − S(a),  v = u − ln a,
//
// which keeps the digits that a·u − e^u − lnΓ(a) would lose near the mode.
func logGammaKernel(a, u float64) float64 {
	if a < 12 {
		return a*u - math.Exp(u) - num.LogGamma(a)
	}
	v := u - math.Log(a)
	d := v - math.Expm1(v)
	if math.Abs(v) < 1 {
		d = num.Log1pMinus(math.Expm1(v))
	}
	return a*d + 0.5*math.Log(a/(2*math.Pi)) - num.StirlingTail(a)
}
