package structure

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// zeroInstance is a tree of three binary columns with zeros.
func zeroInstance(t *testing.T, zeros []model.Zeros) *smallInstance {
	t.Helper()
	x := rational(3, 1)
	q := &problem{noise: geometric, target: dp.PureDP(1), levels: []int{2, 2, 2}, pairs: [][2]int{{0, 1}, {0, 2}, {1, 2}},
		set: model.Tree().Settings(), n: 2, rows: 1, publicN: true, zeros: zeros}
	out, err := newSmallInstance(q, params{Columns: []noise.Rational{rational(1, 10), rational(1, 10), rational(1, 10)},
		Phases: []phase{{Rounds: 2, Choose: &x, Noise: rational(1, 10)}}}, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The whole release of a small tree keeps its ε with structural zeros, over data that have such records, too. Zeros
// that are found in the data, combinations that nobody has of levels that somebody has, break it: neighbours then
// choose by other tables M.
func TestZerosKeepTheGuarantee(t *testing.T) {
	bound := 3*.1 + 2*4*3 + 2*2*.1
	zeros := []model.Zeros{{Columns: []int{0, 1}, Forbidden: []bool{false, false, false, true}},
		{Columns: []int{0, 1, 2}, Forbidden: []bool{false, true, false, false, false, false, false, false}}}
	got, pairs, err := zeroInstance(t, zeros).epsilon(t.Context(), .1)
	if err != nil || got > bound || got < bound/2 || pairs != 448 {
		t.Errorf("ε = %v of at most %v, %d pairs, %v", got, bound, pairs, err)
	}
	worst, laws := 0.0, map[string][]path{}
	found := func(x []int) []path {
		key, records := fmt.Sprint(x), recordsOf(x)
		if l, ok := laws[key]; ok {
			return l
		}
		var zeros []model.Zeros
		for _, p := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
			z := model.Zeros{Columns: p[:], Forbidden: []bool{true, true, true, true}}
			for _, r := range records {
				z.Forbidden[r>>(2-p[0])&1*2+r>>(2-p[1])&1] = false
			}
			rows := [2]bool{z.Forbidden[0] && z.Forbidden[1], z.Forbidden[2] && z.Forbidden[3]}
			columns := [2]bool{z.Forbidden[0] && z.Forbidden[2], z.Forbidden[1] && z.Forbidden[3]}
			for c := range z.Forbidden { // levels that nobody has are none of its business
				z.Forbidden[c] = z.Forbidden[c] && !rows[c/2] && !columns[c%2]
			}
			zeros = append(zeros, z)
		}
		laws[key] = must.Get(zeroInstance(t, zeros).outputs(t.Context(), records))(t)
		return laws[key]
	}
	for x, y := range (finite.Space{Cells: 8, N: 2}).Neighbours() {
		worst = math.Max(worst, ratio(found(x), found(y), .1))
	}
	if worst <= bound {
		t.Errorf("zeros found in the data: ε = %v; %v is claimed", worst, bound)
	}
}
