package bugs

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// gaussianMu is the greatest μ = Δ₂/σ at which Gaussian noise is (ε, δ)-DP, by its exact profile, rounded toward
// privacy.
func gaussianMu(eps, delta float64) (float64, error) {
	mu, _, err := num.RootBracket(func(mu float64) float64 { return loss.GaussianPair{Mu: mu}.Delta(eps) - delta },
		1e-3*eps, 10*eps, 0)
	return mu, err
}

// shrunkNoise is Gaussian noise at the smallest σ that the exact profile allows, times √(ln(.5/δ)/ln(1/δ)). The factor
// comes from the tail bound P(Z > t) ≤ ½exp(−t²/2), which is half of the cruder exp(−t²/2): it sharpens a σ that was
// derived from the cruder bound. The exact σ has nothing left to sharpen.
func shrunkNoise() Bug {
	const eps, delta = 1.0, 1e-2
	b := Bug{
		ID: "shrunk-noise", Mechanism: "Gaussian noise on a count, calibrated exactly",
		Symptom: "σ multiplied by √(ln(.5/δ)/ln(1/δ)), the gain of a sharper tail bound that the exact σ already has",
		Claimed: dp.ApproxDP(eps, delta).Parameters, How: "dp.GaussianPair.Delta: the exact profile",
		Counterexample: "counts 1 and 0, outputs above 3.496: P − eP′ = 0.01565, claimed 0.01",
		Remedy:         "the exact σ, unchanged",
	}
	b.Spent = level(b.Claimed, 1.11471198886)
	b.check = func(_ context.Context, defect bool) (verdict, error) {
		mu, err := gaussianMu(eps, delta)
		if err != nil {
			return verdict{}, err
		}
		if defect {
			mu /= math.Sqrt(math.Log(.5/delta) / math.Log(1/delta))
		}
		pair := loss.GaussianPair{Mu: mu}
		// the likelihood-ratio test that attains the profile at ε: the output is above t, the counts are 1 and 0
		t, reached := eps/mu/mu+0.5, pair.Delta(eps)
		tab := table.New("Gaussian noise on a count, exact", "σ", "δ at ε = 1", "claimed δ", "ε at the claimed δ")
		tab.Add(1/mu, reached, delta, loss.EpsilonFor(pair, delta))
		return verdict{
			spent: level(b.Claimed, loss.EpsilonFor(pair, delta)), holds: reached <= delta,
			evidence: []*table.Table{tab},
			counterexample: fmt.Sprintf("counts 1 and 0, outputs above %.4g: P − eP′ = %.4g, claimed %v", t, reached,
				delta),
		}, nil
	}
	return b
}
