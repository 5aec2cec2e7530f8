package bayesnet

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// sampleBlock is the number of records drawn together: their codes stay in the cache.
const sampleBlock = 2048

// Sample draws independent records by forward sampling: each node, parents first, from its row. out has one column for
// each node; out[i][:records] is filled with codes. The law is the network's but for 2^-52 in each cumulative
// probability per state before it, and a state of probability 0 is never drawn. Errors: *Error for a wrong number of
// columns, or a column shorter than records.
//
// Words are read in blocks of 2048 records: node by node in the order of DAG.Order, one word a record, none for nodes
// of one state. The state is the number of cumulative probabilities ≤ the word over 2^64. This is part of the contract:
// the same network on the same stream gives the same records in every version.
func (n *Net) Sample(records int, src rand.Source, out [][]uint16) error {
	if err := n.checkOut(records, out); err != nil {
		return err
	}
	d, cuts := n.dag, n.cuts()
	rows, words := make([]int32, sampleBlock), make([]int64, sampleBlock)
	for lo := 0; lo < records; lo += sampleBlock {
		hi := min(lo+sampleBlock, records)
		for _, i := range d.order {
			col := out[i][lo:hi]
			if d.arity[i] == 1 {
				clear(col)
				continue
			}
			rows, words := rows[:len(col)], words[:len(col)]
			for k := range words {
				words[k] = int64(src.Uint64() >> 1)
			}
			clear(rows)
			for _, p := range d.parents[i] {
				r := int32(d.arity[p])
				for k, c := range out[p][lo:hi] {
					rows[k] = rows[k]*r + int32(c)
				}
			}
			drawStates(col, rows, words, cuts[i], d.arity[i]-1)
		}
	}
	return nil
}

// checkOut refuses records that do not fit into out.
func (n *Net) checkOut(records int, out [][]uint16) error {
	d := n.dag
	if len(out) != d.Len() {
		return &Error{Field: "out", Value: fmt.Sprintf("%d columns", len(out)), Want: fmt.Sprintf("%d, one for each "+
			"node", d.Len())}
	}
	if records < 0 {
		return &Error{Field: "records", Value: fmt.Sprint(records), Want: "0 or more"}
	}
	for i, col := range out {
		if len(col) < records {
			return &Error{Node: d.nodes[i].Name, Field: "out", Value: fmt.Sprintf("a column of length %d", len(col)),
				Want: fmt.Sprintf("at least %d, the number of records", records)}
		}
	}
	return nil
}

// cuts are, for every row but its last state, the cumulative probabilities times 2^63, less 1: state = #{c : word > c}
// for a word in [0, 2^63). Less 1, so that both "always" (−1) and "never" (2^63 − 1) are int64. From the last state of
// positive probability on it is never.
func (n *Net) cuts() [][]int64 {
	n.lazy.cutsOnce.Do(func() {
		n.lazy.cuts = make([][]int64, len(n.cpts))
		for i, t := range n.cpts {
			r := n.dag.arity[i]
			cuts := make([]int64, 0, len(t)/r*(r-1))
			for lo := 0; lo < len(t); lo += r {
				cuts = appendCuts(cuts, t[lo:lo+r])
			}
			n.lazy.cuts[i] = cuts
		}
	})
	return n.lazy.cuts
}

func appendCuts(cuts []int64, row []float64) []int64 {
	last := len(row) - 1
	for row[last] == 0 {
		last--
	}
	sum := 0.0
	for x, p := range row[:len(row)-1] {
		sum += p
		if x >= last || sum >= 1 {
			cuts = append(cuts, 1<<63-1)
		} else {
			cuts = append(cuts, int64(sum*0x1p63)-1)
		}
	}
	return cuts
}

// drawStates turns words into states, without a branch on the random word where there are few states.
func drawStates(col []uint16, rows []int32, words, cuts []int64, m int) {
	switch {
	case m == 1:
		for k, w := range words {
			col[k] = uint16(uint64(cuts[rows[k]]-w) >> 63)
		}
	case m <= 12:
		for k, w := range words {
			s := uint64(0)
			for _, c := range cuts[int(rows[k])*m : int(rows[k])*m+m] {
				s += uint64(c-w) >> 63
			}
			col[k] = uint16(s)
		}
	default:
		for k, w := range words {
			c := cuts[int(rows[k])*m : int(rows[k])*m+m]
			lo, hi := 0, m
			for lo < hi {
				if mid := (lo + hi) / 2; w > c[mid] {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			col[k] = uint16(lo)
		}
	}
}

// ExactCounts makes records whose counts, given the parents' states, are as near to the network's probabilities as
// whole numbers can be: the table has little of the error that independent draws, as of Sample, add. Node by node,
// parents first, the m records of a parent configuration are divided over the states so that each gets m·P(state |
// parents) rounded down or up, up with the probability of the fraction (systematic sampling: one random number for
// each configuration), and which record gets which is a random order of its own. Largest remainders would be no
// nearer, and biased: the one record of a rare configuration would always get its likeliest state. Records are not
// independent: use Sample where that matters. Counts of pairs are nearer in ExactPairs. out is as in Sample. Errors:
// those of Sample, and more than 2^31 − 1 records.
func (n *Net) ExactCounts(records int, src rand.Source, out [][]uint16) error {
	if err := n.checkOut(records, out); err != nil {
		return err
	}
	if records > math.MaxInt32 {
		return &Error{Field: "records", Value: fmt.Sprint(records), Want: fmt.Sprintf("at most %d", math.MaxInt32)}
	}
	d, rng := n.dag, rand.New(src)
	order, group := make([]int32, records), make([]int32, records)
	for _, i := range d.order {
		r := d.arity[i]
		rows := len(n.cpts[i]) / r
		ends := d.together(i, rows, out, order, group)
		lo := 0
		for row, hi := range ends {
			if hi == lo {
				continue
			}
			some := order[lo:hi]
			lo = hi
			rng.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
			divide(n.cpts[i][row*r:(row+1)*r], some, out[i], rng.Float64())
		}
	}
	return nil
}

// together puts the records of each parent configuration of node i together and returns where they end.
func (d *DAG) together(i, rows int, out [][]uint16, order, group []int32) []int {
	clear(group)
	for _, p := range d.parents[i] {
		r := int32(d.arity[p])
		for k, c := range out[p][:len(group)] {
			group[k] = group[k]*r + int32(c)
		}
	}
	next := make([]int, rows+1)
	for _, g := range group {
		next[g+1]++
	}
	for g := range rows {
		next[g+1] += next[g]
	}
	for k, g := range group {
		order[next[g]] = int32(k)
		next[g]++ // each start moves to its end
	}
	return next[:rows]
}

// divide gives records the states of a row. The state of record k is where the cumulative probability passes (k + 1 −
// u)/m.
func divide(row []float64, records []int32, col []uint16, u float64) {
	last := len(row) - 1
	for row[last] == 0 {
		last--
	}
	at, sum := 0, 0.0
	for s, p := range row[:last+1] {
		if p == 0 {
			continue
		}
		sum += p
		to := len(records)
		if s < last {
			to = min(to, int(math.Floor(sum*float64(len(records))+u)))
		}
		for ; at < to; at++ {
			col[records[at]] = uint16(s)
		}
	}
}
