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
