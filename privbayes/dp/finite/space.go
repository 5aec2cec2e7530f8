package finite

import (
	"iter"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Space is the set of inputs: the histograms of n records over Cells kinds of record. Under ReplaceOne neighbours
// differ by moving one record; under AddRemove by one record more or less, and all totals 0 … N are visited.
type Space struct {
	Cells, N  int
	Adjacency dp.Adjacency
}

// Pairs is the number of ordered pairs of neighbours.
func (s Space) Pairs() float64 {
	d := float64(s.Cells)
	if s.Adjacency == dp.AddRemove {
		// the records that stay, at most n − 1, and the cell of one more
		return 2 * d * binomial(s.N+s.Cells-1, s.Cells)
	}
	if s.N == 0 {
		return 0
	}
	// the n−1 records that stay, and the cells that one is moved between
	return binomial(s.N+s.Cells-2, s.Cells-1) * d * (d - 1)
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := 1; i <= k; i++ {
		b *= float64(n-k+i) / float64(i)
	}
	return b
}

// Histograms yields every vector of cells counts that add up to n, in lexicographic order. The vector is reused. There
// is none unless cells ≥ 1 and n ≥ 0.
func Histograms(cells, n int) iter.Seq[[]int] {
	return func(yield func(x []int) bool) {
		if cells < 1 || n < 0 {
			return
		}
		x := make([]int, cells)
		x[cells-1] = n
		for yield(x) && next(x) {
		}
	}
}

// Counts is a histogram as a table of counts.
func Counts(x []int) []int64 {
	out := make([]int64, len(x))
	for i, c := range x {
		out[i] = int64(c)
	}
	return out
}

// Inputs yields the count vectors of the space, those of fewer records first. The vector is reused.
func (s Space) Inputs() iter.Seq[[]int] {
	return func(yield func(x []int) bool) {
		n := s.N
		if s.Adjacency == dp.AddRemove {
			n = 0
		}
		for ; n <= s.N; n++ {
			for x := range Histograms(s.Cells, n) {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// Neighbours yields every input x with every input y that one record leads to: under ReplaceOne one that moves, so that
// both orders of a pair are there; under AddRemove one that goes, each pair once. The vectors are reused.
func (s Space) Neighbours() iter.Seq2[[]int, []int] {
	return func(yield func(x, y []int) bool) {
		for x := range s.Inputs() {
			for y := range s.Around(x) {
				if !yield(x, y) {
					return
				}
			}
		}
	}
}

// Around yields what one record makes of x: see Neighbours. The vector is reused.
func (s Space) Around(x []int) iter.Seq[[]int] {
	if s.Adjacency == dp.AddRemove {
		return Stepped(x, -1)
	}
	return Moved(x)
}

// Moved yields what x is with one record in another cell, each once. The vector is reused.
func Moved(x []int) iter.Seq[[]int] {
	return func(yield func(y []int) bool) {
		for less := range Stepped(x, -1) {
			for y := range Stepped(less, 1) {
				if !slices.Equal(x, y) && !yield(y) {
					return
				}
			}
		}
	}
}

// Stepped yields what x is with one count changed by step, where it stays at least 0. The vector is reused.
func Stepped(x []int, step int) iter.Seq[[]int] {
	return func(yield func(y []int) bool) {
		y := slices.Clone(x)
		for i, c := range x {
			if y[i] = c + step; y[i] >= 0 && !yield(y) {
				return
			}
			y[i] = c
		}
	}
}

// next turns x into the histogram after it; false after the last.
func next(x []int) bool {
	last := len(x) - 1
	i := last
	for i > 0 && x[i] == 0 {
		i--
	}
	if i == 0 {
		return false
	}
	// the last cell that is not empty gives one record to the cell before it, and the others to the end
	rest := x[i] - 1
	x[i] = 0
	x[i-1]++
	x[last] = rest
	return true
}

// ranks numbers the histograms of n records in lexicographic order.
type ranks struct {
	n      int
	choose [][]int // choose[k][m] = C(m+k, k)
}

func newRanks(cells, n int) ranks {
	r := ranks{n: n, choose: make([][]int, cells)}
	for k := range r.choose {
		r.choose[k] = make([]int, n+1)
		for m := range r.choose[k] {
			switch {
			case k == 0 || m == 0:
				r.choose[k][m] = 1
			default:
				r.choose[k][m] = r.choose[k-1][m] + r.choose[k][m-1]
			}
		}
	}
	return r
}

// size is the number of histograms.
func (r ranks) size() int { return r.choose[len(r.choose)-1][r.n] }

// of is the rank of x: a smaller count in the first cells leaves C(m+k, k) histograms for each record more that stays.
func (r ranks) of(x []int) int {
	rank, left := 0, r.n
	for i, c := range x[:len(x)-1] {
		k := len(x) - 1 - i
		rank += r.choose[k][left] - r.choose[k][left-c]
		left -= c
	}
	return rank
}

// at fills x with the histogram of a rank.
func (r ranks) at(rank int, x []int) {
	left := r.n
	for i := range x[:len(x)-1] {
		k := len(x) - 1 - i
		c := 0
		for c < left && rank >= r.choose[k][left]-r.choose[k][left-c-1] {
			c++
		}
		rank -= r.choose[k][left] - r.choose[k][left-c]
		x[i] = c
		left -= c
	}
	x[len(x)-1] = left
}

// forward calls visit with every neighbour of x that comes after it: with one record more under AddRemove, after x in
// lexicographic order under ReplaceOne. y is reused.
func (s Space) forward(x, y []int, visit func(y []int)) {
	copy(y, x)
	if s.Adjacency == dp.AddRemove {
		for i := range y {
			y[i]++
			visit(y)
			y[i]--
		}
		return
	}
	for from := 1; from < len(x); from++ {
		if x[from] == 0 {
			continue
		}
		y[from]--
		for to := range from { // the first cell that changes grows, so y comes after x
			y[to]++
			visit(y)
			y[to]--
		}
		y[from]++
	}
}
