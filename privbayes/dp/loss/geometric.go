package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// GeometricPair is the dominating pair of two-sided geometric noise, P(Z = z) ∝ e^{−γ|z|}, on Cells counts that one
// unit changes by one each: Cells-fold randomised response at ε₀ = γ.
//
// Shifting one such count by 1 changes its log-probability by exactly ±γ, and P(loss = +γ) = 1/(1+e^{−γ}). So the loss
// of one cell has the law of randomised response, and the cells are independent; the pair is attained, not only
// dominated.
//
// Units of k rows change a count by up to k, and perhaps more than m = Cells counts, by less each.
// [ShiftedGeometricPair] covers every way to do so:
//
// Theorem. Let s_1, …, s_j ≤ k be whole shifts of independent counts with Σs_i ≤ km. Their release is dominated by m
// counts shifted by k each, [ShiftedGeometricPair], and so by m-fold randomised response at kγ.
//
// Proof. With q = e^{−γ}, the loss of a shift by s is γ(s − 2J_s), J_s the noise cut to [0, s], and with y = qx
//
//	(1+q)·E x^{J_s} = 1 + (1−q)(y + … + y^{s−1}) + y^s = [(1 − qy) + y^s(q − y)]/(1 − y).
//
// The loss of any shifts of sum n is γ(n − 2J), J the sum of theirs. Its profile is linear in e^ε between the points
// γ(n − 2i), where it is E(1 − q^{2(i−J)})₊, with generating function E x^J·x(1−q²)/[(1−x)(1−q²x)] in i. Take shifts a
// ≥ b ≥ 1 and exchange one step, to a+1 and b−1. As (1 − qy)(q − y) = q(1 − x)(1 − q²x), the profile grows by the
// coefficients of
//
//	q(1−q²)/(1+q)² · x(y^{b−1} + … + y^{a−1}),
//
// none of which is negative: the more uneven shifts dominate, and beside other independent losses too. So does one
// shift by a+1 dominate one by a, which is below (a, 1). Exchanges lead from s_1, …, s_j to shifts by k, but for one
// smaller, of the same sum: at most m in all, and raising the smaller one to k and adding others only increases the
// profile. Last, a shift by k has a loss of at most kγ, and randomised response at ε dominates every ε-DP release
// (Kairouz, Oh, Viswanath 2015). ∎
//
// It is the law of this noise that carries the proof. Of randomised responses the like is false: the δ of five at 4γ is
// up to 4 % above that of four at 5γ. And a chain of s steps, each γ-DP, is dominated by one shift by s, whatever the
// noise: the powers of tests compose along a chain (Dong, Roth, Su 2022, Theorem 2.14), and those of randomised
// response at γ compose to those of the shift.
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

// Delta is Σ_k C(m,k) p^k (1−p)^{m−k} (1 − e^{ε−γ(2k−m)})₊ with p = 1/(1+e^{−γ}), m = Cells: a sum of positive terms. ε
// is taken down and the sum up by num.Slack, so that rounding cannot make the profile too small.
func (p GeometricPair) Delta(epsilon float64) float64 {
	m := float64(p.Cells)
	eps := epsilon - num.Slack*(1+epsilon)
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
	return num.Inflate(float64(p.Cells) * num.ResponseDivergence(p.Rate, order))
}

// ZCDP is Cells · γ·tanh(γ/2), the Kullback–Leibler divergence: RDP(λ)/λ is greatest as λ → 1, because RR_λ/λ is, up to
// a constant, the secant slope of the concave function w ↦ log cosh(γ√w/2) between 1 and (2λ−1)².
func (p GeometricPair) ZCDP() float64 {
	return num.Inflate(float64(p.Cells) * p.Rate * math.Tanh(p.Rate/2))
}
