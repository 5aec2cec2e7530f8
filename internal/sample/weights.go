package sample

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// MaxExponent is the largest exponent of [NewWeights].
const MaxExponent = 1e6

// Weights is a law on {0, …, m−1} whose weights are given by float64 exponents E_i,
//
//	P(i) ∝ w_i = m_i·2^(−53−k_i),  k_i = ⌊E_i/ln 2⌋,  m_i = the 53-bit integer 2^53·exp(−(E_i − k_i ln 2)),
//
// exactly: w_i is exp(−E_i) within e^{±RelativeError}, a fixed function of E_i, and no float decides a draw. A group of
// equal k is chosen by its number of entries times 2^−k, an entry of it uniformly, and kept with probability m_i·2^−53
// ≥ ½.
type Weights struct {
	exponents []float64
	order     []int32 // entries by increasing k
	start     []int32 // of each group in order, and their end
	groups    groups
}

// NewWeights checks 0 ≤ E_i ≤ [MaxExponent], at least one and at most 2^31 − 1 of them. It keeps the slice, which must
// not change afterwards. Errors: *[ParameterError].
func NewWeights(exponents []float64) (*Weights, error) {
	if len(exponents) == 0 || len(exponents) > math.MaxInt32 {
		return nil, domain.Refuse("sample", "number of exponents", len(exponents), "1 to 2^31 − 1")
	}
	ks := make([]int32, len(exponents))
	least, most := int32(math.MaxInt32), int32(0)
	for i, e := range exponents {
		if !(e >= 0 && e <= MaxExponent) {
			return nil, domain.Refuse("sample", "exponent", e, "a number in [0, 1e6]")
		}
		k, _ := reduce(e)
		ks[i] = k
		least, most = min(least, k), max(most, k)
	}
	w := &Weights{exponents: exponents, order: make([]int32, len(exponents))}
	if span := int(most-least) + 1; span <= 2*len(ks)+1024 {
		w.count(ks, least, span)
	} else {
		w.sort(ks)
	}
	list := make([]group, len(w.start)-1)
	for j := range list {
		list[j] = group{uint32(ks[w.order[w.start[j]]] - least), uint64(w.start[j+1] - w.start[j])}
	}
	w.groups = newGroups(list)
	return w, nil
}

// count orders the entries by counting, in time proportional to their number plus the span of k.
func (w *Weights) count(ks []int32, least int32, span int) {
	at := make([]int32, span+1)
	for _, k := range ks {
		at[k-least+1]++
	}
	w.start = append(w.start, 0)
	for k := range span {
		if at[k+1] > 0 {
			w.start = append(w.start, at[k]+at[k+1])
		}
		at[k+1] += at[k]
	}
	for i, k := range ks {
		w.order[at[k-least]] = int32(i)
		at[k-least]++
	}
}

// sort orders few entries of very different k.
func (w *Weights) sort(ks []int32) {
	for i := range w.order {
		w.order[i] = int32(i)
	}
	slices.SortStableFunc(w.order, func(a, b int32) int { return int(ks[a] - ks[b]) })
	for i, e := range w.order {
		if i == 0 || ks[e] != ks[w.order[i-1]] {
			w.start = append(w.start, int32(i))
		}
	}
	w.start = append(w.start, int32(len(w.order)))
}

// Len is m.
func (w *Weights) Len() int { return len(w.exponents) }

// Exponent is E_i.
func (w *Weights) Exponent(i int) float64 { return w.exponents[i] }

// Draw is exact. It reads about 8 words in the mean at most: up to two for the group, one for the entry, one to keep
// it, twice.
func (w *Weights) Draw(src rand.Source) int {
	for {
		j := w.groups.draw(src)
		first, end := w.start[j], w.start[j+1]
		i := w.order[first+int32(Uniform(src, uint64(end-first)))]
		if _, m := dyadic(w.exponents[i]); keep(src, m) {
			return int(i)
		}
	}
}

// LogWeight is ln w_i, −E_i within [RelativeError] and the rounding of the logarithm itself.
func (w *Weights) LogWeight(i int) float64 { return logDyadic(w.exponents[i]) }

// Dyadic is the weight itself: w_i = m·2^(−53−k).
func (w *Weights) Dyadic(i int) (k int32, m uint64) { return dyadic(w.exponents[i]) }

// RelativeError bounds |ln w_i + E_i|, the relative error of a weight, for exponents up to maxE ≤ [MaxExponent]: (4 +
// maxE·2^−30) units of 2^−53, of which at most ½ is from the subtraction, maxE·2^−30 from the low part of k·ln 2, 2
// from math.Exp, whose error is below one unit in the last place of a number in [½, 1], and 1 from rounding it to a
// multiple of 2^−53.
func RelativeError(maxE float64) float64 { return (4 + maxE*0x1p-30) * 0x1p-53 }

const (
	ln2High = 6.93147180369123816490e-01 // 32 bits: k times it is exact for k < 2^21
	ln2Low  = 1.90821492927058770002e-10
)

// reduce is k = ⌊e/ln 2⌋, up to a rounding at the boundaries, and e − k ln 2 clamped to [0, ln 2]. k·ln2High and the
// first difference are exact (Sterbenz; for k = 1 both numbers are multiples of 2^−52 below 2).
func reduce(e float64) (k int32, rest float64) {
	k = int32(e * math.Log2E)
	rest = e - float64(k)*ln2High - float64(k)*ln2Low
	switch {
	case rest < 0:
		if k == 0 {
			return 0, 0
		}
		k--
		rest = math.Min(e-float64(k)*ln2High-float64(k)*ln2Low, math.Ln2)
	case rest > math.Ln2:
		k++
		rest = math.Max(e-float64(k)*ln2High-float64(k)*ln2Low, 0)
	}
	return k, rest
}

// dyadic is the weight m·2^(−53−k), 2^52 ≤ m ≤ 2^53.
func dyadic(e float64) (k int32, m uint64) {
	k, rest := reduce(e)
	return k, max(uint64(math.Exp(-rest)*0x1p53), 1<<52)
}

// logDyadic is the logarithm of the weight; k·ln2High is exact.
func logDyadic(e float64) float64 {
	k, m := dyadic(e)
	return -(float64(k)*ln2High + (float64(k)*ln2Low - math.Log(float64(m)*0x1p-53)))
}

// keep is true with probability m·2^−53, exactly.
func keep(src rand.Source, m uint64) bool { return src.Uint64()>>11 < m }
