package regression

import (
	"math"
	"math/rand/v2"
	"testing"
)

// change is the Euclidean change of the shipped statistic when row a is replaced by row b (nil: removed); plain leaves out the √2.
func change(t *testing.T, d int, a, b []float64, plain bool) float64 {
	t.Helper()
	s := mustMoments(t, d, a).Stack()
	u := mustMoments(t, d, b).Stack()
	total, at := 0.0, 0
	for i := range d {
		for j := i; j < d; j++ {
			v := s[at] - u[at]
			if plain && j > i {
				v /= math.Sqrt2
			}
			total += v * v
			at++
		}
	}
	for ; at < len(s); at++ {
		total += (s[at] - u[at]) * (s[at] - u[at])
	}
	return math.Sqrt(total)
}

// unitRow puts a free vector into ‖x‖ ≤ 1, |y| ≤ 1.
func unitRow(v []float64) []float64 {
	d := len(v) - 1
	out := append([]float64(nil), v...)
	if norm := math.Sqrt(dot(v[:d], v[:d])); norm > 1 {
		for i := range d {
			out[i] /= norm
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

// The sensitivity is the supremum: optimisation over both records reaches it and does not pass it. Claims that would be too small —
// half the replacement counted, the add-remove value used for replacing — are exceeded.
func TestSensitivityIsTight(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, d := range []int{1, 2, 3, 5} {
		replace, err := ReplaceOne(d)
		if err != nil {
			t.Fatal(err)
		}
		remove, err := AddRemove(d)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]float64{}
		for range 6 {
			both := climb(r, 2*(d+1), 1200, func(v []float64) float64 { return change(t, d, unitRow(v[:d+1]), unitRow(v[d+1:]), false) })
			plain := climb(r, 2*(d+1), 1200, func(v []float64) float64 { return change(t, d, unitRow(v[:d+1]), unitRow(v[d+1:]), true) })
			one := climb(r, d+1, 600, func(v []float64) float64 { return change(t, d, unitRow(v), nil, false) })
			found["both"], found["plain"], found["one"] = math.Max(found["both"], both), math.Max(found["plain"], plain), math.Max(found["one"], one)
		}
		if found["both"] > replace || found["both"] < replace*(1-1e-4) {
			t.Errorf("d %d: replacing moves %.9g, claimed %.9g", d, found["both"], replace)
		}
		if found["plain"] > replace || found["plain"] < replace*(1-1e-3) {
			t.Errorf("d %d: replacing moves the plain triangle %.9g, claimed the same %.9g", d, found["plain"], replace)
		}
		if found["one"] > remove || found["one"] < remove*(1-1e-4) {
			t.Errorf("d %d: removing moves %.9g, claimed %.9g", d, found["one"], remove)
		}
		if found["both"] <= remove || (d > 1 && found["both"] <= 2) {
			t.Errorf("d %d: a smaller claim passes", d)
		}
	}
}

// The extremal pair: two unit vectors at 60°, responses of opposite sign.
func TestExtremalPair(t *testing.T) {
	a, b := []float64{1, 0, 1}, []float64{.5, math.Sqrt(.75), 1}
	b[0], b[1] = -b[0], -b[1] // z → −z turns y′ = 1 into the pair of the proof
	want, _ := ReplaceOne(2)
	if got := change(t, 2, a, b, false); math.Abs(got-want) > 1e-14 {
		t.Errorf("%.16g, want %.16g", got, want)
	}
}
