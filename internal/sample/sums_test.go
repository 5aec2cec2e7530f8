package sample_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// fitsPairs is fits for pairs of integers: cells inside a window, the rest pooled.
func fitsPairs(n int, draw func() [2]int64, prob func(z [2]int64) float64, window int64) bool {
	seen := map[[2]int64]int{}
	for range n {
		seen[draw()]++
	}
	chi, cells, have, want := 0.0, 0.0, float64(n), float64(n)
	for d := -window; d <= window; d++ {
		for e := -window * window; e <= window*window; e++ {
			z := [2]int64{d, e}
			w := float64(n) * prob(z)
			if w < 20 {
				continue
			}
			diff := float64(seen[z]) - w
			chi, cells = chi+diff*diff/w, cells+1
			have, want = have-float64(seen[z]), want-w
		}
	}
	chi += (have - want) * (have - want) / math.Max(want, 1)
	return cells > 20 && chi < distuv.ChiSquared{K: cells}.Quantile(1-falseAlarm)
}

func TestStaircaseFitsItsLaw(t *testing.T) {
	for i, s := range []sample.Staircase{{20, 6, 2, 1}, {7, 2, 5, 2}, {3, 3, 1, 2}, {1, 1, 1, 1}} {
		src := source(byte(40 + i))
		if !fits(draws, func() int64 { return s.Draw(src) }, s.LogProb) {
			t.Errorf("%+v does not fit", s)
		}
		if wrong := (sample.Staircase{Period: s.Period, Low: s.Low, Num: 11 * s.Num, Den: 10 * s.Den}); fits(draws,
			func() int64 { return wrong.Draw(src) }, s.LogProb) {
			t.Errorf("%+v: the mutant with ε 10 %% too large passes", s)
		}
		if s.Low < s.Period {
			wrong := sample.Staircase{Period: s.Period, Low: s.Low + 1, Num: s.Num, Den: s.Den}
			if fits(draws, func() int64 { return wrong.Draw(src) }, s.LogProb) {
				t.Errorf("%+v: the mutant with a wider step passes", s)
			}
		}
		sum, square := 0.0, 0.0
		for z := int64(-4000); z <= 4000; z++ {
			p := math.Exp(s.LogProb(z))
			sum, square = sum+p, square+p*float64(z*z)
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(square/s.Variance()-1) > 1e-9 {
			t.Errorf("%+v: mass %v, variance %v for %v", s, sum, square, s.Variance())
		}
		for _, z := range []int64{-30, -3, 0, 1, 2, 5, 19, 20, 26, 27} {
			tail := 0.0
			for y := z; y <= 4000; y++ {
				tail += math.Exp(s.LogProb(y))
			}
			if got := math.Exp(s.LogTail(z)); math.Abs(got-tail) > 1e-12 {
				t.Errorf("%+v: P(Z ≥ %d) = %v for %v", s, z, got, tail)
			}
		}
	}
}

// The note's golden variance, and two-sided geometric noise beside it.
func TestStaircaseVariance(t *testing.T) {
	if got := (sample.Staircase{Period: 20, Low: 6, Num: 2, Den: 1}).Variance(); math.Abs(got-170.590406564048) > 1e-9 {
		t.Error(got)
	}
	if g, err := sample.NewTwoSidedGeometric(2, 20); err != nil || math.Abs(g.Variance()-199.83341663360946) > 1e-9 {
		t.Errorf("geometric noise beside it: %v, %v", g.Variance(), err)
	}
	if got := (sample.TwoSidedGeometric{Num: 2, Den: 20}).Variance(); math.Abs(got-199.83341663360946) > 1e-9 {
		t.Error(got)
	}
	// below geometric by 0, 1, 4, 15, 31, 63 % at ε .1, .5, 1, 2, 3, 5, in the limit of fine lattices
	for eps, want := range map[uint64]float64{1: 0, 5: .01, 10: .04, 20: .15, 30: .31, 50: .63} {
		const k = 1 << 16
		s := sample.Staircase{Period: k, Low: sample.BestLow(k, float64(eps)/10), Num: eps, Den: 10}
		saved := 1 - s.Variance()/sample.TwoSidedGeometric{Num: eps, Den: 10 * k}.Variance()
		if math.Abs(saved-want) > .01 {
			t.Errorf("ε = %v/10: saves %.3f for %.2f", eps, saved, want)
		}
	}
}

func norm(d, e int64, m uint64) *big.Rat {
	num, den := sample.ParabolaNorm(d, e, m)
	if den.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(num, den)
}

// The note's golden norms, and: every difference of records has norm at most 1, attained on both parts of the hull.
func TestParabolaNorm(t *testing.T) {
	for z, want := range map[[2]int64]string{{1, 0}: "1/8", {0, 1}: "1/16", {8, 0}: "1", {4, 16}: "1", {5, 9}: "25/31",
		{6, 12}: "1", {-3, 7}: "9/17"} {
		if got := norm(z[0], z[1], 4).RatString(); got != want {
			t.Errorf("‖%v‖ = %s for %s", z, got, want)
		}
	}
	for _, m := range []int64{1, 2, 3, 7, 12} {
		one, reached := big.NewRat(1, 1), 0
		for k := -m; k <= m; k++ {
			for j := -m; j <= m; j++ {
				switch norm(k-j, k*k-j*j, uint64(m)).Cmp(one) {
				case 1:
					t.Errorf("M = %d: records %d and %d are farther than 1 apart", m, k, j)
				case 0:
					reached++
				}
			}
		}
		if reached < 2 {
			t.Errorf("M = %d: no two records are 1 apart", m)
		}
	}
}

// The norm obeys the triangle inequality, which the privacy of the noise rests on.
func TestParabolaNormIsANorm(t *testing.T) {
	for _, m := range []uint64{1, 2, 3, 5} {
		var list [][2]int64
		for d := int64(-5); d <= 5; d++ {
			for e := int64(-12); e <= 12; e++ {
				list = append(list, [2]int64{d, e})
			}
		}
		for _, x := range list {
			for _, y := range list {
				both := new(big.Rat).Add(norm(x[0], x[1], m), norm(y[0], y[1], m))
				if norm(x[0]+y[0], x[1]+y[1], m).Cmp(both) > 0 {
					t.Fatalf("M = %d: ‖%v + %v‖ above the sum", m, x, y)
				}
			}
		}
	}
}

func TestParabolaFitsItsLaw(t *testing.T) {
	for i, p := range []sample.Parabola{{2, 1, 1}, {3, 3, 2}, {1, 1, 1}} {
		law := func(p sample.Parabola) func(z [2]int64) float64 {
			weight := func(z [2]int64) float64 {
				v, _ := norm(z[0], z[1], p.M).Float64()
				return math.Exp(-float64(p.Num) / float64(p.Den) * v)
			}
			total := 0.0
			for d := int64(-150); d <= 150; d++ {
				for e := int64(-450); e <= 450; e++ {
					total += weight([2]int64{d, e})
				}
			}
			return func(z [2]int64) float64 { return weight(z) / total }
		}
		src := source(byte(50 + i))
		draw := func(p sample.Parabola) func() [2]int64 {
			return func() [2]int64 { d, e := p.Draw(src); return [2]int64{d, e} }
		}
		if !fitsPairs(draws, draw(p), law(p), 12) {
			t.Errorf("%+v does not fit", p)
		}
		wrong := sample.Parabola{M: p.M, Num: 11 * p.Num, Den: 10 * p.Den}
		if fitsPairs(draws, draw(wrong), law(p), 12) {
			t.Errorf("%+v: the mutant with ε 10 %% too large passes", p)
		}
		unthinned := func() [2]int64 {
			return [2]int64{sample.TwoSidedGeometric{Num: 4 * p.Num, Den: 9 * p.M * p.Den}.Draw(src),
				sample.TwoSidedGeometric{Num: 4 * p.Num, Den: 9 * p.M * p.M * p.Den}.Draw(src)}
		}
		if fitsPairs(draws, unthinned, law(p), 12) {
			t.Errorf("%+v: proposals that are all kept pass", p)
		}
	}
}

// The variances of the note: (11.76, 3.50)/ε² in units of M and M², on a fine lattice.
func TestParabolaVariances(t *testing.T) {
	p, src := sample.Parabola{M: 2000, Num: 1, Den: 1}, source(60)
	var a, b float64
	const n = 60_000
	for range n {
		d, e := p.Draw(src)
		x, y := float64(d)/2000, float64(e)/4e6
		a, b = a+x*x/n, b+y*y/n
	}
	// excess kurtosis of about 3 and 3: standard errors of 1 %
	if math.Abs(a/11.76-1) > .065 || math.Abs(b/3.50-1) > .065 {
		t.Errorf("variances %.3f and %.3f for 11.76 and 3.50", a, b)
	}
}

func TestCubeFitsItsLaw(t *testing.T) {
	c, src := sample.Cube{Dim: 2, Num: 1, Den: 2}, source(61)
	draw := func(c sample.Cube, src rand.Source) func() [2]int64 {
		return func() (z [2]int64) { c.Draw(src, z[:]); return z }
	}
	law := func(z [2]int64) float64 { return math.Exp(c.LogProb(z[:])) }
	if !fitsPairs(draws, draw(c, src), law, 12) {
		t.Error("the cube does not fit")
	}
	if fitsPairs(draws, draw(sample.Cube{Dim: 2, Num: 11, Den: 20}, src), law, 12) {
		t.Error("the mutant with a rate 10 % too large passes")
	}
	unthinned := func() (z [2]int64) { // the radius as a sum of geometric numbers, all kept
		m := int64(0)
		for range 3 {
			for sample.BernoulliExp(src, 1, 2) {
				m++
			}
		}
		for i := range z {
			z[i] = int64(sample.Uniform(src, uint64(2*m+1))) - m
		}
		return z
	}
	if fitsPairs(draws, unthinned, law, 12) {
		t.Error("a radius that is not thinned passes")
	}
}

// The note's golden second moment, and the limit (d+1)(d+2)/(3g²) of fine lattices.
func TestCubeVariance(t *testing.T) {
	if got := (sample.Cube{Dim: 3, Num: 1, Den: 2}).Variance(); math.Abs(got-26.585240017099622) > 1e-9 {
		t.Error(got)
	}
	for _, d := range []int{1, 2, 8, 100} {
		const den = 1 << 22
		want := float64((d+1)*(d+2)) / 3 * den * den
		if got := (sample.Cube{Dim: d, Num: 1, Den: den}).Variance(); math.Abs(got/want-1) > 1e-5 {
			t.Errorf("d = %d: %v for %v", d, got, want)
		}
	}
	mass := 0.0
	c := sample.Cube{Dim: 2, Num: 2, Den: 1}
	for x := int64(-30); x <= 30; x++ {
		for y := int64(-30); y <= 30; y++ {
			mass += math.Exp(c.LogProb([]int64{x, y}))
		}
	}
	if math.Abs(mass-1) > 1e-12 {
		t.Errorf("mass %v", mass)
	}
}

func TestRefusedNoiseOnSums(t *testing.T) {
	for name, err := range map[string]error{
		"period 0":          second(sample.NewStaircase(0, 1, 1, 1)),
		"low 0":             second(sample.NewStaircase(4, 0, 1, 1)),
		"low above period":  second(sample.NewStaircase(4, 5, 1, 1)),
		"tiny ε":            second(sample.NewStaircase(4, 2, 1, 1<<20)),
		"M 0":               second(sample.NewParabola(0, 1, 1)),
		"M too large":       second(sample.NewParabola(1<<16, 1, 1)),
		"ε with a long den": second(sample.NewParabola(1<<15, 1, 1<<20)),
		"d 0":               second(sample.NewCube(0, 1, 1)),
		"d too large":       second(sample.NewCube(257, 1, 1)),
		"rate 0":            second(sample.NewCube(2, 0, 1)),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
