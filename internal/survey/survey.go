// Package survey gives intervals for means, shares, totals and quantiles of the population that design weights stand
// for, from released sums with noise.
//
// A record has a weight t in (0, 1], in units of the largest that is allowed, and a value x in [0, 1]. Boxes are sums
// of t and of t(1 − t), each times what the record's value gives a box, with noise of one size. Their difference is a
// sum of t²: the variance of a weighted sum needs no sum of its own. A hypothesised value is kept where the statistic
// that is linear in the boxes does not reject it; nothing is divided by a noisy sum without a floor.
//
// All functions take numbers that were released or are public, and read no rows. Of any finite numbers they give an
// interval inside the range, of positive width; numbers beyond ±1e15 are taken as that.
//
// Source: theory/survey.md, Intervals.
package survey

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/score"
)

// Noise is the noise of one box, in units of the largest weight. Noise of t(1 − t) may be smaller than that of t.
type Noise struct {
	sd     float64 // of a box of t
	ratio  float64 // of a box of t(1 − t), over sd
	normal bool
}

// Laplace is the noise of geometric noise of rate ε′/T on tokens of 1/T, ε′ the rate that remains after the adjacency:
// ε/2 where records are replaced, but for the total of one column. Its standard deviation √2/ε′ is that of Laplace
// noise, slightly above that of geometric noise on whole counts.
func Laplace(rate float64) Noise { return Noise{sd: math.Sqrt2 / rate, ratio: 1} }

// Gaussian is normal noise of standard deviation sd on boxes of t and sd/√11 on boxes of t(1 − t).
func Gaussian(sd float64) Noise { return Noise{sd: sd, ratio: math.Sqrt(1. / 11), normal: true} }

// box is the standard deviation of a box of t; 0 and what is no number are taken as little noise.
func (n Noise) box() float64 { return clip(n.sd, 1e-9, 1e15) }

// difference is that of a box of t less that of t(1 − t).
func (n Noise) difference() float64 { return n.box() * math.Hypot(1, n.ratio) }

// of is the noise of a sum with that standard deviation.
func (n Noise) of(sd float64) score.Noise { return score.Noise{SD: sd, Normal: n.normal} }

// Interval is what can be said of a mean or a share. Shown says whether there is an estimate: there is none where the
// noisy sum of the weights is at most two standard deviations of its noise. One that is shown is inside the interval.
type Interval struct {
	Lower, Upper, Estimate float64
	Shown                  bool
}

// whole is the interval of which nothing is known.
func whole() Interval { return Interval{Upper: 1, Estimate: math.NaN()} }

// estimated adds the value at which (1 − μ)·ones − μ·zeros is 0, if the sum of the weights is large enough.
func (i Interval) estimated(ones, zeros, sum, sd float64) Interval {
	if i.Shown = sum > 2*sd && ones+zeros > 0; i.Shown {
		i.Estimate = ones / (ones + zeros)
		i.Lower, i.Upper = math.Min(i.Lower, i.Estimate), math.Max(i.Upper, i.Estimate)
	} else {
		i.Estimate = math.NaN()
	}
	return i
}

// leastAlike is the least that Σt²/Σt is taken for.
const leastAlike = .02

// floor is the least that Σt²/Σt may be where no weight is below alpha times the largest.
func floor(alpha float64) float64 { return clip(alpha, leastAlike, 1) }

// clip is x, or the end of [lo, hi] that is nearest; lo where x is no number.
func clip(x, lo, hi float64) float64 {
	if !(x > lo) {
		return lo
	}
	return math.Min(x, hi)
}

// bounded is x within what sums of 62 bits can be.
func bounded(x float64) float64 { const most = 1e15; return clip(x, -most, most) }

// limit bounds all of a vector.
func limit(v ...float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = bounded(x)
	}
	return out
}

// total is Σ v.
func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// test is a statistic T whose sampling variance is known at a hypothesised value.
type test struct {
	t, sd float64 // T and the standard deviation of its noise
	v     float64 // the sampling variance of T
	skew  float64 // of the standardised sum, by which T is moved
}

// tail is the probability that T is at least what it is for a side of 1, and at most that for −1.
func (z test) tail(n Noise, side float64) float64 {
	all, s := z.v+z.sd*z.sd, math.Sqrt(z.v)
	u := clip(z.t/math.Sqrt(all), -3, 3)
	return n.of(z.sd).Tail(side*(z.t-z.skew*(u*u-1)/6*s*z.v/all), s)
}

// interval keeps what is not rejected on either side, at a level in (0, 1).
func (n Noise) interval(level float64, at func(p float64) test) (i Interval) {
	i.Lower, i.Upper = score.Ends((1-level)/2, func(p, side float64) float64 { return at(p).tail(n, side) })
	return i
}

// skewOfShare is the skewness of a share's sum of so many records: (1 − 2p)/√(p(1 − p)size).
func skewOfShare(p, size float64) float64 {
	return (1 - 2*p) / math.Sqrt(math.Max(p*(1-p)*size, 1e-12))
}

// mostSkew is the most that T is moved by in either direction.
const mostSkew = 1.5
