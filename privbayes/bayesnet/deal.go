package bayesnet

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Deal makes records whose counts are as near to the network's probabilities as whole numbers can be: the synthetic
// table has almost none of the error that independent draws, as of Sample, add. Node by node, parents first, the m
// records of a parent configuration are divided over the states so that each gets m·P(state | parents) rounded down or
// up, up with the probability of the fraction (systematic sampling: one random number for each configuration), and
// which record gets which is a random order of its own. Largest remainders would be no nearer, and biased: the one
// record of a rare configuration would always get its likeliest state. Records are not independent: use Sample where
// that matters. out is as in Sample. Errors: those of Sample, and more than
// 2^31 − 1 records.
func (n *Net) Deal(records int, src rand.Source, out [][]uint16) error {
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
