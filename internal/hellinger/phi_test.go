package hellinger

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/num"
)

func TestPhiEqualsLogBC(t *testing.T) {
	worst := 0.0
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.Int64Range(0, 3000).Draw(r, "n")
		x := rapid.Int64Range(0, n).Draw(r, "x")
		a := math.Exp(rapid.Float64Range(-9, 14).Draw(r, "ln alpha"))
		s := space(t, n, 1, a)
		for v, got := range s.Phi(1, x) {
			want := phi(a, x, int64(v))
			if e := off(got, want); e > 1e-14 || (v == int(x)+1 || v == int(x)-1) && got != want {
				r.Fatalf("α = %g: φ(%d, %d) = %.17g, LogBC %.17g", a, x, v, got, want)
			} else {
				worst = math.Max(worst, e)
			}
		}
	})
	t.Logf("worst relative deviation %.2g", worst)
}

// Distances from tables are the distances.
func TestTablesGiveDistances(t *testing.T) {
	s := space(t, 9, 0.3, 2, 40)
	x := []int64{2, 4, 3}
	a, b, c := s.Phi(0, 2), s.Phi(1, 4), s.Phi(2, 3)
	for r := range Compositions(9, 3) {
		if got := FromLogBC(a[r[0]] + b[r[1]] + c[r[2]]); off(got, s.Distance(x, r)) > 1e-14 {
			t.Errorf("%v: %v from the tables, %v", r, got, s.Distance(x, r))
		}
	}
}

// Where the spacing of float64 changes, two large sums are rounded to different grids, and their difference with them.
func TestPhiKeepsTheDifference(t *testing.T) {
	const x = 1<<49 - 1
	a := 0.2
	want := num.LogGammaHalfRatio(a + x) // φ(c, c + 1) = L(c)
	if got := phi(a, x, x+1); off(got, want) > 1e-14 {
		t.Errorf("φ = %.17g, want %.17g", got, want)
	}
	if naive := num.LogBC(a+x, a+(x+1)); off(naive, want) < 1e-6 {
		t.Errorf("rounding the sums is accurate to %g", off(naive, want))
	}
}
