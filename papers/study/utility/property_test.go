package utility

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

func TestMaxNoiseProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k, b, d := rapid.IntRange(1, 1_000_000).Draw(r, "cells"), rapid.Float64Range(1e-3, 1e6).Draw(r, "b"),
			rapid.Float64Range(1e-9, .99).Draw(r, "delta")
		p, err := MaxNoiseBound(k, b, d)
		if err != nil || p.Exact > p.Paper*(1+1e-12) || p.Loose < 1-1e-12 {
			r.Fatalf("%+v, %v", p, err)
		}
		if q, _ := ExceedProbability(k, b, p.Exact); math.Abs(q-d) > 1e-9*d {
			r.Fatalf("exceeded with probability %g, want %g", q, d)
		}
		if q, _ := ExceedProbability(k, b, p.Paper); q > d*(1+1e-12) {
			r.Fatalf("printed bound exceeded with probability %g > %g", q, d)
		}
	})
}

// The rule has mass one and the closed-form mean; the mean is odd about n/2.
func TestClampedRule(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(r, "n")
		d := rapid.Float64Range(0, float64(n)).Draw(r, "D")
		b, prior := math.Exp(rapid.Float64Range(-4, 8).Draw(r, "log b")),
			math.Exp(rapid.Float64Range(-5, 4).Draw(r, "log prior"))
		h, w := clampedRule(d, float64(n), b, prior)
		var mass, mean float64
		for i := range h {
			mass += w[i]
			mean += w[i] * (d + h[i])
		}
		want, err := ClampedMean(d, n, b)
		if err != nil || math.Abs(mass-1) > 1e-12 || math.Abs(mean-want) > 1e-11*float64(n) {
			r.Fatalf("mass %.16g, mean %.16g, want %.16g, %v; %d nodes", mass, mean, want, err, len(h))
		}
		if m, _ := ClampedMean(float64(n)-d, n, b); math.Abs(m+want-float64(n)) > 1e-11*float64(n) {
			r.Fatalf("not symmetric: %g + %g", m, want)
		}
	})
}

// The corners are the range: no point is above, and no data set of n records exceeds the data-free range.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(r, "n")
		a := rapid.IntRange(0, n).Draw(r, "A")
		prior := rapid.Float64Range(.05, 5)
		c := Cell{Prior{prior.Draw(r, "alpha"), prior.Draw(r, "beta")}, float64(a),
			float64(rapid.IntRange(0, n-a).Draw(r, "B"))}
		most, err := CornerMax(c, n)
		z := rapid.Float64Range(0, float64(n))
		if f := c.Divergence(z.Draw(r, "z1"), z.Draw(r, "z2")); err != nil || !(f >= 0) || f > most*(1+1e-12) {
			r.Fatalf("f = %g outside [0, %g], %v", f, most, err)
		}
		if c.Divergence(c.A, c.B) != 0 {
			r.Fatal("divergence at the exact counts is not 0")
		}
		free, err := PublicRange(c.Prior, n)
		if err != nil || most > free*(1+1e-12) {
			r.Fatalf("range %g above the data-free range %g, %v", most, free, err)
		}
		two, err := DirichletCornerMax([]float64{c.Alpha, c.Beta}, []float64{c.A, c.B}, n)
		if err != nil || math.Abs(two-most) > 1e-11*most {
			r.Fatalf("Dirichlet range %g of two levels, want %g, %v", two, most, err)
		}
		if wide, err := DirichletPublicRange([]float64{c.Alpha, c.Beta}, n); err != nil || wide < free*(1-1e-12) {
			r.Fatalf("public Dirichlet range %g below %g, %v", wide, free, err)
		}
	})
}

// Sorting finds the best of all 2^r corners.
func TestDirichletCornersAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k, n := rapid.IntRange(2, 6).Draw(r, "r"), rapid.IntRange(1, 40).Draw(r, "n")
		alpha, counts := make([]float64, k), make([]float64, k)
		for i := range k {
			alpha[i], counts[i] = rapid.Float64Range(.05, 5).Draw(r, "alpha"),
				float64(rapid.IntRange(0, n).Draw(r, "count"))
		}
		want := 0.0
		for mask := range 1 << k {
			// KL straight from its definition, apart from the code under test.
			var a0, y0, s float64
			for i := range k {
				a0 += alpha[i] + counts[i]
				y0 += alpha[i] + float64(mask>>i&1*n)
			}
			l0, _ := math.Lgamma(a0)
			m0, _ := math.Lgamma(y0)
			s = l0 - m0
			for i := range k {
				a, y := alpha[i]+counts[i], alpha[i]+float64(mask>>i&1*n)
				la, _ := math.Lgamma(a)
				ly, _ := math.Lgamma(y)
				s += ly - la + (a-y)*(digamma(a)-digamma(a0))
			}
			want = math.Max(want, s)
		}
		got, err := DirichletCornerMax(alpha, counts, n)
		if err != nil || math.Abs(got-want) > 1e-8*want+1e-9 {
			r.Fatalf("%g, want %g, %v", got, want, err)
		}
		if free, err := DirichletPublicRange(alpha, n); err != nil || got > free*(1+1e-12) {
			r.Fatalf("%g above the data-free bound %g, %v", got, free, err)
		}
	})
}

