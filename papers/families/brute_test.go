package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"fmt"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Every data set of n bits and every neighbour, for a prior on finitely many points, from the definition alone.
func TestEnumerationFiniteBernoulli(t *testing.T) {
	for _, k := range []int{3, 5, 20} {
		for _, concentrated := range []bool{false, true} {
			for n := 1; n <= 7; n++ {
				f := must(NewGridBernoulli(n, k, concentrated))
				var posteriors [][]float64
				for x := range 1 << n {
					var w []float64
					z := 0.0
					for j := 1; j < k; j++ {
						theta := float64(j) / float64(k)
						prior := 1.0
						if concentrated {
							prior = math.Exp(-math.Abs(math.Log(theta / (1 - theta))))
						}
						ones := bits.OnesCount(uint(x))
						p := prior * math.Pow(theta, float64(ones)) * math.Pow(1-theta, float64(n-ones))
						w, z = append(w, p), z+p
					}
					for j := range w {
						w[j] /= z
					}
					posteriors = append(posteriors, w)
				}
				var epsilon, tv, delta, renyi float64
				for x := range posteriors {
					for i := range n {
						p, q := posteriors[x], posteriors[x^1<<i]
						var l1, excess, square float64
						for j := range p {
							epsilon = math.Max(epsilon, math.Abs(math.Log(p[j]/q[j])))
							l1 += math.Abs(p[j]-q[j]) / 2
							excess += math.Max(0, p[j]-math.Exp(.7)*q[j])
							square += p[j] * p[j] / q[j]
						}
						tv, delta, renyi = math.Max(tv, l1), math.Max(delta, excess), math.Max(renyi, math.Log(square))
					}
				}
				name := fmt.Sprintf("K = %d, n = %d, ", k, n)
				boundWithin(t, name+"ε", f.Epsilon(), fmt.Sprint(epsilon*(1-1e-12)), 3e-9)
				boundWithin(t, name+"TV", Profile(f, 0), fmt.Sprint(tv*(1-1e-12)), 3e-9)
				boundWithin(t, name+"δ", Profile(f, .7), fmt.Sprint(delta*(1-1e-12)), 3e-9)
				boundWithin(t, name+"D₂", Renyi(f, 2), fmt.Sprint(renyi*(1-1e-12)), 3e-9)
			}
		}
	}
}

// Every number of ones and both directions, posterior densities normalised by a rule of their own, 200 θ.
func TestEnumerationTrimmedBeta(t *testing.T) {
	for _, c := range []struct {
		n           int
		alpha, beta float64
		l, u, power float64
	}{
		{1, 1, 1, .05, .95, 1}, {7, 1, 1, .05, .95, 1}, {7, .3, 4, .01, .6, 1}, {9, 2, 1, .2, .99, .4},
	} {
		f := must(NewTemperedBeta(c.n, c.alpha, c.beta, c.l, c.u, c.power))
		density := func(k int) func(float64) float64 {
			a, b := c.alpha+c.power*float64(k), c.beta+c.power*float64(c.n-k)
			kernel := func(x float64) float64 { return math.Pow(x, a-1) * math.Pow(1-x, b-1) }
			z := num.Integrate24(kernel, c.l, c.u, 40)
			return func(x float64) float64 { return kernel(x) / z }
		}
		worst := 0.0
		for k := range c.n {
			p, q := density(k), density(k+1)
			for i := 0.0; i <= 200; i++ {
				x := c.l + (c.u-c.l)*i/200
				worst = math.Max(worst, math.Abs(math.Log(p(x)/q(x))))
			}
		}
		boundWithin(t, fmt.Sprint(c), f.Epsilon(), fmt.Sprint(worst*(1-1e-10)), 3e-9)
	}
}

// The worst sum is interior for n ≥ 5: theory/sampling.md §9, and a fine scan.
func TestWorstInteriorSum(t *testing.T) {
	for n, want := range map[int]float64{1: .17398253, 5: .156888, 20: .111230, 200: .046690} {
		f := must(NewExponential(n, 1, .5, 2, 1))
		got := Profile(f, 0)
		if got < want*(1-1e-5) || got > want*1.01 {
			t.Errorf("n = %d: %v, want %v up to 1 %%", n, got, want)
		}
	}
	for n, want := range map[int][2]float64{1: {.1737292509, .5023750165}, 5: {.1395957183, .4811451463},
		20: {.0739196465, .2809541233}} {
		f := must(NewExponential(n, 1, .5, 2, 1))
		for i, o := range []float64{2, 8} {
			if got := Renyi(f, o); got < want[i]*(1-1e-9) || got > want[i]*1.012 {
				t.Errorf("n = %d, order %v: %v, want %v up to 1.2 %%", n, o, got, want[i])
			}
		}
	}
}

// ε is between osc/2 and osc, rises with the range of the prior's support, and a smaller profile or Rényi curve never
// exceeds the fallback from the oscillation.
func TestOneParameterProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Family
		n := rapid.IntRange(1, 30).Draw(t, "n")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			l := rapid.Float64Range(1e-4, .45).Draw(t, "l")
			u := rapid.Float64Range(.55, 1-1e-4).Draw(t, "u")
			f = must(NewTemperedBeta(n, rapid.Float64Range(.1, 60).Draw(t, "α"),
				rapid.Float64Range(.1, 60).Draw(t, "β"), l, u, rapid.Float64Range(.05, 1).Draw(t, "power")))
		case 1:
			c1 := rapid.Float64Range(1e-3, 2).Draw(t, "c1")
			f = must(NewExponential(n, rapid.Float64Range(.01, 5).Draw(t, "λ"), c1,
				c1+rapid.Float64Range(.01, 5).Draw(t, "width"), rapid.Float64Range(.1, 3).Draw(t, "B")))
		case 2:
			c1 := rapid.Float64Range(1e-3, 2).Draw(t, "c1")
			f = must(NewNormalPrecision(n, rapid.Float64Range(.01, 5).Draw(t, "λ"), c1,
				c1+rapid.Float64Range(.01, 5).Draw(t, "width"), rapid.Float64Range(-2, 2).Draw(t, "μ"),
				rapid.Float64Range(.1, 3).Draw(t, "B")))
		default:
			f = must(NewGridBernoulli(n, rapid.IntRange(3, 30).Draw(t, "K"), rapid.Bool().Draw(t, "concentrated")))
		}
		osc, e := f.Oscillation(), f.Epsilon()
		if !(e >= osc/2*(1-1e-12) && e <= osc) {
			t.Fatalf("%v: ε = %v outside [%v, %v]", f.Describe(), e, osc/2, osc)
		}
		w := logratio.BoundedRange(osc)
		at := rapid.Float64Range(0, 1).Draw(t, "at") * e
		p := f.(Profiled)
		if got := p.Profile(at); !(got >= 0 && got <= w.Delta(at)*1.02+1e-12) {
			t.Fatalf("%v: δ(%v) = %v above the fallback %v", f.Describe(), at, got, w.Delta(at))
		}
		order := rapid.Float64Range(1.01, 40).Draw(t, "order")
		if got := p.Renyi(order); !(got >= 0 && got <= math.Min(w.Renyi(order), e)*1.02+1e-12) {
			t.Fatalf("%v: D_%v = %v above the fallback %v", f.Describe(), order, got, w.Renyi(order))
		}
	})
}
