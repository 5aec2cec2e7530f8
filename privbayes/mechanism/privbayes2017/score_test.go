package privbayes2017

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Scores by hand.
func TestScores(t *testing.T) {
	for _, c := range []struct {
		score  model.ParentScore
		table  []int64
		levels int
		want   int64
	}{
		{model.ByInformation, []int64{2, 0, 0, 2}, 2, 4 * informationSteps}, // one bit, four records
		{model.ByInformation, []int64{1, 1, 1, 1}, 2, 0},
		{model.ByInformation, []int64{3, 1, 1, 3}, 2, int64(math.Round(8 * informationSteps * (1 - .8112781244591328)))},
		{model.ByDistance, []int64{2, 0, 0, 2}, 2, 16}, // ½·1·2n²
		{model.ByDistance, []int64{1, 2, 3, 2, 4, 6}, 3, 0},
		{model.ByMaximum, []int64{2, 0, 0, 2}, 2, 0},
		{model.ByMaximum, []int64{1, 1, 1, 1}, 2, -4},
		{model.ByMaximum, []int64{3, 0, 1, 0}, 2, -4}, // n in one level: K₁ = 0
		{model.ByMaximum, []int64{2, 1, 0, 1, 1, 0}, 2, -3},
	} {
		if got := scoreOf(c.score, c.table, c.levels); got != c.want {
			t.Errorf("%s %v: %d, want %d", c.score, c.table, got, c.want)
		}
	}
}

// The assignments of the score F by brute force.
func TestMaximumByBruteForce(t *testing.T) {
	for h := range finite.Histograms(6, 4) {
		x := finite.Counts(h)
		least := int64(math.MaxInt64)
		for s := range 8 {
			k := [2]int64{}
			for i := range 3 {
				side := s >> i & 1
				k[side] += x[2*i+side]
			}
			least = min(least, max(0, 4-2*k[0])+max(0, 4-2*k[1]))
		}
		if got := maximum(x); got != -least {
			t.Errorf("%v: %d, want %d", x, got, -least)
		}
	}
}

// What the paper prints, by enumeration: the sensitivities of I and F hold and are attained, for I with three levels at
// odd n; that of R holds, and is never attained. With two levels it is what is proved.
func TestPrintedSensitivities(t *testing.T) {
	for _, c := range []struct {
		score           model.ParentScore
		parents, levels int
		n               []int
		of              []float64 // of what is printed, without what rounding adds
	}{
		{model.ByInformation, 2, 2, []int{2, 3, 5, 8}, []float64{1, 1, 1, 1}},
		{model.ByInformation, 2, 3, []int{3, 4, 5}, []float64{1, 1, 1}}, // of the lemma for a side of two levels
		{model.ByInformation, 3, 3, []int{2, 3, 4, 5}, []float64{.7260, 1, .9793, 1}},
		{model.ByDistance, 2, 2, []int{2, 3, 5, 8}, []float64{4. / 16, 8. / 22, 16. / 34, 28. / 52}},
		{model.ByDistance, 3, 3, []int{3, 4, 5}, []float64{8. / 22, 14. / 28, 18. / 34}},
		{model.ByMaximum, 2, 2, []int{2, 3, 5, 8}, []float64{1, 1, 1, 1}},
		{model.ByMaximum, 4, 2, []int{4}, []float64{1}},
	} {
		for i, n := range c.n {
			k := must.Get(movesChecker.Check(t.Context(), cert.Check{}, movesParams{c.score, c.parents, c.levels, n}))(t)
			two := c.parents == 2 || c.levels == 2
			bound := printed(c.score, float64(n), two)
			if float64(k.Value) > bound {
				t.Errorf("%s of %d × %d, n = %d: moves by %v, printed %v", c.score, c.parents, c.levels, n, k.Value, bound)
			}
			if c.score == model.ByInformation {
				bound -= 1 + slop(float64(n))
			}
			if share := float64(k.Value) / bound; math.Abs(share-c.of[i]) > 2e-3 {
				t.Errorf("%s of %d × %d, n = %d: %.4f of what is printed, want %.4f", c.score, c.parents, c.levels, n, share,
					c.of[i])
			}
			if c.score == model.ByDistance && two && float64(k.Value) != moves(c.score, float64(n), true) {
				t.Errorf("n = %d: R moves by %v, %v is proved and attained", n, k.Value, moves(c.score, float64(n), true))
			}
		}
	}
}

// Useful sets are the largest that stay below a number of states.
func TestUsefulSets(t *testing.T) {
	l := layout{levels: []int{2, 3, 2, 5, 4}}
	for _, most := range []float64{.5, 1, 2, 6, 12, 30, 240, 1000} {
		v, want := []int{0, 1, 2, 4}, map[string]bool{}
		for s := range 16 {
			set, rest := []int{}, []int{}
			for i, c := range v {
				if s>>i&1 == 1 {
					set = append(set, c)
				} else {
					rest = append(rest, c)
				}
			}
			largest := l.states(set) <= most
			for _, c := range rest {
				largest = largest && l.states(set)*float64(l.levels[c]) > most
			}
			if largest {
				want[fmt.Sprint(set)] = true
			}
		}
		got := l.useful(v, most)
		for _, s := range got {
			if !want[fmt.Sprint(s)] {
				t.Errorf("most %v: %v", most, s)
			}
		}
		if len(got) != len(want) {
			t.Errorf("most %v: %d sets, want %d", most, len(got), len(want))
		}
	}
	if s := subsets([]int{1, 4, 7}, 2); fmt.Sprint(s) != "[[1 4] [1 7] [4 7]]" {
		t.Error(s)
	}
}

// A margin sums up and lays out anew.
func TestMargin(t *testing.T) {
	levels := []int{2, 3, 2}
	var x []int64
	for i := range 12 {
		x = append(x, int64(i*i+1))
	}
	at := func(a, b, c int) int64 { return x[6*a+2*b+c] }
	var want []int64
	for c := range 2 {
		for a := range 2 {
			want = append(want, at(a, 0, c)+at(a, 1, c)+at(a, 2, c))
		}
	}
	if got := margin(x, []int{0, 1, 2}, []int{2, 0}, levels); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
