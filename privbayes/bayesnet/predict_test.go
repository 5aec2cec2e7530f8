package bayesnet_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Predictions against enumeration, for rows of positive probability with any set of codes missing.
func TestPredictAgainstEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		net := drawNet(t, 7)
		k := net.DAG().Len()
		target := rapid.IntRange(0, k-1).Draw(t, "target")
		missing := rapid.SliceOfN(rapid.SampledFrom([]bool{false, false, false, true}), k, k).Draw(t, "missing")
		full := make([][]uint16, k)
		for i := range full {
			full[i] = make([]uint16, 3)
		}
		if err := net.Sample(3, seeded(rapid.Uint64().Draw(t, "records")), full); err != nil {
			t.Fatal(err)
		}
		rows := make([][]int, 3)
		for r := range rows {
			rows[r] = make([]int, k)
			for i := range k {
				if rows[r][i] = int(full[i][r]); missing[i] {
					rows[r][i] = -1
				}
			}
		}
		got, err := net.Predict(target, rows)
		if err != nil {
			t.Fatal(err)
		}
		for r, row := range rows {
			evidence := map[int]int{}
			for i, c := range row {
				if i != target && c >= 0 {
					evidence[i] = c
				}
			}
			want, _ := brute(net, []int{target}, evidence)
			for x := range want {
				if !near(got[r][x], want[x], 1e-12) {
					t.Fatalf("row %v: %v, want %v", row, got[r], want)
				}
			}
		}
	})
}

func TestPredictRefuses(t *testing.T) {
	net := bayesnet.Asia()
	row := func(i, c int) [][]int {
		r := make([]int, 8)
		r[i] = c
		return [][]int{make([]int, 8), r}
	}
	_, err := net.Predict(8, nil)
	wantError(t, err, "", 0, "target: node 8")
	_, err = net.Predict(1, [][]int{{1}})
	wantError(t, err, "", 0, "1 codes in row 0; want 8")
	_, err = net.Predict(1, row(2, 2))
	wantError(t, err, "smoke", 0, "code 2 in row 1; want 0 to 1, or -1")
	_, err = net.Predict(1, row(2, -2))
	wantError(t, err, "smoke", 0, "code -2 in row 1")
	// lung = yes rules out either = no, in the blanket and beside a missing code.
	var e *bayesnet.ImpossibleError
	if _, err = net.Predict(1, [][]int{{0, 0, 0, 0, 0, 1, 0, 0}}); !errors.As(err, &e) || e.Evidence["lung"] != "yes" {
		t.Error(err)
	}
	if _, err = net.Predict(1, [][]int{{-1, 0, 0, 0, 0, 1, 0, 0}}); !errors.As(err, &e) {
		t.Error(err)
	}
	if p, err := net.Predict(1, row(1, 99)); err != nil || len(p) != 2 {
		t.Errorf("the code at the target is looked at: %v, %v", p, err)
	}
}

// Naive Bayes with 3000 features, each of probability about 1e-3: the products underflow, the prediction must not.
func TestPredictUnderflow(t *testing.T) {
	const k, p, q = 3000, 1e-3, 1.001e-3
	net := star(t, k, p, q)
	got, err := net.Predict(0, [][]int{make([]int, k+1)})
	if want := 1 / (1 + math.Exp(k*math.Log(q/p))); err != nil || !near(got[0][0], want, 1e-11) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}
