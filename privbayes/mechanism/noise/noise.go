// Package noise holds integer noise distributions. It samples them and finds the smallest noise that meets the
// requested privacy. A [Distribution] has its parameters, and a [Family] is all of one name.
//
//	d, met, err := noise.GeometricFamily.Least(ctx, 2, 1, level) // one unit changes two counts by one row each
//	z := d.Draw(stream)
//
// A distribution of another module states the same methods and registers its family. It is then added to counts by
// counts.Adding, and gets estimates, intervals, advice and verification like those of this package.
//
// Privacy follows from the dominating pair of a distribution (package dp/loss). The search takes the greatest rate, or
// the least variance, at which the pair meets the request, and rounds toward privacy. Sampling uses integers only.
// Probabilities, tails and variances are floating point, with stated errors.
package noise

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/denoise"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// Probabilities are an integer noise distribution as a reader of noisy numbers knows it: symmetric about 0, on a
// lattice of Unit steps per record.
type Probabilities interface {
	LogProb(z int64) float64 // log P(Z = z), z in steps
	LogTail(z int64) float64 // log P(Z ≥ z), any z
	Variance() float64       // of Z, in squared steps
	Unit() int64             // steps per record, at least 1
}

// Distribution is a noise distribution that a mechanism adds. Its JSON is its parameters, which [Family.Parse] reads.
// Two values of one type are equal if they are the same distribution.
type Distribution interface {
	Probabilities
	// Draw is exact: no floating-point number decides. The words it reads are part of a release's contract: the same
	// parameters on the same stream give the same value in every version.
	Draw(src rand.Source) int64
	// Pair dominates what one unit does to independent noisy counts: it changes cells of them, each by at most rows.
	Pair(cells, rows int) loss.Pair
	// StandardFormula is what the usual formula claims for the same change, in the notion of want or in the formula's
	// own, with its source.
	StandardFormula(cells, rows int, want dp.Parameters) (level dp.Parameters, source string)
	// String says distribution and parameters.
	String() string
}

// Form is a distribution in closed form: log P(Z = z) is, up to a constant, −Rate·|z| or, where Sigma2 > 0,
// −z²/(2·Sigma2). Whoever reads noisy numbers is faster with it.
type Form struct{ Rate, Sigma2 float64 }

// FormOf is the closed form that a distribution states by a method Form; the zero Form where it states none.
func FormOf(p Probabilities) Form {
	if f, ok := p.(interface{ Form() Form }); ok {
		return f.Form()
	}
	return Form{}
}

// SD is the standard deviation in steps, of discrete Gaussian noise its σ.
func SD(p Probabilities) float64 {
	switch f := FormOf(p); {
	case f.Sigma2 > 0:
		return math.Sqrt(f.Sigma2)
	case f.Rate > 0:
		return math.Sqrt(2*math.Exp(-f.Rate)) / -math.Expm1(-f.Rate)
	}
	return math.Sqrt(p.Variance())
}

// VarianceFor is about the variance of the least noise for more changed counts, from that for one: γ goes down with
// their number, 1/σ² with it, too.
func VarianceFor(one Probabilities, changed int) float64 {
	if FormOf(one).Sigma2 > 0 {
		return one.Variance() * float64(changed)
	}
	return one.Variance() * float64(changed) * float64(changed)
}

