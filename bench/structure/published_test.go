package main

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/papers/study/structure"
)

// The largest cell over all sums of a joint table of 2 × 3 × 2 cells, compared with sums written out.
func TestWorstCell(t *testing.T) {
	joint := []float64{.1, -.2, .05, .1, -.05, 0, .1, -.1, .02, -.02, .1, -.1}
	at := func(a, b, c int) float64 { return joint[a*6+b*2+c] }
	want := 0.0
	for mask := 1; mask < 8; mask++ {
		sums := map[[3]int]float64{}
		for a := range 2 {
			for b := range 3 {
				for c := range 2 {
					sums[[3]int{a * (mask & 1), b * (mask >> 1 & 1), c * (mask >> 2 & 1)}] += at(a, b, c)
				}
			}
		}
		for _, v := range sums {
			want = math.Max(want, math.Abs(v))
		}
	}
	got := worstCell(joint, []int{2, 3, 2})
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if full := slices.MaxFunc(joint, func(a, b float64) int { return int(1e6 * (math.Abs(a) - math.Abs(b))) }); math.Abs(
		math.Abs(full)-got) < 1e-12 {
		t.Error("the joint table alone has the same largest cell, so the case tells nothing")
	}
}

// Classes of ages end at the twentieths of the rows; a larger synthetic age has a class of its own, and one twentieth
// less is taken.
func TestAgeCuts(t *testing.T) {
	ages := make([]float64, 101)
	for i := range ages {
		ages[i] = float64(i)
	}
	for _, c := range []struct {
		largest float64
		n       int
		last    []float64
	}{{80, 21, []float64{95, 100}}, {100, 21, []float64{95, 100}}, {120, 21, []float64{95, 100, 120}}} {
		got := ageCuts(ages, c.largest)
		if len(got) != c.n || !slices.Equal(got[len(got)-len(c.last):], c.last) || got[0] != 0 {
			t.Errorf("%v: %v", c.largest, got)
		}
	}
	c := &structure.Coded{Names: []string{"age"}, Levels: []int{3}, Columns: [][]uint8{{0, 0, 0, 0}}, Rows: 4}
	out := recoded(c, 0, 3, []float64{0, 5, 5.5, 30}, []float64{0, 5, 30})
	if !slices.Equal(out.Columns[0], []uint8{0, 0, 1, 1}) { // the first class has its lower end, too
		t.Error(out.Columns[0])
	}
}

// The rows themselves have no error but, of the K-marginal, that of ages drawn from their bins; rows with another share
// of girls have that difference, in the largest cell and in pairs.
func TestPublishedCriteria(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 160,000 births")
	}
	t.Chdir("../..")
	b := must.Get(load("births"))(t)
	train := must.Get(structure.Code(b.Train))(t)
	if got := kWay(b, train, train); train.Rows != 160000 || len(train.Names) != 6 || got > 1e-12 {
		t.Errorf("%d rows, k-way %v", train.Rows, got)
	}
	moved, changed := *train, 0
	moved.Columns = slices.Clone(train.Columns)
	girls := slices.Clone(train.Columns[3])
	for r := range girls[:20000] {
		changed, girls[r] = changed+1-int(girls[r]), 1
	}
	moved.Columns[3] = girls
	if got, want := kWay(b, train, &moved), float64(changed)/160000; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	n := must.Get(load("national2019"))(t)
	people := must.Get(structure.Code(n.Train))(t)
	if got := must.Get(kMarginal(n, people, people))(t); !(got > 985 && got < 1000) {
		t.Errorf("K-marginal of the rows with ages in bins: %v", got)
	}
}
