// Package score gives intervals for means and shares from sums with noise, by inverting a test: an interval holds the
// values that the test does not reject.
//
// Values lie in [0, 1]. What the test of a mean μ reads is linear in the released sums, so that no ratio is formed and
// no distribution of the values is assumed:
//
//	T(μ) = Σ(x − μ) + noise,  V(μ) = Σ(x − μ)² + noise.
//
// T is held against N(0, V) plus its own noise. V is not known, so the test averages over what it may be given its
// noisy value, between 0 and the greatest there is. The skewness of the values moves T (Johnson 1978; Hall 1992): it is
// taken as 1.5 times that of the Beta distribution with the same mean and variance. [Mean] is the test of a mean,
// [Share] that of a share, whose V is known.
//
// Source: theory/intervals.md §1.
package score

import (
	"cmp"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Noise is the noise of one sum: its standard deviation, and whether it is normal. Else it is taken as Laplace noise of
// that standard deviation, also where it is a sum of several, which has shorter tails.
type Noise struct {
	SD     float64
	Normal bool
}

// Tail is P(X + Z ≥ t) for X normal with standard deviation s and the noise Z.
func (z Noise) Tail(t, s float64) float64 {
	const widest = 1e5 // times the noise: the sum is normal to more digits than are left
	if z.Normal || z.SD == 0 || s > widest*z.SD {
		if s = math.Hypot(s, z.SD); s == 0 {
			return step(t)
		}
		return math.Exp(logNormalTail(t / s))
	}
	b := z.SD / math.Sqrt2
	if s < b/widest {
		if t > 0 {
			return math.Exp(-t/b) / 2
		}
		return 1 - math.Exp(t/b)/2
	}
	x, r := t/s, s/b
	up := math.Exp(math.Min(r*r/2-t/b+logNormalTail(r-x), 0))
	down := math.Exp(math.Min(r*r/2+t/b+logNormalTail(r+x), 0))
	return math.Min(math.Max(math.Exp(logNormalTail(x))+(up-down)/2, 0), 1)
}

// step is P(0 ≥ t).
func step(t float64) float64 {
	if t > 0 {
		return 0
	}
	return 1
}

// logNormalTail is log P(N(0, 1) ≥ x).
func logNormalTail(x float64) float64 {
	if x < 25 {
		return math.Log(math.Erfc(x/math.Sqrt2) / 2)
	}
	y := 1 / (x * x) // Mills' ratio
	return -x*x/2 - math.Log(x*math.Sqrt(2*math.Pi)) + math.Log1p(-y*(1-3*y*(1-5*y*(1-7*y))))
}

// Mean is a test of the mean of values in [0, 1].
type Mean struct {
	sum, square func(mu float64) (value, sd float64) // T and V with their noise's standard deviations
	most        float64                              // V is at most most·μ(1 − μ)
	size        float64                              // records, at least 1
	squares     float64                              // Σt² of records with weights t; 0: the records
	cap         func(mu float64) float64             // V is at most that, where it is not nil
	normal      bool
}

// rows makes the test one of units of so many records each, of which nothing is known but that: a unit's (Σ(x − μ))² is
// at most k·Σ(x − μ)² (Cauchy, Schwarz).
func (m Mean) rows(k int) Mean {
	r, square := float64(max(k, 1)), m.square
	m.square = func(mu float64) (float64, float64) { v, sd := square(mu); return r * v, r * sd }
	m.most, m.size = r*m.most, math.Max(m.size/r, 1)
	return m
}

// OfRows is the test of the mean of the rows themselves: the noise alone is between it and the sums.
func (m Mean) OfRows() Mean {
	m.square = func(float64) (float64, float64) { return 0, 1e-12 }
	m.most = 0
	return m
}

// OfPowers is the test from Σu and Σu² of n records, u = 2x − 1, with noise of the given standard deviations, in units
// of up to k records. Without a second sum its noise is +Inf, and V is the greatest there is.
func OfPowers(first, second, n float64, sd [2]float64, normal bool, k int) Mean {
	inside := math.Min(math.Max(first, -n), n) // beyond, no data give it
	return Mean{
		sum: func(mu float64) (float64, float64) { return (inside - n*(2*mu-1)) / 2, sd[0] / 2 },
		square: func(mu float64) (float64, float64) {
			nu := 2*mu - 1
			return (second - 2*nu*first + n*nu*nu) / 4, math.Hypot(sd[1], 2*nu*sd[0]) / 4
		},
		most: n, size: math.Max(n, 1), normal: normal,
	}.rows(k)
}

// margin is by how many standard deviations of a sum's noise a private number of records may be larger.
const margin = 1.7

// OfBernstein is the test from Σ(1 − x)², Σ2x(1 − x) and Σx² of a number of records that is not known, each with noise
// of the given standard deviation, in units of up to k records.
func OfBernstein(b [3]float64, sd float64, normal bool, k int) Mean {
	ones, zeros := math.Max(b[2]+b[1]/2, 0), math.Max(b[0]+b[1]/2, 0) // Σx, Σ(1 − x)
	size := math.Max(b[0]+b[1]+b[2], 0)
	return Mean{
		sum: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return nu*ones - mu*zeros, sd * math.Sqrt(mu*mu+nu*nu+(.5-mu)*(.5-mu))
		},
		square: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return mu*mu*b[0] - mu*nu*b[1] + nu*nu*b[2], sd * math.Sqrt(mu*mu*mu*mu+mu*mu*nu*nu+nu*nu*nu*nu)
		},
		most: size + margin*sd, size: math.Max(size, 1), normal: normal,
	}.rows(k)
}

