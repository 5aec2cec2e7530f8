package dp

import (
	"fmt"
	"math"
)

// GeometricPair is the dominating pair of two-sided geometric noise, P(Z = z) ∝ e^{−γ|z|}, on Cells counts that one unit changes
// by one each: Cells-fold randomised response at ε₀ = γ.
//
// Shifting one such count by 1 changes its log-probability by exactly ±γ, and P(loss = +γ) = 1/(1+e^{−γ}). So the loss of one
// cell has the law of randomised response, and the cells are independent; the pair is attained, not only dominated. Where one unit
// changes a count by s > 1, its loss is at most sγ, and randomised response at sγ dominates it: use Rate = sγ.
type GeometricPair struct {
	Rate  float64 // γ > 0
	Cells int     // number of changed counts ≥ 1
}

// String describes the pair.
func (p GeometricPair) String() string {
	return fmt.Sprintf("randomised response at ε = %.6g, %d-fold", p.Rate, p.Cells)
}

// PureEpsilon is Cells·γ.
func (p GeometricPair) PureEpsilon() float64 { return float64(p.Cells) * p.Rate }

// Delta is Σ_k C(m,k) p^k (1−p)^{m−k} (1 − e^{ε−γ(2k−m)})₊ with p = 1/(1+e^{−γ}), m = Cells: a sum of positive terms. ε is taken
// down and the sum up by slack, so that rounding cannot make the profile too small.
func (p GeometricPair) Delta(epsilon float64) float64 {
	m := float64(p.Cells)
	eps := epsilon - slack*(1+epsilon)
	logP, logQ := -math.Log1p(math.Exp(-p.Rate)), -p.Rate-math.Log1p(math.Exp(-p.Rate))
	lgm, _ := math.Lgamma(m + 1)
	sum := 0.0
	for k := 0; k <= p.Cells; k++ {
		loss := p.Rate * float64(2*k-p.Cells)
		if loss <= eps {
			continue
		}
		a, _ := math.Lgamma(float64(k) + 1)
		b, _ := math.Lgamma(m - float64(k) + 1)
		sum += math.Exp(lgm-a-b+float64(k)*logP+(m-float64(k))*logQ) * -math.Expm1(eps-loss)
	}
	return math.Min(1, sum*(1+1e-9))
}

// RDP is Cells · RR_λ(γ), RR_λ(γ) = log(cosh((2λ−1)γ/2)/cosh(γ/2))/(λ−1).
func (p GeometricPair) RDP(order float64) float64 {
	return up(float64(p.Cells) * responseRDP(p.Rate, order))
}

// ZCDP is Cells · γ·tanh(γ/2), the Kullback–Leibler divergence: RDP(λ)/λ is greatest as λ → 1, because RR_λ/λ is, up to a
// constant, the secant slope of the concave function w ↦ log cosh(γ√w/2) between 1 and (2λ−1)².
func (p GeometricPair) ZCDP() float64 {
	return up(float64(p.Cells) * p.Rate * math.Tanh(p.Rate/2))
}
