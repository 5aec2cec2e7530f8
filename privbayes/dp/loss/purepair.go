package loss

import (
	"fmt"
	"math"
)

// PurePair is binary randomised response at ε, the dominating pair of every ε-DP mechanism (Kairouz, Oh, Viswanath
// 2015).
type PurePair struct {
	Epsilon float64 // ε > 0
}

func (p PurePair) response() GeometricPair { return GeometricPair{Rate: p.Epsilon, Cells: 1} }

// String describes the pair.
func (p PurePair) String() string { return fmt.Sprintf("randomised response at ε = %.6g", p.Epsilon) }

// PureEpsilon is ε.
func (p PurePair) PureEpsilon() float64 { return p.Epsilon }

// Delta is (1 − e^{ε′−ε})₊/(1 + e^{−ε}) at ε′.
func (p PurePair) Delta(epsilon float64) float64 { return p.response().Delta(epsilon) }

// RDP is ln[cosh((2λ−1)ε/2)/cosh(ε/2)]/(λ−1).
func (p PurePair) RDP(order float64) float64 { return p.response().RDP(order) }

// ZCDP is ε·tanh(ε/2).
func (p PurePair) ZCDP() float64 { return p.response().ZCDP() }

// LogMGF is ln[cosh((1+2z)ε/2)/cosh(ε/2)].
func (p PurePair) LogMGF(z complex128) complex128 { return logResponse(p.Epsilon, z) }

// Strip is the whole plane.
func (p PurePair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p PurePair) Symmetric() bool { return true }

func (p PurePair) lattice() (offset, step float64) { return -p.Epsilon, 2 * p.Epsilon }
