package loss

import (
	"fmt"
	"math"
	"math/cmplx"

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
	return composedUntil([]Repeat{{p.onLattice(p.Cells), 1}}, epsilon, stop).Delta
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
	sum := 0.0
	for j := 0; 2*j < p.Shift; j++ {
		loss, probability := p.atom(j)
		sum += probability * f(loss)
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
		return composedUntil([]Repeat{{p, 1}}, epsilon, stop).Delta
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
	return num.InflateGamma(float64(p.Cells) * p.overGains(func(l float64) float64 { return l * -math.Expm1(-l) }))
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
