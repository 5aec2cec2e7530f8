package sample

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"sort"
)

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
