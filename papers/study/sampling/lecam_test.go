package sampling

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The worked example of the theory file: Θ = {.2, .4, .6, .8}, three bits, one sample. Values: minimax risk by linear
// programming.
func TestMinimaxOfThreeBits(t *testing.T) {
	f := must[*Family](t)(NewGrid(5, false, 3))
	r := must[Risk](t)(f.Minimax(context.Background(), 1e-6))
	if r.Lo > .6190291262 || r.Hi < .6190291262 || r.Hi-r.Lo > 1e-6 {
		t.Errorf("%+v", r)
	}
	near(t, "deterministic", r.Deterministic, .72, 1e-12)
	v, _, _, err := f.LeCam(1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Le Cam", v, .41, 1e-12)
	if v > r.Lo {
		t.Errorf("Le Cam %v above the risk %v", v, r.Lo)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Minimax(ctx, 1e-9); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLeCamHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFamily(t)
		v, x, y, err := f.LeCam(1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Minimax(context.Background(), 1e-2)
		if err != nil {
			t.Fatal(err)
		}
		if r.Lo > r.Hi+1e-12 || v > r.Hi+1e-12 || !math.IsNaN(r.Deterministic) && r.Deterministic < r.Lo-1e-12 {
			t.Fatalf("Le Cam %v, risk %+v", v, r)
		}
		general, err := LeCam(f.Distance(x, y), f.Uniform(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if general > v*(1+1e-9)+1e-12 {
			t.Fatalf("ρ/(1+e^{Lρ}) = %v above %v, pair %d, %d", general, v, x, y)
		}
	})
}
