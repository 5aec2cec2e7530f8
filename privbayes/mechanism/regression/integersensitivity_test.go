package regression

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// propositions are columns of many kinds, with an intercept and one replaced record.
var propositions = []proposition{
	{Numbers: 1}, {Numbers: 2}, {Numbers: 3}, {Levels: []int{2}}, {Levels: []int{3}}, {Levels: []int{3, 2}},
	{Levels: []int{3, 3}}, {Numbers: 1, Levels: []int{2}}, {Numbers: 1, Levels: []int{3}},
	{Numbers: 1, Levels: []int{3, 2}}, {Numbers: 2, Levels: []int{3}}, {Numbers: 2, Levels: []int{2, 3}},
}

// The sensitivity is the supremum over pairs of records: enumeration over all records of a coarse lattice does not pass
// it and, where the responses that it has contain the worst one, attains it; so does climbing from random records, and
// the sensitivity never passes that of all rows of the unit ball.
func TestSensitivityOfIntegerMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	for _, q := range propositions {
		for _, replaced := range []bool{true, false} {
			q.Intercept, q.Replaced = true, replaced
			d := must.Get(q.design())(t)
			list := q.moments(d)
			out, err := q.largestChange(t.Context(), d, "")
			if err != nil {
				t.Fatal(err)
			}
			claim := q.sensitivity()
			if out.Value > claim || out.Value < .985*claim {
				t.Errorf("%+v: %v by enumeration, claimed %v", q, out.Value, claim)
			}
			if claim > momentsSensitivity(1, replaced)*(1+1e-11) {
				t.Errorf("%+v: %v is above the general bound", q, claim)
			}
			if !replaced {
				continue
			}
			best := 0.0
			for range 4 {
				record := func(v []float64) []float64 { // numbers and response free, levels by rounding
					row := make([]float64, d.Dim())
					for j := range q.Numbers {
						row[1+j] = math.Max(-1, math.Min(1, v[j]))
					}
					row[0] = 1
					at := 1 + q.Numbers
					for k, l := range q.Levels {
						if level := int(math.Abs(4*v[q.Numbers+k])) % l; level > 0 {
							row[at+level-1] = 1
						}
						at += l - 1
					}
					row = append(row, math.Max(-1, math.Min(1, v[q.Numbers+len(q.Levels)])))
					var out []float64
					for _, m := range list {
						out = append(out, row[m.i]*row[m.j]/math.Sqrt(float64(m.halves)/2))
					}
					return out
				}
				width := q.Numbers + len(q.Levels) + 1
				best = math.Max(best, climb(r, 2*width, 600, func(v []float64) float64 {
					a, b := record(v[:width]), record(v[width:])
					for i := range a {
						a[i] -= b[i]
					}
					return norm(a)
				}))
			}
			if best > claim {
				t.Errorf("%+v: %v by climbing, claimed %v", q, best, claim)
			}
		}
	}
}

