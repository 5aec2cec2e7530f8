package bugs

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// algorithm1 is the calibration of the Dirichlet mechanism's paper for (λ, ε)-RDP of one histogram: r solves
// λr²ψ′(1 + 3(λ−1)r) = ε, and α = 1 + 4(λ−1)r. Source: theory/dirichlet.md §1.4.
func algorithm1(order, eps float64) (r, alpha float64, err error) {
	lo, hi := 0.0, 1.0
	excess := func(r float64) float64 { return order*r*r*num.Trigamma(1+3*(order-1)*r) - eps }
	for excess(hi) < 0 { // x²ψ′(1+x) grows without bound
		hi *= 2
	}
	if _, r, err = num.RootBracket(excess, lo, hi, 0); err != nil {
		return 0, 0, err
	}
	return r, 1 + 4*(order-1)*r, nil
}

// byPair is how the Dirichlet mechanism is checked.
const byPair = "dp.DirichletPair.RDP: exact, attained by one record and 3 cells"

// dirichletVerdict compares the exact Rényi divergence of the worst pair with a claim, for one record that weighs rate.
func dirichletVerdict(name string, claim dp.Parameters, rate, alpha float64) verdict {
	spent := loss.DirichletPair{Rate: rate, Shape: alpha}.RDP(claim.Order)
	// the same from the two laws of one record in the first, or in the second, of three cells
	neighbours := loss.DirichletRenyi([]float64{alpha + rate, alpha, alpha}, []float64{-rate, rate, 0}, claim.Order)
	t := table.New(fmt.Sprintf("Rényi divergence of order %v of %s", claim.Order, name), "one record weighs", "α",
		"claimed", "worst pair", "one record in cell 1 or 2")
	t.Add(rate, alpha, float64(claim.Epsilon), spent, neighbours)
	return verdict{
		spent: level(claim, spent), holds: spent <= float64(claim.Epsilon), evidence: []*table.Table{t},
		counterexample: fmt.Sprintf("f = (1, 0, 0) and f′ = (0, 1, 0): Dir(%.4g, %.4g, %.4g) and its mirror image",
			alpha+rate, alpha, alpha),
	}
}

// dirichletShape keeps the r of the paper's calibration and takes α = 1 + (λ−1)r in place of 1 + 4(λ−1)r: only that
// much more than the α = (λ−1)r at which the divergence of order λ becomes infinite.
func dirichletShape() Bug { return dirichletShapeAt(1) }

func dirichletShapeAt(eps float64) Bug {
	const order = 5
	b := Bug{
		ID: "dirichlet-shape", Mechanism: "Dirichlet mechanism on a histogram, calibrated for (5, ε)-RDP",
		Symptom: "α = 1 + (λ−1)r with the r that belongs to α = 1 + 4(λ−1)r",
		Claimed: dp.RenyiDP(order, eps).Parameters, How: byPair,
		Counterexample: "f = (1, 0, 0) and f′ = (0, 1, 0): Dir(13.21, 10.76, 10.76) and its mirror image",
		Remedy:         "α = 1 + 4(λ−1)r",
	}
	b.Spent = level(b.Claimed, 3.329262528645)
	b.check = func(_ context.Context, defect bool) (verdict, error) {
		r, alpha, err := algorithm1(order, eps)
		if err != nil {
			return verdict{}, err
		}
		if defect {
			alpha = 1 + (order-1)*r
		}
		return dirichletVerdict("Dir(r·f + α)", b.Claimed, r, alpha), nil
	}
	return b
}

// classCounts releases the class prior of naive Bayes with K features. The class counts are found by adding up a
// feature table, over all K features: every record counts K times.
func classCounts() Bug { return classCountsAt(13, 0.01) }

// classCountsAt is classCounts for K features and a total of (5, ε)-RDP, of which the class counts get the share
// 1/(K+1).
func classCountsAt(features int, total float64) Bug {
	const order = 5
	k := float64(features)
	b := Bug{
		ID: "class-counts", Mechanism: fmt.Sprintf("Dirichlet mechanism on the class counts of naive Bayes, %d "+
			"features", features),
		Symptom: "class counts are summed over all features' tables: one record counts K times",
		Claimed: dp.RenyiDP(order, total/(k+1)).Parameters, How: byPair,
		Counterexample: "f = (1, 0, 0) and f′ = (0, 1, 0): Dir(1.294, 1.162, 1.162) and its mirror image",
		Remedy:         "one table's total, or no release at all: the feature tables determine the class counts",
	}
	b.Spent = level(b.Claimed, 0.1152083737509)
	b.check = func(_ context.Context, defect bool) (verdict, error) {
		r, alpha, err := algorithm1(order, float64(b.Claimed.Epsilon))
		if err != nil {
			return verdict{}, err
		}
		if defect {
			r *= k
		}
		return dirichletVerdict("Dir(r·f + α) on the class counts", b.Claimed, r, alpha), nil
	}
	return b
}
