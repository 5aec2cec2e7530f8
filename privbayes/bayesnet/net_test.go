package bayesnet_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// asiaWith is asia with one table replaced.
func asiaWith(t testing.TB, i int, table []float64) (*bayesnet.Net, error) {
	t.Helper()
	asia := bayesnet.Asia()
	cpts := make([][]float64, 8)
	for j := range cpts {
		cpts[j] = asia.Table(j)
	}
	cpts[i] = table
	return bayesnet.NewNet(asia.DAG(), cpts)
}

func TestNewNetRefuses(t *testing.T) {
	_, err := bayesnet.NewNet(bayesnet.Asia().DAG(), nil)
	wantError(t, err, "", 0, "0 tables; want 8")
	for _, c := range []struct {
		table []float64
		part  string
	}{
		{[]float64{1, 0}, "2 entries; want 4"},
		{[]float64{0.1, 0.9, 0.01, 0.98}, "sum 0.99 in row (smoke=no)"},
		{[]float64{0.1, 0.9, 0.01, 0.990002}, "in row (smoke=no); want rows that sum to 1 within 1e-06"},
		{[]float64{-0.1, 1.1, 0.01, 0.99}, "-0.1 in row (smoke=yes)"},
		{[]float64{0.1, 0.9, math.NaN(), 0.99}, "NaN in row (smoke=no)"},
		{[]float64{math.Inf(1), 0.9, 0.5, 0.5}, "+Inf in row"},
		{[]float64{0, 0, 0.5, 0.5}, "sum 0 in row"},
	} {
		_, err := asiaWith(t, 3, c.table)
		wantError(t, err, "lung", 0, "table", c.part)
	}
}

func TestNewNetNormalises(t *testing.T) {
	given := []float64{0.1, 0.9000009, 0.25, 0.75}
	net, err := asiaWith(t, 3, given)
	if err != nil {
		t.Fatal(err)
	}
	given[2] = 7 // the caller's slice is its own
	if row := net.Prob(3, 0); math.Abs(row[0]+row[1]-1) > 1e-15 || math.Abs(row[0]-0.1/1.0000009) > 1e-16 {
		t.Error(row)
	}
	if row := net.Prob(3, 1); !slices.Equal(row, []float64{0.25, 0.75}) {
		t.Error(row)
	}
	net.Prob(3, 1)[0], net.Table(3)[2] = 7, 7
	if net.Prob(3, 1)[0] != 0.25 || net.Parameters() != 18 {
		t.Error("a result reaches the network")
	}
}

// Normalising twice changes nothing: rows of any length, off by up to the tolerance.
func TestNormalisationIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Float64Range(1e-9, 1), 1, 300).Draw(t, "row")
		scale := rapid.Float64Range(1-9e-7, 1+9e-7).Draw(t, "scale")
		sum := 0.0
		node := bayesnet.Node{Name: "x"}
		for i, p := range row {
			sum += p
			node.States = append(node.States, fmt.Sprint("s", i))
		}
		for i := range row {
			row[i] *= scale / sum
		}
		dag, err := bayesnet.NewDAG([]bayesnet.Node{node})
		if err != nil {
			t.Fatal(err)
		}
		once, err := bayesnet.NewNet(dag, [][]float64{row})
		if err != nil {
			t.Fatal(err)
		}
		twice, err := bayesnet.NewNet(dag, [][]float64{once.Table(0)})
		if err != nil || !slices.Equal(once.Table(0), twice.Table(0)) {
			t.Fatalf("%v, then %v (%v)", once.Table(0), twice.Table(0), err)
		}
	})
}

func TestLogProb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := drawNet(t, 6)
		enumerate(net, func(codes []int, p float64) {
			got, err := net.LogProb(codes)
			if want := math.Log(p); err != nil || !near(got, want, 1e-13*(1+math.Abs(want))) {
				t.Fatalf("ln P(%v) = %v, %v; want %v", codes, got, err, want)
			}
		})
	})
	_, err := bayesnet.Asia().LogProb([]int{0, 1})
	wantError(t, err, "", 0, "2 codes; want 8")
	_, err = bayesnet.Asia().LogProb([]int{0, 0, 2, 0, 0, 0, 0, 0})
	wantError(t, err, "smoke", 0, "code 2; want 0 to 1")
}
