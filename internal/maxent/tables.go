package maxent

import (
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// layout says where the cells of a table over some variables, in order, add to a table over some of these. Cells come
// in runs: those of the last variables whose places are a step apart.
type layout struct {
	levels, strides []int // of the variables before
	n, step         int   // of a run
}

// layOut is the layout for the variables of from, the last running fastest, in the table over those of to, all of them
// in from.
func layOut(levels, from, to []int) layout {
	l := layout{levels: make([]int, len(from)), strides: make([]int, len(from)), n: 1}
	for i, v := range from {
		l.levels[i] = levels[v]
	}
	stride := 1
	for i := len(to) - 1; i >= 0; i-- {
		l.strides[slices.Index(from, to[i])] = stride // 0 for variables that are summed out
		stride *= levels[to[i]]
	}
	last := len(from) - 1
	if last >= 0 {
		l.step = l.strides[last]
	}
	for ; last >= 0 && l.strides[last] == l.step*l.n; last-- {
		l.n *= l.levels[last]
	}
	l.levels, l.strides = l.levels[:last+1], l.strides[:last+1]
	return l
}

// runs calls f with the place of the first cell of every run.
func (l layout) runs(f func(at int)) {
	at, codes := 0, make([]int, len(l.levels))
	for {
		f(at)
		i := len(codes) - 1
		for ; i >= 0; i-- {
			at += l.strides[i]
			if codes[i]++; codes[i] < l.levels[i] {
				break
			}
			at -= l.strides[i] * l.levels[i]
			codes[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// places are where the cells of a table over the variables of from add to one over those of to, one by one.
func places(levels, from, to []int) []int32 {
	l, out := layOut(levels, from, to), make([]int32, 0, junction.Cells(from, levels))
	l.runs(func(at int) {
		for j := range l.n {
			out = append(out, int32(at+j*l.step))
		}
	})
	return out
}

// sumOver adds the cells of a table over the variables of from to those of a table over the variables of to.
func sumOver(out []float64, levels []int, cells []float64, from, to []int) {
	l := layOut(levels, from, to)
	l.runs(func(at int) {
		row := cells[:l.n]
		switch cells = cells[l.n:]; l.step {
		case 0:
			sum := out[at]
			for _, x := range row {
				sum += x
			}
			out[at] = sum
		case 1:
			accumulate(out[at:], row)
		default:
			for _, x := range row {
				out[at] += x
				at += l.step
			}
		}
	})
}

// margin is the table over some variables of a clique.
func (q *clique) margin(levels, vars []int) []float64 {
	out := make([]float64, junction.Cells(vars, levels))
	sumOver(out, levels, q.cells, q.vars, vars)
	return out
}

// contains reports whether all of the variables are in the set.
func contains(set, vars []int) bool {
	for _, v := range vars {
		if !slices.Contains(set, v) {
			return false
		}
	}
	return true
}

// scatter adds up the cells of a large table that belong to one of the small one.
func scatter(small, large []float64, at []int32) {
	large = large[:len(at)]
	for i, k := range at {
		small[k] += large[i]
	}
}

// room is where a model's fits keep their numbers. A fit after one more table begins with what the last one had.
type room struct {
	cells   []float64
	used    int
	want    int         // cells in all
	spare   [][]float64 // that served
	product []float64
	sum     []float64
}

// begin takes back all cells of the last tree.
func (r *room) begin() {
	if r.want > len(r.cells) {
		r.cells = make([]float64, r.want+r.want/8)
	}
	r.used, r.want = 0, 0
}

// take gives zeros.
func (r *room) take(n int) []float64 {
	r.want += n
	if r.used+n > len(r.cells) {
		return make([]float64, n)
	}
	out := r.cells[r.used : r.used+n : r.used+n]
	r.used += n
	clear(out)
	return out
}

// lend gives zeros that come back.
func (r *room) lend(n int) []float64 {
	best := -1
	for i, c := range r.spare {
		if cap(c) >= n && (best < 0 || cap(c) < cap(r.spare[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]float64, n)
	}
	out := r.spare[best][:n]
	r.spare = slices.Delete(r.spare, best, best+1)
	clear(out)
	return out
}

// give brings them back.
func (r *room) give(l lawOf) { r.spare = append(r.spare, l.cells) }

// mostKept is how many spare cells, and cells of a product, are kept for the next walk: 2^20, 8 MiB.
const mostKept = 1 << 20

// tidy lets go of too many.
func (r *room) tidy() {
	kept := 0
	for _, c := range r.spare {
		kept += cap(c)
	}
	if kept > mostKept {
		r.spare = nil
	}
	if cap(r.product) > mostKept {
		r.product = nil
	}
}

// zeros are so many in a buffer.
func zeros(buffer *[]float64, n int) []float64 {
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	clear(*buffer)
	return *buffer
}