// OfTotals is the test from Σx and Σ(1 − x) of a number of records that is not known, with independent noise of the
// first standard deviation, and Σu², u = 2x − 1, with noise of the second: +Inf without it, where V is the greatest
// there is.
func OfTotals(ones, zeros, second float64, sd [2]float64, normal bool, k int) Mean {
	inside, rest := math.Max(ones, 0), math.Max(zeros, 0)
	return Mean{
		sum: func(mu float64) (float64, float64) {
			return (1-mu)*inside - mu*rest, sd[0] * math.Hypot(1-mu, mu)
		},
		square: func(mu float64) (float64, float64) {
			nu := 2*mu - 1
			return (second - 2*nu*(ones-zeros) + nu*nu*(ones+zeros)) / 4,
				math.Hypot(sd[1], sd[0]*nu*math.Sqrt(2*nu*nu+8)) / 4
		},
		most: inside + rest + margin*math.Sqrt2*sd[0], size: math.Max(inside+rest, 1), normal: normal,
	}.rows(k)
}

// nodes are how many values of V the test averages over; skewness what the Beta distribution's is multiplied by. Both
// were set before anything was measured.
const nodes, skewness = 12, 1.5

// tail is the probability that T is at least what it is for a side of 1, and at most that for −1.
func (m Mean) tail(mu, side float64) (sum float64) {
	t, sdT := m.sum(mu)
	v, sdV := m.square(mu)
	z, most, squares := Noise{sdT, m.normal}, m.most*mu*(1-mu), cmp.Or(m.squares, m.size)
	if m.cap != nil {
		most = m.cap(mu)
	}
	most = math.Max(most, 1e-9)
	for _, w := range (Noise{math.Max(sdV, 1e-12), m.normal}).within(v, most) {
		one := w / squares
		skew := skewness * 2 * (1 - 2*mu) * math.Sqrt(one) / (mu*(1-mu) + one + 1e-12)
		total := w + sdT*sdT
		x := math.Min(math.Max(t/(math.Sqrt(total)+1e-12), -3), 3)
		s := math.Sqrt(w * (1 + 2/math.Max(m.size, 2)))
		moved := t + skew*(2*x*x+1)/(6*math.Sqrt(m.size))*s*w/(total+1e-24)
		sum += z.Tail(side*moved, s)
	}
	return sum / nodes
}

// within are the quantiles of a number in [0, most] of which v is the noisy value, at (j − ½)/nodes.
func (z Noise) within(v, most float64) (out [nodes]float64) {
	const least = 1e-12
	lo, hi := z.Tail(v, 0), z.Tail(v-most, 0) // P(number ≤ 0) and P(number ≤ most) before the cut
	for j := range out {
		p := math.Min(math.Max(lo+(float64(j)+.5)/nodes*(hi-lo), least), 1-least)
		switch {
		case math.IsInf(z.SD, 1) || hi-lo < 1e-10 && v > 0:
			out[j] = most
			continue
		case hi-lo < 1e-10:
			continue
		case z.Normal:
			out[j] = v + z.SD*math.Sqrt2*math.Erfinv(2*p-1)
		case p < .5:
			out[j] = v + z.SD/math.Sqrt2*math.Log(2*p)
		default:
			out[j] = v - z.SD/math.Sqrt2*math.Log(2*(1-p))
		}
		out[j] = math.Min(math.Max(out[j], 0), most)
	}
	return out
}

// Interval holds the means that are not rejected, at a level in (0, 1). The probability of T is nearly, but not always,
// monotone in the mean: the ends are the outermost of a scan, found by bisection. An end within 1e-6 of a bound is the
// bound.
func (m Mean) Interval(level float64) (lower, upper float64) {
	alpha := (1 - level) / 2
	lower = least(func(mu float64) float64 { return alpha - m.tail(mu, 1) })
	upper = 1 - least(func(nu float64) float64 { return alpha - m.tail(1-nu, -1) })
	return lower, math.Max(lower, upper)
}

