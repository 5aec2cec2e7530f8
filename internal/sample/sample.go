// Package sample draws exactly from discrete laws with integer arithmetic, and from continuous laws in log space.
//
// The integer samplers follow Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithms 1–3: parameters are rational, no floating-point number enters a draw, so the law is the stated one and not
// an approximation of it. Probabilities, tails and variances are floating point, with stated errors; nothing is drawn
// from them.
//
// The words a draw reads are part of the contract: the same parameters on the same stream give the same value in every
// version.
//
// Place: imported by every mechanism that draws, and by the samplers of posterior and model.
package sample

import (
	"math/bits"
	"math/rand/v2"
)

// Uniform is uniform on {0, …, n−1}, exactly; n = 0 is taken as 1. It multiplies a word by n and rejects the few words
// that would favour a value (Lemire, "Fast Random Integer Generation in an Interval", 2019). n ≤ 1 reads no word.
func Uniform(src rand.Source, n uint64) uint64 {
	if n <= 1 {
		return 0
	}
	hi, lo := bits.Mul64(src.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(src.Uint64(), n)
		}
	}
	return hi
}

// Permutation is a uniformly random order of 0, …, n−1 (Fisher and Yates, inside out); empty for n ≤ 0.
func Permutation(src rand.Source, n int) []int {
	p := make([]int, max(n, 0))
	for i := range p {
		j := int(Uniform(src, uint64(i)+1))
		p[i], p[j] = p[j], i
	}
	return p
}
