package dp

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// ConversionError says that no conversion leads from one notion to another.
type ConversionError struct{ From, To Notion }

func (e *ConversionError) Error() string {
	return fmt.Sprintf("dp: no conversion from %s to %s privacy; conversions only weaken a claim", e.From, e.To)
}

// At weakens l to the notion of want, at want's δ (approximate) or λ (Rényi):
//
//	pure ε      → (ε, δ); (λ, RR_λ(ε))-RDP; ε·tanh(ε/2)-zCDP   (Kairouz, Oh, Viswanath 2015: worst: randomised response)
//	ρ-zCDP      → (ρ, ω)-tCDP; (λ, λρ)-RDP; (ε, δ) at the best order
//	(ρ, ω)-tCDP → (λ, λρ)-RDP for λ ≤ ω; (ε, δ) at the best order ≤ ω
//	(λ, ε)-RDP  → (ε + log1p(−1/λ) − log(λδ)/(λ−1), δ)         (Canonne, Kamath, Steinke 2020, Proposition 12)
//
// It returns a *ConversionError where no conversion exists.
func (l Parameters) At(want Parameters) (Parameters, error) {
	e := float64(l.Epsilon)
	out := Parameters{Notion: want.Notion, Delta: want.Delta, Order: want.Order}
	switch {
	case l.Notion == None || want.Notion == None:
		return Parameters{}, &ConversionError{l.Notion, want.Notion}
	case l.Notion == Pure && want.Notion == Pure:
		return l, nil
	case l.Notion == Pure && want.Notion == Approximate:
		out.Epsilon = l.Epsilon
	case l.Notion == Pure && want.Notion == Renyi:
		out.Epsilon = number(num.Inflate(num.ResponseDivergence(e, want.Order)))
	case l.Notion == Pure && want.Notion == Concentrated:
		out.Rho = num.Inflate(e * math.Tanh(e/2))
	case l.Notion == Concentrated && want.Notion == Concentrated:
		return l, nil
	case l.Notion == Concentrated && want.Notion == Renyi:
		out.Epsilon = number(num.Inflate(want.Order * l.Rho))
	case l.Notion == Concentrated && want.Notion == Approximate:
		out.Epsilon = number(zcdpEpsilon(l.Rho, want.Delta))
	case l.Notion == Pure && want.Notion == TruncatedConcentrated:
		out.Rho = num.Inflate(e * math.Tanh(e/2))
	case l.Notion == Concentrated && want.Notion == TruncatedConcentrated:
		out.Rho = l.Rho
	case l.Notion == TruncatedConcentrated && want.Notion == TruncatedConcentrated && want.Order <= l.Order:
		out.Rho = l.Rho
	case l.Notion == TruncatedConcentrated && want.Notion == Renyi && want.Order <= l.Order:
		out.Epsilon = number(num.Inflate(want.Order * l.Rho))
	case l.Notion == TruncatedConcentrated && want.Notion == Approximate:
		out.Epsilon = number(tcdpEpsilon(l.Rho, l.Order, want.Delta))
	case l.Notion == Renyi && want.Notion == Renyi && want.Order <= l.Order:
		out.Epsilon = l.Epsilon // Rényi divergence does not decrease with its order
	case l.Notion == Renyi && want.Notion == Approximate:
		out.Epsilon = number(num.Inflate(rdpEpsilon(l.Order, e, want.Delta)))
	case l.Notion == Approximate && want.Notion == Approximate && l.Delta <= want.Delta:
		out.Epsilon = l.Epsilon
	default:
		return Parameters{}, &ConversionError{l.Notion, want.Notion}
	}
	return out, nil
}

// rdpEpsilon is the ε of (λ, e)-RDP at δ: e + log(1 − 1/λ) − log(λδ)/(λ−1), and never below 0.
func rdpEpsilon(order, e, delta float64) float64 {
	return math.Max(0, e+math.Log1p(-1/order)-(math.Log(delta)+math.Log(order))/(order-1))
}

// zcdpEpsilon minimises rdpEpsilon(λ, λρ, δ) over λ > 1 by golden section in log(λ−1). Any order gives a valid ε, so
// the search needs no accuracy to be safe.
func zcdpEpsilon(rho, delta float64) float64 { return tcdpEpsilon(rho, math.Inf(1), delta) }

// tcdpEpsilon does the same over 1 < λ ≤ ω.
func tcdpEpsilon(rho, omega, delta float64) float64 {
	hi := math.Min(40, math.Log(omega-1))
	_, least := num.Minimum(math.Min(-10, hi-1), hi, func(t float64) float64 {
		order := 1 + math.Exp(t)
		return rdpEpsilon(order, order*rho, delta)
	})
	return num.Inflate(least)
}
