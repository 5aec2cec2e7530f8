package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// IntegerSumPair is the dominating pair of discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}, on ONE integer sum that a
// unit changes by at most Shift = K. Its loss is L = (K² + 2KZ)/(2σ²).
//
// It does not cover vectors: (3, 4) has the norm of one sum moved by 5, and at σ² = 25 a profile that is up to 6 %
// above. Vectors have ρ ([DiscreteGaussianPair] with Shift > 1) and, in lists, [LatticePair]. Source: theory/ledger.md
// §4.1.
type IntegerSumPair struct {
	Sigma2 float64 // σ² > 0
	Shift  int     // K ≥ 1
}

// String describes the pair.
func (p IntegerSumPair) String() string {
	return fmt.Sprintf("discrete Gaussian, σ² = %.6g, one sum shifted by up to %d", p.Sigma2, p.Shift)
}

// PureEpsilon is +Inf: the loss is unbounded.
func (p IntegerSumPair) PureEpsilon() float64 { return math.Inf(1) }

// ZCDP is K²/(2σ²).
func (p IntegerSumPair) ZCDP() float64 { return p.vector().ZCDP() }

// RDP is λ·ZCDP.
func (p IntegerSumPair) RDP(order float64) float64 { return p.vector().RDP(order) }

// vector is the pair of all vectors of that norm, with the same Rényi curve.
func (p IntegerSumPair) vector() DiscreteGaussianPair {
	return DiscreteGaussianPair{p.Sigma2, 1, p.Shift}
}

// roundedFrom is the σ² from which a profile is that of a rounded normal number: it is above the exact one by the
// fraction t/(2σ) or so, t the standard deviations at which losses exceed ε.
const roundedFrom = 1e7

// Delta is Σ_z P(z)(1 − e^{ε−L(z)})₊, a sum of positive terms with what lies tailWidth standard deviations beyond the
// first of them. ε is taken down and the sum up. For σ² > 1e7 it is e^{1/(8σ²)} times the profile of N(0, 1) against
// N(K/σ, 1) at ε − K/(2σ²), which is above it, by theory/ledger.md §4.1.
func (p IntegerSumPair) Delta(epsilon float64) float64 {
	k, v := float64(p.Shift), p.Sigma2
	if v > roundedFrom {
		return math.Min(1, math.Exp(1/(8*v))*GaussianPair{k / math.Sqrt(v)}.Delta(epsilon-k/(2*v)))
	}
	eps := epsilon - num.Slack*(1+epsilon)
	from := math.Floor((eps*v-k*k/2)/k) + 1
	if from > 1<<52 {
		return zcdpDelta(p.ZCDP(), epsilon)
	}
	sigma := math.Sqrt(v)
	last := math.Max(from, 0) + math.Ceil(tailWidth*sigma) + 1
	norm := p.normaliser()
	sum := 0.0
	for z := math.Max(from, -last); z <= last; z++ {
		if gap := eps - k*(k+2*z)/(2*v); gap < 0 {
			sum += math.Exp(-z*z/(2*v)) * -math.Expm1(gap)
		}
	}
	tail := 2*math.Exp(-last*last/(2*v)) + underflow
	return math.Min(1, num.InflateGamma(sum/norm)+tail)
}

// normaliser is Σ_z e^{−z²/(2σ²)}, from below.
func (p IntegerSumPair) normaliser() float64 {
	if p.Sigma2 >= smallSigma2 {
		return math.Sqrt(2 * math.Pi * p.Sigma2) // Poisson's formula: all terms are positive
	}
	sum := 1.0
	for z := 1.0; z < 30; z++ {
		sum += 2 * math.Exp(-z*z/(2*p.Sigma2))
	}
	return sum
}

// LatticePair is the dominating pair of independent discrete Gaussian noises on integer sums, of variance parameters
// σ_c² that are all at least Least. A unit changes them by whole numbers Δ_c with ΣΔ_c²/σ_c² at most that of the
// embedded pair, which gives the Rényi curve and ρ.
//
// The profile is the smaller of what ρ proves and that of continuous noise of variances σ_c² − s², s² = 13/4. That
// noise, rounded at random by a discrete Gaussian of variance s² about it, is the discrete noise but for factors within
// 1 ± 3e-28 a sum. Source: theory/ledger.md §4.1.
type LatticePair struct {
	DiscreteGaussianPair
	Least float64 // σ² > 0
	// ByRho says that δ is what ρ proves, as older files state it. In lists on a grid it is not.
	ByRho bool
}

// Lattice is the pair itself. A pair of another package that has one is put on a grid by it.
func (p LatticePair) Lattice() LatticePair { return p }

const (
	// rounded is s². With x = e^{−2π²s²} = 1.4e-28 the factors are within η = 2x/(1 − x) of 1.
	rounded = 13.0 / 4
	// factors is more than 3η times 2^40, as many sums as no release has.
	factors = 1e-15
)

// Delta is the profile, or what ρ proves.
func (p LatticePair) Delta(epsilon float64) float64 {
	if p.ByRho {
		return zcdpDelta(p.ZCDP(), epsilon)
	}
	return p.near(epsilon)
}

// DeltaUntil is Delta, which takes no time.
func (p LatticePair) DeltaUntil(epsilon float64, _ func() bool) float64 { return p.Delta(epsilon) }

// near is the profile.
func (p LatticePair) near(epsilon float64) float64 {
	byRho := zcdpDelta(p.ZCDP(), epsilon)
	if !(p.Least > 2*rounded) {
		return byRho
	}
	mu := math.Sqrt(2 * p.ZCDP() / (1 - rounded/p.Least))
	return math.Min(byRho, num.Inflate(GaussianPair{num.Inflate(mu)}.Delta(epsilon-factors)))
}
