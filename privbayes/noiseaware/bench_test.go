package noiseaware

import (
	"errors"
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/privbayes2017"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// One coin: law, moments and 95 % interval.
func BenchmarkBeta(b *testing.B) {
	for _, n := range []int{50, 1000, 100_000, 1_000_000} {
		for _, eps := range []float64{0.1, 1} {
			r := raws(b, plan(b, counts.Geometric(), categorical(b, 2, n), dp.PureDP(eps)), []int64{int64(3 * n / 10)})
			b.Run(fmt.Sprintf("n=%d/ε=%g", n, eps), func(b *testing.B) {
				for b.Loop() {
					p, err := Of(r)
					if err != nil {
						b.Fatal(err)
					}
					p.Parameters()[0].Law().CredibleInterval(0.95)
				}
			})
		}
	}
}

func BenchmarkDirichlet(b *testing.B) {
	for _, c := range []struct {
		d, n int
		eps  float64
	}{{4, 1000, 1}, {4, 1000, 0.05}, {16, 1000, 0.5}, {10, 1_000_000, 0.5}} {
		p := plan(b, counts.KNorm(), categorical(b, c.d, c.n), dp.PureDP(c.eps))
		raw := make([]int64, c.d)
		for i := range raw {
			raw[i] = int64(c.n / c.d)
		}
		raw[0] += int64(c.n - c.n/c.d*c.d)
		r := raws(b, p, raw)
		b.Run(fmt.Sprintf("d=%d/n=%d/ε=%g", c.d, c.n, c.eps), func(b *testing.B) {
			for b.Loop() {
				p, err := Of(r)
				if err != nil {
					b.Fatal(err)
				}
				for _, q := range p.Parameters() {
					q.Law().CredibleInterval(0.95)
				}
			}
		})
	}
}

// 16 features of 3 levels, as in the votes data: construction, and the interval of one conditional probability.
func BenchmarkNaiveBayes(b *testing.B) {
	const n = 435
	features := make([]int, 16)
	raw := make([][]int64, 16)
	for k := range features {
		features[k], raw[k] = 3, []int64{150, 80, 5, 30, 160, 10}
	}
	for _, eps := range []float64{0.1, 1, 4} {
		r := raws(b, plan(b, counts.Geometric(), bayes(b, n, 2, features...), dp.PureDP(eps)), raw...)
		b.Run(fmt.Sprintf("of/ε=%g", eps), func(b *testing.B) {
			for b.Loop() {
				if _, err := Of(r); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("interval/ε=%g", eps), func(b *testing.B) {
			for b.Loop() {
				p, err := Of(r)
				if err != nil {
					b.Fatal(err)
				}
				p.Parameters()[2].Law().CredibleInterval(0.95)
			}
		})
	}
}

// A release of PrivBayes as published is refused, and not answered by the prior as if nothing had been measured.
func TestPrivBayesIsRefused(t *testing.T) {
	r := learnt(t, model.PrivBayes(), privbayes2017.New(), threeNodes(t), 400, dp.PureDP(3))
	var refused *UnsupportedError
	if p, err := OfNetwork(t.Context(), r); !errors.As(err, &refused) {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := OfContext(t.Context(), r); !errors.As(err, &refused) {
		t.Errorf("%v, %v", p, err)
	}
}
