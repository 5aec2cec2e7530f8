package dp_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// The golden levels, and the ε that have a level of 1.
func TestAmplifiedGolden(t *testing.T) {
	for _, c := range []struct{ q, at1, base float64 }{
		{.01, .01703686323617644, 5.152297938244442}, {.1, .1585650787404291, 2.9004770978893855},
		{.5, .6201145069582775, 1.4898801256447498}} {
		q := new(big.Rat).SetFloat64(c.q)
		for eps, want := range map[float64]float64{1: c.at1, c.base: 1} {
			got := must.Get(dp.PureDP(eps).Parameters.Amplified(q))(t)
			if x := float64(got.Epsilon); math.Abs(x-want) > 1e-12 || got.Notion != dp.Pure {
				t.Errorf("q = %v, ε = %v: %v, want %v", c.q, eps, got, want)
			}
		}
	}
}

// Levels are above the exact ones, by rounding alone, never above that of the sample, and δ is above qδ.
func TestAmplifiedRoundsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := big.NewRat(rapid.Int64Range(1, 1e6).Draw(t, "a"), 1_000_000)
		eps := rapid.OneOf(rapid.Float64Range(1e-9, 3), rapid.Float64Range(3, 600)).Draw(t, "ε")
		delta := rapid.Float64Range(1e-12, .1).Draw(t, "δ")
		got, err := dp.ApproxDP(eps, delta).Parameters.Amplified(q)
		if err != nil {
			t.Fatal(err)
		}
		share, _ := q.Float64()
		exact := num.Point(eps).Expm1().Mul(num.Interval{Lo: num.Down(share), Hi: num.Up(share)}).Log1p()
		if x := float64(got.Epsilon); x < exact.Lo || x > eps || x > exact.Hi*(1+1e-12) {
			t.Errorf("q = %v, ε = %v: %v, exactly %v", q, eps, x, exact)
		}
		if new(big.Rat).SetFloat64(got.Delta).Cmp(q.Mul(q, new(big.Rat).SetFloat64(delta))) < 0 ||
			got.Delta > delta*share*(1+1e-12) {
			t.Errorf("δ = %v at q = %v", got.Delta, share)
		}
	})
	for _, eps := range []float64{0, 1e-300, 700.5, 5000, 1e9} { // where nothing can be gained, or e^ε is no float64
		got := must.Get(dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(eps)}.Amplified(big.NewRat(1, 10)))(t)
		if x := float64(got.Epsilon); x > eps || eps == 5000 && math.Abs(x-(5000-math.Log(10))) > 1e-9 {
			t.Errorf("%v: %v", eps, x)
		}
	}
	if got := must.Get(dp.PureDP(1).Parameters.Amplified(new(big.Rat)))(t); got.Epsilon != 0 {
		t.Errorf("nobody is drawn: %v", got)
	}
}

// Other definitions and rates that are none are refused.
func TestAmplifiedRefuses(t *testing.T) {
	q := big.NewRat(1, 10)
	for name, c := range map[string]struct {
		level dp.Parameters
		rate  *big.Rat
	}{
		"zCDP": {dp.ZCDP(1).Parameters, q}, "tCDP": {dp.TCDP(1, 9).Parameters, q}, "Rényi": {dp.RenyiDP(2, 1).Parameters, q},
		"none": {dp.NotPrivate("seeded"), q}, "above 1": {dp.PureDP(1).Parameters, big.NewRat(11, 10)},
		"negative": {dp.PureDP(1).Parameters, big.NewRat(-1, 10)}, "no rate": {dp.PureDP(1).Parameters, nil},
		"infinite": {dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(math.Inf(1))}, q},
	} {
		var e *dp.ParameterError
		if got, err := c.level.Amplified(c.rate); !errors.As(err, &e) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
}
