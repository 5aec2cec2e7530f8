package score

import (
	"math"
	"math/rand/v2"
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

// Over 400 draws of records, counts and sums with normal noise, intervals at .95 hold the mean of the records and that
// of the population. Fewer than 340 of 400 have a probability below 1e-14. Every interval that leaves out a source of
// error holds fewer.
func TestBinnedMeanHolds(t *testing.T) {
	at, shares, mean := []float64{1, 2, 4}, []float64{.3, .5, .2}, 2.1
	deviation := math.Sqrt(.3*1.1*1.1 + .5*.1*.1 + .2*1.9*1.9 + 1./12)
	held := func(ofRows bool, change func(m *BinnedMean)) (held int) {
		r := rand.New(rand.NewPCG(5, 6))
		for range 400 {
			m := BinnedMean{Counts: make([]float64, 3), At: at, CountNoise: 4, SumNoise: 225, Alike: 1, Normal: true, Upper: 5}
			truth, of := mean, 0.0
			for range 600 {
				u, b := r.Float64(), 0
				for b < 2 && u > shares[b] {
					u, b = u-shares[b], b+1
				}
				x := r.Float64() - .5
				m.Counts[b]++
				m.Sum += x
				of += (at[b] + x) / 600
			}
			if ofRows {
				truth = of
			} else {
				m.Deviation = deviation
			}
			for b := range m.Counts {
				m.Counts[b] += 2 * r.NormFloat64()
			}
			m.Sum += 15 * r.NormFloat64()
			change(&m)
			if lower, upper := m.Interval(.95); lower <= truth && truth <= upper {
				held++
			}
		}
		return held
	}
	const least = 340
	for _, ofRows := range []bool{true, false} {
		if n := held(ofRows, func(*BinnedMean) {}); n < least {
			t.Errorf("%d of 400 intervals hold; of the rows: %v", n, ofRows)
		}
	}
	for name, mutant := range map[string]func(m *BinnedMean){
		"no noise of the sum":        func(m *BinnedMean) { m.SumNoise = 0 },
		"bins without what is added": func(m *BinnedMean) { m.At = []float64{1.5, 2.5, 4.5} },
		"noise of a third":           func(m *BinnedMean) { m.SumNoise /= 9; m.CountNoise /= 9 },
	} {
		if n := held(true, mutant); n >= least {
			t.Errorf("%s: %d of 400 intervals hold", name, n)
		}
	}
	if n := held(false, func(m *BinnedMean) { m.Deviation = 0 }); n >= least {
		t.Errorf("no sampling: %d of 400 intervals hold", n)
	}
}
