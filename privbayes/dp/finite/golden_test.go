package finite_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// near is agreement to a relative 1e-11 or an absolute 1e-13.
func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= math.Max(1e-13, 1e-11*math.Abs(b))
}

// testdata/exact.csv holds values computed independently, with another language's arithmetic, from full probability
// matrices: the sensitivities, the laws and the suprema all have to be right to agree.
func TestExponentialMechanismsAgreeWithReferenceValues(t *testing.T) {
	f := must.Get(os.Open("testdata/exact.csv"))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 361 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	made := map[string]*exponential{}
	for i, row := range rows[1:] {
		n, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && (n > 20 || i%3 != 0) {
			continue
		}
		var v [6]float64
		for k, c := range []int{2, 4, 5, 6, 7} {
			if v[k], err = strconv.ParseFloat(row[c], 64); err != nil {
				t.Fatal(err)
			}
		}
		eps := v[0]
		var prior []float64
		for _, a := range strings.Fields(row[0]) {
			p := must.Get(strconv.ParseFloat(a, 64))(t)
			prior = append(prior, p)
		}
		s := must.Get(hellinger.New(prior, int64(n)))(t)
		e := made[row[0]+row[1]]
		if e == nil {
			e = newExponential(prior, n, nil)
			made[row[0]+row[1]] = e
		}
		m := *e
		m.rate = rates(s, eps, m.Outputs())[row[3]]
		res := must.Get(finite.AuditWith(t.Context(), &m, finite.Space{Cells: len(prior), N: n}, finite.Options{
			Epsilons: []float64{eps}, Deltas: []float64{1e-5},
		}))(t)
		for k, got := range []float64{res.Epsilon, res.EpsilonAt[0], res.Delta[0], res.Range} {
			if !near(got, v[k+1]) {
				t.Errorf("%v: %s = %v, want %v (off by %.2g)", row[:4], rows[0][4+k], got, v[k+1], got-v[k+1])
			}
		}
	}
}
