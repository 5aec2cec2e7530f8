package bayesnet

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func exact(t *testing.T, n *Net, records int, seed uint64) [][]uint16 {
	t.Helper()
	out := make([][]uint16, n.DAG().Len())
	for i := range out {
		out[i] = make([]uint16, records)
	}
	must.Do(t, n.ExactCounts(records, rand.NewPCG(seed, 9), out))
	return out
}

// Within every parent configuration of m records each state has m·P rounded down or up; records of independent draws do
// not, as the same check of Sample shows.
func TestDealIsExact(t *testing.T) {
	far := func(n *Net, out [][]uint16) (most float64) {
		d := n.DAG()
		for i := range d.Len() {
			counts := make([]float64, len(n.Table(i)))
			for r := range out[i] {
				cell := 0
				for _, p := range d.Parents(i) {
					cell = cell*d.Arity(p) + int(out[p][r])
				}
				counts[cell*d.Arity(i)+int(out[i][r])]++
			}
			for row := 0; row < len(counts); row += d.Arity(i) {
				m := 0.0
				for _, c := range counts[row : row+d.Arity(i)] {
					m += c
				}
				for s, c := range counts[row : row+d.Arity(i)] {
					most = math.Max(most, math.Abs(c-m*n.Prob(i, row/d.Arity(i))[s]))
				}
			}
		}
		return most
	}
	for _, records := range []int{0, 1, 7, 500, 5000} {
		if most := far(Asia(), exact(t, Asia(), records, uint64(records))); most >= 1+1e-9 {
			t.Errorf("of %d records a count is off by %v; want less than 1", records, most)
		}
	}
	out := make([][]uint16, Asia().DAG().Len())
	for i := range out {
		out[i] = make([]uint16, 5000)
	}
	must.Do(t, Asia().Sample(5000, rand.NewPCG(1, 1), out))
	if most := far(Asia(), out); most < 1 {
		t.Errorf("independent records are off by %v only", most)
	}
}

// Rounding is fair: the mean count over many sets is m·P. With a fixed seed; 20,000 sets of one record, a deviation of
// 6.5 standard errors has probability 8e-11.
func TestDealIsFair(t *testing.T) {
	const sets = 20000
	n, tub := Asia(), 0.0
	for k := range sets {
		out := exact(t, n, 1, uint64(k))
		if out[4][0] == 0 { // bronchitis
			tub++
		}
	}
	if dev := math.Abs(tub/sets-0.45) / math.Sqrt(.45*.55/sets); dev > 6.5 {
		t.Errorf("P(bronchitis) = %v in sets of one record; want 0.45", tub/sets)
	}
}

// Two children of one parent are independent given it: records are dealt in an order of their own for each. With a
// fixed seed; a deviation of 6.5 standard deviations has probability 8e-11.
func TestDealtChildrenAreIndependent(t *testing.T) {
	const records = 4000
	n, equal, smokers := Asia(), 0.0, 0.0
	out := exact(t, n, records, 3)
	for r := range records {
		if out[2][r] == 0 { // lung cancer .1 and bronchitis .6 of smokers
			smokers++
			if out[3][r] == out[4][r] {
				equal++
			}
		}
	}
	want := .1*.6 + .9*.4
	if dev := math.Abs(equal-smokers*want) / math.Sqrt(smokers*want*(1-want)); dev > 6.5 {
		t.Errorf("%v of %v smokers have equal states; want %v", equal, smokers, smokers*want)
	}
}

func TestDealRefusesAndRepeats(t *testing.T) {
	n := Asia()
	if !slices.EqualFunc(exact(t, n, 100, 4), exact(t, n, 100, 4), slices.Equal[[]uint16]) {
		t.Error("the same stream gives other records")
	}
	var e *Error
	if err := n.ExactCounts(1, rand.NewPCG(1, 1), nil); !errors.As(err, &e) {
		t.Errorf("%v; want an Error", err)
	}
	if err := n.ExactCounts(-1, rand.NewPCG(1, 1), make([][]uint16, 8)); !errors.As(err, &e) {
		t.Errorf("%v; want an Error", err)
	}
}
