package sample

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// MultipleWeights is [Weights] with multiplicities:
//
//	P(i) ∝ c_i·w_i,  w_i the dyadic weight of exponent E_i,
//
// exactly: entry i stands for c_i points of weight w_i. It is meant for few entries of any multiplicity.
type MultipleWeights struct {
	exponents []float64
	order     []int32
	groups    groups
}

// NewMultipleWeights checks 0 ≤ E_i ≤ [MaxExponent] and c_i ≥ 1 with a sum below 2^62. It copies neither slice; they
// must not change. Errors: *[ParameterError].
func NewMultipleWeights(exponents []float64, counts []uint64) (*MultipleWeights, error) {
	if len(exponents) == 0 || len(exponents) > math.MaxInt32 || len(counts) != len(exponents) {
		return nil, domain.Refuse("sample", "numbers of exponents and counts", [2]int{len(exponents), len(counts)},
			"the same, 1 to 2^31 − 1")
	}
	ks, total := make([]int32, len(exponents)), uint64(0)
	w := &MultipleWeights{exponents: exponents, order: make([]int32, len(exponents))}
	for i, e := range exponents {
		if !(e >= 0 && e <= MaxExponent) {
			return nil, domain.Refuse("sample", "exponent", e, "a number in [0, 1e6]")
		}
		if counts[i] == 0 || counts[i] >= 1<<62-total {
			return nil, domain.Refuse("sample", "count", counts[i], "at least 1, with a sum below 2^62")
		}
		total += counts[i]
		ks[i], _ = reduce(e)
		w.order[i] = int32(i)
	}
	slices.SortStableFunc(w.order, func(a, b int32) int { return int(ks[a] - ks[b]) })
	list := make([]group, len(w.order))
	for j, i := range w.order {
		list[j] = group{uint32(ks[i] - ks[w.order[0]]), counts[i]}
	}
	w.groups = newGroups(list)
	return w, nil
}

// Draw is exact. It reads about 6 words in the mean at most.
func (w *MultipleWeights) Draw(src rand.Source) int {
	for {
		i := w.order[w.groups.draw(src)]
		if _, m := dyadic(w.exponents[i]); keep(src, m) {
			return int(i)
		}
	}
}

// LogWeight is ln w_i, without the multiplicity.
func (w *MultipleWeights) LogWeight(i int) float64 { return logDyadic(w.exponents[i]) }
