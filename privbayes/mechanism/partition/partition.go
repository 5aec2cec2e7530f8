// Package partition releases which categories a column has, where no list of them is public: every category that enough
// units hold, with a noisy count. Categories that nobody holds are never drawn, so their number does not matter.
//
// Of a category held by n ≥ 1 units n + Z is released where n + Z > cut, and nothing otherwise. Two distributions of Z:
//
//	truncated geometric   P(Z = z) ∝ e^{−γ|z|} on −cut, …, cut
//	discrete Gaussian     P(Z = z) ∝ e^{−z²/(2σ²)}
//
// The first keeps categories of one unit each as often as (ε, δ) allows (Desfontaines, Voss, Gipson, Mandayam 2022),
// and its counts cost nothing beyond that; the second has the lower cut where a unit may hold several categories. See
// theory/categories.md.
package partition

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Noise names the distribution of a rule.
type Noise string

// The distributions.
const (
	Geometric Noise = "truncated geometric"
	Gaussian  Noise = "discrete Gaussian"
	Plain     Noise = "geometric" // of a public superset: not truncated
)

// Rule says how the count of one category is released: its noise, exact in integers, and the cut.
type Rule struct {
	Noise Noise  `json:"noise"`
	Num   uint64 `json:"num"` // γ = num/den of the geometric noise, σ² = num/den of the Gaussian
	Den   uint64 `json:"den"`
	Cut   int64  `json:"cut"` // released are noisy counts above it
}

// maxCut bounds a cut: no table has so many units.
const maxCut = 1 << 40

// Valid returns a *[domain.ParameterError] for a rule that is none.
func (r Rule) Valid() error {
	var err error
	switch r.Noise {
	case Geometric, Plain:
		_, err = sample.NewTwoSidedGeometric(r.Num, r.Den)
	case Gaussian:
		_, err = sample.NewDiscreteGaussian(r.Num, r.Den)
	default:
		return domain.Refuse("partition", "noise", string(r.Noise), fmt.Sprintf("%q, %q or %q", Geometric, Gaussian, Plain))
	}
	if err == nil && (r.Cut < 1 && r.Noise != Plain || r.Cut < 0 || r.Cut > maxCut) {
		err = domain.Refuse("partition", "cut", r.Cut, "1 to 2^40")
	}
	return err
}

// parameter is γ or σ².
func (r Rule) parameter() float64 { return float64(r.Num) / float64(r.Den) }

// Draw is the noise of one count: of a valid rule, exactly. Truncated noise beyond the cut is drawn again.
func (r Rule) Draw(src rand.Source) int64 {
	switch r.Noise {
	case Gaussian:
		return sample.DiscreteGaussian{Num: r.Num, Den: r.Den}.Draw(src)
	case Plain:
		return sample.TwoSidedGeometric{Num: r.Num, Den: r.Den}.Draw(src)
	}
	for {
		if z := (sample.TwoSidedGeometric{Num: r.Num, Den: r.Den}).Draw(src); -r.Cut <= z && z <= r.Cut {
			return z
		}
	}
}

// Released is the noisy count of a category that n units hold, and whether it is released: one that nobody holds, of a
// public superset alone.
func (r Rule) Released(n, z int64) (noisy int64, shown bool) {
	return n + z, n >= r.least() && n+z > r.Cut
}

// least is the least number of units of a category that may be released.
func (r Rule) least() int64 {
	if r.Noise == Plain {
		return 0
	}
	return 1
}

// logTail is log P(Z ≥ z). For the geometric noise, with q = e^{−γ} and z in 1, …, cut,
//
//	P(Z ≥ z) = (q^z − q^{cut+1})/(1 + q − 2q^{cut+1}).
func (r Rule) logTail(z int64) float64 {
	if r.Noise == Gaussian {
		return sample.DiscreteGaussian{Num: r.Num, Den: r.Den}.LogTail(z)
	}
	switch {
	case r.Noise == Plain:
		return sample.TwoSidedGeometric{Num: r.Num, Den: r.Den}.LogTail(z)
	case z > r.Cut:
		return math.Inf(-1)
	case z <= -r.Cut:
		return 0
	case z <= 0:
		return math.Log1p(-math.Exp(r.logTail(1 - z)))
	}
	return tailOf(r.parameter(), float64(z), float64(r.Cut))
}

// tailOf is log P(Z ≥ z) at the rate γ for 1 ≤ z ≤ cut.
func tailOf(rate, z, cut float64) float64 {
	upper := math.Log(-math.Expm1(-rate * (cut + 1 - z))) // log(1 − q^{cut+1−z})
	// 1 + q − 2q^{cut+1} = (1 − q^{cut+1}) + q(1 − q^cut): of small rates the left side has few digits left.
	return -rate*z + upper - math.Log(-math.Expm1(-rate*(cut+1))-math.Exp(-rate)*math.Expm1(-rate*cut))
}

// leastTail stands for smaller tails, which have few digits or none: no δ of a release is 0.
const leastTail = 0x1p-1000

// shownAlone is the probability that a category of one unit is released, P(Z ≥ cut), rounded up.
func (r Rule) shownAlone() float64 { return math.Max(leastTail, math.Exp(r.logTail(r.Cut))*(1+1e-9)) }

// SD is the standard deviation of the noise, that of the geometric noise before it is truncated.
func (r Rule) SD() float64 {
	if r.Noise == Gaussian {
		return math.Sqrt(sample.DiscreteGaussian{Num: r.Num, Den: r.Den}.Variance())
	}
	return math.Sqrt(sample.TwoSidedGeometric{Num: r.Num, Den: r.Den}.Variance())
}

// Kept is the probability that a category of n units is released.
func (r Rule) Kept(n int64) float64 {
	if n < r.least() {
		return 0
	}
	return math.Exp(r.logTail(r.Cut + 1 - n))
}

// Interval has the units of a category whose noisy count y was released, with at least the given probability whichever
// their number n is, and given that it was released: all n ≥ 1, or 0 of a public superset, with
//
//	P(n + Z ≥ y | n + Z > cut) > (1−level)/2  and  P(n + Z ≤ y | n + Z > cut) > (1−level)/2.
//
// Both are monotone in n, since the noise is log-concave. An interval y ± h would be too high for counts near the cut:
// they are seen only where their noise was positive.
func (r Rule) Interval(y int64, level float64) (low, high int64) {
	half := math.Log((1 - level) / 2)
	under, over := r.Cut, r.Cut
	switch r.Noise {
	case Gaussian:
		under = int64(40*r.SD()) + 1
		over = under
	case Plain: // given release, the excess over the cut is the same for all n ≤ cut
		under, over = y, int64(40/r.parameter())+1
	}
	atLeast := func(n int64) float64 { return r.logTail(y-n) - r.logTail(r.Cut+1-n) }
	low = first(max(r.least(), y-under), y, func(n int64) bool { return atLeast(n) > half })
	high = first(low, y+over+1, func(n int64) bool {
		more := r.logTail(y+1-n) - r.logTail(r.Cut+1-n) // log P(n + Z > y | released)
		return math.Log(-math.Expm1(math.Min(more, 0))) <= half
	}) - 1
	return low, max(low, high)
}

// first is the first whole number of lo, …, hi for which ok, which is monotone; hi where there is none before it.
func first(lo, hi int64, ok func(int64) bool) int64 {
	for lo < hi {
		if mid := lo + (hi-lo)/2; ok(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// slackened is x with the relative error of a few hundred roundings added.
func slackened(x float64) float64 { return math.Min(1, num.Inflate(x)) }
