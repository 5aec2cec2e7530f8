package figure

import (
	"testing"
)

// Bars that hang down have room under them for their values, as those that stand have above, and the points on them are
// kept clear of.
func TestHangingBarsHaveRoom(t *testing.T) {
	bars := Series{Name: "released", Kind: Bars, X: []float64{0, 1}, Y: []float64{-1, .2}}
	points := Series{Name: "plain", Kind: Points, X: []float64{0, 1}, Y: []float64{-.9, .3}, Lo: []float64{-1.1, .25},
		Hi: []float64{-.8, .35}}
	f := &Figure{XTicks: []string{"a", "b"}, Series: []Series{bars, points}}
	_, y := ranges(f)
	if room := (-1.1 - y.min) / (y.max - y.min); room < .07 {
		t.Errorf("%.3f of the axis is under the lowest value", room)
	}
	if lo, hi, ok := pointsAt(f, 0); !ok || lo != -1.1 || hi != -.8 {
		t.Error(lo, hi, ok)
	}
	if _, _, ok := pointsAt(f, .5); ok {
		t.Error("points where there are none")
	}
	if _, y := ranges(&Figure{Series: []Series{{Kind: Bars, X: []float64{0, 1}, Y: []float64{1, 2}}}}); y.min != 0 {
		t.Error("standing bars do not start at 0:", y.min)
	}
}
