package maxent

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// Rows makes n records of the fitted distribution whose counts are as exact as whole numbers can be: one column of codes
// for each variable. Clique by clique from the roots, the m records of a configuration of the separator are divided over
// the cells of the rest so that each gets m·P(cell | separator) rounded down or up, up with the probability of the
// fraction (systematic sampling: one random number a configuration), and which record gets which is a random order of
// its own. Largest remainders would be no more exact, and biased: a configuration of one record would always get its
// likeliest cell. For independent records see bayesnet.Net.Sample.
//
// Errors: *domain.Error unless 0 ≤ n ≤ 2^31 − 1 and there is a source, ErrNotFitted, the context's.
func (m *Model) Rows(ctx context.Context, n int, src rand.Source) ([][]uint16, error) {
	if m.tree == nil {
		return nil, ErrNotFitted
	}
	if n < 0 || n > math.MaxInt32 {
		return nil, refuse("Rows", "n", n, fmt.Sprintf("0 to %d", math.MaxInt32))
	}
	if src == nil {
		return nil, refuse("Rows", "src", "none", "a source of randomness")
	}
	out := make([][]uint16, len(m.levels))
	for v := range out {
		out[v] = make([]uint16, n)
	}
	d := dealer{rng: rand.New(src), out: out, levels: m.levels, order: make([]int32, n), group: make([]int32, n)}
	for i := range m.tree.cliques {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d.deal(&m.tree.cliques[i], m.tree.forest.Cliques[i].Separator)
	}
	return out, nil
}

// dealer deals the cells of cliques to records.
type dealer struct {
	rng    *rand.Rand
	out    [][]uint16
	levels []int
	order  []int32 // records, those of one configuration together
	group  []int32 // the configuration of each record
}

// deal gives every record the variables of a clique that are not in the separator.
func (d *dealer) deal(q *clique, separator []int) {
	ends := d.sort(q, separator)
	vars, lo := q.vars[len(separator):], 0
	codes := make([]uint16, len(vars))
	for g, hi := range ends {
		records := d.order[lo:hi]
		lo = hi
		if len(records) == 0 {
			continue
		}
		d.rng.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		row := q.cells[g*q.rest : (g+1)*q.rest]
		clear(codes)
		d.divide(records, row, vars, codes)
	}
}

// sort puts the records of each configuration of the separator together and returns where they end.
func (d *dealer) sort(q *clique, separator []int) []int {
	clear(d.group)
	for _, v := range separator {
		l := int32(d.levels[v])
		for i, c := range d.out[v] {
			d.group[i] = d.group[i]*l + int32(c)
		}
	}
	next := make([]int, q.groups+1)
	for _, g := range d.group {
		next[g+1]++
	}
	for g := range q.groups {
		next[g+1] += next[g]
	}
	for i, g := range d.group {
		d.order[next[g]] = int32(i)
		next[g]++
	}
	return next[:q.groups] // each start has moved to its end
}

// divide deals the cells of a row, whose mass need not be 1, to records in their order.
func (d *dealer) divide(records []int32, row []float64, vars []int, codes []uint16) {
	mass, last := 0.0, 0
	for k, p := range row {
		if mass += p; p > 0 {
			last = k
		}
	}
	at, seen, u := 0, 0.0, d.rng.Float64()
	for k, p := range row {
		if seen += p; p > 0 {
			upTo := len(records)
			if k < last {
				upTo = min(len(records), int(seen/mass*float64(len(records))+u))
			}
			for ; at < upTo; at++ {
				for j, v := range vars {
					d.out[v][records[at]] = codes[j]
				}
			}
		}
		for j := len(vars) - 1; j >= 0; j-- { // the next cell
			if codes[j]++; int(codes[j]) < d.levels[vars[j]] {
				break
			}
			codes[j] = 0
		}
	}
}
