package bugs

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Geometric noise of the right scale is not refuted at its ε, and noise of half the scale is: the lower bound of ε
// stays below the truth (false alarm 1e-9) and comes within 10 % of it.
func TestSampledHasPower(t *testing.T) {
	for _, den := range []uint64{1, 2} { // ε = 2/den
		g, err := sample.NewTwoSidedGeometric(2, den)
		if err != nil {
			t.Fatal(err)
		}
		eps := 2 / float64(den)
		bound, _, err := sampled(t.Context(), "no more than 2", func(neighbour bool, src *dp.Stream) (bool, error) {
			count := int64(2)
			if neighbour {
				count = 3
			}
			return count+g.Draw(src) <= 2, nil
		}, 5)
		if err != nil || bound > eps || bound < .85*eps {
			t.Errorf("ε = %v: at least %v, error %v", eps, bound, err)
		}
	}
}

// A kept release is one draw, shown in every cell; a variable is drawn in each.
func TestNotebook(t *testing.T) {
	shown, drawn, err := notebook(7, &keeper{}, dp.Seeded(1))
	if err != nil || drawn != 1 || len(shown) != cells {
		t.Fatal(shown, drawn, err)
	}
	for _, y := range shown {
		if y != shown[0] {
			t.Errorf("a kept release shows %v", shown)
		}
	}
	if _, drawn, err = notebook(7, nil, dp.Seeded(1)); err != nil || drawn != cells {
		t.Errorf("%d draws in %d cells, error %v", drawn, cells, err)
	}
}

// The two laws of a pair of noisy counts are those of the running code: every output's share is within 6.5 standard
// errors.
func TestOneSeedLaw(t *testing.T) {
	const top, draws, rate = 4, 100_000, .5
	counts := [2]int{1, 3}
	g, err := sample.NewTwoSidedGeometric(1, 2)
	if err != nil {
		t.Fatal(err)
	}
	want, src := sameNoise(counts, top, rate), dp.Seeded(9)
	got := make([]float64, len(want))
	for range draws {
		z := int(g.Draw(src))
		got[min(max(counts[0]+z, 0), top)*(top+1)+min(max(counts[1]+z, 0), top)]++
	}
	wrong := sameNoise(counts, top, 2*rate)
	differ := false
	for i, p := range want {
		// 6.5 standard errors over 25 outputs: a false alarm below 1e-9
		tolerance := 6.5*math.Sqrt(p*(1-p)/draws) + 1e-12
		if math.Abs(got[i]/draws-p) > tolerance {
			t.Errorf("output %d: share %v, law %v", i, got[i]/draws, p)
		}
		differ = differ || math.Abs(got[i]/draws-wrong[i]) > 6.5*math.Sqrt(wrong[i]*(1-wrong[i])/draws)
	}
	if !differ {
		t.Error("noise of half the scale passes too")
	}
}
