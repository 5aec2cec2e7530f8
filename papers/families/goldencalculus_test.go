package families

import (
	"fmt"
	"math"
	"testing"
)

// The worst set of a product need not be a rectangle: Compose covers all sets.
func TestGoldenTheorem4(t *testing.T) {
	row := golden[map[string]string](t, "thm4_rectangles")
	p, q := [2]float64{.5, .5}, [2]float64{.2, .8}
	excess := func(e float64) (all, rectangles float64) {
		var cells [2][2]float64
		for i := range 2 {
			for j := range 2 {
				cells[i][j] = p[i]*p[j] - e*q[i]*q[j]
				all += math.Max(0, cells[i][j])
			}
		}
		for a := 1; a < 4; a++ {
			for b := 1; b < 4; b++ {
				v := 0.0
				for i := range 2 {
					for j := range 2 {
						if a>>i&1 == 1 && b>>j&1 == 1 {
							v += cells[i][j]
						}
					}
				}
				rectangles = math.Max(rectangles, v)
			}
		}
		return all, rectangles
	}
	all, rectangles := excess(1.2)
	near(t, "all sets", all, number(t, row["all_sets"]), 1e-12)
	near(t, "rectangles", rectangles, number(t, row["rectangles"]), 1e-12)
	// each copy is (ε/2, δ₁) with δ₁ the excess at √1.2
	delta := .5 - math.Sqrt(1.2)*.2
	part := MetricGuarantee{Epsilon: math.Log(1.2) / 2, Delta: delta, Metric: "Hamming"}
	_, composed, err := Compose(1, part, part)
	if err != nil || composed < all {
		t.Errorf("composed δ = %v below the true %v (%v)", composed, all, err)
	}
}

func TestGoldenMarkov(t *testing.T) {
	for floor, rows := range map[float64]map[int]float64{ // theory/sampling.md §16
		.1: {2: 2.197224577, 3: 4.587820548, 4: 5.129096066, 6: 5.74487491, 8: 6.065107255, 10: 6.322324946,
			12: 6.586172733},
		.2: {2: 1.386294361, 3: 2.885917408, 4: 3.207906793, 6: 3.644547144, 8: 3.889848108, 10: 4.038060857,
			12: 4.212394558},
	} {
		for length, want := range rows {
			f := must(NewMarkov(2, 1, length, 1, floor, OneStep))
			near(t, fmt.Sprintf("ε₀ = %v, T = %d", floor, length), f.Epsilon(), want, 3e-9)
			if f.Epsilon() > f.Oscillation() || f.Oscillation() > f.Paper().Epsilon {
				t.Errorf("T = %d: ε %v, osc %v, paper %v", length, f.Epsilon(), f.Oscillation(), f.Paper().Epsilon)
			}
		}
	}
}

// N samples at δ = 1e-6, theory/sampling.md §23.
func TestGoldenSamples(t *testing.T) {
	for _, c := range []struct {
		n, samples     int
		attained, want float64 // by the privacy loss distribution, and by Rényi divergences on a coarser grid of orders
	}{{100, 1, 1.257, 1.3552}, {100, 16, 6.22, 6.738}, {100, 64, 14.3, 15.18}, {10, 1, 2.952, 3.187},
		{10, 4, 6.68, 7.256},
		{10, 16, 15.67, 16.54}, {10, 64, 39.0, 40.90}} {
		f := must(NewTrimmedBeta(c.n, 1, 1, .05, .95))
		got := must(SamplesEpsilon(f, c.samples, 1e-6))
		if got < c.attained || got > c.want*1.005 {
			t.Errorf("n = %d, N = %d: %v, want between %v and %v", c.n, c.samples, got, c.attained, c.want)
		}
		near(t, "pure", must(SamplesEpsilon(f, c.samples, 0)), float64(c.samples)*f.Epsilon(), 1e-15)
	}
}
