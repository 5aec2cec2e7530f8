package sample

import (
	"math/bits"
	"math/rand/v2"
)

// BernoulliExp is true with probability exp(−num/den), exactly (Canonne, Kamath, Steinke 2020, Algorithm 1). den = 0 is
// taken as an exponent of +∞: never true.
//
// Case num ≤ den: the number K of the first failure in a run of Bernoulli(x/k), k = 1, 2, …, x = num/den, has
// P(K > k) = x^k/k!, so P(K odd) = Σ_j (x^{2j}/(2j)! − x^{2j+1}/(2j+1)!) = e^{−x}.
//
// Case num > den: exp(−num/den) is a product of factors exp(−1) and one of exp(−fraction); the run stops at the first
// false, after 1.6 factors in the mean whatever the exponent.
func BernoulliExp(src rand.Source, num, den uint64) bool {
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

// bernoulliExpUnit is BernoulliExp for num ≤ den. The k-th trial is Bernoulli(num/(k·den)): uniform on {0, …, k·den−1}
// below num. Where k·den passes 2^64 the trial is the product of Bernoulli(1/k) and Bernoulli(num/den), which has the
// same law.
func bernoulliExpUnit(src rand.Source, num, den uint64) bool {
	for k := uint64(1); ; k++ {
		var ok bool
		if over, n := bits.Mul64(k, den); over == 0 {
			ok = Uniform(src, n) < num
		} else {
			ok = Uniform(src, k) == 0 && Uniform(src, den) < num
		}
		if !ok {
			return k%2 == 1
		}
	}
}

// bernoulliExpWide is BernoulliExp for 192-bit integers, 1 ≤ den < 2^128. It reads the same words as BernoulliExp where
// both fit in one: whole units first, then the fraction, by the word routine as soon as den fits in a word (the
// fraction's num ≤ den does too).
func bernoulliExpWide(src rand.Source, num, den wide) bool {
	for ; den.less(num); num = num.minus(den) {
		if !bernoulliExpUnit(src, 1, 1) {
			return false
		}
	}
	if den.isWord() {
		return bernoulliExpUnit(src, num.lo, den.lo)
	}
	// k·den < 2^192 while k < 2^64, and the run passes k with probability at most 1/k!.
	var n wide
	for k := uint64(1); ; k++ {
		if n = n.plus(den); !uniformWide(src, n).less(num) {
			return k%2 == 1
		}
	}
}
