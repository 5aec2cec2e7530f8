package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

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
