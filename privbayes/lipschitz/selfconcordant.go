package lipschitz

import "math"

// manyRecords is a bound of the Rényi divergence of the given order that visits no pairs:
//
//	D_λ ≤ λd²/2 · sup Λ″,
//
// since D_λ(S+d ‖ S) is an average of Λ″ over [S, S + λd] with total weight λd²/2.
func (o oneParameter) manyRecords(order float64) float64 {
	if o.spreads == nil || math.IsInf(order, 1) {
		return math.Inf(1)
	}
	v := o.d * o.spreads.sup(o.first-(order-1)*o.d, o.last+order*o.d)
	return order / 2 * v * v
}
