package regression

import (
	"math"
	"testing"
)

// Every moment is divided by √D for each of its coordinates that is x, whatever D: at D = 2 a product of two of x has
// as much noise as one with y, and is told from it.
func TestMomentsOnScaledRows(t *testing.T) {
	for _, q := range []proposition{{Numbers: 1, Intercept: true, Replaced: true}, {Numbers: 1}, {Numbers: 2},
		{Numbers: 3, Intercept: true, Replaced: true}, {Numbers: 1, Levels: []int{3}, Intercept: true}} {
		d, err := q.design()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range q.moments(d) {
			want := 1.0
			for _, coordinate := range []int{m.i, m.j} {
				if coordinate < d.Dim() {
					want /= math.Sqrt(float64(d.Square()))
				}
			}
			if have := m.onRows(1, d.Square()); math.Abs(have-want) > 1e-15 {
				t.Errorf("%+v, moment %d, %d: %v, want %v", q, m.i, m.j, have, want)
			}
		}
	}
}
