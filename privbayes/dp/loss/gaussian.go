package loss

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
)

// GaussianPair is the dominating pair of the Gaussian mechanism: N(0, 1) against N(μ, 1), μ = Δ₂/σ. Under replace-one a
// histogram has Δ₂ = √2. Compositions of Gaussian pairs are Gaussian, μ = √Σμ_k².
type GaussianPair struct {
	Mu float64 // μ > 0
}

// String describes the pair.
func (p GaussianPair) String() string { return fmt.Sprintf("N(0, 1) against N(%.6g, 1)", p.Mu) }

// PureEpsilon is +Inf: the loss is unbounded.
func (p GaussianPair) PureEpsilon() float64 { return math.Inf(1) }

// Delta is Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) (Balle and Wang 2018). With a = ε/μ − μ/2, b = ε/μ + μ/2, e^ε = φ(a)/φ(b)
// and Mills's ratio R = (1−Φ)/φ it is
//
//	φ(a)[R(a) − R(b)] = φ(a) ∫_a^b (1 − xR(x)) dx,
//
// an integral of positive terms, used where the difference would lose digits. The result is rounded up by 1e-9.
func (p GaussianPair) Delta(epsilon float64) float64 {
	eps := epsilon - num.Slack*(1+epsilon)
	a, b := eps/p.Mu-p.Mu/2, eps/p.Mu+p.Mu/2
	density := math.Exp(-a*a/2) / math.Sqrt(2*math.Pi)
	var delta float64
	switch {
	case a < -5:
		delta = 0.5*math.Erfc(a/math.Sqrt2) - density*mills(b)
	case p.Mu < 1:
		delta = density * num.Integrate24(millsFall, a, b, 1)
	default:
		delta = density * (mills(a) - mills(b))
	}
	return math.Min(1, num.InflateGamma(delta))
}

// mills is Mills's ratio (1 − Φ(x))/φ(x); from x = 4 on by its continued fraction 1/(x + 1/(x + 2/(x + 3/(x + …)))).
func mills(x float64) float64 {
	if x < 4 {
		return math.Sqrt(math.Pi/2) * math.Exp(x*x/2) * math.Erfc(x/math.Sqrt2)
	}
	return 1 / (x + millsTail(x))
}

// millsFall is −R′(x) = 1 − xR(x) > 0.
func millsFall(x float64) float64 {
	if x < 4 {
		return 1 - x*mills(x)
	}
	t := millsTail(x)
	return t / (x + t)
}

// millsTail is 1/(x + 2/(x + 3/(x + …))), x ≥ 4.
func millsTail(x float64) float64 {
	t := 0.0
	for k := 90.0; k >= 1; k-- {
		t = k / (x + t)
	}
	return t
}

// RDP is λμ²/2.
func (p GaussianPair) RDP(order float64) float64 { return num.Inflate(order * p.Mu * p.Mu / 2) }

// ZCDP is μ²/2.
func (p GaussianPair) ZCDP() float64 { return num.Inflate(p.Mu * p.Mu / 2) }

// LogMGF is z(z+1)μ²/2: the loss is N(μ²/2, μ²) under P.
func (p GaussianPair) LogMGF(z complex128) complex128 { return z * (z + 1) * complex(p.Mu*p.Mu/2, 0) }

// Strip is the whole plane.
func (p GaussianPair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p GaussianPair) Symmetric() bool { return true }

func (p GaussianPair) decays() {}

// discreteGaussianTransform is the loss L = (mk² + 2kS)/(2σ²) of m discrete Gaussian counts shifted by k each, S the
// sum of their noise: of m counts for k = 1 ([DiscreteGaussianPair]), and of one for any k ([IntegerSumPair]).
//
//	K(z) = m[zk²/(2σ²) + ln θ(kz) − ln θ(0)],  θ(w) = Σ_n e^{(2nw − n²)/(2σ²)}.
type discreteGaussianTransform struct{ DiscreteGaussianPair }

func (p discreteGaussianTransform) LogMGF(z complex128) complex128 { return p.kernel()(z) }