// What a plan with too little noise would rest on is exceeded by records: a factor that is not counted in D, a record
// that comes or goes for one that is replaced, and a lattice with an odd number of steps, centred at a point of it, on
// which values reach beyond 1. Levels counted as if they were columns are safe, and cost four times the noise: no plan
// has them.
func TestMutantsOfTheSensitivity(t *testing.T) {
	q := proposition{Numbers: 2, Levels: []int{3, 2}, Intercept: true, Replaced: true}
	d := must.Get(q.design())(t)
	worst := func(list []moment) float64 {
		unit := make([]float64, len(list))
		for k, m := range list {
			unit[k] = 1 / m.deviation(1)
		}
		out, err := largestOf(t.Context(), d, list, unit, norm, q)
		if err != nil {
			t.Fatal(err)
		}
		return out.Value
	}
	reweighed := func(square int64) (list []moment) {
		for _, m := range q.moments(d) {
			switch {
			case m.j < d.Dim() && m.i == m.j:
				m.halves = 2 * square * square
			case m.j < d.Dim():
				m.halves = square * square
			case m.i < d.Dim():
				m.halves = 2 * square
			}
			list = append(list, m)
		}
		return list
	}
	claim := q.sensitivity()
	if v := worst(reweighed(5)); v > claim || v < .98*claim {
		t.Errorf("as shipped: %v of %v", v, claim)
	}
	if v := worst(reweighed(3)); v < 1.4*claim {
		t.Errorf("factors that do not count in D: %v of %v", v, claim)
	}
	removed := q
	if removed.Replaced = false; worst(reweighed(5)) < 1.1*removed.sensitivity() {
		t.Error("the sensitivity of a record that comes or goes covers one that is replaced")
	}
	odd := 0.0 // places {0, …, 3} centred at 1, in half-ranges of 1: u and y in {−1, 0, 1, 2}
	one := must.Get(proposition{Numbers: 1, Intercept: true}.design())(t)
	for _, u := range []float64{-1, 0, 1, 2} {
		for _, v := range []float64{-1, 0, 1, 2} {
			for _, y := range []float64{-1, 2} {
				for _, z := range []float64{-1, 2} {
					a, b, sum := []float64{1, u, y}, []float64{1, v, z}, 0.0
					for _, m := range (proposition{Numbers: 1, Intercept: true, Replaced: true}).moments(one) {
						change := a[m.i]*a[m.j] - b[m.i]*b[m.j]
						sum += change * change / (float64(m.halves) / 2)
					}
					odd = math.Max(odd, math.Sqrt(sum))
				}
			}
		}
	}
	if odd < 1.3*(proposition{Numbers: 1, Intercept: true, Replaced: true}).sensitivity() {
		t.Errorf("an odd lattice: %v", odd)
	}
	// census columns: 4 numbers, 3 factors with 30 indicators
	census := proposition{Numbers: 4, Levels: []int{16, 14, 3}, Intercept: true, Replaced: true}
	asColumns := proposition{Numbers: 34, Intercept: true, Replaced: true}
	if s, n := census.square(), asColumns.square(); s != 8 || n != 35 {
		t.Fatal(s, n)
	}
	if ratio := asColumns.sensitivity() * 35 / (census.sensitivity() * 8); ratio < 4 || ratio > 4.7 {
		t.Errorf("levels as columns cost %v times the noise", ratio)
	}
}

// With equal noise on every moment the corners give the squares 36, for two numbers and two factors, and 80 for census
// columns, four numbers and three factors, whatever the levels: every moment once, theory of regression on factors.
// With levels counted as columns 1296 would be charged.
func TestSensitivityAtEqualNoise(t *testing.T) {
	for _, c := range []struct {
		q    proposition
		want float64
	}{{proposition{Numbers: 2, Levels: []int{3, 3}}, 36}, {proposition{Numbers: 4, Levels: []int{3, 3, 3}}, 80}} {
		c.q.Intercept, c.q.Replaced = true, true
		d := must.Get(c.q.design())(t)
		list := c.q.moments(d)
		var corners [][]float64
		row := make([]float64, d.Dim()+1)
		row[0] = 1
		var visit func(j, factor int)
		visit = func(j, factor int) {
			switch {
			case j <= c.q.Numbers:
				for _, u := range []float64{-1, 1} {
					row[j] = u
					visit(j+1, 0)
				}
			case factor < len(c.q.Levels):
				for level := range 3 {
					row[j], row[j+1] = 0, 0
					if level > 0 {
						row[j+level-1] = 1
					}
					visit(j+2, factor+1)
				}
			default:
				for _, y := range []float64{-1, 1} {
					row[d.Dim()] = y
					var v []float64
					for _, m := range list {
						v = append(v, row[m.i]*row[m.j])
					}
					corners = append(corners, v)
				}
			}
		}
		visit(1, 0)
		worst := 0.0
		for i, a := range corners {
			for _, b := range corners[:i] {
				sum := 0.0
				for k := range a {
					sum += (a[k] - b[k]) * (a[k] - b[k])
				}
				worst = math.Max(worst, sum)
			}
		}
		if worst != c.want {
			t.Errorf("%+v: %v, want %v", c.q, worst, c.want)
		}
	}
}
