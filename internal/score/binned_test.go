package score

import (
	"math"
	"testing"
)

// A mean of exact counts and sums is itself; with noise in its sum alone the interval is the normal one, with noise in
// counts alone that of Fieller; where the counts say nothing it is all of the bounds. Geometric noise has the wider of
// Laplace's interval and the normal one; rounding moves the ends.
func TestBinnedMean(t *testing.T) {
	base := BinnedMean{Counts: []float64{30, 50, 20}, At: []float64{1, 2, 4}, Sum: 7, Alike: 1, Normal: true, Upper: 5}
	const z = 1.959963984540054
	for _, c := range []struct {
		name         string
		change       func(m *BinnedMean)
		lower, upper float64
	}{
		{"exact", func(*BinnedMean) {}, 2.17, 2.17},
		{"rounded", func(m *BinnedMean) { m.Room = .01 }, 2.16, 2.18},
		{"noise of the sum", func(m *BinnedMean) { m.SumNoise = 100 }, 2.17 - z/10, 2.17 + z/10},
		{"of Laplace", func(m *BinnedMean) { m.SumNoise, m.Normal = 100, false }, 2.17 - math.Log(20)/math.Sqrt2/10,
			2.17 + math.Log(20)/math.Sqrt2/10},
		{"sampling", func(m *BinnedMean) { m.Deviation, m.Alike = 2, 2 }, 2.17 - z*math.Sqrt(.08), 2.17 + z*math.Sqrt(.08)},
		// (217 − 100μ)² = z²·9·((μ−1)² + (μ−2)² + (μ−4)²)
		{"noise of counts", func(m *BinnedMean) { m.CountNoise = 9 }, 2.0395, 2.2971},
		{"nothing but noise", func(m *BinnedMean) { m.CountNoise = 2000 }, 0, 5},
		{"no records", func(m *BinnedMean) { m.Counts = []float64{-1, 0, -3} }, 0, 5},
		{"cut", func(m *BinnedMean) { m.SumNoise, m.Lower, m.Upper = 1e4, 1, 3 }, 1, 3},
	} {
		m := base
		c.change(&m)
		if lower, upper := m.Interval(.95); math.Abs(lower-c.lower) > 1e-3 || math.Abs(upper-c.upper) > 1e-3 {
			t.Errorf("%s: %v to %v, want %v to %v", c.name, lower, upper, c.lower, c.upper)
		}
	}
}
