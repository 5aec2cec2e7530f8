package leastsquares

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
)

func TestOscGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var g struct {
		Osc []struct {
			D      int
			B, Osc float64
		}
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	for _, r := range g.Osc {
		got, err := Osc(r.B, r.D)
		// the reference rows for d = 1, B > 1 are maxima over a grid: below the truth by up to 1e-7
		if err != nil || got < r.Osc || got > r.Osc*(1+1e-7) {
			t.Errorf("osc(%g), d = %d: %.15g, %v; want %.15g", r.B, r.D, got, err, r.Osc)
		}
	}
	// theory/networks.md §7
	for _, r := range []struct{ b, osc float64 }{{3, 12}, {6, 25.2320}, {8, 41.1569}, {10, 61.1190}} {
		if got, err := Osc(r.b, 1); err != nil || math.Abs(got-r.osc) > 6e-5 {
			t.Errorf("osc(%g), d = 1: %g, %v; want %g", r.b, got, err, r.osc)
		}
	}
}

// The search over records and weights comes within 1e-6 of the formula and never above; neither a formula 1 % smaller
// nor the paper's Lipschitz constant read as 2L·ρ at half size would survive.
func TestSearchMeetsOsc(t *testing.T) {
	ctx := context.Background()
	for _, d := range []int{1, 2, 3, 6} {
		for _, b := range []float64{.25, .9, 1, 1.5, 3, 5.2, 5.8, 10} {
			osc, err := Osc(b, d)
			if err != nil {
				t.Fatal(err)
			}
			found, err := Search(ctx, b, d, 60, 7)
			if err != nil {
				t.Fatal(err)
			}
			if found.Value > osc*(1+1e-12) {
				t.Errorf("d %d, B %g: found %.15g above osc %.15g at %+v", d, b, found.Value, osc, found)
			}
			if found.Value < osc*(1-1e-6) {
				t.Errorf("d %d, B %g: found only %.15g of osc %.15g", d, b, found.Value, osc)
			}
			if norm := math.Sqrt(dot(found.W, found.W)); norm > b*(1+1e-15) || math.Abs(found.Y) > 1 ||
				dot(found.X, found.X) > 1+1e-14 {
				t.Errorf("d %d, B %g: %+v is not feasible", d, b, found)
			}
		}
	}
	cancelled, stop := context.WithCancel(ctx)
	stop()
	if _, err := Search(cancelled, 1, 2, 5, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
}

// An intercept outside the budget — coordinate 1 beside ‖x‖ ≤ 1 — exceeds the certificate; inside it, as Design puts
// it, the same records do not.
func TestInterceptInsideTheBudget(t *testing.T) {
	const b = 1
	osc, err := Osc(b, 2)
	if err != nil {
		t.Fatal(err)
	}
	design, err := NewDesign([]Range{{-1, 1}}, Range{-1, 1}, true)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float64, 3)
	if _, err := design.Row([]float64{1}, 1, row); err != nil {
		t.Fatal(err)
	}
	p := newPoint(2)
	copy(p.w, []float64{math.Sqrt(.5), math.Sqrt(.5)})
	copy(p.wStar, scaled(p.w, -1))
	p.y[0], p.y2[0] = 1, -1
	for name, x := range map[string][]float64{"inside": row[:2], "outside": {1, 1}} {
		copy(p.x, x)
		copy(p.x2, x)
		if v := p.value(b); (v <= osc*(1+1e-12)) != (name == "inside") {
			t.Errorf("intercept %s: %g, certified %g", name, v, osc)
		}
	}
}

func TestParameterErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ctx := context.Background()
	var p *domain.Error
	for i, f := range []func() error{
		func() error { _, err := Osc(0, 2); return err },
		func() error { _, err := Osc(nan, 2); return err },
		func() error { _, err := Osc(inf, 2); return err },
		func() error { _, err := Osc(1, 0); return err },
		func() error { _, err := Search(ctx, 0, 1, 1, 1); return err },
		func() error { _, err := Search(ctx, 1, 0, 1, 1); return err },
		func() error { _, err := Search(ctx, 1, 1, 0, 1); return err },
		func() error { _, err := NewMoments(0); return err },
		func() error { _, err := NewDesign(nil, Range{0, 1}, false); return err },
		func() error { _, err := NewDesign([]Range{{1, 1}}, Range{0, 1}, false); return err },
		func() error { _, err := NewDesign([]Range{{0, inf}}, Range{0, 1}, false); return err },
		func() error { _, err := NewDesign([]Range{{0, 1}}, Range{nan, 1}, false); return err },
		func() error { _, _, err := Unstack(2, make([]float64, 4)); return err },
		func() error { _, _, err := Unstack(0, nil); return err },
		func() error { _, _, err := Repair(nil, 0); return err },
	} {
		if err := f(); !errors.As(err, &p) || p.Parameter == "" || p.Want == "" {
			t.Errorf("case %d: %v", i, err)
		}
	}
}
