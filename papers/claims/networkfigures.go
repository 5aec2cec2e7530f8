package claims

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/study/networks"
)

// figure1s are the committed outcomes: uniform parameters, and the hard case.
func figure1s() (uniform, hard networks.Figure1Result, err error) {
	all, err := networks.Figure1Committed()
	if err != nil {
		return uniform, hard, err
	}
	if len(all) != 2 || all[0].Case != "uniform" || all[1].Case != "hard" {
		return uniform, hard, fmt.Errorf("figure1.json holds %d cases", len(all))
	}
	return all[0], all[1], nil
}

const hardCase = "probabilities 0.35 and 0.65"

func figure1Cost(t *trial, swapped bool) error {
	uniform, hard, err := figure1s()
	if err != nil {
		return err
	}
	for _, c := range uniform.Curves[:3] {
		for _, p := range c.Points {
			line := uniform.NonPrivate
			if swapped {
				line = .9 * line
			}
			t.printed(p.Mean <= line+4*p.Error, p.X, "%s at ε = %v: %.3f > %.3f", c.Name, p.X, p.Mean, line)
			if c.Name != networks.PrintedSampler && p.X <= 10 {
				t.f.require(p.Mean < .971*uniform.NonPrivate, "%s at ε = %v: %v", c.Name, p.X, p.Mean)
			}
		}
	}
	for _, c := range hard.Curves[:3] {
		for _, p := range c.Points {
			t.outside(p.Mean <= hard.NonPrivate+4*p.Error, math.Abs(p.X-3), "%s: %s at ε = %v: %.3f > %.3f", hardCase,
				c.Name, p.X, p.Mean, hard.NonPrivate)
		}
	}
	return nil
}

// naiveScales takes variances in closed form, of unnormalised coefficients with noise of scale 2|N|/ε.
func naiveScales(t *trial, swapped bool) error {
	for d := 1; d <= 8; d++ {
		g := naiveGraph(d)
		size := float64(len(g.closure()))
		want := 2*float64(d) + 2
		if swapped {
			want++
		}
		t.printed(len(g) == d+1 && size == want, float64(d), "d = %d: |N| = %v", d, size)
		for _, eps := range []float64{.1, 1, 10} {
			one, two := 2*float64(len(g))/eps, 2*size/eps
			feature, class := two/math.Sqrt(4), two/math.Sqrt(2)
			t.printed(near(feature, one, 1e-12) && near(class, math.Sqrt2*one, 1e-12), float64(d), "d = %d, ε = %v", d,
				eps)
		}
	}
	return nil
}

// gain is the difference of two curves in their combined standard errors.
func gain(a, b networks.Figure1Point) float64 {
	return (a.Mean - b.Mean) / math.Hypot(a.Error, b.Error)
}

func figure1Fourier(t *trial, swapped bool) error {
	uniform, hard, err := figure1s()
	if err != nil {
		return err
	}
	lower := networks.PrintedFourier
	if swapped {
		lower = networks.PrintedSampler
	}
	for _, x := range []float64{.1, .3, 1, 1.4, 2, 3, 10, 30, 100} {
		a, _ := uniform.At(networks.PrintedLaplace, x)
		b, ok := uniform.At(lower, x)
		if ok {
			t.printed(gain(b, a) <= 4, x, "ε = %v: %.3f > %.3f", x, b.Mean, a.Mean)
			t.f.require(x < 3 || swapped || math.Abs(gain(b, a)) < 4, "ε = %v: %v and %v", x, a.Mean, b.Mean)
		}
		a, _ = hard.At(networks.PrintedLaplace, x)
		if b, ok = hard.At(lower, x); ok {
			t.outside(gain(b, a) <= 4, x, "%s, ε = %v: %.3f > %.3f", hardCase, x, b.Mean, a.Mean)
		}
	}
	one, _ := uniform.At(networks.PrintedLaplace, 1)
	other, _ := uniform.At(networks.PrintedFourier, 1)
	t.f.number("loss of accuracy at ε = 1", one.Mean-other.Mean, .05, .006)
	t.f.number("increment at ε = 1, records", 4*uniform.T*34*34, 585, 3)
	return nil
}

func figure1Sampler(t *trial, swapped bool) error {
	uniform, hard, err := figure1s()
	if err != nil {
		return err
	}
	curve := networks.PrintedSampler
	if swapped {
		curve = networks.FairSampler
	}
	for _, r := range []networks.Figure1Result{uniform, hard} {
		for _, x := range []float64{.1, .3, 1, 1.4, 2, 3, 10, 30, 100} {
			draw, drawn := r.At(networks.PrintedSampler, x)
			t.f.require(drawn == (x > 2*math.Ln2), "%s: the sampler at ε = %v", r.Case, x)
			if swapped {
				draw, drawn = r.At(curve, x)
			}
			for _, name := range []string{networks.PrintedLaplace, networks.PrintedFourier} {
				noise, _ := r.At(name, x)
				switch {
				case !drawn:
				case x < 2: // poor: no better than noise
					t.printed(gain(draw, noise) < 4 && draw.Mean < .8*r.NonPrivate, x, "%s, ε = %v: %v", r.Case, x,
						draw.Mean)
				case x <= 3:
					t.printed(gain(draw, noise) > 10, x, "%s, ε = %v: %v against %v", r.Case, x, draw.Mean, noise.Mean)
				default:
					t.printed(gain(draw, noise) > -4, x, "%s, ε = %v: %v against %v", r.Case, x, draw.Mean, noise.Mean)
				}
				fair, _ := r.At(networks.FairSampler, x)
				t.f.require(gain(fair, noise) < 4, "%s, ε = %v: a fair draw is ahead", r.Case, x)
			}
		}
		p, _ := r.At(networks.PrintedSampler, 2)
		t.f.number("ε of fifty draws at nominal 2, "+r.Case, p.Epsilon, 823.8, .1)
	}
	return nil
}

// drawsUtility takes a posterior of which a draw is good with probability p: the mean of N is binomial.
func drawsUtility(t *trial, factor float64) error {
	for _, n := range []int{10, 50, 200} {
		for _, p := range []float64{.1, .5, .8} {
			for _, delta := range []float64{.1, .01} {
				bound := factor * math.Sqrt(math.Log(2/delta)/(2*float64(n)))
				type outcome struct{ distance, mass float64 }
				var all []outcome
				for k := range n + 1 {
					log := num.LogGamma(float64(n+1)) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1)) +
						float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
					all = append(all, outcome{math.Abs(float64(k)/float64(n) - p), math.Exp(log)})
				}
				slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(b.distance, a.distance) })
				quantile, beyond := 0.0, 0.0 // the least distance that is passed with probability at most δ
				for _, o := range all {
					if beyond += o.mass; beyond > delta {
						quantile = o.distance
						break
					}
				}
				t.bound(bound, quantile, float64(n), "N = %d, p = %v, δ = %v", n, p, delta)
			}
		}
	}
	return nil
}
