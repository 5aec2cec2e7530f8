package score

import (
	"math"
	"testing"
)

// Where every weight is 1 the test of weighted records is that of records, and its ends are found on another scan.
func TestEqualWeightsAreNone(t *testing.T) {
	for _, b := range [][3]float64{{610.5, 301.25, 95.5}, {31, 12.5, 2}, {2, 3, 400}} {
		m := OfBernstein(b, 1.4, false, 1)
		w := Weighted{Sum: m.sum, Square: m.square, Most: func(mu float64) float64 { return m.most * mu * (1 - mu) },
			Squares: m.size, Size: m.size}
		lower, upper := m.Interval(.95)
		low, high := Ends(.025, w.Tail)
		if math.Abs(low-lower) > 1e-11 || math.Abs(high-upper) > 1e-11 {
			t.Errorf("%v: [%v, %v], want [%v, %v]", b, low, high, lower, upper)
		}
		for mu := .05; mu < 1; mu += .1 {
			if up, down := w.Tail(mu, 1), w.Tail(mu, -1); up != m.tail(mu, 1) || math.Abs(up+down-1) > 1e-12 {
				t.Errorf("%v at %v: %v and %v, want %v", b, mu, up, down, m.tail(mu, 1))
			}
		}
	}
}
