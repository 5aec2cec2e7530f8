package loss

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

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
