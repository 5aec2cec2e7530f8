package bugs

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// positiveGeometric is the law of count + Z, drawn again until it is not negative, clamped to top.
func positiveGeometric(count, top int, rate float64) []float64 {
	p := geometric(count, top, rate)
	q := math.Exp(-rate)
	p[0] *= 1 - q // of Z = −count alone, not of all that is below
	return normalised(p)
}

// untilPositive is a noisy table of two cells in which a negative count is drawn again. The chance of a redraw depends
// on the count, so the law is no shift of one law any more. Clamping to 0 is a function of the output and costs
// nothing. Counts above the number of records are clamped too, in both versions: beyond it the ratio of two laws is
// constant.
func untilPositive() Bug {
	const gamma, n = 0.5, 8
	b := Bug{
		ID: "until-positive", Mechanism: "geometric noise on a table of 2 cells, 8 records",
		Symptom: "noise is drawn again until no count is negative: how often depends on the counts",
		Claimed: dp.PureDP(2 * gamma).Parameters, How: byEnumeration,
		Counterexample: "counts [0 8] and [1 7], output (0, 8)",
		Remedy:         "draw once; negative counts are set to 0 afterwards",
	}
	b.Spent = level(b.Claimed, 1.209495750905)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		cell := geometric
		if defect {
			cell = positiveGeometric
		}
		const base = n + 1
		return enumeratedJoint(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(2, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(base*base, func(x []int) []float64 {
				var law []float64
				for _, a := range cell(x[0], n, gamma) {
					for _, p := range cell(x[1], n, gamma) {
						law = append(law, a*p)
					}
				}
				return law
			}),
		}, base, 2)
	}
	return b
}
