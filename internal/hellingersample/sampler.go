// Package hellingersample draws from the exponential mechanism scored by the Hellinger distance of Dirichlet
// posteriors:
//
//	P(r) ∝ exp(−A·H(x, r)) on R = {r ∈ N^d : Σ r_i = n},  H² = 1 − BC,  ln BC = Σ_i φ(α_i+x_i, α_i+r_i),
//
// φ of num.LogBC, n = Σ x_i, A ≥ 0 the rate. Every sampler draws exactly, with integers, from a law whose weights are a
// deterministic function of (α, x, A, r) within e^{±Slack} of exp(−A·H): a guarantee proved for the weights themselves
// grows by 4·Slack.
//
// Set-up and the number of proposals depend on the data; neither is part of a release.
//
// Place: for mechanism/hellinger, and the studies of its law.
package hellingersample

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Sampler draws candidates.
type Sampler interface {
	// Draw is one candidate, a new slice.
	Draw(src rand.Source) ([]int64, error)
	// Slack is η ≥ 0: the law drawn is proportional to weights within e^{±η} of exp(−A·H). It is a function of α, n and
	// the bound on A alone, and may be published.
	Slack() float64
	// Name is the method.
	Name() string
	// Proposals is the expected number of proposals per draw, or an estimate of it or a bound, as the method says. It
	// is a diagnostic: it may depend on the data.
	Proposals() float64
}

// InfeasibleError says that a method would be too slow or too large: what is too large, its value and limit, and what
// to use instead. It depends on α, n, d and the bound on A alone.
type InfeasibleError struct {
	Sampler, What string
	Value, Limit  float64
	Use           string
}

// Error tells the reason and the way out.
func (e *InfeasibleError) Error() string {
	return fmt.Sprintf("hellingersample: the %s sampler is infeasible: %s is %.4g; want at most %.4g; use %s",
		e.Sampler, e.What, e.Value, e.Limit, e.Use)
}

// Domain of every sampler.
const (
	MaxRate  = 1e5  // of A
	MaxTotal = 1e15 // of n
	MinAlpha = 1e-6
	MaxAlpha = 1e9
)

// problem is a checked mechanism instance. bound ≥ a is public.
type problem struct {
	alpha    []float64
	x        []int64
	n        int64
	a, bound float64
}

func newProblem(alpha []float64, x []int64, a, bound float64) (problem, error) {
	if len(alpha) == 0 || len(alpha) != len(x) {
		return problem{}, domain.Refuse("hellingersample", "lengths of alpha and x", [2]int{len(alpha), len(x)},
			"the same, at least 1")
	}
	p := problem{alpha: alpha, x: x, a: a, bound: bound}
	for i, v := range alpha {
		if !(v >= MinAlpha && v <= MaxAlpha) {
			return problem{}, domain.Refuse("hellingersample", fmt.Sprintf("alpha[%d]", i), v, "a number in [1e-6, "+
				"1e9]")
		}
		if x[i] < 0 || x[i] > MaxTotal || p.n+x[i] > MaxTotal {
			return problem{}, domain.Refuse("hellingersample", "x", "at cell "+fmt.Sprint(i), "counts ≥ 0 with a sum "+
				"of at most 1e15")
		}
		p.n += x[i]
	}
	if !(bound >= 0 && bound <= MaxRate) {
		return problem{}, domain.Refuse("hellingersample", "bound on the rate", bound, "a number in [0, 1e5]")
	}
	if !(a >= 0 && a <= bound) {
		return problem{}, domain.Refuse("hellingersample", "rate", "A", "a number in [0, its bound]")
	}
	return p, nil
}

func (p *problem) dim() int { return len(p.x) }

func (p *problem) minAlpha() float64 {
	least := math.Inf(1)
	for _, v := range p.alpha {
		least = math.Min(least, v)
	}
	return least
}

// logBC is φ(α+x, α+r). The smaller parameter lo is put on the grid of the larger one, so that the distance |r−x|, on
// which φ depends most, is exact. With h = |r−x|/2, φ = ½Σ_k ln(1 − h²/(lo+h+k)²) gives ∂|φ|/∂lo ≤ 2|φ|(1/lo + 1 +
// ln(1+h/lo))/hi, so the move of lo, 2^−53·hi, changes φ by at most 2^−52·(1 + 1/lo + ln(1+h/lo)) relative, and its
// first rounding by no more.
func logBC(alpha float64, x, r int64) float64 {
	t := float64(max(r-x, x-r))
	lo := alpha + float64(min(x, r))
	hi := lo + t
	if on := hi - t; on > lo/2 {
		lo = on
	}
	return num.LogBC(lo, hi)
}

// phiError bounds the relative error of logBC.
func (p *problem) phiError() float64 {
	least := p.minAlpha()
	return 5e-15 + 0x1p-51*(1+1/least+math.Log1p(float64(p.n)/least))
}

// exponent is A·H from ln BC ≤ 0.
func (p *problem) exponent(logBC float64) float64 { return p.a * math.Sqrt(-math.Expm1(logBC)) }

// exponentError bounds the error of a computed A·H. The terms of ln BC have one sign; d ln(−expm1 s)/d ln|s| is in [0,
// 1]; the root halves relative errors; H ≤ 1.
func (p *problem) exponentError() float64 {
	d := float64(p.dim())
	return p.bound * ((p.phiError()+(d+4)*0x1p-53)/2 + 0x1p-52)
}

// grid is the unit of quantised exponents, in which acceptance exp(−k/grid) is drawn exactly.
const grid = 1 << 40

// gridError is the rounding to it.
const gridError = 0x1p-41

func quantise(e float64) uint64 { return uint64(math.Round(e * grid)) }

// logBCOf is ln BC of two data vectors.
func (p *problem) logBCOf(r []int64) float64 {
	sum := 0.0
	for i, v := range r {
		sum += logBC(p.alpha[i], p.x[i], v)
	}
	return sum
}
