package bayesnet

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
)

// Limits of what [Net.ExactPairs] compares: with them its time is linear in records, and seconds for 100,000.
const (
	pairSweeps  = 4       // sweeps over the records at most
	pairTables  = 1 << 7  // tables of columns and pairs, or as many as lookups allow
	pairLookups = 1 << 25 // records times tables
	pairWork    = 1 << 25 // cells of families that all queries may read
	pairNode    = 1 << 8  // what a node costs a query, in such cells
	pairCells   = 1 << 22 // cells of all tables
	pairWidth   = 1 << 18 // cells of one step of a query
	pairWhole   = 1e-9    // expected counts this near to a whole number are that number
)

// ExactPairs makes records as [Net.ExactCounts] does, and then changes some of their values, so that the counts of
// columns and of pairs of columns are near to records·P, too. Rounding within parent configurations leaves errors in
// these tables: where there are about as many configurations as records, it is little better than independent draws.
//
// A count costs the square of what it lacks of records·P rounded down, or has more than records·P rounded up. The
// records are visited in a random order, at most four times. A value changes only where that lowers the cost. Of the
// values that do, one is drawn, each with the same probability, and taken with probability min(1, P(new)/P(old)) of
// the records (Metropolis): so records that the network makes rarely stay rare, and those of probability 0 are never
// made.
//
// Records are not independent. The mean of a count over many streams is no longer records·P, as it is of ExactCounts:
// small counts are up to some per cent below. Pairs within a family are compared first, then those whose queries are the
// least work: at most 128 or, if more, 2^25/records, as far as queries and tables keep to fixed limits. Other pairs are
// as ExactCounts has them, but for chance. out is as in Sample. Errors: those of ExactCounts, and that of the network's
// context. Source: theory/structure.md §14.
func (n *Net) ExactPairs(records int, src rand.Source, out [][]uint16) error {
	if err := n.ExactCounts(records, src, out); err != nil {
		return err
	}
	t, err := n.pairCounts(records, out)
	if err != nil {
		return err
	}
	rng := rand.New(src)
	order := rng.Perm(records)
	for range pairSweeps {
		moved := 0
		for _, r := range order {
			for c := range out {
				if t.move(r, c, rng) {
					moved++
				}
			}
		}
		if moved <= records/1000 {
			break
		}
	}
	return nil
}

// pairCounts are counts of records with what they should be.
type pairCounts struct {
	net        *Net
	logs       [][]float64 // of the network's tables
	out        [][]uint16
	of         [][]partner // the tables of each column
	count      []int32     // of all tables, one after the other
	low, high  []int32     // records·P rounded down and up
	more, less []int32     // the cost of one record more in a cell, and of one less
	change     []int       // of the cost, for each value of the column that may move
}

// partner is a table of a column c with another one: its cell of x and y is at + x·own + y·other. The table of c alone
// has c as partner, and other = 0.
type partner struct{ column, at, own, other int }

