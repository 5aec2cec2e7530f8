package mechanism_test

import (
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The curve of a release lies between guessing and that of its guarantee.
func TestTradeOff(t *testing.T) {
	p, err := counts.Geometric().Plan(t.Context(), shape(t, model.Binary("c0"), 50, 1, 2), dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.TradeOff(t.Context())
	if err != nil || len(f.Series) != 3 {
		t.Fatal(f, err)
	}
	own, others := f.Series[0], f.Series[1]
	for i, a := range own.X {
		if own.Y[i] < a-1e-9 || own.Y[i] > others.Y[i]+1e-9 || i > 0 && own.Y[i] < own.Y[i-1]-1e-9 {
			t.Errorf("at %v: %v, any %v", a, own.Y[i], others.Y[i])
		}
	}
}
