package sample

import (
	"container/heap"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

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

// group is count·2^−shift of weight, shift counted from the heaviest group.
type group struct {
	shift uint32
	count uint64
}

// groups chooses group j with probability proportional to count_j·2^−shift_j, exactly.
//
// A point V, uniform on [0, 2^top) with 2^top ≥ S = Σ_j count_j·2^−shift_j, and S at least nearly half of it, is
// compared with the partial sums C_j = Σ_{i≤j} count_i·2^−shift_i: group j is taken where C_{j−1} ≤ V < C_j, and V ≥ S
// is drawn again. V is revealed one word at a time. The first word decides where it can: lower[j] ≤ C_j ≤ upper[j] in
// units of 2^(top−64), so that a word w with upper[j−1] ≤ w < lower[j] is in group j whatever the words that follow.
// The words left over are settled by [groups.refine].
type groups struct {
	list         []group // by increasing shift
	top          int
	lower, upper []uint64 // of the groups that reach the first word; upper saturates
	deep         uint64   // entries in the groups that do not reach it
}

// newGroups takes a list that is sorted by shift and starts at shift 0; counts are positive and add up to less than
// 2^62.
func newGroups(list []group) groups {
	// The float sum of positive terms is good to len(list)·2^−53 < 1e-6 relative, so the factor makes 2^top > S
	// certain.
	sum := 0.0
	for _, g := range list {
		sum += math.Ldexp(float64(g.count), -int(g.shift))
	}
	_, top := math.Frexp(sum * (1 + 1e-6))
	g := groups{list: list, top: top}
	// hi·2^64 + lo is C_j in units of 2^(top−128), rounded down; short counts the groups whose part was cut.
	var hi, lo, short uint64
	for j, e := range list {
		left := 128 - top - int(e.shift)
		if left <= -64 {
			for _, rest := range list[j:] {
				g.deep += rest.count
			}
			break
		}
		h, l, exact := shifted(e.count, left)
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi += h + carry
		if !exact {
			short++
		}
		g.lower = append(g.lower, hi)
		up := hi
		if over, c := bits.Add64(lo, short, 0); over|c != 0 {
			up += c
			if over != 0 {
				up++
			}
			if up < hi {
				up = math.MaxUint64
			}
		}
		g.upper = append(g.upper, up)
	}
	return g
}

// shifted is x·2^left in 128 bits, rounded down, −64 < left < 128, and whether nothing was cut.
func shifted(x uint64, left int) (hi, lo uint64, exact bool) {
	switch {
	case left >= 64:
		return x << uint(left-64), 0, true
	case left >= 0:
		return x >> uint(64-left), x << uint(left), true
	}
	lo = x >> uint(-left)
	return 0, lo, lo<<uint(-left) == x
}

// draw is the index of the chosen group.
func (g *groups) draw(src rand.Source) int {
	for {
		if j := g.locate(src, src.Uint64()); j >= 0 {
			return j
		}
	}
}

// locate is the group of the point whose first word is w, −1 if it is past the sum.
func (g *groups) locate(src rand.Source, w uint64) int {
	j := sort.Search(len(g.lower), func(i int) bool { return w < g.lower[i] })
	switch {
	case j > 0 && w < g.upper[j-1]:
		return g.refine(src, w)
	case j < len(g.lower):
		return j
	case g.deep > 0 && w-g.upper[j-1] <= g.deep: // deep groups add at most 2^−64 units per entry
		return g.refine(src, w)
	}
	return -1
}

// refine settles a point by exact integers. With the point V known to depth bits below the binary point, v =
// ⌊V·2^depth⌋, the sums of the groups of shift ≤ depth are integers in these units, so v < C_j says V < C_j. The deeper
// groups together hold less than one unit per entry; if v lies among them another word is drawn. At the depth of the
// last group every point is settled.
func (g *groups) refine(src rand.Source, w uint64) int {
	v, word := new(big.Int).SetUint64(w), new(big.Int)
	for known := 64; ; {
		depth := known - g.top
		sum, part := new(big.Int), new(big.Int)
		deep := uint64(0)
		for j, e := range g.list {
			if int(e.shift) > depth {
				for _, rest := range g.list[j:] {
					deep += rest.count
				}
				break
			}
			sum.Add(sum, part.Lsh(part.SetUint64(e.count), uint(depth-int(e.shift))))
			if v.Cmp(sum) < 0 {
				return j
			}
		}
		if v.Cmp(sum.Add(sum, part.SetUint64(deep))) >= 0 {
			return -1
		}
		v.Or(v.Lsh(v, 64), word.SetUint64(src.Uint64()))
		known += 64
	}
}

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

// Selection chooses one of a list of candidates with integer scores s, the higher ones more often, at the rational rate
// x = Num/Den:
//
//	P(i) ∝ e^{x·s_i}                                   the exponential mechanism;
//	P(i) = a_i ∫₀¹ Π_{j≠i} (1 − t·a_j) dt              with Flip: permute-and-flip (McKenna, Sheldon 2020),
//
// a_j = e^{−x(max s − s_j)}. The second is the law of the largest x·s_i + E_i with independent standard exponential
// E_i. Both are drawn by exact coins: no floating-point number enters.
type Selection struct {
	Num, Den uint64
	Flip     bool
}

// NewSelection is the law at the rate num/den, both ≥ 1. Errors: *[ParameterError].
func NewSelection(num, den uint64, flip bool) (Selection, error) {
	if num == 0 || den == 0 {
		return Selection{}, domain.Refuse("sample", "rate", float64(num)/float64(den), "num ≥ 1 and den ≥ 1")
	}
	return Selection{num, den, flip}, nil
}

// Rate is Num/Den.
func (s Selection) Rate() float64 { return float64(s.Num) / float64(s.Den) }

// Draw is the index of the chosen one of at least one candidate; −1 of none. The exponential mechanism takes a uniform
// candidate and keeps it with probability e^{−x(max − s)}, and begins anew otherwise: as many trials in the mean as
// there are candidates, at most. Permute-and-flip tosses the same coins along a permutation, once for each candidate;
// that of a best one never fails.
func (s Selection) Draw(src rand.Source, scores []int64) int {
	return s.DrawAmong(src, scores, func(int) bool { return true })
}

// DrawAmong chooses among the candidates that may be chosen, by the law that those alone have; −1 if there are none. It
// asks about few of them: those of the highest scores until one may be, and those whose coin has fallen. may must be a
// function of its argument.
func (s Selection) DrawAmong(src rand.Source, scores []int64, may func(i int) bool) int {
	ranking, not := &ranked{scores: scores, order: make([]int, len(scores))}, make([]bool, len(scores))
	for i := range scores {
		ranking.order[i] = i
	}
	heap.Init(ranking)
	for len(ranking.order) > 0 && !may(ranking.order[0]) {
		not[heap.Pop(ranking).(int)] = true
	}
	if len(ranking.order) == 0 {
		return -1
	}
	top := scores[ranking.order[0]] // the highest of what may be
	among := make([]int, 0, len(ranking.order))
	for i := range scores {
		if !not[i] {
			among = append(among, i)
		}
	}
	chosen := func(i int) bool { return s.keep(src, gap(top, scores[i])) && may(i) }
	if s.Flip {
		for _, k := range Permutation(src, len(among)) {
			if chosen(among[k]) {
				return among[k]
			}
		}
	}
	for {
		if i := among[Uniform(src, uint64(len(among)))]; chosen(i) {
			return i
		}
	}
}

// ranked is a heap of candidates, the highest score first, among equal ones the first.
type ranked struct {
	scores []int64
	order  []int
}

func (r *ranked) Len() int { return len(r.order) }
func (r *ranked) Less(i, j int) bool {
	a, b := r.order[i], r.order[j]
	return r.scores[a] > r.scores[b] || r.scores[a] == r.scores[b] && a < b
}
func (r *ranked) Swap(i, j int) { r.order[i], r.order[j] = r.order[j], r.order[i] }
func (r *ranked) Push(i any)    { r.order = append(r.order, i.(int)) }
func (r *ranked) Pop() any {
	last := len(r.order) - 1
	i := r.order[last]
	r.order = r.order[:last]
	return i
}

// gap is top − v ≥ 0, which always fits.
func gap(top, v int64) uint64 { return uint64(top) - uint64(v) }

// keep is true with probability e^{−gap·num/den}: where the product leaves a word, by two coins of half the gap.
func (s Selection) keep(src rand.Source, gap uint64) bool {
	if over, product := bits.Mul64(gap, s.Num); over == 0 {
		return BernoulliExp(src, product, s.Den)
	}
	return s.keep(src, gap/2) && s.keep(src, gap-gap/2)
}

// nodes are those of Gauss–Legendre quadrature on [0, 1] of a size that was asked for before, with their weights.
var nodes sync.Map

type rule struct{ x, w []float64 }

func ruleOf(size int) rule {
	if r, ok := nodes.Load(size); ok {
		return r.(rule)
	}
	r := rule{make([]float64, size), make([]float64, size)}
	quad.Legendre{}.FixedLocations(r.x, r.w, 0, 1)
	nodes.Store(size, r)
	return r
}

// flipped are the integrals ∫₀¹ Π_{j≠i} (1 − t·e^{v_j}) dt of all i.
func flipped(v []float64) []float64 {
	weights, out, r := make([]float64, len(v)), make([]float64, len(v)), ruleOf(len(v)/2+1)
	for i := range v {
		weights[i] = math.Exp(v[i])
	}
	for i := range out {
		for k, t := range r.x {
			p := 1.0
			for j, a := range weights {
				if j != i {
					p *= 1 - t*a
				}
			}
			out[i] += r.w[k] * p
		}
	}
	return out
}

// LogProbs are the logarithms of the probabilities of all candidates, to about 1e-14. The integral of permute-and-flip,
// of a polynomial, is by Gauss–Legendre quadrature of a degree at which it is exact, all terms positive.
func (s Selection) LogProbs(scores []int64) []float64 {
	out := make([]float64, len(scores))
	if len(scores) == 0 {
		return out
	}
	top := scores[0]
	for _, v := range scores[1:] {
		top = max(top, v)
	}
	x := s.Rate()
	for i, v := range scores {
		out[i] = -x * float64(gap(top, v))
	}
	if !s.Flip {
		total := floats.LogSumExp(out)
		for i := range out {
			out[i] -= total
		}
		return out
	}
	for i, share := range flipped(out) {
		out[i] += math.Log(share)
	}
	return out
}
