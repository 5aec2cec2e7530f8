package loss

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
)

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