// Quantile is the least z ≥ 1 with log P(Z ≥ z) ≤ logp, and 2^62 at most.
func Quantile(p Probabilities, logp float64) int64 {
	lo, hi := int64(0), int64(1)
	for p.LogTail(hi) > logp && hi < 1<<62 {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; p.LogTail(mid) > logp {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// fewTerms bounds the sums over a distribution; wider ones skip terms.
const fewTerms = 4096

// MeanAbsolute is E|Z| in steps: what a method MeanAbsolute says, or 2·Σ z·P(Z = z) over z ≥ 1.
func MeanAbsolute(p Probabilities) float64 {
	if m, ok := p.(interface{ MeanAbsolute() float64 }); ok {
		return m.MeanAbsolute()
	}
	far := Quantile(p, math.Log(1e-16))
	by, sum := far/fewTerms+1, 0.0
	for z := by; z <= far+by; z += by {
		sum += 2 * float64(by) * float64(z) * math.Exp(p.LogProb(z))
	}
	return sum
}

// Mean is E[f | y] of a count f in [0, top], top maybe +Inf, and its noisy value y in records, under the prior ∝
// e^{−τf}.
func Mean(p Probabilities, y, top, tau float64) float64 {
	unit := float64(p.Unit())
	switch f := FormOf(p); {
	case f.Sigma2 > 0:
		return denoise.Gaussian(y, top, f.Sigma2/(unit*unit), tau)
	case f.Rate > 0:
		return denoise.Geometric(y, top, f.Rate*unit, tau)
	}
	near := math.Min(math.Max(y, 0), top)
	wide := math.Ceil(float64(Quantile(p, math.Log(1e-20)))/unit) + 1
	low, high := math.Max(0, math.Floor(near-wide)), math.Min(top, math.Ceil(near+wide))
	by, best, s0, s1 := math.Floor((high-low)/fewTerms)+1, math.Inf(-1), 0.0, 0.0
	weight := func(f float64) float64 { return p.LogProb(int64(math.Round((y-f)*unit))) - tau*f }
	for f := low; f <= high; f += by {
		best = math.Max(best, weight(f))
	}
	for f := low; f <= high; f += by {
		w := math.Exp(weight(f) - best)
		s0, s1 = s0+w, s1+w*f
	}
	return s1 / s0
}

// LogRatio is log P(Z = y − f) − log P(Z = y) of counts f in records. With a closed form the difference is taken before
// rounding: in integers, or by y² − (y−f)² = f(2y − f).
func LogRatio(p Probabilities, y int64) func(f int64) float64 {
	unit := p.Unit()
	switch form := FormOf(p); {
	case form.Sigma2 > 0:
		return func(f int64) float64 {
			k := unit * f
			return float64(k) * (float64(y) + float64(y-k)) / (2 * form.Sigma2)
		}
	case form.Rate > 0:
		return func(f int64) float64 { return form.Rate * float64(max(y, -y)-max(y-unit*f, unit*f-y)) }
	}
	at := p.LogProb(y)
	return func(f int64) float64 { return p.LogProb(y-unit*f) - at }
}

// Beyond is how far above max(y, 0), in records, a count is to be followed whose prior weight grows like f^power and
// whose noisy value is y steps: what lies beyond has a share below 1e-25.
func Beyond(p Probabilities, y int64, power float64) float64 {
	unit, low := float64(p.Unit()), min(y, 0)
	at, t := p.LogProb(low), 1.0
	for power*math.Log(2+2*t)+p.LogTail(int64(t*unit)-low)-at > -75 && t*unit < 1<<60 {
		t *= 1.25
	}
	return t
}

// Remembered is LogProb with a table of what is near 0: for inner loops over a distribution without a closed form.
func Remembered(p Probabilities) func(z int64) float64 {
	table := make([]float64, min(Quantile(p, math.Log(1e-12)), 1<<16))
	for z := range table {
		table[z] = p.LogProb(int64(z))
	}
	return func(z int64) float64 {
		if k := max(z, -z); k < int64(len(table)) {
			return table[k]
		}
		return p.LogProb(z)
	}
}

// Reach is a t, in steps, with P(|Z_1 + … + Z_m| ≥ t) ≤ e^logp of independent noises. Of one it is the tail's; of more,
// Chernoff's bound for noises of at most R steps, with R so far out that none of the m is beyond it but for half of the
// probability. The moments are sums over cells of the distribution, each taken at its upper end: an upper bound.
func Reach(p Probabilities, m int, logp float64) float64 {
	if m <= 1 {
		return float64(m) * float64(Quantile(p, logp-math.Ln2))
	}
	n := float64(m)
	r := Quantile(p, logp-2*math.Ln2-math.Log(n))
	const cells = 400
	var ends, probs []float64
	for a, by := int64(1), r/cells+1; a <= r; a += by {
		lo, hi := p.LogTail(a), p.LogTail(a+by)
		ends, probs = append(ends, float64(a+by-1)), append(probs, lo+math.Log1p(-math.Exp(hi-lo)))
	}
	far := 2*math.Ln2 - logp
	middle := math.Exp(p.LogProb(0))
	at := func(s float64) float64 { // (far + m·ln E e^{sZ})/s
		scale := math.Max(0, s*ends[len(ends)-1]+probs[len(probs)-1])
		for i, e := range ends {
			scale = math.Max(scale, s*e+probs[i])
		}
		sum := middle * math.Exp(-scale)
		for i, e := range ends {
			sum += math.Exp(s*e+probs[i]-scale) + math.Exp(probs[i]-s*math.Max(0, e-float64(r/cells))-scale)
		}
		return (far + n*(scale+math.Log(sum))) / s
	}
	sd := math.Max(math.Sqrt(p.Variance()), 1e-3)
	lo, hi := math.Log(1e-3/sd), math.Log(100/sd)
	for range 60 { // the bound falls, then rises in s
		a, b := lo+(hi-lo)/3, hi-(hi-lo)/3
		if at(math.Exp(a)) < at(math.Exp(b)) {
			hi = b
		} else {
			lo = a
		}
	}
	return math.Min(at(math.Exp((lo+hi)/2)), n*float64(r))
}

// Uniform is uniform on {0, …, n−1}, exactly; n = 0 is taken as 1.
func Uniform(src rand.Source, n uint64) uint64 { return sample.Uniform(src, n) }

// BernoulliExp is true with probability exp(−num/den), exactly (Canonne, Kamath, Steinke 2020, Algorithm 1); den ≥ 1.
func BernoulliExp(src rand.Source, num, den uint64) bool { return sample.BernoulliExp(src, num, den) }

// Rational is a positive dyadic rational Num/Den, Den a power of two up to 2^40: exactly representable in float64 when
// Num ≤ 2^62 of at most 53 significant bits, and what the integer samplers take.
type Rational struct {
	Num uint64 `json:"num"`
	Den uint64 `json:"den"`
}

// Float is Num/Den.
func (r Rational) Float() float64 { return float64(r.Num) / float64(r.Den) }

// Reduced is the same number with the smallest denominator.
func (r Rational) Reduced() Rational {
	for r.Num%2 == 0 && r.Den > 1 {
		r.Num, r.Den = r.Num/2, r.Den/2
	}
	return r
}

// String shows the fraction.
func (r Rational) String() string { return fmt.Sprintf("%d/%d", r.Num, r.Den) }

// maxDen bounds denominators, so that the samplers' intermediate products keep their stated limits.
const maxDen = 1 << 40

// Valid checks a rational read from a file: *dp.ParameterError.
func (r Rational) Valid() error {
	exact := r.Num > 0 && r.Num <= 1<<62 && uint64(float64(r.Num)) == r.Num // in JSON, for all readers
	if !exact || r.Den == 0 || r.Den > maxDen || bits.OnesCount64(r.Den) != 1 {
		return domain.Refuse("noise", "rational", r.String(), "num in [1, 2^62], of at most 53 significant bits, and den "+
			"a power of two up to 2^40")
	}
	return nil
}

// Dyadic rounds x > 0 to a rational with the given number of significant bits (fewer where the denominator would pass
// 2^40): up or down.
func Dyadic(x float64, bits int, roundUp bool) Rational { return DyadicTo(x, bits, maxDen, roundUp) }

// DyadicTo is Dyadic with a denominator of at most most, a power of two up to 2^40.
func DyadicTo(x float64, significant int, most uint64, roundUp bool) Rational {
	_, exp := math.Frexp(x)
	shift := min(max(significant-exp, 0), bits.TrailingZeros64(most))
	scaled := math.Ldexp(x, shift)
	if roundUp {
		scaled = math.Ceil(scaled)
	} else {
		scaled = math.Floor(scaled)
	}
	return Rational{uint64(math.Max(scaled, 1)), 1 << shift}
}
