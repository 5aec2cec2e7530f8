package study

import (
	"math"
	"math/rand/v2"
	"testing"
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
