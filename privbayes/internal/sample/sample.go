// Package sample draws exactly from discrete laws with integer arithmetic, and from continuous laws in log space.
//
// The integer samplers follow Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020), Algorithms 1–3:
// parameters are rational, no floating-point number enters a draw, so the law is the stated one and not an approximation of it.
package sample

import (
	"fmt"
	"math"
	"math/bits"
)

// Source is a stream of uniform 64-bit words.
type Source interface{ Uint64() uint64 }

// ParameterError is a sampler parameter outside its domain.
type ParameterError struct {
	Name  string
	Value any
	Want  string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("sample: %s = %v; want %s", e.Name, e.Value, e.Want)
}

// Uniform is uniform on {0, …, n−1}, exactly; n = 0 is taken as 1. It multiplies a word by n and rejects the few words that would
// favour a value (Lemire 2019).
func Uniform(src Source, n uint64) uint64 {
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

// Float64 is uniform on the midpoints of 2^53 cells of (0, 1): never 0, never 1.
func Float64(src Source) float64 { return (float64(src.Uint64()>>11) + 0.5) * 0x1p-53 }

// Permutation is a uniformly random order of 0, …, n−1 (Fisher and Yates).
func Permutation(src Source, n int) []int {
	p := make([]int, n)
	for i := range p {
		j := int(Uniform(src, uint64(i+1)))
		p[i], p[j] = p[j], i
	}
	return p
}

// BernoulliExp is true with probability exp(−num/den), exactly. den = 0 is taken as +∞: never true.
//
// exp(−x) for x ≤ 1 is the probability that the first failure in a run of Bernoulli(x/k), k = 1, 2, …, comes at an odd k; for
// larger x it is a product of exp(−1)s and one exp(−fraction).
func BernoulliExp(src Source, num, den uint64) bool {
	if den == 0 {
		return false
	}
	for ; num > den; num -= den {
		if !bernoulliExpUnit(src, 1, 1) {
			return false
		}
	}
	return bernoulliExpUnit(src, num, den)
}

// bernoulliExpUnit is BernoulliExp for num ≤ den. The k-th trial is Bernoulli(num/(k·den)): uniform on {0, …, k·den−1} below num.
// k·den stays below 2^64 for den ≤ 2^58 and k ≤ 64; should more trials be needed, each is split into Bernoulli(1/k) and
// Bernoulli(num/den), which has the same law for every k.
func bernoulliExpUnit(src Source, num, den uint64) bool {
	for k := uint64(1); ; k++ {
		var ok bool
		if den <= math.MaxUint64/k {
			ok = Uniform(src, k*den) < num
		} else {
			ok = Uniform(src, k) == 0 && Uniform(src, den) < num
		}
		if !ok {
			return k%2 == 1
		}
	}
}
