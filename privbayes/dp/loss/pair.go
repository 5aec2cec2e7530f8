// Package loss computes privacy loss: how far apart two output distributions are. A dominating pair ([Pair]) stands for
// the two neighbouring data sets that are hardest to tell apart. Its privacy profile δ(ε), Rényi divergences,
// composition with other pairs ([Declare]) and trade-off function are upper bounds for all neighbours.
//
// All logarithms are natural. Certified numbers are inflated by stated factors.
package loss

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Pair is a dominating pair (P, Q) of a mechanism: for every two neighbouring data sets, the two output laws are a
// post-processing of (P, Q). What holds for the pair holds for the mechanism. Every method returns an upper bound,
// inflated by a stated factor.
type Pair interface {
	// String describes the pair.
	String() string
	// PureEpsilon is the supremum of the privacy loss |log dP/dQ|, or +Inf.
	PureEpsilon() float64
	// Delta is the privacy profile: the hockey-stick divergence sup_S P(S) − e^ε Q(S) at ε ≥ 0.
	Delta(epsilon float64) float64
	// RDP is the Rényi divergence of order λ > 1.
	RDP(order float64) float64
	// ZCDP is sup over λ > 1 of RDP(λ)/λ.
	ZCDP() float64
}

// TruncatedRho is an upper bound on sup over 1 < λ ≤ ω of RDP(λ)/λ: a pair's own, if it has one, or that over all
// orders.
func TruncatedRho(p Pair, omega float64) float64 {
	if own, ok := p.(interface{ TCDP(omega float64) float64 }); ok {
		return own.TCDP(omega)
	}
	return p.ZCDP()
}

// TCDP is the sum of the parts' bounds: Rényi divergences of independent losses add.
func (d Declared) TCDP(omega float64) float64 {
	return d.sum(func(p Pair) float64 { return TruncatedRho(p, omega) })
}