// digamma by recurrence and the asymptotic series, apart from the code under test.
func digamma(x float64) float64 {
	s := 0.0
	for ; x < 20; x++ {
		s -= 1 / x
	}
	y := 1 / (x * x)
	return s + math.Log(x) - .5/x - y*(1./12-y*(1./120-y*(1./252-y/240)))
}

// Mean and variance against simulation, and the mutant that the simulation rejects: a scale off by 30 %.
func TestExpectedKLAgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 19))
	for _, c := range []struct {
		cell Cell
		n    int
		b    float64
	}{{cell(1, 1, 30, 20), 50, 34}, {cell(.5, 2, 0, 7), 9, 3}, {cell(2, 2, 0, 2), 2, .25}, {cell(.1, .1, 1, 0), 1, 2}} {
		m := must[Moments](t)(ExpectedKL(c.cell, c.n, c.b))
		draw := func() float64 {
			return c.cell.Divergence(clamp(c.cell.A+laplace(rng, c.b), c.n), clamp(c.cell.B+laplace(rng, c.b), c.n))
		}
		mean, se := average(100_000, draw)
		if math.Abs(mean-m.Mean) > sigmas*se {
			t.Errorf("%v: mean %g, simulated %g ± %g", c, m.Mean, mean, se)
		}
		v, vse := average(100_000, func() float64 { f := draw() - m.Mean; return f * f })
		if math.Abs(v-m.Variance) > sigmas*vse {
			t.Errorf("%v: variance %g, simulated %g ± %g", c, m.Variance, v, vse)
		}
		if wrong := must[Moments](t)(ExpectedKL(c.cell, c.n, 1.3*c.b)).Mean; math.Abs(mean-wrong) < sigmas*se {
			t.Errorf("%v: the simulation accepts a scale off by 30 %%", c)
		}
	}
}

func TestSmallestTIsASwitch(t *testing.T) {
	for _, n := range []int{2, 3, 8, 100, 10_000, 1_000_000} {
		t0 := must[float64](t)(SmallestT(n))
		for s := 1.0; s < 40; s++ {
			below, above := t0*(1-s/41), t0*(1+s/8)
			if p := must[float64](t)(IncrementFailure(n, below)); p <= math.Exp(-below) {
				t.Errorf("N = %d: holds at t = %g below t0 = %g", n, below, t0)
			}
			if p := must[float64](t)(IncrementFailure(n, above)); p > math.Exp(-above) {
				t.Errorf("N = %d: fails at t = %g above t0 = %g", n, above, t0)
			}
		}
		if t0 > .5 {
			t.Errorf("t0(%d) = %g > ½", n, t0)
		}
	}
}

// The L1 error of a simulated Fourier table stays below every bound; the 95 % quantile says how loose each is.
func TestFourierTableAgainstSimulation(t *testing.T) {
	e := must[TableError](t)(FourierTable(34, 32, 2, 0, .05, 1))
	rng := rand.New(rand.NewPCG(23, 29))
	var above [2]float64
	const draws, b = 50_000, 68.
	for range draws {
		var h [4]float64
		for i := range h {
			h[i] = laplace(rng, b)
		}
		l1 := (math.Abs(h[0]+h[1]+h[2]+h[3]) + math.Abs(h[0]-h[1]+h[2]-h[3]) + math.Abs(h[0]+h[1]-h[2]-h[3]) +
			math.Abs(h[0]-h[1]-h[2]+h[3])) / 4
		for i, bound := range []float64{e.Parseval, 200} {
			if l1 > bound {
				above[i]++
			}
		}
	}
	se := math.Sqrt(.05 * .95 / draws)
	if above[0]/draws > .05+sigmas*se {
		t.Errorf("Parseval bound %g exceeded with probability %g", e.Parseval, above[0]/draws)
	}
	if above[1]/draws < .05+sigmas*se {
		t.Error("the simulation cannot reject a bound of 200, below the quantile 305")
	}
}

func TestLossSaysPrivate(t *testing.T) {
	l := must[*Loss](t)(PosteriorLoss([]Cell{cell(1, 1, 3, 4)}, 10, 5, .1))
	for _, s := range []string{l.String(), table.HTML(l)} {
		if !strings.Contains(s, "private: do not publish") {
			t.Errorf("no warning in %s", s)
		}
	}
	free := must[float64](t)(PublicTail([]Prior{{1, 1}}, 10, .1))
	if free < l.McDiarmid {
		t.Errorf("public tail %g below the private one %g", free, l.McDiarmid)
	}
}
