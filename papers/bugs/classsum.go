package bugs

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// classSum adds up a feature with values from 8 to 10 over the records of a class, under add-remove. A record that
// comes or goes changes the sum by its value, up to max(|lower|, |upper|) = 10. The width upper − lower = 2 is how much
// one replaced value changes it, which is another adjacency.
func classSum() Bug {
	const eps, lower, upper, n = 1.0, 8, 10, 3
	b := Bug{
		ID: "class-sum", Mechanism: "geometric noise on a class's sum of a feature in [8, 10]", Adjacency: dp.AddRemove,
		Symptom: "sensitivity upper − lower under add-remove: a record that comes or goes changes the sum by its " +
			"whole value",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration, Counterexample: "counts [0 0 0] and [0 0 1], output 0",
		Remedy: "max(|lower|, |upper|), or sums of values less a public centre with a noisy class count",
	}
	b.Spent = level(b.Claimed, 5)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		sensitivity := float64(max(-lower, upper))
		if defect {
			sensitivity = upper - lower
		}
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(upper-lower+1, n, b.Adjacency), Claim: b.Claimed,
			Mechanism: audit.FromFunc(n*upper+1, func(x []int) []float64 {
				sum := 0
				for i, count := range x {
					sum += (lower + i) * count
				}
				return geometric(sum, n*upper, eps/sensitivity)
			}),
		})
	}
	return b
}
