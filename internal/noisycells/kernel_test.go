package noisycells

import (
	"math"
	"testing"
)

// LogProbability has the values that another program computed at 40 digits.
func TestLogProbabilityGolden(t *testing.T) {
	for _, c := range []struct {
		r              int64
		mu, rate, want float64
	}{
		{3, 2.5, .5, -0.5505607247893014}, {-4, .3, .5, -2.11804080208621}, {120, 100, .05, -0.8986259323781354},
		{300, 100, .5, -85.12787292998719}, {3000, 300, .05, -134.61867108719278}, {50, 2000, .5, -761.9386805747331},
	} {
		if got := LogProbability(c.r, c.mu, c.rate); !(math.Abs(got-c.want) <= 1e-12*math.Max(1, math.Abs(c.want))) {
			t.Errorf("%+v: %.17g, off by %.3g", c, got, got-c.want)
		}
	}
}

// direct is ln Σ_k Poisson(k; mu)·q^|r − k| by the sum, over all k whose terms count.
func direct(r int64, mu, rate float64) float64 {
	last := int(math.Max(float64(r), mu)) + int(60*math.Sqrt(mu)+400)
	most, terms := math.Inf(-1), make([]float64, last)
	for k := range terms {
		l, _ := math.Lgamma(float64(k) + 1)
		terms[k] = float64(k)*math.Log(mu) - mu - l - rate*math.Abs(float64(r)-float64(k))
		most = math.Max(most, terms[k])
	}
	sum := 0.
	for _, v := range terms {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// The closed form is the sum, near and far, for noise from next to none to far above the counts.
func TestLogProbabilityIsTheSum(t *testing.T) {
	for _, r := range []int64{-300, -1, 0, 1, 2, 7, 50, 400, 3000} {
		for _, mu := range []float64{1e-12, .01, .7, 3, 40, 399, 401, 2500, 6000} {
			for _, rate := range []float64{.01, .1, .5, 1, 3, 10, 40, 64} {
				got, want := LogProbability(r, mu, rate), direct(r, mu, rate)
				// the sum has lnΓ of thousands in its terms
				if !(math.Abs(got-want) <= 1e-12*math.Max(math.Abs(want), 20*(float64(r)+mu+1))) {
					t.Errorf("r = %d, mu = %v, rate = %v: %.15g, sum %.15g", r, mu, rate, got, want)
				}
			}
		}
	}
	for _, mu := range []float64{1e-300, 1e9, 1e15} {
		for _, r := range []int64{-1 << 52, 0, 1 << 52} {
			for _, rate := range []float64{1e-9, 1, 64} {
				if got := LogProbability(r, mu, rate); math.IsNaN(got) || math.IsInf(got, 0) || got > 1e-6*mu {
					t.Errorf("r = %d, mu = %v, rate = %v: %v", r, mu, rate, got)
				}
			}
		}
	}
}
