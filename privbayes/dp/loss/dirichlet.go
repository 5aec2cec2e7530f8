package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// DirichletPair is the dominating pair of the Dirichlet mechanism M(f) = Dirichlet(r·f + α) on one histogram, or on all
// rows of one contingency table, under replace-one:
//
//	P = Beta(α+r, α),  Q = Beta(α, α+r),  L = r·logit(w).
//
// Every pair of neighbours is a post-processing of (P, Q), and three cells attain it. The same holds for the
// unnormalised gamma draws. Source: theory/dirichlet.md, Theorems A to C.
type DirichletPair struct {
	Rate  float64 // r > 0: weight of one record
	Shape float64 // α > 0: public pseudo-count of every cell, in units of the parameters; α/r in records
}

// String describes the pair.
func (p DirichletPair) String() string {
	return fmt.Sprintf("Beta(%.6g, %.6g) against its mirror image", p.Shape+p.Rate, p.Shape)
}

// PureEpsilon is +Inf: the loss is unbounded (Proposition 3 of the Dirichlet paper).
func (p DirichletPair) PureEpsilon() float64 { return math.Inf(1) }

// Delta is I_x(α, α+r) − e^ε·I_x(α+r, α) at x = 1/(1+e^{ε/r}), computed as an integral of positive terms. Source:
// Theorem B.
func (p DirichletPair) Delta(epsilon float64) float64 {
	return hockeyStick(betaLoss{p.Shape + p.Rate, p.Shape, p.Rate, 0}, epsilon)
}

// RDP is (A + B)/(λ−1) with
//
//	A = (λ−1) lnΓ(α) + lnΓ(α+λr) − λ lnΓ(α+r),  B = (λ−1) lnΓ(α+r) + lnΓ(α−(λ−1)r) − λ lnΓ(α),
//
// and +Inf where α ≤ (λ−1)r. A and B are sums of Bregman divergences of lnΓ, which are positive: no digits are lost for
// any parameters, but those of the gap α − (λ−1)r. Source: Corollary A1.
func (p DirichletPair) RDP(order float64) float64 {
	return num.InflateGamma((removeCost(p.Shape, p.Rate, order) + addCost(p.Shape, p.Rate, order)))
}

// ZCDP is +Inf: the Rényi divergence is infinite from order 1 + α/r on. See [DirichletPair.TCDP].
func (p DirichletPair) ZCDP() float64 { return math.Inf(1) }

// TCDP is sup over 1 < λ ≤ ω of RDP(λ)/λ. It is RDP(ω)/ω, because
//
//	RDP(λ)/λ = r²·E ψ′(α + r/2 + r(λ−1)(U−½) + rλ(V−½)),  U, V uniform on [0, 1],
//
// the mean of a convex function under laws that grow in convex order with λ.
func (p DirichletPair) TCDP(omega float64) float64 { return p.RDP(omega) / omega }

// GammaPair is the dominating pair of the Dirichlet mechanism under add-remove: Gamma(α+r) against Gamma(α). It gives
// the worse of the two directions. The bound is a supremum over histograms, approached as the other counts grow.
// Source: Corollary A2.
type GammaPair struct {
	Rate  float64 // r > 0
	Shape float64 // α > 0
}

// String describes the pair.
func (p GammaPair) String() string {
	return fmt.Sprintf("Gamma(%.6g) against Gamma(%.6g)", p.Shape, p.Shape+p.Rate)
}

// PureEpsilon is +Inf.
func (p GammaPair) PureEpsilon() float64 { return math.Inf(1) }

// Delta is the larger of the profiles of adding and of removing a record.
func (p GammaPair) Delta(epsilon float64) float64 {
	c := num.LogGammaDiff(p.Shape, p.Rate)
	return math.Max(
		hockeyStick(gammaLoss{p.Shape, p.Rate, c, -1}, epsilon),
		hockeyStick(gammaLoss{p.Shape + p.Rate, p.Rate, c, 1}, epsilon))
}

// RDP is B/(λ−1) of [DirichletPair.RDP], the cost of adding a record, which is never below that of removing one.
func (p GammaPair) RDP(order float64) float64 {
	return num.InflateGamma(addCost(p.Shape, p.Rate, order))
}

// ZCDP is +Inf, as for [DirichletPair].
func (p GammaPair) ZCDP() float64 { return math.Inf(1) }

// TCDP is RDP(ω)/ω: RDP(λ)/λ is r² times the second divided difference of lnΓ on α−(λ−1)r, α, α+r, which grows as its
// first node falls because ψ″ < 0.
func (p GammaPair) TCDP(omega float64) float64 { return p.RDP(omega) / omega }

// addCost is B/(λ−1) = D(α+r; α) + D(α−(λ−1)r; α)/(λ−1), D the Bregman divergence of lnΓ.
func addCost(alpha, r, order float64) float64 {
	gap := alpha - (order-1)*r
	if !(gap > 0) {
		return math.Inf(1)
	}
	return num.LogGammaBregman(alpha+r, alpha, r) + num.LogGammaBregman(gap, alpha, -(order-1)*r)/(order-1)
}

// removeCost is A/(λ−1) = D(α; α+r) + D(α+λr; α+r)/(λ−1).
func removeCost(alpha, r, order float64) float64 {
	return num.LogGammaBregman(alpha, alpha+r, -r) + num.LogGammaBregman(alpha+order*r, alpha+r, (order-1)*r)/(order-1)
}

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
