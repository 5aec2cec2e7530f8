package hellingersample

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// Count is the number |R| = C(n+d−1, d−1) of candidates, math.MaxUint64 when it is larger; 0 for n < 0 or d < 1.
func Count(n int64, d int) uint64 {
	if n < 0 || d < 1 {
		return 0
	}
	top, k := uint64(n)+uint64(d)-1, min(uint64(n), uint64(d)-1)
	c := uint64(1)
	for i := uint64(1); i <= k; i++ { // c = C(top−k+i, i) grows by a factor (top−k+i)/i ≥ 2
		hi, lo := bits.Mul64(c, top-k+i)
		if hi >= i {
			return math.MaxUint64
		}
		c, _ = bits.Div64(hi, lo, i)
	}
	return c
}

// Unrank is candidate i in lexicographic order, first cell slowest: the order of [Exponents]. It is nil unless 0 ≤ i <
// Count(n, d) and Count(n, d) < 2^31.
func Unrank(i int, n int64, d int) []int64 {
	total := Count(n, d)
	if i < 0 || uint64(i) >= total || total >= 1<<31 {
		return nil
	}
	r, left, rank := make([]int64, d), uint64(n), uint64(i)
	for c := range d - 1 {
		k := uint64(d - c - 2) // cells after this one, less one
		if k == 0 {            // one candidate with every value here
			r[c], left = int64(rank), left-rank
			break
		}
		with := Count(int64(left), d-c-1)
		for rank >= with { // candidates with this value here: C(left+k, k)
			rank -= with
			with = with * left / (left + k)
			left--
			r[c]++
		}
	}
	r[d-1] = int64(left)
	return r
}

// composition is a uniform candidate, exactly: stars and bars. The positions of the bars, or of the stars if they are
// fewer, are a uniform subset (Floyd's algorithm).
func composition(src rand.Source, n int64, d int) []int64 {
	r := make([]int64, d)
	places, bars := uint64(n)+uint64(d)-1, uint64(d)-1
	if stars := uint64(n); stars < bars {
		for i, p := range subset(src, places, stars) {
			r[p-uint64(i)]++ // p−i bars stand before star i
		}
		return r
	}
	last := uint64(0)
	for i, p := range subset(src, places, bars) {
		r[i] = int64(p - last)
		last = p + 1
	}
	r[d-1] = int64(places - last)
	return r
}

// subset is k of {0, …, m−1}, sorted.
func subset(src rand.Source, m, k uint64) []uint64 {
	chosen, list := make(map[uint64]struct{}, k), make([]uint64, 0, k)
	for j := m - k; j < m; j++ {
		t := sample.Uniform(src, j+1)
		if _, taken := chosen[t]; taken {
			t = j
		}
		chosen[t] = struct{}{}
		list = append(list, t)
	}
	slices.Sort(list)
	return list
}
