package study

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
)

// anySetting draws small settings over two or three cells.
func anySetting(t *rapid.T) Setting {
	d := rapid.IntRange(2, 3).Draw(t, "d")
	s := Setting{Epsilon: rapid.Float64Range(0.2, 6).Draw(t, "epsilon"),
		Delta: rapid.Float64Range(1e-6, 0.9).Draw(t, "delta")}
	for range d {
		s.Prior = append(s.Prior, rapid.Float64Range(0.05, 30).Draw(t, "alpha"))
		s.X = append(s.X, rapid.Int64Range(0, 9).Draw(t, "x"))
	}
	s.X[d-1]++
	return s
}

func propertyBench(t *rapid.T) *bench {
	b, err := newBench(t.Context(), anySetting(t))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryLawIsAProbabilityLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := propertyBench(t)
		for _, m := range mechanisms() {
			if m.law == nil || m.cells == 2 && len(b.X) != 2 {
				continue
			}
			l, _ := m.law(b)
			if s := sum(l.p); math.Abs(s-1) > 1e-9 || slices.Min(l.p) < 0 {
				t.Fatalf("%s sums to %v at %+v", m.name, s, b.Setting)
			}
			o := l.outcome(m.name)
			if !slices.IsSorted([]float64{0, o.Q05, o.Q25, o.Q50, o.Q75, o.Q95, 1}) || o.MeanH < 0 || o.MeanH > 1 ||
				o.Q05L1 > o.Q95L1 {
				t.Fatalf("%s: %+v", m.name, o)
			}
		}
	})
}

func TestExponentsAreTheSamplersOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := propertyBench(t)
		rate := rapid.Float64Range(0, 100).Draw(t, "rate")
		e := make([]float64, len(b.h))
		if err := hellingersample.Exponents(b.Prior, b.X, rate, e); err != nil {
			t.Fatal(err)
		}
		for k, h := range b.h {
			if e[k] != rate*h {
				t.Fatalf("candidate %d: exponent %v, rate·H = %v", k, e[k], rate*h)
			}
			r := hellingersample.Unrank(k, b.space.N(), len(b.X))
			far := int64(0)
			for i := range r {
				far += gap(r[i], b.X[i])
			}
			if b.rank(r) != k || float64(far) != b.l1[k] {
				t.Fatalf("candidate %d = %v: rank %d, L1 %v", k, r, b.rank(r), b.l1[k])
			}
		}
	})
}

// Permute-and-flip is never worse than the exponential mechanism at the same rate: its error is stochastically smaller.
func TestPermuteAndFlipIsNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := propertyBench(t)
		rate := rapid.Float64Range(0.01, 60).Draw(t, "rate")
		pf, em := b.flip(rate), b.em(rate)
		for _, at := range []float64{0.1, 0.3, 0.6, 0.9} {
			if p, e := pf.tail(at), em.tail(at); p > e+1e-9 {
				t.Fatalf("P[H ≥ %v] = %v by permute-and-flip, %v by the exponential mechanism", at, p, e)
			}
		}
	})
}

// Two candidates a = 1 and a < 1: P[second] = a/2 by hand, where the exponential mechanism has a/(1 + a).
func TestPermuteAndFlipByHand(t *testing.T) {
	b := mustBench(t, Setting{Prior: []float64{1, 2}, X: []int64{0, 1}, Epsilon: 1, Delta: 0.1})
	p := b.flip(3).p
	if want := math.Exp(-3*b.h[1]) / 2; math.Abs(p[1]-want) > 1e-14 || math.Abs(p[0]-(1-want)) > 1e-14 {
		t.Errorf("law %v, want %v for the second", p, want)
	}
}

func TestSumZeroNoiseOverTwoCellsIsTheClampedGeometricMechanism(t *testing.T) {
	for _, eps := range []float64{0.05, 0.5, 0.8, 1.7} {
		b := mustBench(t, Setting{Prior: []float64{2, 3}, X: []int64{4, 16}, Epsilon: eps, Delta: 0.1})
		k, g := b.knorm().p, b.geometric().p
		for r := range k {
			if math.Abs(k[r]-g[r]) > 1e-11 {
				t.Errorf("ε = %v, r₁ = %d: %v and %v", eps, r, k[r], g[r])
			}
		}
	}
}

func TestProject(t *testing.T) {
	for _, c := range []struct{ in, want []int64 }{
		{[]int64{3, 4, 5}, []int64{3, 4, 5}},
		{[]int64{-2, 8, 6}, []int64{0, 7, 5}},
		{[]int64{-3, 8, 7}, []int64{0, 6, 6}},
		{[]int64{-3, 7, 8}, []int64{0, 6, 6}},
		{[]int64{-1, 7, 6}, []int64{0, 6, 6}},
		{[]int64{-5, 16, 1}, []int64{0, 12, 0}},
		{[]int64{-9, -9, 30}, []int64{0, 0, 12}},
	} {
		got := slices.Clone(c.in)
		project(got, 12)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v becomes %v, want %v", c.in, got, c.want)
		}
	}
}

func TestQuantiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "n")
		v, p := make([]float64, n), make([]float64, n)
		for k := range v {
			v[k] = math.Floor(rapid.Float64Range(0, 20).Draw(t, "v"))
			p[k] = rapid.Float64Range(0.001, 1).Draw(t, "p")
		}
		s := sum(p)
		for k := range p {
			p[k] /= s
		}
		for i, q := range quantiles(v, p, quantiles5) {
			below, reached := 0.0, 0.0
			for k, x := range v {
				if x < q {
					below += p[k]
				}
				if x <= q {
					reached += p[k]
				}
			}
			if below >= quantiles5[i]+1e-9 || reached < quantiles5[i]-1e-9 {
				t.Fatalf("%v is no quantile at %v of %v %v", q, quantiles5[i], v, p)
			}
		}
	})
}

func TestFraction(t *testing.T) {
	for _, c := range []struct {
		rate float64
		n, d uint64
	}{{0.25, 1, 4}, {0.4, 2, 5}, {3, 3, 1}, {0.8, 4, 5}} {
		if n, d := fraction(c.rate); n != c.n || d != c.d {
			t.Errorf("%v = %d/%d, want %d/%d", c.rate, n, d, c.n, c.d)
		}
	}
	n, d := fraction(math.Pi / 10)
	if got := float64(n) / float64(d); math.Abs(got-math.Pi/10) > 1e-12 {
		t.Errorf("π/10 becomes %v", got)
	}
}
