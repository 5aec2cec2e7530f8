package loss

import (
	"fmt"
	"math"
	"math/cmplx"

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

// discreteGaussianTransform is the loss L = (m + 2S)/(2σ²) of m discrete Gaussian counts shifted by one each, S their
// sum:
//
//	K(z) = m[z/(2σ²) + ln θ(z) − ln θ(0)],  θ(z) = Σ_n e^{(2nz − n²)/(2σ²)}.
type discreteGaussianTransform struct{ DiscreteGaussianPair }

func (p discreteGaussianTransform) LogMGF(z complex128) complex128 { return p.kernel()(z) }

func (p discreteGaussianTransform) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

func (p discreteGaussianTransform) Symmetric() bool { return true }

func (p discreteGaussianTransform) lattice() (offset, step float64) {
	return float64(p.Cells) / (2 * p.Sigma2), 1 / p.Sigma2
}

func (p discreteGaussianTransform) kernel() func(complex128) complex128 {
	v := p.Sigma2
	zero := thetaRest(v, 0)
	return func(z complex128) complex128 {
		// one period of the lattice, s in [−πσ², πσ²], loses a phase of mπ a turn
		turns := math.Round(imag(z) / (2 * math.Pi * v))
		w := complex(real(z), imag(z)-2*math.Pi*v*turns)
		k := w*(1+w)*complex(1/(2*v), 0) + thetaRest(v, w) - zero
		return complex(float64(p.Cells), 0) * (k + complex(0, math.Pi*turns))
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
