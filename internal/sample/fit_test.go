package sample_test

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"
)

func source(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// falseAlarm is the chance that a right sampler fails one goodness-of-fit test here; the seeds are fixed, so a test
// that passed once always passes. tooFar is the same for a mean of many draws, in standard errors: P(|N(0,1)| > 6.5) =
// 8e-11.
const (
	falseAlarm = 1e-9
	tooFar     = 6.5
	draws      = 200_000
)

// fits tests draws against log-probabilities by Pearson's chi-square, cells with fewer than 20 expected draws pooled.
func fits(n int, draw func() int64, logProb func(int64) float64) bool {
	seen := map[int64]int{}
	for range n {
		seen[draw()]++
	}
	chi, cells, pooledHave, pooledWant := 0.0, -1.0, float64(n), float64(n)
	for z := int64(0); ; z++ {
		want := float64(n) * math.Exp(logProb(z))
		if want < 20 {
			break
		}
		for _, s := range []int64{z, -z} {
			d := float64(seen[s]) - want
			chi += d * d / want
			cells++
			pooledHave, pooledWant = pooledHave-float64(seen[s]), pooledWant-want
			if z == 0 {
				break
			}
		}
	}
	if pooledWant > 5 {
		d := pooledHave - pooledWant
		chi += d * d / pooledWant
		cells++
	} else if pooledHave > 60 { // P(Poisson(5) > 60) < 1e-40
		return false
	}
	return chi < distuv.ChiSquared{K: math.Max(cells, 1)}.Quantile(1-falseAlarm)
}
