package loss

import (
	"math"

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
