package dp

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/internal/num"
)

// ConversionError says that no conversion leads from one notion to another.
type ConversionError struct{ From, To Notion }

func (e *ConversionError) Error() string {
	return fmt.Sprintf("dp: no conversion from %s to %s privacy; conversions only weaken a claim", e.From, e.To)
}

// At weakens l to the notion of want, at want's δ (approximate) or λ (Rényi):
//
//	pure ε      → (ε, δ); (λ, RR_λ(ε))-RDP; ε·tanh(ε/2)-zCDP   (Kairouz, Oh, Viswanath 2015: randomised response dominates)
//	ρ-zCDP      → (ρ, ω)-tCDP; (λ, λρ)-RDP; (ε, δ) at the best order
//	(ρ, ω)-tCDP → (λ, λρ)-RDP for λ ≤ ω; (ε, δ) at the best order ≤ ω
//	(λ, ε)-RDP  → (ε + log1p(−1/λ) − log(λδ)/(λ−1), δ)         (Canonne, Kamath, Steinke 2020, Proposition 12)
//
// It returns a *ConversionError where no conversion exists.
func (l Level) At(want Level) (Level, error) {
	e := float64(l.Epsilon)
	out := Level{Notion: want.Notion, Delta: want.Delta, Order: want.Order}
	switch {
	case l.Notion == None || want.Notion == None:
		return Level{}, &ConversionError{l.Notion, want.Notion}
	case l.Notion == Pure && want.Notion == Pure:
		return l, nil
	case l.Notion == Pure && want.Notion == Approximate:
		out.Epsilon = l.Epsilon
	case l.Notion == Pure && want.Notion == Renyi:
		out.Epsilon = number(up(responseRDP(e, want.Order)))
	case l.Notion == Pure && want.Notion == Concentrated:
		out.Rho = up(e * math.Tanh(e/2))
	case l.Notion == Concentrated && want.Notion == Concentrated:
		return l, nil
	case l.Notion == Concentrated && want.Notion == Renyi:
		out.Epsilon = number(up(want.Order * l.Rho))
	case l.Notion == Concentrated && want.Notion == Approximate:
		out.Epsilon = number(zcdpEpsilon(l.Rho, want.Delta))
	case l.Notion == Pure && want.Notion == TruncatedConcentrated:
		out.Rho = up(e * math.Tanh(e/2))
	case l.Notion == Concentrated && want.Notion == TruncatedConcentrated:
		out.Rho = l.Rho
	case l.Notion == TruncatedConcentrated && want.Notion == TruncatedConcentrated && want.Order <= l.Order:
		out.Rho = l.Rho
	case l.Notion == TruncatedConcentrated && want.Notion == Renyi && want.Order <= l.Order:
		out.Epsilon = number(up(want.Order * l.Rho))
	case l.Notion == TruncatedConcentrated && want.Notion == Approximate:
		out.Epsilon = number(tcdpEpsilon(l.Rho, l.Order, want.Delta))
	case l.Notion == Renyi && want.Notion == Renyi && want.Order <= l.Order:
		out.Epsilon = l.Epsilon // Rényi divergence does not decrease with its order
	case l.Notion == Renyi && want.Notion == Approximate:
		out.Epsilon = number(up(rdpEpsilon(l.Order, e, want.Delta)))
	case l.Notion == Approximate && want.Notion == Approximate && l.Delta <= want.Delta:
		out.Epsilon = l.Epsilon
	default:
		return Level{}, &ConversionError{l.Notion, want.Notion}
	}
	return out, nil
}

// rdpEpsilon is the ε of (λ, e)-RDP at δ: e + log(1 − 1/λ) − log(λδ)/(λ−1), and never below 0.
func rdpEpsilon(order, e, delta float64) float64 {
	return math.Max(0, e+math.Log1p(-1/order)-(math.Log(delta)+math.Log(order))/(order-1))
}

// zcdpEpsilon minimises rdpEpsilon(λ, λρ, δ) over λ > 1 by golden section in log(λ−1). Any order gives a valid ε, so the search
// needs no accuracy to be safe.
func zcdpEpsilon(rho, delta float64) float64 { return tcdpEpsilon(rho, math.Inf(1), delta) }

// tcdpEpsilon does the same over 1 < λ ≤ ω.
func tcdpEpsilon(rho, omega, delta float64) float64 {
	hi := math.Min(40, math.Log(omega-1))
	_, least := minimise(math.Min(-10, hi-1), hi, func(t float64) float64 {
		order := 1 + math.Exp(t)
		return rdpEpsilon(order, order*rho, delta)
	})
	return up(least)
}

// minimise gives a point of [lo, hi] near a minimum of f, with its value.
func minimise(lo, hi float64, f func(float64) float64) (x, fx float64) {
	a, b := num.GoldenSection(f, lo, hi, 0)
	x = (a + b) / 2
	return x, f(x)
}

// responseRDP is the Rényi divergence of order λ of binary randomised response at ε, the dominating pair of ε-DP:
//
//	RR_λ(ε) = log( cosh((2λ−1)ε/2) / cosh(ε/2) ) / (λ−1).
func responseRDP(eps, order float64) float64 {
	return (logCosh((2*order-1)*eps/2) - logCosh(eps/2)) / (order - 1)
}

// logCosh is log cosh x without overflow, and with full relative accuracy near 0.
func logCosh(x float64) float64 {
	x = math.Abs(x)
	if x < 0.3 {
		s := math.Sinh(x / 2)
		return math.Log1p(2 * s * s)
	}
	return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
}

// slack covers the rounding of the few elementary operations behind one reported number; every certified number is inflated by it.
const slack = 1e-12

// up inflates a bound by slack.
func up(x float64) float64 { return x * (1 + slack) }
