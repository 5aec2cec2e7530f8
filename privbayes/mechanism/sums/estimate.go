package sums

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/roundedsum"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// points stand for a posterior: a prime number of them, so that every stride through them is a permutation.
const points = 499

// posterior is the posterior given the noisy sums, as points. Sums of records have a flat prior on what is possible: of
// n records where n is public, of any number where it is not.
func (d *sampler) posterior(ctx context.Context, noisy []int64) ([][]float64, error) {
	l := d.shape.Lattice()
	top := float64(d.n) * float64(d.Steps)
	switch {
	case d.Kind == moments && !d.latent():
		return d.values(noisy), nil
	case d.Kind == moments:
		return d.spread(ctx, noisy)
	case d.Kind == oneSum:
		if one := d.shape.OneParameter(); one != nil {
			return d.parameter(noisy[0], roundedsum.OneSum{Record: one.Record, Low: one.Low, High: one.High,
				LogPrior: one.LogPrior})
		}
		return d.averages(func(point, _ int) float64 {
			return l.Value(0, d.between(0, noisy[0], 0, top, share(point, 1))/float64(d.n))
		}, 1), nil
	case d.Kind == halves:
		if one := d.shape.OneParameter(); one != nil {
			return d.privateRows(noisy, roundedsum.PairSum{Record: one.Record, Low: one.Low, High: one.High,
				LogPrior: one.LogPrior})
		}
	case d.Kind == columns && d.law.law != cubeLaw:
		return d.averages(func(point, i int) float64 {
			return l.Value(i, d.between(i, noisy[i], 0, top, share(point, i+1))/float64(d.n))
		}, d.dims()), nil
	case d.Kind == columns || d.Kind == columnsCount:
		return d.cubed(noisy), nil
	}
	// pairs: the sum of k and the sum of K − k
	return d.averages(func(point, g int) float64 {
		a := d.between(2*g, noisy[2*g], 0, math.Inf(1), share(point, 2*g+1))
		b := d.between(2*g+1, noisy[2*g+1], 0, math.Inf(1), share(point, 2*g+2))
		return l.Value(0, part(a, a+b)*float64(d.Steps))
	}, max(d.Width, 1)), nil
}

// part is a/b, and one half of nothing.
func part(a, b float64) float64 {
	if b > 0 {
		return a / b
	}
	return .5
}

// golden is the golden ratio's share of the points: places that follow each other by it fill a square evenly.
const golden = 308

// powers are those of 7, a primitive root: 1, 7, 49, … modulo the number of points.
var powers = func() (p [points - 1]int) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 7 % points
	}
	return p
}()

// share is the place of a point among all, in another order for every i ≥ 1: 2g + 1 and 2g + 2 fill the square.
func share(point, i int) float64 {
	stride := powers[(i-1)/2%(points-1)]
	if i%2 == 0 {
		stride = stride * golden % points
	}
	return (float64(point*stride%points) + .5) / points
}

func (d *sampler) averages(value func(point, i int) float64, n int) [][]float64 {
	out := make([][]float64, points)
	for k := range out {
		out[k] = make([]float64, n)
		for i := range out[k] {
			v := value(k, i)
			if math.IsNaN(v) { // no records: nothing is known
				c := min(i, len(d.shape.Lattice().Low)-1)
				v = d.shape.Lattice().Value(c, share(k, i+1)*float64(d.Steps))
			}
			out[k][i] = v
		}
	}
	return out
}

// between is the u-quantile of the sum s in [low, high] given s + Z: its weight at s is P(Z = noisy − s).
func (d *sampler) between(i int, noisy int64, low, high, u float64) float64 {
	tail := d.logTail(i)
	y := float64(noisy)
	inverse := func(float64) float64 { return math.NaN() }
	if rate := noise.FormOf(d.law.one(i)).Rate; rate > 0 {
		inverse = tailInverse(rate)
	}
	if y < (low+high)/2 { // from the other end, where tails keep their digits
		return -fromAbove(tail, inverse, -y, -high, -low, 1-u)
	}
	return fromAbove(tail, inverse, y, low, high, u)
}

