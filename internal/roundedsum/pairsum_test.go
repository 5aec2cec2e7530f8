package roundedsum

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// addedUp is the likelihood of two noisy sums by positive terms: over n and the sum of n records.
func addedUp(o *PairSum, theta float64, most int) float64 {
	p := make([]float64, o.Steps+1)
	o.Record(theta, p)
	c, total, law := math.Tanh(o.Rate/2), 0.0, []float64{1}
	for n := 0; n <= most; n++ {
		if n > 0 {
			next := make([]float64, len(law)+o.Steps)
			for i, v := range law {
				for k, w := range p {
					next[i+k] += v * w
				}
			}
			law = next
		}
		for s, v := range law {
			a := math.Abs(float64(o.First) - float64(s))
			b := math.Abs(float64(o.Second) - float64(n*o.Steps-s))
			total += v * c * c * math.Exp(-o.Rate*(a+b))
		}
	}
	return total
}

// The closed sum over all numbers of records is that of positive terms: noise wide and narrow, sums below zero, and
// lattices odd and even.
func TestPairAgainstConvolution(t *testing.T) {
	for _, c := range []struct {
		k, most int
		rate    float64
		a, b    int64
	}{
		{3, 90, .5, 20, 25}, {3, 120, .3, 0, 7}, {4, 90, .4, -3, 30}, {4, 90, .4, -9, -2}, {1, 150, .3, 14, 5},
		{8, 40, .6, 37, 67}, {16, 40, .15, 100, 12}, {5, 60, 1.2, 11, 19}, {6, 60, .9, 6, 6},
	} {
		o := &PairSum{First: c.a, Second: c.b, Steps: c.k, Rate: c.rate, Record: exponentialRecord(4, c.k)}
		if f := o.coarse(); f != 1 {
			t.Fatalf("%+v: a lattice of %d steps at once", c, f)
		}
		most := 0.0
		for _, theta := range []float64{.1, .4, 1, 2.5} {
			most = math.Max(most, addedUp(o, theta, c.most))
		}
		for _, theta := range []float64{.1, .4, 1, 2.5} {
			want, got := addedUp(o, theta, c.most), math.Exp(o.LogLikelihood(theta))
			if math.Abs(got-want) > 1e-7*most {
				t.Errorf("%+v at θ = %v: %v for %v", c, theta, got, want)
			}
		}
	}
}

// A coarse lattice, and frequencies left out, change no likelihood ratio by more than a thousandth.
func TestCoarseLattice(t *testing.T) {
	for _, c := range []struct {
		n    int
		rate float64
	}{{12, .1 / 64}, {30, .5 / 64}, {5, 1.0 / 64}, {60, .3 / 64}} {
		p := make([]float64, 65)
		exponentialRecord(10, 64)(.5, p)
		mean := 0.0
		for k, v := range p {
			mean += float64(k) * v
		}
		a := int64(mean * float64(c.n))
		o := &PairSum{First: a, Second: int64(c.n*64) - a, Steps: 64, Rate: c.rate, Record: exponentialRecord(10, 64)}
		ratio := func(theta float64) (got, want float64) {
			most := c.n + int(25/(c.rate*64))
			return math.Exp(o.LogLikelihood(theta) - o.LogLikelihood(.5)), addedUp(o, theta, most) / addedUp(o, .5, most)
		}
		for _, theta := range []float64{.15, .3, 1, 2.5} {
			if got, want := ratio(theta); math.Abs(got-want) > 1e-3 {
				t.Errorf("%+v, %d steps at once, θ = %v: %v for %v", c, o.coarse(), theta, got, want)
			}
		}
	}
}

// A posterior with a private n takes a tenth of a second at most, and much less at more records.
func BenchmarkPairPosterior(b *testing.B) {
	for _, n := range []int{50, 500, 5000, 1_000_000} {
		for _, eps := range []float64{.1, 1, 5} {
			b.Run(fmt.Sprintf("n=%d,ε=%v", n, eps), func(b *testing.B) {
				const k = 256
				r, mean := make([]float64, k+1), 0.0
				exponentialRecord(10, k)(.5, r)
				for i, p := range r {
					mean += float64(i) * p
				}
				a := int64(mean * float64(n))
				for range b.N {
					o := PairSum{First: a, Second: int64(n*k) - a, Steps: k, Rate: eps / k, Record: exponentialRecord(10, k),
						Low: .1, High: 3, LogPrior: func(theta float64) float64 { return -theta }}
					must.Get(o.Posterior())(b)
				}
			})
		}
	}
}
