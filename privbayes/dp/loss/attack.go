package loss

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

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
