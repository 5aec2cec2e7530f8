package hellinger

import "github.com/privbayes/privbayes-go/internal/hellinger"

// Sensitivity is the sensitivity of the score −H(x, r) with which an exponential mechanism picks a posterior near that
// of the data x, under replace-one adjacency with public n. H is the Hellinger distance of Dirichlet posteriors,
//
//	H(x, r) = √(1 − BC(α + x, α + r)),  BC = ∫ √(pq),  α ∈ (0, ∞)^d,  x, r ∈ ℕ^d with sum n,
//
// without a factor 1/√2. Neighbours, one count of which moved from cell i to cell j, are edge(α_i + x_i − 1, α_j + x_j)
// apart, where
//
//	edge(p, q) = √(1 − g(p)·g(q)),  g(t) = Γ(t + ½)/(Γ(t)·√t).
//
// Everything but [Sensitivity.At] is public: a function of prior and n.
type Sensitivity struct{ space *hellinger.Space }

// Extremum is a sensitivity and neighbours X, Y between which the score changes by it.
type Extremum struct {
	Value float64 // relative error at most 2e-15
	Upper float64 // surely not below the exact value: computed with outward rounding; use this for privacy
	X, Y  []int64
}

// CountsError says what is wrong with a vector of counts.
type CountsError = hellinger.CountsError

// NewSensitivity is the sensitivity for prior α and n records, in O(d) whatever n. Errors: *dp.ParameterError unless α
// has at least 2 parameters, all finite and positive, and 0 ≤ n ≤ 10¹⁵.
func NewSensitivity(alpha []float64, n int64) (*Sensitivity, error) {
	s, err := hellinger.New(alpha, n)
	if err != nil {
		return nil, err
	}
	return &Sensitivity{s}, nil
}

// Global is the global sensitivity, the largest |H(x, r) − H(y, r)| over neighbours x, y and all r:
//
//	d = 2: edge(α_min, α_max + n − 1),
//	d ≥ 3: edge(α_(1), α_(2)) of the two smallest α, for every n ≥ 1,
//
// and 0 for n = 0. By the triangle inequality it is the largest H(x, y), attained at r = x and r = y only; L = ln g is
// increasing and concave, so that the corner named is the best.
func (h *Sensitivity) Global() Extremum {
	v, x, y := h.space.Global()
	return Extremum{Value: v, Upper: h.space.GlobalUpper(), X: x, Y: y}
}

// LipschitzPlus is γ⁺, rounded up: the most by which 1/LS⁺ changes between neighbours, for every n ≥ 1,
//
//	γ⁺ = T(α_min + 1) − T(α_min),  T(p) = (1 − g(p))^{−1/2},
//
// where LS⁺(x) = max_{i≠j} edge(α_i + max(x_i − 1, 0), α_j + x_j) is at least the local sensitivity. It is below
// 1.9646966. The exponential mechanism with rate κ/LS⁺ is κ·ρ-DP, ρ = min(2 + γ⁺, 1 + √(1 + 2γ⁺²)).
func (h *Sensitivity) LipschitzPlus() float64 { return h.space.GammaPlusUpper() }
