package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// BinaryDirichletPair is [DirichletPair] for two cells whose total N is public, under replace-one: the counts (k, N−k)
// and (k+1, N−k−1). Only N+1 histograms exist, and the loss is up to half of that of three cells. Source: Corollary A3.
type BinaryDirichletPair struct {
	Rate, Shape float64
	N           int // records ≥ 1
}

// String describes the pair.
func (p BinaryDirichletPair) String() string {
	return fmt.Sprintf("Beta(%.6g + %.6g k, …) for neighbouring k in 0 … %d", p.Shape, p.Rate, p.N)
}

// PureEpsilon is +Inf.
func (p BinaryDirichletPair) PureEpsilon() float64 { return math.Inf(1) }

// maxBinary is the largest N whose histograms are all visited for a profile.
const maxBinary = 128

// Delta is the largest profile over all N neighbouring pairs in both directions, and for N > 128 the profile of three
// cells, which dominates it.
func (p BinaryDirichletPair) Delta(epsilon float64) float64 {
	if p.N > maxBinary {
		return DirichletPair{p.Rate, p.Shape}.Delta(epsilon)
	}
	worst := 0.0
	for k := range p.N { // by symmetry k visits both directions
		worst = math.Max(worst, BetaProfile(p.Rate, p.Shape+p.Rate*float64(k), p.Shape+p.Rate*float64(p.N-1-k),
			epsilon))
	}
	return worst
}

// RDP is (A(α+(N−1)r) + B(α))/(λ−1): the extreme split is the worst.
func (p BinaryDirichletPair) RDP(order float64) float64 {
	return num.InflateGamma(removeCost(p.Shape+p.Rate*float64(p.N-1), p.Rate, order) + addCost(p.Shape, p.Rate, order))
}

// ZCDP is +Inf.
func (p BinaryDirichletPair) ZCDP() float64 { return math.Inf(1) }

// TCDP is RDP(ω)/ω: both terms are second divided differences that grow with λ, as for [GammaPair] and its mirror
// image, or bounded by that of [DirichletPair], whichever is less.
func (p BinaryDirichletPair) TCDP(omega float64) float64 {
	// A(x)/λ(λ−1) falls with λ, so that only its limit at λ → 1 is a bound for all orders
	limit := num.LogGammaBregman(p.Shape+p.Rate*float64(p.N-1), p.Shape+p.Rate*float64(p.N), -p.Rate)
	apart := num.InflateGamma(limit + addCost(p.Shape, p.Rate, omega)/omega)
	return math.Min(apart, DirichletPair{p.Rate, p.Shape}.TCDP(omega))
}

// BetaProfile is the hockey-stick divergence at ε of Beta(a+r, b) from Beta(a, b+r): one record that moves between two
// cells whose parameters are a and b without it. Domain: r, a, b > 0. Source: theory/dirichlet.md §2.4.
func BetaProfile(r, a, b, epsilon float64) float64 {
	shift := num.LogGammaDiff(b, r) - num.LogGammaDiff(a, r)
	return hockeyStick(betaLoss{a + r, b, r, shift}, epsilon)
}

// DirichletRenyi is the Rényi divergence of order λ > 1 of Dirichlet(u) from Dirichlet(v), v = u + change:
//
//	[ln B(λu − (λ−1)v) + (λ−1) ln B(v) − λ ln B(u)]/(λ−1) = Σ_i c(u_i) − c(Σu_i),
//
// and +Inf where some λu_i − (λ−1)v_i ≤ 0. With d = v_i − u_i, c(u) = D(u−(λ−1)d; u)/(λ−1) + D(u+d; u), a sum of
// Bregman divergences of lnΓ. Source: theory/dirichlet.md §1.1.
func DirichletRenyi(u, change []float64, order float64) float64 {
	total, moved, sum := 0.0, 0.0, 0.0
	cell := func(x, d float64) float64 {
		low := x - (order-1)*d
		if !(low > 0) {
			return math.Inf(1)
		}
		return num.LogGammaBregman(low, x, -(order-1)*d)/(order-1) + num.LogGammaBregman(x+d, x, d)
	}
	for i, x := range u {
		if d := change[i]; d != 0 {
			sum += cell(x, d)
		}
		total += x
		moved += change[i]
	}
	if math.IsInf(sum, 1) || moved == 0 {
		return sum
	}
	return sum - cell(total, moved)
}

// VectorPair bounds the Dirichlet mechanism on any vector f ≥ 0 whose neighbours differ by at most Delta2 in ℓ₂ and
// DeltaInf in every cell, such as the histogram of units with several rows:
//
//	RDP(λ) ≤ ½ λ r² Δ₂² max{ψ′(α), h},  h = 2 B_{rΔ∞}(α)/(λ(λ−1) r²Δ∞²),
//
// B as in [DirichletPair.RDP] at rate rΔ∞. The profile follows from the Rényi bound at its best order. Source:
// Corollary A4.
type VectorPair struct {
	Rate, Shape      float64
	Delta2, DeltaInf float64 // Δ₂ ≥ Δ∞ > 0
}

// String describes the pair.
func (p VectorPair) String() string {
	return fmt.Sprintf("Dirichlet(%.6g f + %.6g), Δ₂ = %.6g, Δ∞ = %.6g", p.Rate, p.Shape, p.Delta2, p.DeltaInf)
}

// PureEpsilon is +Inf.
func (p VectorPair) PureEpsilon() float64 { return math.Inf(1) }

// RDP is the bound above; +Inf where α ≤ (λ−1) r Δ∞.
func (p VectorPair) RDP(order float64) float64 {
	step := p.Rate * p.DeltaInf
	h := 2 * addCost(p.Shape, step, order) / (order * step * step)
	return num.InflateGamma(0.5 * order * p.Rate * p.Rate * p.Delta2 * p.Delta2 * math.Max(num.Trigamma(p.Shape), h))
}

// Delta is the smallest δ that the Rényi bound proves at ε.
func (p VectorPair) Delta(epsilon float64) float64 {
	top := 1 + p.Shape/(p.Rate*p.DeltaInf)
	_, least := num.Minimum(-12, math.Log(top-1), func(t float64) float64 {
		order := 1 + math.Exp(t)
		return (order-1)*(p.RDP(order)-epsilon+math.Log1p(-1/order)) - math.Log(order)
	})
	return math.Min(1, num.InflateGamma(math.Exp(least)))
}

// ZCDP is +Inf.
func (p VectorPair) ZCDP() float64 { return math.Inf(1) }

// TCDP is RDP(ω)/ω: h grows with λ, as for [GammaPair].
func (p VectorPair) TCDP(omega float64) float64 { return p.RDP(omega) / omega }