func (p discreteGaussianTransform) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

func (p discreteGaussianTransform) Symmetric() bool { return true }

func (p discreteGaussianTransform) lattice() (offset, step float64) {
	k := float64(p.Shift)
	return float64(p.Cells) * k * k / (2 * p.Sigma2), k / p.Sigma2
}

func (p discreteGaussianTransform) kernel() func(complex128) complex128 {
	v, shift := p.Sigma2, float64(p.Shift)
	zero := thetaRest(v, 0)
	return func(z complex128) complex128 {
		// one period of the lattice, s in [−πσ²/k, πσ²/k], loses a phase of mkπ a turn
		z *= complex(shift, 0)
		turns := math.Round(imag(z) / (2 * math.Pi * v))
		w := complex(real(z), imag(z)-2*math.Pi*v*turns)
		k := w*(complex(shift, 0)+w)*complex(1/(2*v), 0) + thetaRest(v, w) - zero
		return complex(float64(p.Cells), 0) * (k + complex(0, math.Pi*shift*turns))
	}
}

// thetaRest is ln θ(z) − z²/(2σ²) − ½ ln 2πσ², |Im z| ≤ πσ²: by Poisson summation the log of Σ_l e^{−2π²σ²l² + 2πilz},
// and for σ² < 1 the log of Σ_n e^{−(n−z)²/(2σ²)}/√(2πσ²).
func thetaRest(v float64, z complex128) complex128 {
	var rest complex128
	if v >= 1 {
		turn := complex(real(z)-math.Round(real(z)), imag(z))
		for l := 1.0; l <= 3; l++ {
			a := complex(-2*math.Pi*math.Pi*v*l*l, 0)
			b := complex(0, 2*math.Pi*l) * turn
			rest += cmplx.Exp(a+b) + cmplx.Exp(a-b)
		}
		return log1pComplex(rest)
	}
	middle := math.Round(real(z))
	width := math.Ceil(9*math.Sqrt(v)) + 1
	scale := -imag(z) * imag(z) / (2 * v) // |e^{−(n−z)²/2σ²}| is largest e^{s²/2σ²}
	for n := middle - width; n <= middle+width; n++ {
		d := complex(n, 0) - z
		rest += cmplx.Exp(-d*d*complex(1/(2*v), 0) + complex(scale, 0))
	}
	return cmplx.Log(rest) - complex(scale+0.5*math.Log(2*math.Pi*v), 0)
}

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

// SelectionPair is the dominating pair of a choice by the exponential mechanism whose log-ratios between neighbours lie
// within Epsilon of one another over all candidates: P(C) ∝ e^{ηq(C)} with Epsilon = η·w, w the range over C of what
// one unit moves q(C) by. Permute-and-flip has no such range, only pure ε: [PurePair].
//
// Its profile is the supremum of those of all two-point laws of that range,
//
//	δ(e) = (1 − e^{(e−ε)/2})²/(1 − e^{−ε}), |e| ≤ ε,
//
// and so the loss ℓ of the pair has the density e^{±ℓ/2}/(4 sinh(ε/2)) on [−ε, ε] under P and Q. One choice is less
// apart than the pair: its Rényi divergences are at most those of the best two-point laws (RDP, ZCDP), and these,
// which add, are stated; products of the pair bound profiles of many choices.
//
// Source: theory/structure.md §1, §7 (ZCDP); theory/sampling.md §22 D.
type SelectionPair struct {
	Epsilon float64 // > 0
}

// String describes the pair.
func (p SelectionPair) String() string {
	return fmt.Sprintf("choice by the exponential mechanism, bounded range %.6g", p.Epsilon)
}

// PureEpsilon is ε.
func (p SelectionPair) PureEpsilon() float64 { return p.Epsilon }

// Delta is the profile above.
func (p SelectionPair) Delta(epsilon float64) float64 {
	return math.Min(1, num.InflateGamma(logratio.BoundedRange(p.Epsilon).Delta(epsilon)))
}

