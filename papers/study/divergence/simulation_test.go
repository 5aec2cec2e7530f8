package divergence

import (
	"math"
	"testing"
)

// sigmas is the allowed distance of a simulated share in standard errors: false alarms below 1e-9 per comparison.
const sigmas = 6.5

// The exact tail is that of simulated draws; of draws with β halved, which the same comparison must notice, it is not.
func TestExactTailAgreesWithSimulation(t *testing.T) {
	const draws = 60_000
	agrees := func(k int, p float64) bool {
		return math.Abs(float64(k)/draws-p) <= sigmas*math.Sqrt(p*(1-p)/draws)
	}
	for i, c := range []struct {
		p                []float64
		beta, alpha, eta float64
	}{
		{[]float64{.22, .78}, 200, 1, .01},
		{shares([]float64{11, 8, 65, 25, 38, 0}), 73.5, 3, .07},
		{shares([]float64{11, 8, 65, 25, 38, 0}), 30, .1, .15},
		{[]float64{1, 0, 0, 0, 0}, 50, 2, .15},
		{uniform(8), 5, .3, .8},
		{[]float64{.999, .001}, 20, .01, .05},
	} {
		tail := must[Tail](t)(ExactTail(c.p, c.beta, c.alpha, c.eta))
		if tail.Probability < .005 || tail.Probability > .995 {
			t.Errorf("%+v: tail %v: a simulation says little", c, tail)
		}
		if k := exceed(uint64(i), draws, c.p, c.beta, c.alpha, c.eta); !agrees(k, tail.Probability) {
			t.Errorf("%+v: exact %v, simulated %v", c, tail.Probability, float64(k)/draws)
		}
		if k := exceed(uint64(i+50), draws, c.p, c.beta/2, c.alpha, c.eta); agrees(k, tail.Probability) {
			t.Errorf("%+v: half of β goes unnoticed: exact %v, simulated %v", c, tail.Probability, float64(k)/draws)
		}
	}
}
