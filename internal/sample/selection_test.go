package sample_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// permuteAndFlip is the law by its process, over all orders: the first candidate whose coin falls.
func permuteAndFlip(a []float64, left []int) []float64 {
	out := make([]float64, len(a))
	for k, i := range left {
		share := 1 / float64(len(left))
		out[i] += share * a[i]
		rest := append(append([]int{}, left[:k]...), left[k+1:]...)
		for j, p := range permuteAndFlip(a, rest) {
			out[j] += share * (1 - a[i]) * p
		}
	}
	return out
}

func TestSelectionLaws(t *testing.T) {
	for _, scores := range [][]int64{{3}, {0, 0}, {2, 5, 4}, {-7, 1, 0, 1, -2}, {0, 40, 1}} {
		for _, flip := range []bool{false, true} {
			s := sample.Selection{Num: 3, Den: 8, Flip: flip}
			a, all, total := make([]float64, len(scores)), make([]int, len(scores)), 0.0
			top := int64(math.MinInt64)
			for i, v := range scores {
				top, all[i] = max(top, v), i
			}
			for i, v := range scores {
				a[i] = math.Exp(-s.Rate() * float64(top-v))
				total += a[i]
			}
			want := permuteAndFlip(a, all)
			for i, lp := range s.LogProbs(scores) {
				if !flip {
					want[i] = a[i] / total
				}
				if math.Abs(math.Exp(lp)-want[i]) > 1e-13 || math.Abs(lp-math.Log(want[i])) > 1e-9 {
					t.Errorf("%v flip %v: P(%d) = %v, want %v", scores, flip, i, math.Exp(lp), want[i])
				}
			}
		}
	}
}

// 200,000 draws against the law, beyond 6.5 standard errors once in 1e10; at twice the rate the same test fails.
func TestSelectionDraws(t *testing.T) {
	scores, draws := []int64{4, 0, 7, 6}, 200_000
	off := func(drawn, stated sample.Selection) (worst float64) {
		src, seen := dp.Seeded(7), make([]float64, len(scores))
		for range draws {
			seen[drawn.Draw(src, scores)]++
		}
		for i, lp := range stated.LogProbs(scores) {
			p := math.Exp(lp)
			worst = max(worst, math.Abs(seen[i]-p*float64(draws))/math.Sqrt(p*(1-p)*float64(draws)))
		}
		return worst
	}
	for _, flip := range []bool{false, true} {
		right, double := sample.Selection{Num: 1, Den: 4, Flip: flip}, sample.Selection{Num: 1, Den: 2, Flip: flip}
		if z := off(right, right); z > 6.5 {
			t.Errorf("flip %v: %v standard errors", flip, z)
		}
		if z := off(double, right); z < 20 {
			t.Errorf("flip %v: a draw at twice the rate passes: %v standard errors", flip, z)
		}
		if z := off(sample.Selection{Num: 1, Den: 4, Flip: !flip}, right); z < 20 {
			t.Errorf("flip %v: the other law passes: %v standard errors", flip, z)
		}
	}
}

// Among some, the law is that of those alone, also where the best may not be chosen: 200,000 draws, as above. The
// mutant draws anew when it meets one that may not be: right for the exponential mechanism, and far off for
// permute-and-flip.
func TestSelectionAmong(t *testing.T) {
	scores, draws := []int64{4, 9, 7, 6}, 200_000
	may := func(i int) bool { return i != 1 }
	off := func(law sample.Selection, draw func(src rand.Source) int) (worst float64) {
		src, seen := dp.Seeded(3), map[int]float64{}
		for range draws {
			seen[draw(src)]++
		}
		for k, lp := range law.LogProbs([]int64{4, 7, 6}) {
			p := math.Exp(lp)
			worst = max(worst, math.Abs(seen[[]int{0, 2, 3}[k]]-p*float64(draws))/math.Sqrt(p*(1-p)*float64(draws)))
		}
		return worst
	}
	for _, flip := range []bool{false, true} {
		s := sample.Selection{Num: 1, Den: 2, Flip: flip}
		if z := off(s, func(src rand.Source) int { return s.DrawAmong(src, scores, may) }); z > 6.5 {
			t.Errorf("flip %v: %v standard errors", flip, z)
		}
		again := off(s, func(src rand.Source) int {
			for {
				if i := s.Draw(src, scores); may(i) {
					return i
				}
			}
		})
		if flip != (again > 20) {
			t.Errorf("flip %v: drawing anew is %v standard errors off", flip, again)
		}
	}
	if (sample.Selection{Num: 1, Den: 2}).DrawAmong(dp.Seeded(1), scores, func(int) bool { return false }) != -1 {
		t.Error("a choice of what may not be")
	}
}

// Gaps beyond a word are two coins; a best candidate is always there to be chosen.
func TestSelectionOfWideScores(t *testing.T) {
	src := dp.Seeded(1)
	for _, flip := range []bool{false, true} {
		s, err := sample.NewSelection(1<<40, 3, flip)
		if got := s.Draw(src, []int64{math.MinInt64, math.MaxInt64, 0}); err != nil || got != 1 {
			t.Error(got, err)
		}
		if s.Draw(src, nil) != -1 || len(s.LogProbs(nil)) != 0 {
			t.Error("a choice of nothing")
		}
	}
	var bad *dp.ParameterError
	if _, err := sample.NewSelection(0, 1, false); !errors.As(err, &bad) {
		t.Error(err)
	}
}

func BenchmarkSelection(b *testing.B) {
	src, scores := dp.Seeded(1), make([]int64, 4950)
	for i := range scores {
		scores[i] = int64(i % 1000)
	}
	s := sample.Selection{Num: 1, Den: 1000}
	for b.Loop() {
		s.Draw(src, scores)
	}
}
