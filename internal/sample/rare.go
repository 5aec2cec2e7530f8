package sample

import (
	"math/bits"
	"math/rand/v2"
	"slices"
)

// Exceeding is how many of n independent draws are z or more, for z ≥ 1: Binomial(n, q^z/(1+q)), exactly but for the
// cut of [TwoSidedGeometric.Draw]. The draws themselves are not made: n = 2^32 takes a second.
//
// With γz = w + f, w whole and 0 ≤ f < 1, the probability is that of independent trials that all succeed:
//
//	q^z/(1+q) = (1/2)^w · (2/e)^w · e^{−f} · 1/(1+q).
//
// The fair trials come first, a bit each, for all that are left; the others are drawn for the few that pass.
func (g TwoSidedGeometric) Exceeding(src rand.Source, n uint64, z int64) uint64 {
	hi, lo := bits.Mul64(g.Num, uint64(z))
	if hi >= g.Den { // γz ≥ 2^64
		return 0
	}
	whole, rest := bits.Div64(hi, lo, g.Den)
	if whole > maxUnits {
		return 0
	}
	for i := uint64(0); i < whole && n > 0; i++ {
		n = halved(src, n)
	}
	passed := uint64(0)
	for ; n > 0; n-- {
		if g.passes(src, whole, rest) {
			passed++
		}
	}
	return passed
}

// passes draws the trials that are not fair: true with probability (2/e)^whole · e^{−rest/Den} · 1/(1+q).
func (g TwoSidedGeometric) passes(src rand.Source, whole, rest uint64) bool {
	for ; whole > 0; whole-- {
		if !twoOverE(src) {
			return false
		}
	}
	return bernoulliExpUnit(src, rest, g.Den) && g.notBelow(src)
}

// notBelow is true with probability 1/(1+q): of fair trials, each followed by one of q where it fails, the first that
// succeeds is a fair one with probability ½/(½ + ½q).
func (g TwoSidedGeometric) notBelow(src rand.Source) bool {
	for {
		switch {
		case src.Uint64()>>63 == 0:
			return true
		case BernoulliExp(src, g.Num, g.Den):
			return false
		}
	}
}

// twoOverE is true with probability 2/e: bernoulliExpUnit at 1, given that its second trial, a fair one, succeeds.
func twoOverE(src rand.Source) bool {
	for k := uint64(3); ; k++ {
		if Uniform(src, k) != 0 {
			return k%2 == 1
		}
	}
}

// halved is Binomial(n, ½): the ones among n bits.
func halved(src rand.Source, n uint64) (ones uint64) {
	for ; n >= 64; n -= 64 {
		ones += uint64(bits.OnesCount64(src.Uint64()))
	}
	if n > 0 {
		ones += uint64(bits.OnesCount64(src.Uint64() >> (64 - n)))
	}
	return ones
}

// Excess is Z − z given Z ≥ z, the same for all z ≥ 1: P(x) = (1−q)·q^x, x ≥ 0. As exact as [TwoSidedGeometric.Draw].
func (g TwoSidedGeometric) Excess(src rand.Source) int64 { return g.oneSided(src) }

// Subset is a uniformly random set of m of the numbers 0, …, n−1, in their order (Floyd 1987); all where m ≥ n.
func Subset(src rand.Source, n, m uint64) []uint64 {
	m = min(m, n)
	has, out := make(map[uint64]bool, m), make([]uint64, 0, m)
	for j := n - m; j < n; j++ {
		x := Uniform(src, j+1)
		if has[x] {
			x = j
		}
		has[x] = true
		out = append(out, x)
	}
	slices.Sort(out)
	return out
}