// EpsilonFor is the smallest ε, to 12 digits and rounded up, at which the pair's profile is at most δ in (0, 1).
func EpsilonFor(p Pair, delta float64) float64 {
	if p.Delta(0) <= delta {
		return 0
	}
	lo, hi := 0.0, 1.0
	if e := p.PureEpsilon(); !math.IsInf(e, 1) {
		hi = e
	}
	for p.Delta(hi) > delta {
		if hi > 1e9 {
			return math.Inf(1)
		}
		lo, hi = hi, 2*hi
	}
	meets := num.Threshold(lo, hi, func(e float64) float64 { return excess(p.Delta(e), delta) })
	for hi-lo > num.Slack*hi {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if meets(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// LevelOf is the level of the pair in the notion of want: at want's δ (approximate) or order (Rényi).
func LevelOf(p Pair, want dp.Parameters) dp.Parameters {
	l := dp.Parameters{Notion: want.Notion, Delta: want.Delta, Order: want.Order}
	switch want.Notion {
	case dp.Pure:
		l.Epsilon = cert.Number(p.PureEpsilon())
	case dp.Approximate:
		l.Epsilon = cert.Number(EpsilonFor(p, want.Delta))
	case dp.Renyi:
		l.Epsilon = cert.Number(p.RDP(want.Order))
	case dp.Concentrated:
		l.Rho = p.ZCDP()
	case dp.TruncatedConcentrated:
		l.Rho = TruncatedRho(p, want.Order)
	}
	return l
}

// Meets reports whether the pair satisfies the level want.
func Meets(p Pair, want dp.Parameters) bool { return Excess(p, want) <= 0 }

// Excess is ln of what the pair spends over what the level want allows, in the notion of want: at most 0 where the pair
// meets it, exactly. +Inf for a notion that is none.
func Excess(p Pair, want dp.Parameters) float64 {
	spent, allowed := math.Inf(1), 1.
	switch want.Notion {
	case dp.Pure:
		spent, allowed = p.PureEpsilon(), float64(want.Epsilon)
	case dp.Approximate:
		spent, allowed = p.Delta(float64(want.Epsilon)), want.Delta
	case dp.Renyi:
		spent, allowed = p.RDP(want.Order), float64(want.Epsilon)
	case dp.Concentrated:
		spent, allowed = p.ZCDP(), want.Rho
	case dp.TruncatedConcentrated:
		spent, allowed = TruncatedRho(p, want.Order), want.Rho
	}
	return excess(spent, allowed)
}

// excess is ln(spent/allowed), whose sign rounding does not touch; NaN where what is spent is.
func excess(spent, allowed float64) float64 {
	r := math.Log(spent) - math.Log(allowed)
	switch {
	case spent <= allowed && r < 0:
		return r
	case spent <= allowed:
		return 0
	}
	return math.Max(math.SmallestNonzeroFloat64, r)
}

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

// RangePair is the dominating pair of a draw whose neighbours' log-probabilities differ by amounts that lie within
// Range of one another over all outputs, and by at most Pure in absolute value: the privacy loss of the exponential
// mechanism, of which a score of sensitivity s at rate x has Range = 2xs. Every such pair of laws is dominated by a
// two-point pair (logratio.BoundedRange; theory/sampling.md §22 D). Both are ≥ 0.
type RangePair struct{ Range, Pure float64 }

func (p RangePair) String() string { return fmt.Sprintf("bounded range %.6g", p.Range) }

// PureEpsilon is Pure.
func (p RangePair) PureEpsilon() float64 { return p.Pure }

// Delta is (e^{w/2} − e^{ε/2})²/(e^w − 1), w the range, and 0 from ε = Pure on.
func (p RangePair) Delta(epsilon float64) float64 {
	if epsilon >= p.Pure {
		return 0
	}
	return math.Min(1, (1+1e-9)*logratio.BoundedRange(p.Range).Delta(epsilon))
}

// RDP is λ·range²/8 or Pure, close to the exact supremum for the small ranges that many draws share.
func (p RangePair) RDP(order float64) float64 { return math.Min(p.Pure, order*p.ZCDP()) }

// ZCDP is range²/8.
func (p RangePair) ZCDP() float64 { return (1 + 1e-9) * logratio.BoundedRange(p.Range).ZCDP() }

// TradeOff is a lower bound on the type II error of every test between two neighbouring data sets whose type I error is
// at most type1 in [0, 1]: the convex conjugate of the profile,
//
//	f(a) = max_{ε∈ℝ} {1 − δ(ε) − e^ε a},  δ(−ε) = 1 − e^{−ε}(1 − δ(ε))
//
// (Dong, Roth, Su 2022, Proposition 6). Every ε gives a valid bound, so the search is safe; it is exact up to the
// inflation of the profile. For a [DirichletPair] it is evaluated directly: with I_x(α, α+r) = 1 − a, f(a) = I_x(α+r,
// α). Rounded down; NaN for type1 outside [0, 1].
func TradeOff(p Pair, type1 float64) float64 {
	switch {
	case !(type1 >= 0 && type1 <= 1):
		return math.NaN()
	case type1 == 1:
		return 0
	}
	if d, ok := p.(DirichletPair); ok && type1 > 0 {
		return d.typeII(type1)
	}
	line := func(eps float64) float64 {
		rest := 1 - p.Delta(math.Abs(eps)) // at least 1 − δ(|ε|) of the truth
		if eps >= 0 {
			return rest - math.Exp(eps)*type1
		}
		return math.Exp(eps) * (rest - type1)
	}
	// the objective is concave in e^ε: widen until it falls on both sides, then narrow
	lo, hi := -1.0, 1.0
	for lo > -512 && line(2*lo) > line(lo) {
		lo *= 2
	}
	for hi < 512 && line(2*hi) > line(hi) {
		hi *= 2
	}
	lo, hi = 2*lo, 2*hi
	_, least := num.Brent(func(eps float64) float64 { return -line(eps) }, lo, hi, 1e-9)
	return math.Max(0, math.Max(line(0), -least)-1e-14)
}

// typeII is f(a) of the pair. The threshold on the logit of w is found by bisection on the upper tail of Beta(α, α+r),
// and taken where that tail is at least a: a larger type I error, hence a smaller type II error.
func (p DirichletPair) typeII(a float64) float64 {
	tail := func(t float64) float64 {
		x, y := num.Logistic(t)
		_, upper := num.BetaTails(p.Shape, p.Shape+p.Rate, x, y)
		return upper
	}
	lo, hi := -700.0, 700.0 // tail(lo) ≥ a
	target := a * (1 + 1e-12)
	for hi-lo > 1e-15*math.Max(1, math.Abs(lo)) {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if tail(mid) >= target {
			lo = mid
		} else {
			hi = mid
		}
	}
	if tail(lo) < target {
		return 0
	}
	x, y := num.Logistic(lo)
	lower, _ := num.BetaTails(p.Shape+p.Rate, p.Shape, x, y)
	return math.Max(0, lower*(1-1e-9))
}

// AttackPower is an upper bound on the power of every test that tells two neighbouring data sets apart with at most
// falseAlarms in [0, 1] false alarms, under a level of privacy:
//
//	pure ε, (ε, δ)   min{δ + e^ε a, 1 − e^{−ε}(1 − δ − a)}, a the false alarms (Wasserman, Zhou 2010; Kairouz, Oh,
//	                 Viswanath 2015)
//	ρ, tCDP, Rényi   the least of these over the levels (ε, δ) that follow by [dp.Parameters.At]
//
// It is rounded up, at most 1, and 1 for a level without a claim; guessing has the power falseAlarms. NaN for
// falseAlarms outside [0, 1]. Where a pair is known, [AttackPowerOf] has the smaller bound.
func AttackPower(l dp.Parameters, falseAlarms float64) float64 {
	if !(falseAlarms >= 0 && falseAlarms <= 1) {
		return math.NaN()
	}
	power := func(eps, delta float64) float64 {
		p := math.Min(delta+math.Exp(eps)*falseAlarms, 1-math.Exp(-eps)*math.Max(0, 1-delta-falseAlarms))
		return math.Min(1, num.Inflate(p))
	}
	switch l.Notion {
	case dp.Pure, dp.Approximate:
		return power(float64(l.Epsilon), l.Delta)
	case dp.Concentrated, dp.TruncatedConcentrated, dp.Renyi:
		_, least := num.Minimum(math.Log(1e-15), math.Log(0.5), func(logDelta float64) float64 {
			at, err := l.At(dp.Parameters{Notion: dp.Approximate, Delta: math.Exp(logDelta)})
			if err != nil {
				return 1
			}
			return power(float64(at.Epsilon), math.Exp(logDelta))
		})
		return least
	}
	return 1
}

// AttackPowerOf is the power of the best attack on what a pair dominates: 1 − [TradeOff], or [AttackPower] of its level
// where that is smaller, or known sooner than ctx ends. A nil pair has that of its level. It is rounded up.
func AttackPowerOf(ctx context.Context, p Pair, l dp.Parameters, falseAlarms float64) float64 {
	power := AttackPower(l, falseAlarms)
	if p == nil {
		return power
	}
	if _, direct := p.(DirichletPair); !direct {
		p = Until(ctx, p)
	}
	if exact := num.Inflate(1 - TradeOff(p, falseAlarms)); exact < power {
		return exact
	}
	return power
}
