package hellinger

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The quadrature gives the law of the polynomial, which for three candidates and more is not the exponential
// mechanism's.
func TestFlipProbabilities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := rapid.SliceOfN(rapid.Float64Range(-8, 0), 1, 12).Draw(t, "log-weights")
		logs[0] = 0 // the best candidate's coin always comes up
		e := make([]float64, len(logs))
		for i, v := range logs {
			e[i] = -v
		}
		want := flipLaw(e)
		flipProbabilities(logs)
		for i, p := range want {
			if math.Abs(math.Exp(logs[i])-p) > 1e-11 {
				t.Fatalf("candidate %d: %v, want %v", i, math.Exp(logs[i]), p)
			}
		}
	})
	logs := []float64{0, math.Log(.5), math.Log(.25)}
	flipProbabilities(logs)
	if math.Abs(math.Exp(logs[0])-1/1.75) < .01 {
		t.Error("permute-and-flip would be the exponential mechanism:", math.Exp(logs[0]))
	}
}

// Many candidates of which few are near: the probabilities still add up to 1.
func TestFlipProbabilitiesAddUp(t *testing.T) {
	for _, rate := range []float64{.001, .1, 5} {
		logs, sum := make([]float64, 3000), 0.0
		for i := range logs {
			logs[i] = -rate * math.Abs(float64(i-1000))
		}
		flipProbabilities(logs)
		for _, v := range logs {
			sum += math.Exp(v)
		}
		if math.Abs(sum-1) > 1e-10 {
			t.Errorf("rate %v: %v", rate, sum)
		}
	}
}
