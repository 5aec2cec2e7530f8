package structure

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Cells are topped up as by sorting them: the largest remainders first, and among equal ones the smaller index.
func TestTopUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rest := rapid.SliceOfN(rapid.Uint64Range(0, 12), 1, 40).Draw(t, "rest")
		left := rapid.Int64Range(0, 100).Draw(t, "left")
		order := make([]int, len(rest))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(rest[b]) - int(rest[a]) })
		want := make([]int64, len(rest))
		for k := range left {
			want[order[int(k)%len(order)]]++
		}
		if got := topUp(make([]int64, len(rest)), slices.Clone(rest), nil, left); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, %d left: %v; want %v", rest, left, got, want)
		}
	})
}

// The mean deviation of a Poisson number is that of its definition, from the list and by the series.
func TestMeanDeviation(t *testing.T) {
	for _, m := range []int64{1, 2, 7, 100, 255, 256, 257, 1000, 40_000} {
		x, sum := float64(m), 0.0
		for k := math.Max(0, math.Floor(x-40*math.Sqrt(x))); k <= x+40*math.Sqrt(x)+40; k++ {
			lg, _ := math.Lgamma(k + 1)
			sum += math.Abs(k-x) * math.Exp(k*math.Log(x)-x-lg)
		}
		if got := meanDeviation(m); math.Abs(got/sum-1) > 1e-9 {
			t.Errorf("m = %d: %v; want %v", m, got, sum)
		}
	}
}

// A table of many columns is scored again after several rounds only; none of the pairs measured since is a candidate,
// and a file goes through the same rounds.
func TestRoundsBetweenFits(t *testing.T) {
	for d, want := range map[int]int{2: 1, 29: 1, 30: 2, 37: 2, 100: 6} {
		q := &problem{levels: make([]int, d)}
		for a := range d {
			for b := a + 1; b < d; b++ {
				q.pairs = append(q.pairs, [2]int{a, b})
			}
		}
		if got := q.batch(); got != want {
			t.Errorf("%d columns: a fit after %d rounds; want %d", d, got, want)
		}
		q.pairs = q.pairs[:1]
		if got := q.batch(); got != 1 {
			t.Errorf("%d columns, one pair: a fit after %d rounds", d, got)
		}
	}
}