// RDP is max_t ln(q e^{λt} + (1−q) e^{λ(t−ε)})/(λ−1), q = (e^{−t} − e^{−ε})/(1 − e^{−ε}): the divergence of two-point
// laws, which no choice of that range exceeds and some attain.
func (p SelectionPair) RDP(order float64) float64 {
	return num.Inflate(math.Min(logratio.BoundedRange(p.Epsilon).Renyi(order), order*p.ZCDP()))
}

// ZCDP is ln((e^ε − 1)/ε) − 1 + ε/(e^ε − 1), the Kullback–Leibler divergence of the same laws, and not ε²/8: D_λ/λ =
// ½ε²·E φ(ε(U − c)), φ the logistic density and U triangular on [0, λ] with mode 1, is greatest at λ = 1, since the
// monotone transport of U to λ = 1 is 1/√λ-Lipschitz and φ is even and unimodal.
func (p SelectionPair) ZCDP() float64 { return num.InflateGamma(logratio.BoundedRange(p.Epsilon).KL()) }

// LogMGF is ln[sinh(u)/u] − ln[sinh(ε/2)/(ε/2)], u = (z + ½)ε.
func (p SelectionPair) LogMGF(z complex128) complex128 {
	return logSinhc((z+.5)*complex(p.Epsilon, 0)) - logSinhc(complex(p.Epsilon/2, 0))
}

// Strip is the whole plane: the loss is bounded.
func (p SelectionPair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p SelectionPair) Symmetric() bool { return true }

// decays: as envelope says.
func (p SelectionPair) decays() {}

// envelope is a bound on Re LogMGF(c + is) that does not increase with |s|: |sinh u| ≤ cosh Re u.
func (p SelectionPair) envelope(z complex128) float64 {
	u := (z + .5) * complex(p.Epsilon, 0)
	re := math.Abs(real(u))
	logCosh := re + math.Log1p(math.Exp(-2*re)) - math.Ln2
	return logCosh - math.Log(cmplx.Abs(u)) - real(logSinhc(complex(p.Epsilon/2, 0)))
}

// divergence is the Rényi divergence of the pair itself, K(λ−1)/(λ−1), above that of any one choice.
func (p SelectionPair) divergence(order float64) float64 {
	return num.Inflate(real(p.LogMGF(complex(order-1, 0))) / (order - 1))
}

// logSinhc is ln[sinh(u)/u], an even function: by its series for small u, where the quotient is near 1.
func logSinhc(u complex128) complex128 {
	if real(u) < 0 {
		u = -u
	}
	if cmplx.Abs(u) < 1 {
		var sum complex128
		for k := 10; k >= 1; k-- { // Σ u^{2k}/(2k+1)!; the next term is below 1e-22
			sum = (sum + 1) * u * u / complex(float64(2*k*(2*k+1)), 0)
		}
		return log1pComplex(sum)
	}
	return u - cmplx.Log(2*u) + log1pComplex(-cmplx.Exp(-2*u))
}

// ConcentratedPair is a release of which nothing is known but ρ: its Rényi divergences are at most λρ, whatever was
// released before. Such is a set of tables with Gaussian noise that is chosen by earlier outputs, where the noise of
// every set is such that Σ Δ²/(2σ²) ≤ ρ: conditional divergences add. Its profile is that of ρ-zCDP.
type ConcentratedPair struct{ Rho float64 } // > 0

// String describes the pair.
func (p ConcentratedPair) String() string { return fmt.Sprintf("ρ = %.6g on every path", p.Rho) }

// PureEpsilon is +Inf.
func (p ConcentratedPair) PureEpsilon() float64 { return math.Inf(1) }

// Delta is the smallest δ that ρ proves at ε.
func (p ConcentratedPair) Delta(epsilon float64) float64 { return zcdpDelta(p.ZCDP(), epsilon) }

// RDP is λρ.
func (p ConcentratedPair) RDP(order float64) float64 { return num.Inflate(order * p.Rho) }

// ZCDP is ρ.
func (p ConcentratedPair) ZCDP() float64 { return num.Inflate(p.Rho) }
