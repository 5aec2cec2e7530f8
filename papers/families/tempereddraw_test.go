package families

import (
	"errors"
	"fmt"
	"math"
	"testing"
)

// The power is the largest that is private, and the α the least: a step beyond is not. A power a thousandth too large
// is the mutant that the profile refuses.
func TestTemperedDrawIsAtTheEdge(t *testing.T) {
	const n, epsilon, delta = 40, .5, 1e-6
	profile := func(alpha, power float64) float64 {
		f, err := NewTemperedBeta(n, alpha, alpha, 0, 1, power)
		if err != nil {
			t.Fatal(err)
		}
		return Profile(f, epsilon)
	}
	for _, alpha := range []float64{1, 5, 30} {
		d, err := TemperedDraw(n, 12, alpha, epsilon, delta)
		if err != nil || profile(alpha, d.Power) > delta || profile(alpha, d.Power*1.001) <= delta {
			t.Errorf("α = %v: %+v, %v", alpha, d, err)
		}
		a, b := alpha+d.Power*12, alpha+d.Power*28
		if mean := a / (a + b); math.Abs(d.Bias-(mean-.3)) > 1e-12 ||
			math.Abs(d.SD-math.Sqrt(a*b/(a+b+1))/(a+b)) > 1e-12 || math.Abs(d.Error-math.Hypot(d.Bias, d.SD)) > 1e-12 {
			t.Errorf("moments of %+v", d)
		}
	}
	d, err := StrongestPrior(n, 12, epsilon, delta)
	if err != nil || profile(d.Alpha, 1) > delta || profile(d.Alpha/1.001, 1) <= delta || d.Power != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := TemperedDraw(n, 12, 1e6, epsilon, delta); err != nil || d.Power != 1 {
		t.Errorf("a prior that suffices alone: %+v, %v", d, err)
	}
}

func TestTemperedDrawRefuses(t *testing.T) {
	for _, c := range []struct {
		n                           int
		ones, alpha, epsilon, delta float64
		parameter                   string
	}{{0, 0, 1, 1, .1, "n"}, {10, 11, 1, 1, .1, "ones"}, {10, math.NaN(), 1, 1, .1, "ones"}, {10, 1, 0, 1, .1, "alpha"},
		{10, 1, 1, 0, .1, "epsilon"}, {10, 1, 1, 1, 1, "delta"}} {
		var e *ParameterError
		_, err := TemperedDraw(c.n, c.ones, c.alpha, c.epsilon, c.delta)
		if !errors.As(err, &e) || e.Parameter != c.parameter {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := StrongestPrior(c.n, c.ones, c.epsilon, c.delta); c.alpha > 0 && !errors.As(err, &e) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func ExampleTemperedDraw() {
	for _, alpha := range []float64{1, 12} { // 30 of 100 say yes; (0.3, 1e-6)
		d, _ := TemperedDraw(100, 30, alpha, .3, 1e-6)
		fmt.Printf("α = %v: power %.3f, error %.3f\n", alpha, d.Power, d.Error)
	}
	d, _ := StrongestPrior(100, 30, .3, 1e-6)
	fmt.Printf("power 1: α = %.0f, error %.3f\n", d.Alpha, d.Error)
	// Output:
	// α = 1: power 0.030, error 0.213
	// α = 12: power 0.196, error 0.132
	// power 1: α = 301, error 0.173
}
