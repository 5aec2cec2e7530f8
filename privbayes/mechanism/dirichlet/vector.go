package dirichlet

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Vector is the Dirichlet mechanism on any vector f ≥ 0 of a fixed length, such as weighted counts: neighbours differ
// by at most Delta2 in ℓ₂ and DeltaInf in every cell, which the user declares from public knowledge.
type Vector struct {
	Cells            int     // ≥ 2
	Delta2, DeltaInf float64 // Δ₂ ≥ Δ∞ > 0
}

// VectorPlan is a calibrated release of a vector.
type VectorPlan struct {
	Vector
	Target      dp.Request
	Certified   dp.Parameters
	Pair        loss.VectorPair // Corollary A4
	Rate, Shape float64         // r and α
}

// Plan finds the smallest α at the given r > 0 that meets the target: (λ, ε)-Rényi, (ρ, ω)-truncated concentrated or
// (ε, δ). The adjacency is the user's, behind the declared Δ₂ and Δ∞. Errors: *dp.ParameterError,
// *mechanism.UnsupportedError, *mechanism.UnmetTarget.
func (v Vector) Plan(r float64, t dp.Request) (*VectorPlan, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	if v.Cells < 2 || !(v.DeltaInf > 0) || !(v.Delta2 >= v.DeltaInf) ||
		v.Delta2 > v.DeltaInf*math.Sqrt(float64(v.Cells))*(1+1e-12) {
		return nil, domain.Refuse("dirichlet", "vector", fmt.Sprintf("%d cells, Δ₂ = %v, Δ∞ = %v", v.Cells, v.Delta2,
			v.DeltaInf), "at least 2 cells and 0 < Δ∞ ≤ Δ₂ ≤ √cells·Δ∞")
	}
	if err := validPair(r, 1); err != nil {
		return nil, err
	}
	title := "Dirichlet mechanism on a vector"
	if t.ExactOnly || t.NominalScale || t.Notion == dp.Pure || t.Notion == dp.Concentrated {
		return nil, &mechanism.UnsupportedError{Mechanism: title, What: "exact arithmetic, nominal scales, pure ε-DP " +
			"or zCDP", Use: "RenyiDP, TCDP or ApproxDP"}
	}
	pair := func(alpha float64) loss.VectorPair {
		return loss.VectorPair{Rate: r, Shape: alpha, Delta2: v.Delta2, DeltaInf: v.DeltaInf}
	}
	meets := func(alpha float64) bool { return loss.Meets(pair(alpha), t.Parameters) }
	alpha := noise.Least(minShape, maxShape, meets)
	return &VectorPlan{Vector: v, Target: t, Certified: loss.LevelOf(pair(alpha), t.Parameters), Pair: pair(alpha), Rate: r,
		Shape: alpha}, nil
}

// Draw returns the logarithms of one draw from Dirichlet(r·f + α). Every call spends the plan's level. Errors:
// *dp.ParameterError.
func (p *VectorPlan) Draw(f []float64, src *dp.Stream) ([]float64, error) {
	if len(f) != p.Cells {
		return nil, domain.Refuse("dirichlet", "vector", fmt.Sprintf("a vector of %d cells", len(f)), fmt.Sprintf("%d",
			p.Cells))
	}
	u, out := make([]float64, len(f)), make([]float64, len(f))
	for i, x := range f {
		if !(x >= 0) || math.IsInf(x, 1) {
			return nil, domain.Refuse("dirichlet", "vector", fmt.Sprintf("cell %d is negative or not finite", i), "f ≥ 0")
		}
		u[i] = p.Rate*x + p.Shape
	}
	sample.LogDirichlet(src, u, out)
	return out, nil
}
