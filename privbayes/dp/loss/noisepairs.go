package loss

import (
	"fmt"
	"math"
	"math/cmplx"
	"sync"

	"github.com/privbayes/privbayes-go/internal/num"
)

// LaplacePair is the dominating pair of Laplace noise of scale b on Cells real counts that one unit changes by one
// each. Under replace-one a histogram has Cells = 2. With u = 1/b the loss of a cell is u with probability ½, −u with
// probability ½e^{−u}, and has the density ¼e^{(l−u)/2} between.
type LaplacePair struct {
	Scale float64 // b > 0
	Cells int     // number of changed counts ≥ 1
}

// String describes the pair.
func (p LaplacePair) String() string {
	return fmt.Sprintf("Laplace noise of scale %.6g, %d counts shifted by 1", p.Scale, p.Cells)
}

// PureEpsilon is Cells/b.
func (p LaplacePair) PureEpsilon() float64 { return num.Inflate(float64(p.Cells) / p.Scale) }

// Delta is 1 − e^{(ε−u)/2} for one cell and ε < u. For more it is the profile of [ShiftedGeometricPair] on a lattice of
// n steps, which dominates the Laplace pair: conditioned on an interval between two lattice points, the pair of
// densities (p, q) is a positive combination of the two at the ends, and (p − e^ε q)₊ is sublinear, so moving all mass
// to the ends, with the masses of both laws kept, increases every hockey-stick divergence. The weights at the ends of
// [l, l+2γ] come out equal to ½e^{−u/2}tanh(γ/2)·e^{l/2} and e^{l/2+γ} of it, γ = u/n, which are those of geometric
// noise with rate γ and shift n. The excess is a relative O(1/n²), below 1e-4.
func (p LaplacePair) Delta(epsilon float64) float64 { return p.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or a bound that costs little once stop, which may be nil, says so.
func (p LaplacePair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	u := 1 / p.Scale
	if p.Cells == 1 {
		return math.Min(1, num.Inflate(math.Max(0, -math.Expm1((epsilon-num.Slack*(1+epsilon)-u)/2))))
	}
	return alone(p.onLattice(p.Cells)).DeltaUntil(epsilon, stop)
}

// onLattice is the lattice pair that dominates p, as fine as a composition of total cells calls for.
func (p LaplacePair) onLattice(total int) ShiftedGeometricPair {
	n := 1024
	switch {
	case total > 256:
		n = 128
	case total > 16:
		n = 256
	}
	n = max(n, int(math.Min(64/p.Scale, 1<<16)))
	return ShiftedGeometricPair{Rate: num.Inflate(1 / p.Scale / float64(n)), Shift: n, Cells: p.Cells}
}

// RDP is Cells·R_λ(b),
//
//	R_λ = ln[λ/(2λ−1)·e^{(λ−1)u} + (λ−1)/(2λ−1)·e^{−λu}]/(λ−1),
//
// and for small u, with t = λ − 1, the same from E e^{tL} − 1 = e^{−u/2}[2 sinh((t+1)u/2) sinh(tu/2) + ∫_0^u
// sinh((t+1)l/2) sinh(tl/2) dl]. Source: theory/dirichlet.md §4.
func (p LaplacePair) RDP(order float64) float64 {
	t, u := order-1, 1/p.Scale
	var k float64
	if (2*t+1)*u < 2 {
		f := func(l float64) float64 { return math.Sinh((t+1)*l/2) * math.Sinh(t*l/2) }
		k = math.Log1p(math.Exp(-u/2) * (2*f(u) + num.Integrate24(f, 0, u, 1)))
	} else {
		k = t*u + math.Log1p(t/(1+2*t)*math.Expm1(-(1+2*t)*u))
	}
	return num.InflateGamma(float64(p.Cells) * k / t)
}

// ZCDP is Cells·(u − 1 + e^{−u}), the Kullback–Leibler divergence. With w = 2λ−1, E e^{(λ−1)L} ∝ cosh(wu/2) +
// sinh(wu/2)/w; at w = iy that vanishes exactly where y cos(yu/2) + sin(yu/2) = 0, the eigenvalue condition of f″ =
// −y²f, f(0) = 0, f′ + f = 0 at u/2. The problem is self-adjoint and positive, so all zeros have real y, the function
// is Π(1 + w²/y_k²) up to a constant, its log is concave in w², and RDP(λ)/λ, four times its secant slope between 1 and
// w², falls with λ.
func (p LaplacePair) ZCDP() float64 {
	u := 1 / p.Scale
	kl := u + math.Expm1(-u)
	if u < 0.1 {
		kl = 0
		for k, term := 2.0, u*u/2; term > 1e-20*kl; k++ {
			kl += math.Copysign(term, 1-2*math.Mod(k, 2))
			term *= u / (k + 1)
		}
	}
	return num.InflateGamma(float64(p.Cells) * kl)
}

// LogMGF is Cells·ln[(1+z)/(1+2z)·e^{zu} + z/(1+2z)·e^{−(1+z)u}].
func (p LaplacePair) LogMGF(z complex128) complex128 {
	if real(z) < -0.5 {
		z = -1 - z
	}
	u := complex(1/p.Scale, 0)
	w := 1 + 2*z
	cells := complex(float64(p.Cells), 0)
	if cmplx.Abs(w) < 1e-9 {
		return cells * (z*u + log1pComplex(u/2))
	}
	return cells * (z*u + log1pComplex(z/w*expm1Complex(-w*u)))
}

// Strip is the whole plane: the loss is bounded.
func (p LaplacePair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p LaplacePair) Symmetric() bool { return true }

// ShiftedGeometricPair is the dominating pair of two-sided geometric noise, P(Z = z) ∝ q^{|z|}, q = e^{−γ}, on Cells
// counts that one unit changes by up to Shift = s each. The loss of a cell is γ(s − 2j), j = 0 … s, with probability
// 1/(1+q), q^j(1−q)/(1+q) for 0 < j < s, and q^s/(1+q). For s = 1 it is [GeometricPair]; for larger s it is far below
// randomised response at sγ. Smaller shifts are covered: the noise is log-concave, so likelihood-ratio tests of a shift
// gain power with its size.
type ShiftedGeometricPair struct {
	Rate  float64 // γ > 0
	Shift int     // s ≥ 1
	Cells int     // number of changed counts ≥ 1
}

// String describes the pair.
func (p ShiftedGeometricPair) String() string {
	return fmt.Sprintf("geometric noise of rate %.6g, %d counts shifted by %d", p.Rate, p.Cells, p.Shift)
}

// longShift is the largest shift whose atoms are summed one by one; above it randomised response at sγ stands in where
// digits need it.
const longShift = 1 << 16

// atom is the loss and the probability of the j-th atom of one cell.
func (p ShiftedGeometricPair) atom(j int) (loss, probability float64) {
	q := math.Exp(-p.Rate)
	loss = p.Rate * float64(p.Shift-2*j)
	switch j {
	case 0:
		return loss, 1 / (1 + q)
	case p.Shift:
		return loss, math.Exp(-p.Rate*float64(j)) / (1 + q)
	}
	return loss, math.Exp(-p.Rate*float64(j)) * -math.Expm1(-p.Rate) / (1 + q)
}

// overGains sums f(loss)·probability over the positive losses of one cell.
func (p ShiftedGeometricPair) overGains(f func(loss float64) float64) float64 {
	loss, probability := p.atom(0)
	sum, q, inner := probability*f(loss), math.Exp(-p.Rate), -math.Expm1(-p.Rate)
	for j := 1; 2*j < p.Shift; j++ { // as atom says
		sum += math.Exp(-p.Rate*float64(j)) * inner / (1 + q) * f(p.Rate*float64(p.Shift-2*j))
	}
	return sum
}

// PureEpsilon is Cells·sγ.
func (p ShiftedGeometricPair) PureEpsilon() float64 {
	return num.Inflate(float64(p.Cells) * float64(p.Shift) * p.Rate)
}

// Delta is Σ_j P(L = l_j)(1 − e^{ε−l_j})₊ for one cell, a sum of positive terms. More cells are composed exactly; see
// [Declared].
func (p ShiftedGeometricPair) Delta(epsilon float64) float64 { return p.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or a bound that costs little once stop, which may be nil, says so.
func (p ShiftedGeometricPair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	switch {
	case p.Shift == 1 || p.Shift > longShift:
		return GeometricPair{Rate: p.Rate * float64(p.Shift), Cells: p.Cells}.Delta(epsilon)
	case p.Cells > 1:
		return alone(p).DeltaUntil(epsilon, stop)
	}
	eps := epsilon - num.Slack*(1+epsilon)
	return math.Min(1, num.InflateGamma(p.overGains(func(loss float64) float64 {
		return math.Max(0, -math.Expm1(eps-loss))
	})))
}

// RDP is Cells·ln(E e^{tL})/t, t = λ − 1, with
//
//	E e^{tL} − 1 = Σ_{l>0} P(L = l)·e^{−l/2}·4 sinh((t+1)l/2) sinh(tl/2),
//
// the terms of l and −l taken together, so that none is negative; in the closed form of LogMGF where the exponentials
// are large.
func (p ShiftedGeometricPair) RDP(order float64) float64 {
	t, top := order-1, p.Rate*float64(p.Shift)
	cells := float64(p.Cells)
	small := (2*t+1)*top < 2
	switch {
	case p.Shift > longShift && small:
		return num.InflateGamma(cells * num.ResponseDivergence(top, order))
	case small:
		return num.InflateGamma(cells / t * math.Log1p(p.overGains(func(l float64) float64 {
			return math.Exp(-l/2) * 4 * math.Sinh((t+1)*l/2) * math.Sinh(t*l/2)
		})))
	}
	q := math.Exp(-p.Rate)
	gap := q * math.Expm1(-2*t*p.Rate) / math.Expm1(-(1+2*t)*p.Rate)
	return num.InflateGamma(cells / t * (t*top + math.Log1p(gap*math.Expm1(-(1+2*t)*top)/(1+q))))
}

// ZCDP is Cells times the Kullback–Leibler divergence Σ_{l>0} P(L = l)·l(1 − e^{−l}). With x = e^{wγ}, w = 2λ−1, E
// e^{(λ−1)L} is up to a power of x proportional to
//
//	x^s + 1 + (1−q)(x^{s−1} + … + x) = [x^s(x − q) − (1 − qx)]/(x − 1),
//
// whose zeros have |x^s(x−q)/(1−qx)| = 1, a Blaschke product, hence |x| = 1. So all zeros in w are imaginary, the log
// is concave in w² (as for [LaplacePair]), and RDP(λ)/λ falls with λ.
func (p ShiftedGeometricPair) ZCDP() float64 {
	if p.Shift > longShift {
		return GeometricPair{Rate: p.Rate * float64(p.Shift), Cells: p.Cells}.ZCDP()
	}
	return num.InflateGamma(float64(p.Cells) * divergences.of(p))
}

// divergences keeps the divergences of one cell: the items of a list search the same ones for their noise.
var divergences kept

type kept struct {
	sync.Mutex
	found map[ShiftedGeometricPair]float64
}

// maxKept bounds what is kept.
const maxKept = 1 << 12

func (k *kept) of(p ShiftedGeometricPair) float64 {
	p.Cells = 1
	k.Lock()
	v, known := k.found[p]
	k.Unlock()
	if known {
		return v
	}
	v = p.overGains(func(l float64) float64 { return l * -math.Expm1(-l) })
	k.Lock()
	defer k.Unlock()
	if len(k.found) >= maxKept || k.found == nil {
		k.found = map[ShiftedGeometricPair]float64{}
	}
	k.found[p] = v
	return v
}

// LogMGF is Cells·{zsγ + ln[1 − (1 − ρ^s)(q − ρ)/((1−ρ)(1+q))]} with ρ = e^{−(1+2z)γ}: the atoms summed as geometric
// series.
func (p ShiftedGeometricPair) LogMGF(z complex128) complex128 { return p.kernel()(z) }

func (p ShiftedGeometricPair) kernel() func(complex128) complex128 {
	gamma, s, cells := complex(p.Rate, 0), complex(float64(p.Shift), 0), complex(float64(p.Cells), 0)
	q := math.Exp(-p.Rate)
	weight := complex(q/(1+q), 0)
	return func(z complex128) complex128 {
		if real(z) < -0.5 {
			z = -1 - z
		}
		w := (1 + 2*z) * gamma
		ratio := s // (1 − ρ^s)/(1 − ρ)
		if fall := expm1Complex(-w); fall != 0 {
			ratio = expm1Complex(-s*w) / fall
		}
		return cells * (z*s*gamma + log1pComplex(weight*ratio*expm1Complex(-2*z*gamma)))
	}
}

// Strip is the whole plane: the loss is bounded.
func (p ShiftedGeometricPair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p ShiftedGeometricPair) Symmetric() bool { return true }

func (p ShiftedGeometricPair) lattice() (offset, step float64) {
	return -float64(p.Cells) * float64(p.Shift) * p.Rate, 2 * p.Rate
}

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

// DiscreteGaussianPair is the dominating pair of discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}, on Cells counts
// that one unit changes by Shift each.
//
// For Shift = 1 the loss is L = (m + 2S)/(2σ²), S the sum of m = Cells independent discrete Gaussians, and the profile
// is summed exactly over the law of S. For Shift > 1 other patterns of change with the same ℓ₂ norm exist, and the
// profile follows from ρ = m·Shift²/(2σ²), which covers them all (Canonne, Kamath, Steinke 2020, Proposition 5).
type DiscreteGaussianPair struct {
	Sigma2 float64 // σ² > 0
	Cells  int     // m ≥ 1
	Shift  int     // ≥ 1
}

// String describes the pair.
func (p DiscreteGaussianPair) String() string {
	return fmt.Sprintf("discrete Gaussian, σ² = %.6g, %d counts shifted by %d", p.Sigma2, p.Cells, p.Shift)
}

// PureEpsilon is +Inf: the loss is unbounded.
func (p DiscreteGaussianPair) PureEpsilon() float64 { return math.Inf(1) }

// ZCDP is Cells·Shift²/(2σ²).
func (p DiscreteGaussianPair) ZCDP() float64 {
	return num.Inflate(float64(p.Cells) * float64(p.Shift) * float64(p.Shift) / (2 * p.Sigma2))
}

// RDP is λ·ZCDP.
func (p DiscreteGaussianPair) RDP(order float64) float64 { return num.Inflate(order * p.ZCDP()) }

// Limits of the exact profile: below smallSigma2 the law of S is convolved; above, it is a discrete Gaussian of
// variance mσ² up to a factor that smallSigma2 keeps below 1 + 1e-9; beyond largeTau the sum would be long and ρ is
// used.
const (
	smallSigma2 = 2.75
	largeTau    = 2e5
	tailWidth   = 14 // standard deviations kept beyond the least loss that counts; the rest is added to the profile

	// underflow is more than all terms together that are too small for a float64.
	underflow = 1e-312
)

// Delta is the privacy profile. The law of S has positive terms only; ε is taken down and the sum up, so that rounding
// and truncation cannot make the profile too small.
func (p DiscreteGaussianPair) Delta(epsilon float64) float64 { return p.DeltaUntil(epsilon, nil) }

// DeltaUntil is Delta, or 1 once stop, which may be nil, says so.
//
// Losses above ε begin at some S = s₀, and the sum goes tailWidth standard deviations τ = √(mσ²) beyond it. S is
// sub-Gaussian (Canonne, Kamath, Steinke 2020), so that what is left out is at most e^{−s²/(2τ²)}, s ≥ s₀ + 14τ: at any
// ε a share of the profile that is far below its rounding, and not a constant under which no δ could come.
func (p DiscreteGaussianPair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	tau := math.Sqrt(float64(p.Cells) * p.Sigma2)
	if p.Shift != 1 || tau > largeTau {
		return zcdpDelta(p.ZCDP(), epsilon)
	}
	eps := epsilon - num.Slack*(1+epsilon)
	m := float64(p.Cells)
	from := math.Floor(p.Sigma2*eps-m/2) + 1
	center := math.Max(from, 0) / m
	width := int(math.Ceil(tailWidth*tau)) + p.Cells
	if from > 1<<52 {
		return zcdpDelta(p.ZCDP(), epsilon)
	}
	first, last := int(from), p.Cells*int(math.Round(center))+width
	var law func(int) float64
	var factor, tail float64
	if p.Sigma2 < smallSigma2 {
		if law, tail = convolvedGaussian(p.Sigma2, p.Cells, width, center, stop); law == nil {
			return 1
		}
		factor = 1
	} else {
		law, factor = summedGaussian(p.Sigma2, p.Cells)
	}
	sum := 0.0
	for s := max(first, -last); s <= last; s++ {
		if s&0xffff == 0 && stop != nil && stop() {
			return 1
		}
		if gap := eps - (m+2*float64(s))/(2*p.Sigma2); gap < 0 {
			sum += law(s) * -math.Expm1(gap)
		}
	}
	end := float64(last) / tau
	tail += 2*math.Exp(-end*end/2) + underflow
	return math.Min(1, sum*factor*(1+1e-9)+tail)
}

// summedGaussian is the law of the sum of m discrete Gaussians of variance parameter σ², up to the returned factor.
//
// Adding one to the sum of k gives Σ_j e^{−j²/(2kσ²)} e^{−(s−j)²/(2σ²)} = e^{−s²/(2(k+1)σ²)} Σ_j e^{−(j−c)²/(2τ²)} with
// τ² = kσ²/(k+1) ≥ σ²/2, and by Poisson summation the inner sum is √(2πτ²)(1 ± η), η = 2Σ_{l≥1} e^{−2π²τ²l²} ≤
// 2x/(1−x), x = e^{−π²σ²}. After m−1 steps and normalisation each probability is off by at most ((1+η)/(1−η))^{m−1}.
func summedGaussian(sigma2 float64, m int) (law func(int) float64, factor float64) {
	x := math.Exp(-math.Pi * math.Pi * sigma2)
	eta := 2 * x / (1 - x)
	factor = math.Pow((1+eta)/(1-eta), float64(m-1))
	tau2 := float64(m) * sigma2
	norm := math.Sqrt(2 * math.Pi * tau2) // the normaliser is this times at least 1
	return func(s int) float64 { return math.Exp(-float64(s)*float64(s)/(2*tau2)) / norm }, factor
}

// convolvedGaussian is the law of the sum S of m discrete Gaussians of small variance parameter, for s ≥ m·c, by
// repeated doubling, and more than what it leaves out; nil once stop says so.
//
// What is convolved is the law tilted to the center c, ∝ e^{−(z−c)²/(2σ²)}, which has its mass where s is, however
// improbable that is:
//
//	P(S = s) = P_c(S = s)·(M_c/M_0)^m·e^{−(2sc − mc²)/(2σ²)},   M_c = Σ_z e^{−(z−c)²/(2σ²)}.
//
// It is kept on m·round(c) ± width. As E_c e^{t(Z−c)} ≤ e^{t²σ²/2}·M_0/M_c, the m − 1 partial sums leave that, which is
// 14τ on either side of their centers, with probabilities of at most 2e^{−98}·(M_0/M_c)^m, and the last two factors
// give the share of what is left out.
func convolvedGaussian(sigma2 float64, m, width int, c float64,
	stop func() bool) (law func(int) float64, tail float64) {
	one := make([]float64, 2*width+1)
	base, total, zero := math.Round(c), 0.0, 0.0
	for i := range one {
		k := float64(i - width)
		z := base + k - c
		one[i] = math.Exp(-z * z / (2 * sigma2))
		total += one[i]
		zero += math.Exp(-k * k / (2 * sigma2))
	}
	for i := range one {
		one[i] /= total
	}
	var acc []float64
	for power, k := one, m; k > 0; k >>= 1 {
		if stop != nil && stop() {
			return nil, 1
		}
		if k&1 == 1 {
			if acc == nil {
				acc = power
			} else {
				acc = convolve(acc, power, width, stop)
			}
		}
		if k > 1 {
			power = convolve(power, power, width, stop)
		}
	}
	if stop != nil && stop() {
		return nil, 1
	}
	cells := float64(m)
	untilt := func(s float64) float64 { return -c * (2*s - cells*c) / (2 * sigma2) }
	scale := cells * math.Log(total/zero)
	tail = 2*cells*math.Exp(untilt(cells*c)-tailWidth*tailWidth/2) +
		1e-298*float64(len(one))*math.Exp(untilt(cells*c)+scale) // of what convolve passes over
	return func(s int) float64 {
		return acc[s-m*int(base)+width] * math.Exp(untilt(float64(s))+scale)
	}, tail
}

// convolve is the convolution of two laws on [−width, width], kept there; cut short once stop says so.
func convolve(a, b []float64, width int, stop func() bool) []float64 {
	out := make([]float64, 2*width+1)
	rows := 1 + (1<<20)/len(out) // between two looks at stop
	for i, p := range a {
		if p < 1e-300 {
			continue
		}
		if stop != nil && i%rows == 0 && stop() {
			return out
		}
		for j := max(0, width-i); j < len(b) && i+j-width < len(out); j++ {
			out[i+j-width] += p * b[j]
		}
	}
	return out
}

// zcdpDelta is the δ of ρ-zCDP at ε: the minimum over λ > 1 of exp((λ−1)(λρ−ε)) (1−1/λ)^λ / (λ−1). With a = λ − 1 its
// log has the derivative (1 + 2a)ρ − ε − ln(1 + 1/a), which rises, and whose zero Newton's method finds from (ε −
// ρ)/2ρ. Any order gives a valid δ (Canonne, Kamath, Steinke 2020, Proposition 12).
func zcdpDelta(rho, epsilon float64) float64 {
	if math.IsInf(rho, 1) {
		return 1
	}
	lo, hi := -10., 40. // of ln a
	t := math.Min(math.Max(math.Log(math.Max((epsilon-rho)/(2*rho), 1e-3)), lo), hi)
	for range 80 {
		a := math.Exp(t)
		rise := rho + 2*a*rho - epsilon - math.Log1p(1/a)
		if rise > 0 {
			hi = t
		} else {
			lo = t
		}
		next := t - rise/(2*a*rho+1/(1+a))
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if t, next = next, math.Abs(next-t); next < 1e-9 {
			break
		}
	}
	a := math.Exp(t)
	least := a*((1+a)*rho-epsilon) - (1+a)*math.Log1p(1/a) - t
	return math.Min(1, math.Exp(least)*(1+1e-9)+underflow)
}