// comparable are the pairs i ≥ j, of which i = j is a column alone, whose probabilities can be had within the limits:
// those within a family first, then the least work.
func (n *Net) comparable(records int) (pairs [][2]int) {
	type candidate struct {
		pair        [2]int
		work, cells int
	}
	var all []candidate
	d, family := n.dag, map[[2]int]bool{}
	for i := range d.Len() {
		for _, a := range d.Family(i) {
			for _, b := range d.Family(i) {
				family[[2]int{a, b}] = true
			}
		}
		for j := range i + 1 {
			c := candidate{pair: [2]int{i, j}, cells: d.arity[i]}
			if i != j {
				c.cells = mulSat(d.arity[i], d.arity[j])
			}
			for k, in := range d.ancestral(c.pair[:]) {
				if in {
					c.work += min(d.cells[k], pairWork) + pairNode
				}
			}
			if d.arity[i] > 1 && d.arity[j] > 1 {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		switch in := family[a.pair]; {
		case in == family[b.pair]:
			return cmp.Compare(a.work, b.work)
		case in:
			return -1
		}
		return 1
	})
	work, cells, most := 0, 0, max(pairTables, pairLookups/max(records, 1))
	for _, c := range all {
		if c.work <= pairWork-work && c.cells <= pairCells-cells && len(pairs) < most {
			work, cells, pairs = work+c.work, cells+c.cells, append(pairs, c.pair)
		}
	}
	return pairs
}

// pairCounts counts records and says what the counts should be. Error: that of the network's context.
func (n *Net) pairCounts(records int, out [][]uint16) (*pairCounts, error) {
	d, narrow := n.dag, n.WithCells(min(n.limit, pairWidth))
	t := &pairCounts{net: n, logs: n.logs(), out: out, of: make([][]partner, d.Len()),
		change: make([]int, slices.Max(append(slices.Clone(d.arity), 0)))}
	for _, pair := range n.comparable(records) {
		i, j := pair[0], pair[1]
		targets := slices.Compact(pair[:])
		p, err := narrow.Query(targets, nil)
		var wide *WidthError
		if errors.As(err, &wide) {
			continue
		}
		if err != nil {
			return nil, err
		}
		at := t.add(records, p)
		if i == j {
			t.of[i] = append(t.of[i], partner{column: i, at: at, own: 1})
		} else {
			t.of[j] = append(t.of[j], partner{column: i, at: at, own: 1, other: d.arity[j]})
			t.of[i] = append(t.of[i], partner{column: j, at: at, own: d.arity[j], other: 1})
		}
		t.tally(records, i)
	}
	t.more, t.less = make([]int32, len(t.count)), make([]int32, len(t.count))
	for cell := range t.count {
		t.price(cell)
	}
	return t, nil
}

// add is where the cells of a table with probabilities p begin.
func (t *pairCounts) add(records int, p []float64) int {
	at := len(t.count)
	t.count = append(t.count, make([]int32, len(p))...)
	for _, q := range p {
		t.low = append(t.low, int32(math.Floor(q*float64(records)+pairWhole)))
		t.high = append(t.high, int32(math.Ceil(q*float64(records)-pairWhole)))
	}
	return at
}

// tally counts the records of the last table of a column.
func (t *pairCounts) tally(records, c int) {
	p := t.of[c][len(t.of[c])-1]
	for r, y := range t.out[p.column][:records] {
		t.count[p.at+int(t.out[c][r])*p.own+int(y)*p.other]++
	}
}

// price is what one record more or less in a cell adds to the cost, (low − count)² below and (count − high)² above.
func (t *pairCounts) price(cell int) {
	more, less := int32(0), int32(0)
	if lacks := t.low[cell] - t.count[cell]; lacks >= 0 {
		less = 1 + 2*lacks
		if lacks > 0 {
			more = 1 - 2*lacks
		}
	}
	if excess := t.count[cell] - t.high[cell]; excess >= 0 {
		more = 1 + 2*excess
		if excess > 0 {
			less = 1 - 2*excess
		}
	}
	t.more[cell], t.less[cell] = more, less
}

// move changes the value of column c in record r if that lowers the cost, and says whether it did.
func (t *pairCounts) move(r, c int, rng *rand.Rand) bool {
	col, tables, gone := t.out[c], t.of[c], 0
	old := col[r]
	for _, p := range tables {
		gone += int(t.less[p.at+int(old)*p.own+int(t.out[p.column][r])*p.other])
	}
	if gone >= 0 {
		return false
	}
	change := t.change[:t.net.dag.arity[c]]
	for x := range change {
		change[x] = gone
	}
	for _, p := range tables {
		at := p.at + int(t.out[p.column][r])*p.other
		for x := range change {
			change[x] += int(t.more[at+x*p.own])
		}
	}
	best, lower := old, 0
	for x, by := range change {
		if by < 0 && x != int(old) {
			if lower++; rng.IntN(lower) == 0 {
				best = uint16(x)
			}
		}
	}
	if best == old {
		return false
	}
	was := t.logProb(r, c)
	col[r] = best
	if rng.Float64() >= math.Exp(t.logProb(r, c)-was) {
		col[r] = old
		return false
	}
	for _, p := range tables {
		at := p.at + int(t.out[p.column][r])*p.other
		from, to := at+int(old)*p.own, at+int(best)*p.own
		t.count[from]--
		t.count[to]++
		t.price(from)
		t.price(to)
	}
	return true
}

// logProb is the part of the logarithm of a record's probability that depends on column c.
func (t *pairCounts) logProb(r, c int) float64 {
	sum := t.logs[c][t.cell(r, c)]
	for _, child := range t.net.dag.children[c] {
		sum += t.logs[child][t.cell(r, child)]
	}
	return sum
}

// cell is the cell of node i's table that a record is in.
func (t *pairCounts) cell(r, i int) int {
	d, cell := t.net.dag, 0
	for _, p := range d.parents[i] {
		cell = cell*d.arity[p] + int(t.out[p][r])
	}
	return cell*d.arity[i] + int(t.out[i][r])
}
