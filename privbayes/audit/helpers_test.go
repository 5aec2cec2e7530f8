package audit_test

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// geometric releases the first count with two-sided geometric noise at the given rate, clamped to [0, n]: clamping
// merges outputs with equal ratios only, so that moving one record costs exactly the rate.
type geometric struct {
	n    int
	rate float64
}

func (g geometric) Outputs() int { return g.n + 1 }

func (g geometric) LogLaw(x []int, out []float64) {
	norm := math.Log1p(math.Exp(-g.rate))
	for o := range out {
		out[o] = -g.rate*math.Abs(float64(o-x[0])) - norm // a tail: Σ_{k ≥ z} (1 − a)/(1 + a)·a^k = a^z/(1 + a)
		if o > 0 && o < g.n {
			out[o] += math.Log(-math.Expm1(-g.rate))
		}
	}
	if g.n == 0 {
		out[0] = 0
	}
}

// gaussian is the discrete Gaussian around the first count with variance 1/(2ρ), cut where its probabilities are below
// 1e-300 of the greatest: it is ρ-zCDP for changes by 1, attained in the limit of small ρ.
type gaussian struct {
	n, reach int
	rho      float64
}

func (g gaussian) Outputs() int { return g.n + 1 + 2*g.reach }

func (g gaussian) LogLaw(x []int, out []float64) {
	sum := 0.0
	for o := range out {
		z := float64(o - g.reach - x[0])
		out[o] = -g.rho * z * z
		sum += math.Exp(out[o])
	}
	for o := range out {
		out[o] -= math.Log(sum)
	}
}

func pure(eps float64) dp.Parameters { return dp.PureDP(eps).Parameters }

func subject(m finite.Mechanism, n int, claim dp.Parameters) audit.Subject {
	return audit.Subject{Name: "test", Mechanism: m, Space: finite.Space{Cells: 2, N: n}, Claim: claim}
}
