//go:build !browser && !verifier

package publication

import (
	"context"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Records are the estimates of an item in whole records, in the order of [Publication.Intervals], rounded so that
// margins are kept: every number of every table of the publication is the sum of the cells that it counts, and the sum
// of a table is the number of rows, or its rounded estimate where that is private. They are nil for items that are no
// table of shares, of tables that overlap in a circle, such as a × b, b × c and a × c, of which such whole numbers need
// not exist, and of a table that no other agrees with where the number of rows is private. They follow from what was
// released. Errors: those of [Publication.Intervals]. Source: theory/publication.md §4.
func (p *Publication) Records(ctx context.Context, name string) ([]int64, error) {
	if _, err := p.Item(name); err != nil {
		return nil, err
	}
	agreeing, w := p.Agreeing(), pooled(p.plan.plans())
	tied, own := slices.Contains(agreeing, name), -1
	total := w.total
	if a := p.all(); tied && math.IsNaN(total) {
		total = floats.Sum(a.shown[0])
	}
	if math.IsNaN(total) {
		return nil, nil
	}
	var tables []measured
	var lists [][]release.Interval
	var sources []source
	for t, from := range w.from {
		l := p.plan.lines[from.item]
		if l.Name != name && !(tied && slices.Contains(agreeing, l.Name)) {
			continue
		}
		list, _, err := p.item(from.item).Intervals(ctx, level)
		if err != nil {
			return nil, err
		}
		m := w.tables[t]
		if m.counts = w.cellsOf(from, m, list); m.counts == nil {
			continue
		}
		if l.Name == name {
			own = len(tables)
		}
		tables, lists, sources = append(tables, m), append(lists, list), append(sources, from)
	}
	if own < 0 {
		return nil, nil
	}
	whole := whole(tables, int64(math.Round(total)))
	if whole == nil {
		return nil, nil
	}
	return w.listed(sources[own], tables[own], whole[own], len(lists[own])), nil
}

// cellsOf are the shares of the cells of an item's table in the order of ascending axes, from its estimates; nil for
// other items.
func (w *pool) cellsOf(from source, m measured, list []release.Interval) []float64 {
	sh := w.items[from.item].Shape()
	d, cells := sh.Conditionals(), product(m.levels)
	want := cells
	switch below := cumulative(sh); {
	case len(d) != 1 || d[0].Rows != 1 || sh.SharesClass():
		return nil
	case below:
		want--
	case sh.Joint():
		for _, k := range m.levels {
			want += k
		}
	}
	if len(list) != want {
		return nil
	}
	out, before := make([]float64, cells), 0.
	for i := range out {
		switch {
		case !cumulative(sh):
			out[i] = list[i].Estimate
		case i < len(list):
			out[i], before = math.Max(list[i].Estimate-before, 0), list[i].Estimate
		default:
			out[i] = math.Max(1-before, 0)
		}
	}
	return turned(out, sh.Tables()[from.table].Levels, from.order)
}

// listed are the whole numbers of a table in the order of the item's estimates.
func (w *pool) listed(from source, m measured, cells []int64, many int) []int64 {
	sh := w.items[from.item].Shape()
	back, numbers := make([]int, len(m.axes)), make([]float64, len(cells))
	for i, c := range from.order {
		back[c] = i
	}
	for i, x := range cells {
		numbers[i] = float64(x)
	}
	list := turned(numbers, m.levels, back)
	if cumulative(sh) {
		floats.CumSum(list, list)
	} else if sh.Joint() {
		for _, at := range back {
			list = append(list, margin(numbers, m.levels, 1<<at)...)
		}
	}
	out := make([]int64, many)
	for i := range out {
		out[i] = int64(list[i])
	}
	return out
}

// whole are whole numbers for the cells of tables that agree, with a sum of each and equal margins of all; nil where
// the tables overlap in a circle. The tables that no other holds are put in an order in which what one shares with all
// before it lies in a single one of them: by the largest overlap, which finds such an order wherever there is one. The
// first is rounded by the largest remainders; of every other the numbers of each cell of that margin are, to what the
// margin has. Two tables then agree on all that they share, by induction along the order.
func whole(tables []measured, total int64) [][]int64 {
	holds := func(a, b measured) bool {
		return !slices.ContainsFunc(b.axes, func(x int) bool { return !slices.Contains(a.axes, x) })
	}
	var largest []int
	for i, m := range tables {
		if !slices.ContainsFunc(largest, func(k int) bool { return holds(tables[k], m) }) {
			largest = append(slices.DeleteFunc(largest, func(k int) bool { return holds(m, tables[k]) }), i)
		}
	}
	out := make([][]int64, len(tables))
	var done []int
	for len(largest) > 0 {
		next, at, most := 0, -1, 0
		for i, t := range largest {
			for _, d := range done {
				if n := len(common(tables[t], tables[d])); n > most {
					next, at, most = i, d, n
				}
			}
		}
		t := largest[next]
		largest = slices.Delete(largest, next, next+1)
		var shared []int
		if at >= 0 {
			shared = common(tables[t], tables[at])
		}
		for _, d := range done {
			if slices.ContainsFunc(common(tables[t], tables[d]), func(x int) bool { return !slices.Contains(shared, x) }) {
				return nil
			}
		}
		given := []int64{total}
		if at >= 0 {
			given = marginOf(out[at], tables[at], shared)
		}
		out[t], done = apportioned(tables[t], shared, given), append(done, t)
	}
	for i, m := range tables {
		if out[i] == nil {
			of := done[slices.IndexFunc(done, func(k int) bool { return holds(tables[k], m) })]
			out[i] = marginOf(out[of], tables[of], m.axes)
		}
	}
	return out
}

// common are the axes that two tables share.
func common(a, b measured) (out []int) {
	for _, x := range a.axes {
		if slices.Contains(b.axes, x) {
			out = append(out, x)
		}
	}
	return out
}

// places are, for every cell of a table, its place in the margin on some axes, and how many places there are.
func places(m measured, axes []int) (at []int, many int) {
	at, many = make([]int, product(m.levels)), 1
	step := 1
	for i := len(m.levels) - 1; i >= 0; i-- {
		if k := m.levels[i]; slices.Contains(axes, m.axes[i]) {
			for cell := range at {
				at[cell] += cell / step % k * many
			}
			many *= k
		}
		step *= m.levels[i]
	}
	return at, many
}

func marginOf(cells []int64, m measured, axes []int) []int64 {
	at, many := places(m, axes)
	out := make([]int64, many)
	for cell, x := range cells {
		out[at[cell]] += x
	}
	return out
}

// apportioned are whole numbers for the cells of a table whose margin on some axes is given: in each of its cells in
// proportion to what is there, rounded by the largest remainders, the first of equal ones.
func apportioned(m measured, axes []int, given []int64) []int64 {
	at, many := places(m, axes)
	lists := make([][]int, many)
	for cell, k := range at {
		lists[k] = append(lists[k], cell)
	}
	out, rest := make([]int64, len(at)), make([]float64, len(at))
	for k, cells := range lists {
		sum, left := 0., given[k]
		for _, c := range cells {
			sum += m.counts[c]
		}
		for _, c := range cells {
			x := float64(given[k]) / float64(len(cells))
			if sum > 0 {
				x = m.counts[c] / sum * float64(given[k])
			}
			out[c] = min(int64(x), left)
			rest[c], left = x-float64(out[c]), left-out[c]
		}
		sort.SliceStable(cells, func(i, j int) bool { return rest[cells[i]] > rest[cells[j]] })
		for i := 0; left > 0; i, left = i+1, left-1 {
			out[cells[i%len(cells)]]++
		}
	}
	return out
}
