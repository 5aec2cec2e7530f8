package regression

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
)

// momentsOf is the released vector of one row, or of none.
func momentsOf(t *testing.T, d int, row []float64) []float64 {
	t.Helper()
	m, err := leastsquares.NewMoments(d)
	if err == nil {
		err = m.AddRows(row)
	}
	if err != nil {
		t.Fatal(err)
	}
	return append(m.Stack(), m.YY())
}

// change is the Euclidean change of the released moments when row a is replaced by row b (nil: removed).
func change(t *testing.T, d int, a, b []float64) float64 {
	t.Helper()
	s, u := momentsOf(t, d, a), momentsOf(t, d, b)
	for i := range s {
		s[i] -= u[i]
	}
	return norm(s)
}

// unitRow puts a free vector into ‖x‖ ≤ 1, |y| ≤ 1.
func unitRow(v []float64) []float64 {
	d := len(v) - 1
	out := append([]float64(nil), v...)
	if r := norm(v[:d]); r > 1 {
		for i := range d {
			out[i] /= r
		}
	}
	out[d] = math.Max(-1, math.Min(1, v[d]))
	return out
}

// climb maximises f from a random start by random moves of shrinking size.
func climb(r *rand.Rand, dim, steps int, f func(v []float64) float64) float64 {
	v := make([]float64, dim)
	for i := range v {
		v[i] = 1.5 * r.NormFloat64()
	}
	best, size := f(v), .5
	for range steps {
		u := append([]float64(nil), v...)
		for i := range u {
			u[i] += size * r.NormFloat64()
		}
		if x := f(u); x > best {
			v, best = u, x
			size = math.Min(1, 1.5*size)
		} else {
			size = math.Max(1e-6, .97*size)
		}
	}
	return best
}

// The sensitivity is the supremum: optimisation over both records reaches it, from two coordinates on, and does not
// pass it. The value of a record that comes or goes, charged for one that is replaced, is exceeded.
func TestSensitivityIsTight(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	replace, remove := momentsSensitivity(1, true), momentsSensitivity(1, false)
	for _, d := range []int{1, 2, 3, 5} {
		both, one := 0.0, 0.0
		for range 6 {
			both = math.Max(both, climb(r, 2*(d+1), 1200,
				func(v []float64) float64 { return change(t, d, unitRow(v[:d+1]), unitRow(v[d+1:])) }))
			one = math.Max(one, climb(r, d+1, 600, func(v []float64) float64 { return change(t, d, unitRow(v), nil) }))
		}
		least := replace * (1 - 1e-3)
		if d == 1 { // has room for 4 of 9/2
			least = 2 * (1 - 1e-3)
		}
		if both > replace || both < least || both <= remove {
			t.Errorf("d %d: replacing moves %.9g, claimed %.9g", d, both, replace)
		}
		if one > remove || one < remove*(1-1e-4) {
			t.Errorf("d %d: removing moves %.9g, claimed %.9g", d, one, remove)
		}
	}
	// the extremal pair: two unit vectors at 60°, responses of opposite sign
	a, b := []float64{1, 0, 1}, []float64{-.5, -math.Sqrt(.75), 1}
	if got := change(t, 2, a, b); got > replace || got < replace*(1-1e-14) {
		t.Errorf("%.16g, want %.16g", got, replace)
	}
}
