package logratio

import "math"

// QuickRenyi is an upper bound of Renyi that visits no pairs of data sets, a few milliseconds for the first orders and
// microseconds then:
//
//	D_λ ≤ λΔ²/2 · sup Var η,
//
// the supremum over all posteriors that the order reaches, within about 1 % of the truth where λ records are few beside
// n. +Inf untrimmed; NaN for λ ≤ 1. Source: theory/sampling.md §22 C, since D_λ is an average of Λ″ with total weight
// λΔ²/2.
func (o Posteriors) QuickRenyi(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	if _, ok := o.spreads.(*envelope); !ok || math.IsInf(order, 1) {
		return math.Inf(1)
	}
	v := o.d * o.spreads.sup(o.first-(order-1)*o.d, o.last+order*o.d)
	return Inflated(order/2*v*v, o.n)
}
