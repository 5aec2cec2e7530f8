package sample_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
)

func sumZero(t testing.TB, d int, num, den uint64) sample.SumZero {
	t.Helper()
	return must.Get(sample.NewSumZero(d, num, den))(t)
}

// box enumerates the z of sum zero with all |z_i| ≤ r.
func box(d, r int, visit func([]int64)) {
	z := make([]int64, d)
	var walk func(i int, left int64)
	walk = func(i int, left int64) {
		if i == d-1 {
			if left >= int64(-r) && left <= int64(r) {
				z[i] = left
				visit(z)
			}
			return
		}
		for v := int64(-r); v <= int64(r); v++ {
			z[i] = v
			walk(i+1, left-v)
		}
	}
	walk(0, 0)
}

// Draws against the enumerated law; the mutant that keeps every proposal, and a rate 5 % off, are rejected.
func TestSumZeroFitsItsLaw(t *testing.T) {
	for i, c := range []struct {
		d, r     int
		num, den uint64
	}{{2, 60, 1, 3}, {3, 30, 1, 2}, {5, 8, 1, 1}, {2, 3, 5, 1}} {
		s := sumZero(t, c.d, c.num, c.den)
		index, logs := map[string]int{}, []float64{}
		norm := s.LogNorm()
		box(c.d, c.r, func(z []int64) {
			index[fmt.Sprint(z)] = len(logs)
			logs = append(logs, s.LogWeight(z)-norm)
		})
		outside := len(logs) // one cell for the rest
		inside := 0.0
		for _, l := range logs {
			inside += math.Exp(l)
		}
		logs = append(logs, math.Log(math.Max(1-inside, 1e-300)))
		collect := func(draw func([]int64)) []int {
			z := make([]int64, c.d)
			return tally(len(logs), func() int {
				draw(z)
				if at, ok := index[fmt.Sprint(z)]; ok {
					return at
				}
				return outside
			})
		}
		src := source(byte(i))
		seen := collect(func(z []int64) {
			must.Do(t, s.Draw(src, z))
		})
		if !agrees(seen, func(i int) float64 { return logs[i] }) {
			t.Errorf("%+v does not fit", c)
		}
		cell := sample.TwoSidedGeometric{Num: c.num, Den: c.den}
		unkept := collect(func(z []int64) {
			sum := int64(0)
			for i := range z[1:] {
				z[i] = cell.Draw(src)
				sum += z[i]
			}
			z[c.d-1] = -sum
		})
		if agrees(unkept, func(i int) float64 { return logs[i] }) {
			t.Errorf("%+v: proposals that are all kept pass", c)
		}
		if c.num < 5 && agrees(seen, func(i int) float64 { return 0.95 * logs[i] }) {
			t.Errorf("%+v: a rate 5 %% off passes", c)
		}
	}
}

// Normaliser, marginal, half-norm law and mean against enumeration, where the box holds all but 1e-13.
func TestSumZeroLaws(t *testing.T) {
	for _, c := range []struct {
		d, r     int
		num, den uint64
	}{{2, 200, 1, 5}, {3, 100, 1, 2}, {4, 30, 3, 2}, {5, 12, 3, 1}} {
		s := sumZero(t, c.d, c.num, c.den)
		norm, mean, marginal := 0.0, 0.0, map[int64]float64{}
		box(c.d, c.r, func(z []int64) {
			w := math.Exp(s.LogWeight(z))
			norm, mean = norm+w, mean+w*math.Abs(float64(z[0]))
			marginal[z[0]] += w
		})
		near := func(name string, got, want float64) {
			if math.Abs(got/want-1) > 1e-12 {
				t.Errorf("%+v: %s = %v, enumerated %v", c, name, got, want)
			}
		}
		near("norm", math.Exp(s.LogNorm()), norm)
		near("E|Z|", s.MeanAbsolute(), mean/norm)
		for z := int64(-3); z <= 3; z++ {
			near("marginal", s.Marginal(z), marginal[z]/norm)
		}
	}
}

// For every size the law of one cell adds up to one and has the mean of MeanAbsolute.
func TestSumZeroLawAddsUp(t *testing.T) {
	for _, c := range []struct {
		d        int
		num, den uint64
	}{{2, 1, 2000}, {10, 1, 100}, {100, 1, 4}, {1000, 1, 2}, {300, 5, 1},
		{50, 1, 50}} {
		s := sumZero(t, c.d, c.num, c.den)
		e := s.MeanAbsolute()
		mass, mean := s.Marginal(0), 0.0
		for z := int64(1); float64(z) < 45/s.Rate()+2; z++ {
			p := s.Marginal(z)
			mass, mean = mass+2*p, mean+2*p*float64(z)
		}
		if math.Abs(mass-1) > 1e-10 || math.Abs(mean/e-1) > 1e-10 {
			t.Errorf("%+v: marginal: mass %v, mean %v, want 1, %v", c, mass, mean, e)
		}
	}
}

// The ends of the range stay finite, and the law of two cells is the two-sided geometric at 2γ.
func TestSumZeroExtremes(t *testing.T) {
	for _, d := range []int{1, 2, 3, 100, 10_000} {
		for _, rate := range [][2]uint64{{1, 2_000_000}, {1, 1}, {25, 1}, {1000, 1}} {
			s := sumZero(t, d, rate[0], rate[1])
			for name, v := range map[string]float64{"norm": s.LogNorm(), "mean": s.MeanAbsolute(),
				"marginal": s.Marginal(3)} {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < -1e-12 {
					t.Errorf("d = %d, rate %v: %s = %v", d, rate, name, v)
				}
			}
		}
	}
	two, g := sumZero(t, 2, 1, 7), sample.TwoSidedGeometric{Num: 2, Den: 7}
	for z := int64(-40); z <= 40; z++ {
		if math.Abs(two.Marginal(z)/math.Exp(g.LogProb(z))-1) > 1e-13 {
			t.Errorf("marginal at %d", z)
		}
	}
	// exp(−γ|z_d|) whose numerator passes one word.
	far, out := sumZero(t, 3, 1<<53-1, 1<<40), make([]int64, 3)
	if err := far.Draw(source(1), out); err != nil || out[0]+out[1]+out[2] != 0 {
		t.Error(out, err)
	}
}

func TestSumZeroRefuses(t *testing.T) {
	var pe *domain.Error
	for _, d := range []int{0, -1, 1<<20 + 1} {
		if _, err := sample.NewSumZero(d, 1, 1); !errors.As(err, &pe) {
			t.Errorf("d = %d: %v", d, err)
		}
	}
	if _, err := sample.NewSumZero(3, 0, 1); !errors.As(err, &pe) {
		t.Error(err)
	}
	s := sumZero(t, 3, 1, 1)
	if err := s.Draw(source(1), make([]int64, 2)); !errors.As(err, &pe) {
		t.Error(err)
	}
	if !math.IsInf(s.LogWeight([]int64{1, 0, 0}), -1) {
		t.Error("off the support")
	}
}

func BenchmarkSumZero(b *testing.B) {
	for _, d := range []int{2, 10, 100, 1000} {
		s := sumZero(b, d, 1, 4)
		b.Run(fmt.Sprint("d=", d), func(b *testing.B) {
			src, out := source(1), make([]int64, d)
			for b.Loop() {
				_ = s.Draw(src, out)
			}
		})
	}
}
