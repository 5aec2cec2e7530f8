package study

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
)

func TestLegendre(t *testing.T) {
	for _, n := range []int{1, 6, 9, 14, 24} {
		r := legendre(n)
		for power := 0; power < 2*n; power++ {
			got := 0.0
			for i, g := range r {
				if i > 0 && g.node <= r[i-1].node {
					t.Fatalf("%d points: nodes do not ascend", n)
				}
				got += g.weight * math.Pow(g.node, float64(power))
			}
			want := 0.0
			if power%2 == 0 {
				want = 2 / float64(power+1)
			}
			if math.Abs(got-want) > 1e-14 {
				t.Errorf("%d points, x^%d: %v, want %v", n, power, got, want)
			}
		}
	}
}

func TestDirectionsAreUniformOnTheSphere(t *testing.T) {
	for _, posterior := range [][]float64{{3, 9}, {41, 37, 38}, {0.5, 3.5, 28}} {
		for _, everywhere := range []bool{false, true} {
			mass, first, square := 0.0, 0.0, 0.0
			for _, r := range orthants(posterior, everywhere, 6) {
				norm := 0.0
				for _, v := range r.dir {
					norm += math.Abs(v)
				}
				if math.Abs(norm-1) > 1e-12 {
					t.Fatalf("direction %v", r.dir)
				}
				mass, first, square = mass+r.weight, first+r.weight*math.Abs(r.dir[0]),
					square+r.weight*r.dir[0]*r.dir[0]
			}
			d := float64(len(posterior)) // sizes are Dirichlet(1, …, 1)
			for _, c := range [][2]float64{{mass, 1}, {first, 1 / d}, {square, 2 / (d * (d + 1))}} {
				if math.Abs(c[0]-c[1]) > 1e-12 {
					t.Errorf("%v: %v, want %v", posterior, c[0], c[1])
				}
			}
		}
	}
}

// Far from the bounds ‖Z‖₁/b is Gamma(d): median and 95 % point of Gamma(1), (2), (3).
func TestUnclampedL1IsGamma(t *testing.T) {
	two := mustBench(t, Setting{Prior: []float64{7, 4}, X: []int64{250, 250}, Epsilon: 0.5, Delta: 0.1})
	three := mustBench(t, Setting{Prior: []float64{7, 4, 5}, X: []int64{50, 50, 50}, Epsilon: 1.5, Delta: 0.1})
	for _, c := range []struct {
		z        *noise
		q50, q95 float64 // of ‖x − r‖₁/b
	}{
		{two.laplaceOneCell(), 2 * math.Ln2, 2 * math.Log(20)}, // both counts move
		{two.laplacePerCell(), 1.6783469900166605, 4.743864518390644},
		{three.laplacePerCell(), 2.6740603137235605, 6.295793622184957},
	} {
		o, err := c.z.outcome("")
		if err != nil {
			t.Fatal(err)
		}
		close8(t, "median", o.Q50L1/c.z.scale, c.q50, 1e-8)
		close8(t, "95 %", o.Q95L1/c.z.scale, c.q95, 1e-8)
	}
}

// With every count at its bound, noise is clamped back with probability 2^−d.
func TestLaplaceNoiseThatIsClampedAway(t *testing.T) {
	for _, s := range []Setting{{Prior: []float64{1, 1}, X: []int64{0, 30}, Epsilon: 1, Delta: 0.1},
		{Prior: []float64{7, 4, 5}, X: []int64{0, 0, 30}, Epsilon: 1, Delta: 0.1}} {
		o, err := mustBench(t, s).laplacePerCell().outcome("")
		if err != nil {
			t.Fatal(err)
		}
		close8(t, "P[truth]", o.ProbTruth, math.Ldexp(1, -len(s.X)), 1e-12)
		if o.Q05 != 0 {
			t.Errorf("5 %% quantile %v, want 0", o.Q05)
		}
	}
}

// Draws of the mechanism, seeded, against the integrated law: the share of draws below the five quantiles and their
// mean H, each within 6.5 standard errors (together a false alarm rate below 1e-9). A scale wrong by a tenth must not
// pass.
func TestLaplaceLawAgainstDraws(t *testing.T) {
	for _, s := range []Setting{
		{Prior: []float64{7, 4, 5}, X: []int64{44, 25, 31}, Epsilon: 0.8, Delta: 0.8},
		{Prior: []float64{7, 4}, X: []int64{250, 250}, Epsilon: 0.5, Delta: 0.1},
		{Prior: []float64{1, 2}, X: []int64{5, 15}, Epsilon: 0.6, Delta: 0.1}, // clamped now and then
	} {
		b := mustBench(t, s)
		for _, z := range []*noise{b.laplacePerCell(), b.laplaceOneCell()} {
			if z.shared && len(s.X) != 2 {
				continue
			}
			o, err := z.outcome("")
			if err != nil {
				t.Fatal(err)
			}
			if w := deviation(z, o, 1); w > 6.5 {
				t.Errorf("%v: the law is %.1f standard errors from the draws", s.X, w)
			}
			if w := deviation(z, o, 1.1); w < 6.5 {
				t.Errorf("%v: a wrong scale passes: %.1f standard errors", s.X, w)
			}
		}
	}
}

// deviation is the largest deviation, in standard errors, of draws whose scale is too large by a factor.
func deviation(z *noise, o Outcome, factor float64) float64 {
	const draws = 50_000
	rng := rand.New(rand.NewPCG(1, 2))
	q := []float64{o.Q05, o.Q25, o.Q50, o.Q75, o.Q95}
	var hits [5]float64
	mean := 0.0
	r := ray{dir: make([]float64, len(z.X))}
	for range draws {
		for i := range r.dir {
			r.dir[i] = rng.ExpFloat64() * float64(1-2*rng.IntN(2))
		}
		if z.shared {
			r.dir[1] = -r.dir[0]
		}
		h, _ := z.distances(r, factor)
		mean += h / draws
		for i := range q {
			if h <= q[i] {
				hits[i]++
			}
		}
	}
	out := math.Abs(mean-o.MeanH) / (o.SDH / math.Sqrt(draws))
	for i, p := range quantiles5 {
		out = max(out, math.Abs(hits[i]/draws-p)/math.Sqrt(p*(1-p)/draws))
	}
	return out
}

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
