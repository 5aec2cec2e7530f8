package claims

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

func init() {
	register(Claim{
		ID: "network/10", Document: NetworkPaper, Place: "Theorem 1, Lemma A.3", Verdict: False,
		Statement: "the divergence of the noisy posterior has mean at most n ln((α + D₁)(β + D₂)) per cell, and " +
			"a tail from Σ c_ij",
		True:           "the mean by quadrature, with McDiarmid's tail from Σ c_ij²; package study/utility has both",
		Counterexample: "Beta(1,1), counts (0, 0), n = 1, b = 1: the bound is 0, the mean 0.125",
		Source:         "theory/networks.md §1.4", check: theoremOne,
	})
}

// clampedAverage is E h(clamp(Z, 0, 1)) for Laplace noise of scale 1 on a count 0 of n = 1: atoms ½ at 0 and ½e^{−1} at
// 1, density ½e^{−z} between.
func clampedAverage(h func(z float64) float64) float64 {
	inside := num.Integrate24(func(z float64) float64 { return h(z) * math.Exp(-z) / 2 }, 0, 1, 4)
	return h(0)/2 + h(1)*math.Exp(-1)/2 + inside
}

// theoremOne computes the mean divergence of the smallest case and the divergence of Lemma A.3's.
func theoremOne(_ context.Context, f *Finding) error {
	divergence := func(alpha, z1, z2 float64) float64 {
		p, err1 := posterior.NewBeta(alpha, alpha)
		q, err2 := posterior.NewBeta(alpha+z1, alpha+z2)
		if err1 != nil || err2 != nil {
			return math.NaN()
		}
		f.Cases++
		return posterior.KL(p, q)
	}
	mean := clampedAverage(func(z1 float64) float64 {
		return clampedAverage(func(z2 float64) float64 { return divergence(1, z1, z2) })
	})
	f.number("mean divergence, Beta(1,1), counts (0, 0), n = 1, b = 1", mean, .125, 5e-4)
	f.trial().printed(mean <= 0, 1, "Beta(1,1), counts (0, 0), n = 1, b = 1: the bound is 0, the mean %.3f", mean)
	f.number("divergence at (½, 0), Beta(2,2); Lemma A.3 says at most 0", divergence(2, .5, 0), .0394, 5e-5)
	return nil
}
