package loss_test

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

func TestAttackPower(t *testing.T) {
	level := func(r dp.Request) dp.Parameters { return r.Parameters }
	for _, c := range []struct {
		level       dp.Parameters
		falseAlarms float64
		want        float64
	}{
		{level(dp.PureDP(1)), .05, 0.1359141},
		{level(dp.PureDP(.1)), .05, 0.0552586},
		{level(dp.PureDP(2)), .05, 0.3694528},
		{level(dp.PureDP(3)), .05, 0.9527023}, // the other branch: 1 − e^{−3}·0.95
		{level(dp.PureDP(.5)), .01, 0.0164873},
		{level(dp.ApproxDP(1, 1e-6)), .05, 0.1359151},
		{level(dp.PureDP(800)), .05, 1},
		{level(dp.PureDP(1)), 0, 0},
		{level(dp.PureDP(1)), 1, 1},
		{dp.NotPrivate("seeded"), .05, 1},
	} {
		got := loss.AttackPower(c.level, c.falseAlarms)
		if !(math.Abs(got-c.want) < 1e-7) {
			t.Errorf("%s at %v: %.7f, want %.7f", c.level, c.falseAlarms, got, c.want)
		}
	}
	for _, a := range []float64{-.1, 1.1, math.NaN()} {
		if got := loss.AttackPower(level(dp.PureDP(1)), a); !math.IsNaN(got) {
			t.Errorf("at %v: %v, want NaN", a, got)
		}
	}
}

// No test between the two outputs of randomised response, of the geometric and of the Gaussian pair beats the bound of
// the level that the pair meets; and bounds of the concentrated notions are worth something.
func TestAttackPowerBoundsPairs(t *testing.T) {
	for _, eps := range []float64{.05, .5, 1, 2, 4} {
		pair := loss.PurePair{Epsilon: eps}
		// the most powerful test of a two-point pair: accuse on the likely output, and on the other at random
		p, a := 1/(1+math.Exp(-eps)), .05
		exact := a * p / (1 - p)
		if a > 1-p {
			exact = p + (1-p)*(a-(1-p))/p
		}
		levels := []dp.Parameters{dp.PureDP(eps).Parameters}
		for _, want := range []dp.Request{dp.ApproxDP(1, 1e-3), dp.ZCDP(1), dp.TCDP(1, 20), dp.RenyiDP(8, 1)} {
			levels = append(levels, loss.LevelOf(pair, want.Parameters))
		}
		for _, l := range levels {
			if l.Epsilon == 0 && l.Rho == 0 {
				continue
			}
			if got := loss.AttackPower(l, a); got < exact {
				t.Errorf("ε = %v, %s: %v is below the power %v of a test", eps, l, got, exact)
			}
		}
		if got := 1 - loss.TradeOff(pair, a); math.Abs(got-exact) > 1e-6 {
			t.Errorf("ε = %v: trade-off %v, want %v", eps, got, exact)
		}
	}
	var powers []float64
	for _, rho := range []float64{.001, .01, .1, .5, 2} {
		powers = append(powers, loss.AttackPower(dp.ZCDP(rho).Parameters, .05))
	}
	if !slices.IsSorted(powers) || powers[0] > .1 || powers[2] > .7 {
		t.Error(powers)
	}
}