// least is the least x in [0, 1] that is accepted, where what it lacks is not above 0: 1 if none of a scan is, and 0
// where it is within 1e-6 of it.
func least(lacks func(x float64) float64) float64 {
	return leastOf(lacks, func(x float64) float64 { return x })
}

// leastOf is least where the places of the scan are increasing in [0, 1].
func leastOf(lacks func(x float64) float64, place func(x float64) float64) float64 {
	const scan, bisections, bound = 128, 40, 1e-6
	at := func(i int) float64 { return place(math.Min(math.Max((float64(i)+.5)/scan, 0), 1)) }
	i, accepted := 0, func(x float64) bool { return lacks(x) <= 0 }
	for i < scan && !accepted(at(i)) {
		i++
	}
	lo, hi := at(i-1), at(i)
	if i < scan {
		accepted = num.Threshold(lo, hi, lacks)
	}
	for hi-lo > math.Ldexp(1, -bisections) {
		if mid := (lo + hi) / 2; accepted(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	if lo <= bound {
		return 0
	}
	return hi
}

// Share is a test of the share of one kind of records: Count of them and Rest of the others, both noisy. Own and Other
// are the standard deviations of the noise of T = (1 − p)·Count − p·Rest that come from either side, so that its
// variance is (1 − p)²·Own² + p²·Other² − 2p(1 − p)·Both, Both the covariance of the two counts. Size is n, or as large
// as it may be where it is private. Of a public n Rest is n − Count with the same noise, turned: Fixed.
type Share struct {
	Count, Rest, Size float64
	Own, Other, Both  float64
	Fixed, Normal     bool
	Alike             float64 // how many times the variance of independent records there is; below 1 is 1
}

// Interval holds the shares of the population that are not rejected, at a level in (0, 1). Its coverage is near the
// level on average over shares. Like that of Wilson's interval it goes up and down where records are few and the noise
// is small, as a count takes whole numbers: at level .95, n = 50 and noise of .15 records it is .908 to .978 for shares
// from .005 to .8, and .920 at .02, exactly. Half a record of room, as of OfRows, would keep it above .95 and would
// widen every interval by about 1/n.
func (s Share) Interval(level float64) (lower, upper float64) {
	return s.interval(level, s.Size*math.Max(s.Alike, 1), 0)
}

// OfRows holds the shares of the rows themselves that are not rejected. Noise on counts is of whole numbers: half a
// record of room takes that in.
func (s Share) OfRows(level float64) (lower, upper float64) { return s.interval(level, 0, .5) }

func (s Share) interval(level, spread, room float64) (lower, upper float64) {
	alpha := (1 - level) / 2
	count, rest := math.Max(s.Count, 0), math.Max(s.Rest, 0) // below, no data give it
	p := func(p, side float64) float64 {
		t, sd := (1-p)*count-p*rest, math.Hypot((1-p)*s.Own, p*s.Other)
		switch {
		case s.Fixed:
			sd = s.Own
		case s.Both != 0:
			sd = math.Sqrt(math.Max(sd*sd-2*p*(1-p)*s.Both, 0))
		}
		return Noise{sd, s.Normal}.Tail(side*t-room, math.Sqrt(spread*p*(1-p)))
	}
	lower = least(func(x float64) float64 { return alpha - p(x, 1) })
	upper = 1 - least(func(x float64) float64 { return alpha - p(1-x, -1) })
	return lower, math.Max(lower, upper)
}

// Units are the moments of units of up to K rows with values in [0, 1]: with a = Σx and c = Σ(1 − x) over a unit's rows
// and e = K − a − c, the sums over units of a², c², 2ac and, times 1/Cross, ae and ce: Cross is ½ where these are of
// 2ae and 2ce, and 1 where they are of ae and ce.
type Units struct {
	Moments [5]float64
	Cross   float64
	K       int
}

// Totals are K·Σx and K·Σ(1 − x) of the rows.
func (u Units) Totals() (ones, zeros float64) {
	b := u.Moments
	return b[0] + b[2]/2 + u.Cross*b[3], b[1] + b[2]/2 + u.Cross*b[4]
}

// Mean is the test from moments each with noise of a given standard deviation. Units are the sample: V is Σ(Σ(x − μ))²
// over them, at most K·nμ(1 − μ) of n rows. Source: theory/intervals.md §1.
func (u Units) Mean(sd float64, normal bool) Mean {
	b, most, own := u.Moments, float64(u.K), 1+u.Cross*u.Cross
	ones, zeros := u.Totals()
	ones, zeros = math.Max(ones, 0), math.Max(zeros, 0) // beyond, no data give them
	total := ones + zeros                               // k·n
	return Mean{
		sum: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return (nu*ones - mu*zeros) / most, sd / most * math.Sqrt(own*(nu*nu+mu*mu)+(.5-mu)*(.5-mu))
		},
		square: func(mu float64) (float64, float64) {
			nu := 1 - mu
			return nu*nu*b[0] - mu*nu*b[2] + mu*mu*b[1], sd * math.Sqrt(nu*nu*nu*nu+mu*mu*nu*nu+mu*mu*mu*mu)
		},
		most: total + margin*sd, size: math.Max(total/most/most, 1), normal: normal,
	}
}

// Weighted is the test of a mean of records with weights t in (0, 1], whose sums are linear in what was released:
// T(μ) = Σt(x − μ) and V(μ) = Σt²(x − μ)² with the standard deviations of their noise, what V is at most, Squares = Σt²
// and Size = (Σt)²/Σt², at least 1. Source: theory/survey.md, Intervals.
type Weighted struct {
	Sum, Square   func(mu float64) (value, sd float64)
	Most          func(mu float64) float64
	Squares, Size float64
	Normal        bool
}

// Tail is the probability at a mean μ that T is at least what it is for a side of 1, and at most that for −1: the same
// as of [Mean] where all t are 1.
func (w Weighted) Tail(mu, side float64) float64 {
	m := Mean{sum: w.Sum, square: w.Square, cap: w.Most, squares: w.Squares, size: w.Size, normal: w.Normal}
	return m.tail(mu, side)
}

// Ends are the outermost values in [0, 1] at which the probabilities of T on the sides 1 and −1 are at least alpha:
// those of a scan of 128 places, closer to each other near 0 and 1, then found by bisection. An end within 1e-6 of a
// bound is the bound.
func Ends(alpha float64, tail func(x, side float64) float64) (lower, upper float64) {
	place := func(x float64) float64 { s := math.Sin(math.Pi / 2 * x); return s * s }
	lower = leastOf(func(x float64) float64 { return alpha - tail(x, 1) }, place)
	upper = 1 - leastOf(func(x float64) float64 { return alpha - tail(1-x, -1) }, place)
	return lower, math.Max(lower, upper)
}

// BinnedMean is the mean μ of a bounded variable from noisy counts of bins, each with a value of its own, and a noisy
// sum of what the records add to these values:
//
//	L(μ) = Σ_b Counts_b·(At_b − μ) + Sum
//
// is 0 at the mean of the records but for the noise, whose variance is quadratic in μ, and for the rounding of values.
// At the mean of a population it has the variance of the records, too.
type BinnedMean struct {
	Counts, At   []float64
	Sum          float64
	CountNoise   float64 // the variance of the noise of a count
	SumNoise     float64 // and of the sum
	Deviation    float64 // the standard deviation of a record; 0: of the mean of the records themselves
	Alike        float64 // how many times the variance of independent records
	Room         float64 // how far rounding moves a value
	Normal       bool    // the noise is normal; else its distribution lies between Laplace's and the normal
	Lower, Upper float64 // public bounds
}

// Interval are the μ that are not rejected, a range that contains the bounds where the counts say nothing, as in
// Fieller's theorem: where their sum is within its noise. It is widened by the room, and cut at the bounds.
func (m BinnedMean) Interval(level float64) (lower, upper float64) {
	z := math.Sqrt2 * math.Erfinv(level)
	if !m.Normal {
		z = math.Max(z, -math.Log1p(-level)/math.Sqrt2)
	}
	records, sum, at, squares := 0.0, m.Sum, 0.0, 0.0
	for b, x := range m.At {
		records, sum = records+m.Counts[b], sum+m.Counts[b]*x
		at, squares = at+x, squares+x*x
	}
	// (sum − μ·records)² ≤ z²·(CountNoise·Σ(At_b − μ)² + SumNoise + sampling)
	k := float64(len(m.At))
	sampling := m.Alike * m.Deviation * m.Deviation * (math.Max(records, 0) + math.Sqrt(k*m.CountNoise))
	a := records*records - z*z*m.CountNoise*k
	b := sum*records - z*z*m.CountNoise*at
	c := sum*sum - z*z*(m.CountNoise*squares+m.SumNoise+sampling)
	root := b*b - a*c
	if !(a > 0) || !(records > 0) || !(root >= 0) {
		return m.Lower, m.Upper
	}
	root = math.Sqrt(root)
	within := func(x float64) float64 { return math.Max(m.Lower, math.Min(x, m.Upper)) }
	return within((b-root)/a - m.Room), within((b+root)/a + m.Room)
}
