package families

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// The general family is Gamma where both apply, and passes the search for counterexamples where only it does.
func TestRate(t *testing.T) {
	exp, err := NewExponential(7, 1, .5, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	rate, err := NewRate(7, 1, 1, .5, 2, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if exp.Epsilon() != rate.Epsilon() || exp.Oscillation() != rate.Oscillation() || exp.Renyi(3) != rate.Renyi(3) ||
		exp.Profile(.4) != rate.Profile(.4) {
		t.Errorf("ε %v and %v, osc %v and %v", exp.Epsilon(), rate.Epsilon(), exp.Oscillation(), rate.Oscillation())
	}
	const eta = .3
	tempered, err := NewRate(3, eta*.5, 2, .2, 3, eta*1, eta*4)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Check(t.Context(), tempered, dp.Seeded(5))
	if err != nil || !c.OK() {
		t.Errorf("%v\n%v", err, c)
	}
	if e, o := tempered.Epsilon(), tempered.Oscillation(); !(e <= o && e >= o/2) || math.Abs(o-eta*3*2.8) > 1e-9 {
		t.Errorf("ε = %v, osc = %v", e, o)
	}
	var bad *ParameterError
	for _, a := range [][6]float64{{0, 1, 1, 2, 0, 1}, {1, 0, 1, 2, 0, 1}, {1, 1, 2, 2, 0, 1}, {1, 1, 1, 2, 1, 1},
		{1, 1, 1, 2, 0, math.Inf(1)}} {
		if _, err := NewRate(5, a[0], a[1], a[2], a[3], a[4], a[5]); !errors.As(err, &bad) {
			t.Errorf("%v: %v", a, err)
		}
	}
	if _, err := NewRate(0, 1, 1, 1, 2, 0, 1); !errors.As(err, &bad) {
		t.Error(err)
	}
}