// tailInverse is the real z with log P(Z ≥ z) = t of geometric noise, between integers by the same formula.
func tailInverse(rate float64) func(t float64) float64 {
	one := math.Log1p(math.Exp(-rate))
	return func(t float64) float64 {
		if t <= -rate-one {
			return -(t + one) / rate
		}
		return 1 + (math.Log(-math.Expm1(t))+one)/rate
	}
}

// fromAbove is between for a noisy value in the upper half. P(low ≤ S ≤ s) ∝ P(Z ≥ y − s) − P(Z > y − low).
func fromAbove(tail, inverse func(z float64) float64, y, low, high, u float64) float64 {
	reach := math.Min(high, y+1e18)
	above, whole := tail(y-low+1), 0.0
	whole = minus(tail(y-reach), above)
	lo, hi := math.Max(low, y-2e18), reach
	want := math.Log(u) + whole
	if z := inverse(math.Max(want, above) + math.Log1p(math.Exp(-math.Abs(want-above)))); !math.IsNaN(z) {
		return math.Min(math.Max(y-z, low), high)
	}
	for range 60 {
		mid := lo + (hi-lo)/2
		if minus(tail(y-mid), above) < want {
			lo = mid
		} else {
			hi = mid
		}
		if hi-lo <= .5 || hi-lo < 1e-12*math.Abs(hi) {
			break
		}
	}
	return math.Min(math.Max((lo+hi)/2, low), high)
}

// minus is log(e^a − e^b) for a ≥ b.
func minus(a, b float64) float64 {
	if b >= a {
		return math.Inf(-1)
	}
	return a + math.Log(-math.Expm1(b-a))
}

// logTail is log P(Z ≥ z) of the noise of sum i, between integers by the next ones; wide Gaussian noise is taken as
// normal, which it is to within e^{−2π²σ²}.
func (d *sampler) logTail(i int) func(z float64) float64 {
	one := d.law.one(i)
	if sigma2 := noise.FormOf(one).Sigma2; sigma2 > 16 {
		sd := math.Sqrt(sigma2)
		return func(z float64) float64 { return roundedsum.LogNormalBelow((.5 - z) / sd) }
	}
	return func(z float64) float64 {
		z = math.Max(math.Min(z, 9e18), -9e18)
		return one.LogTail(int64(math.Ceil(z)))
	}
}

// parameter is the posterior of the one parameter of a law given its noisy sum.
func (d *sampler) parameter(noisy int64, o roundedsum.OneSum) ([][]float64, error) {
	o.N, o.Steps, o.Sum = d.n, int(d.Steps), noisy
	form := noise.FormOf(d.law.one(0))
	if form == (noise.Form{}) {
		return nil, errNoPosterior(d.law.law)
	}
	o.Noise.Rate, o.Noise.Sigma2 = form.Rate, form.Sigma2
	curve, err := o.Posterior()
	if err != nil {
		return nil, domain.Refuse("sums", "raw", noisy, "a sum that some value of the parameter gives a probability")
	}
	return d.averages(func(point, _ int) float64 { return curve.Quantile(share(point, 1)) }, 1), nil
}

// privateRows is the posterior of the one parameter of a law where the number of records is private, too.
func (d *sampler) privateRows(noisy []int64, o roundedsum.PairSum) ([][]float64, error) {
	o.First, o.Second, o.Steps = noisy[0], noisy[1], int(d.Steps)
	if o.Rate = noise.FormOf(d.law.one(0)).Rate; o.Rate == 0 {
		return nil, errNoPosterior(d.law.law)
	}
	curve, err := o.Posterior()
	if err != nil {
		return nil, domain.Refuse("sums", "raw", noisy, "sums that some value of the parameter gives a probability")
	}
	return d.averages(func(point, _ int) float64 { return curve.Quantile(share(point, 1)) }, 1), nil
}

// errNoPosterior refuses noise whose law the posterior of a parameter does not take.
func errNoPosterior(law string) error {
	return domain.Refuse("sums", "law", law, "geometric or Gaussian noise, for the posterior of a parameter")
}
