package quantiles

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// tree is how the points of a lattice are counted: leaves of Width points each, and above them nodes of Branching
// children, up to the level that has at most Branching nodes. The root is not counted: where n is public it is n.
type tree struct {
	Points    int64 `json:"points"`
	Width     int64 `json:"width"`
	Branching int64 `json:"branching"`
}

// Limits of a tree: counts that a release keeps, and levels.
const (
	maxLeaves = 1 << 14
	maxLevels = 14
)

// Valid checks a tree from a file: *dp.ParameterError.
func (t tree) Valid() error {
	switch {
	case t.Points < 2 || t.Points > 1<<20:
		return domain.Refuse("quantiles", "points", t.Points, "2 to 2^20")
	case t.Width < 1 || 2*t.Width > t.Points+1 || t.leaves() > maxLeaves:
		return domain.Refuse("quantiles", "width", t.Width, "2 to 2^14 leaves")
	case t.Branching < 2 || t.Branching > maxLeaves:
		return domain.Refuse("quantiles", "branching", t.Branching, "2 to 2^14")
	}
	return nil
}

func (t tree) leaves() int64 { return (t.Points + t.Width - 1) / t.Width }

// sizes are the numbers of nodes of every level, the leaves first.
func (t tree) sizes() []int {
	out := []int{int(t.leaves())}
	for last := out[0]; int64(last) > t.Branching; out = append(out, last) {
		last = int((int64(last) + t.Branching - 1) / t.Branching)
	}
	return out
}

func (t tree) levels() int { return len(t.sizes()) }

// count is the number of counts released.
func (t tree) count() (n int) {
	for _, s := range t.sizes() {
		n += s
	}
	return n
}

// sums counts the records at every node, by those at every point.
func (t tree) sums(counts []int64) [][]int64 {
	sizes := t.sizes()
	out := make([][]int64, len(sizes))
	for l, size := range sizes {
		out[l] = make([]int64, size)
		from, width := counts, t.Width
		if l > 0 {
			from, width = out[l-1], t.Branching
		}
		for i, c := range from {
			out[l][int64(i)/width] += c
		}
	}
	return out
}

// children are the nodes of the level below that node i has, of size many.
func (t tree) children(i, size int) (first, end int) {
	return i * int(t.Branching), min((i+1)*int(t.Branching), size)
}

// variance is the variance of the count of records below a place of the lattice, averaged over places, where every
// count has noise of variance 1, n is known and the counts are made consistent. With V_0 = 1 and 1/V_l = 1 +
// 1/(b·V_{l−1}) the variances of the nodes' counts given their own subtrees, it is Σ_l V_l·(b − 1)/6.
func (t tree) variance() float64 {
	sum, v := 0.0, 1.0
	sizes := t.sizes()
	for l := range sizes {
		b := float64(t.Branching)
		if l == len(sizes)-1 {
			b = float64(sizes[l])
		}
		sum += v * math.Max(b-1, 0) / 6
		v = 1 / (1 + 1/(b*v))
	}
	return sum
}
