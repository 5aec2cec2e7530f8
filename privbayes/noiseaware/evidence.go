package noiseaware

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// impossible is the logarithm of the probability below which noise does not reach, of all that is looked at together.
var impossible = math.Log(1e-30)

// noisyTable are the noisy numbers of a table, in steps of the noise's lattice; cells beyond them were not measured.
type noisyTable struct {
	name string
	y    []int64
	all  bool // every cell was measured
	law  noise.Probabilities

	columns []string // of the table
	ends    []end    // of each number, where some are no plain ones
}

// end says how a number was cut.
type end uint8

const (
	uncut    end = iota
	atLow        // f + Z ≤ y
	atHigh       // f + Z ≥ y
	silenced     // not measured
)

// bound is what is known of one count: between lo and hi, with the table that said so, or −1, and its noisy number.
type bound struct {
	lo, hi         float64
	below, above   int
	yBelow, yAbove float64
}

// evidence are bounds of the counts of margins: of every table whole, of its columns, of what it shares with another,
// and of all records.
type evidence struct {
	d      *bayesnet.DAG
	n      int64
	tables []noisyTable
	vars   [][]int // of every table
	logp   float64
	margin map[string][]bound
}

// explained refuses noisy numbers that no tables explain. Every sum of a table's counts over a margin lies within the
// noise's reach of the sum of its noisy numbers, but for a chance that is 1e-30 over all sums together; so they must
// leave something between 0 and n, and between what different tables say. n < 0 is latent. Errors: *EvidenceError, the
// context's.
func explained(ctx context.Context, d *bayesnet.DAG, n int64, tables []noisyTable) error {
	e := &evidence{d: d, n: n, tables: tables, margin: map[string][]bound{}}
	for _, t := range tables {
		var vars []int
		for _, c := range t.columns {
			v, _ := d.Index(c)
			vars = append(vars, v)
		}
		e.vars = append(e.vars, vars)
	}
	looked, sets := 0.0, make([][][]int, len(tables))
	for t := range tables {
		sets[t] = e.sets(t)
		for _, set := range sets[t] {
			looked += float64(e.cells(set))
		}
	}
	e.logp = impossible - math.Log(max(looked, 1))
	for t := range tables {
		for _, set := range sets[t] {
			if err := e.add(ctx, t, set); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *evidence) cells(set []int) int {
	out := 1
	for _, v := range set {
		out *= e.d.Arity(v)
	}
	return out
}

// sets are the margins of a table that are looked at, each ascending.
func (e *evidence) sets(t int) [][]int {
	var out [][]int
	seen := map[string]bool{}
	put := func(set []int) {
		slices.Sort(set)
		if key := fmt.Sprint(set); !seen[key] {
			seen[key], out = true, append(out, set)
		}
	}
	put(slices.Clone(e.vars[t])) // cells first: they say best what is wrong
	put(nil)
	for _, v := range e.vars[t] {
		put([]int{v})
	}
	for s := range e.tables {
		var both []int
		for _, v := range e.vars[t] {
			if slices.Contains(e.vars[s], v) {
				both = append(both, v)
			}
		}
		put(both)
	}
	return out
}

// sum is what a margin's cell is made of: numbers that bound it from above, and from below.
type sum struct {
	cells, up, down int
	upper, lower    float64
	open            bool // nothing bounds it from above
}

// add takes in what a table says of a margin.
func (e *evidence) add(ctx context.Context, t int, set []int) error {
	table, vars := &e.tables[t], e.vars[t]
	sums, stride := make([]sum, e.cells(set)), make([]int, len(vars))
	at := 1
	for _, v := range slices.Backward(set) {
		stride[slices.Index(vars, v)] = at
		at *= e.d.Arity(v)
	}
	unit := float64(table.law.Unit())
	for c := range e.cells(vars) {
		if c%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at := 0
		for i, rest := len(vars)-1, c; i >= 0; i-- {
			at += rest % e.d.Arity(vars[i]) * stride[i]
			rest /= e.d.Arity(vars[i])
		}
		s, how, y := &sums[at], silenced, 0.0
		if c < len(table.y) {
			how, y = uncut, float64(table.y[c])/unit
			if table.ends != nil {
				how = table.ends[c]
			}
		}
		s.cells++
		if how == uncut || how == atLow {
			s.upper, s.up = s.upper+y, s.up+1
		} else {
			s.open = true
		}
		if how == uncut || how == atHigh {
			s.lower, s.down = s.lower+y, s.down+1
		}
	}
	key := fmt.Sprint(set)
	known := e.margin[key]
	if known == nil {
		known = make([]bound, len(sums))
		for c := range known {
			known[c] = bound{lo: 0, hi: math.Inf(1), below: -1, above: -1}
			if e.n >= 0 {
				known[c].hi = float64(e.n)
				if len(set) == 0 {
					known[c].lo = float64(e.n)
				}
			}
		}
		e.margin[key] = known
	}
	reached := map[int]float64{}
	far := func(m, cells int) float64 {
		r, ok := reached[m]
		if !ok {
			logp := e.logp
			if table.ends != nil { // which numbers were cut depends on the noise: for every choice of them
				logp -= float64(cells) * math.Ln2
			}
			r = noise.Reach(table.law, m, logp) / unit
			reached[m] = r
		}
		return r
	}
	for c, s := range sums {
		b := &known[c]
		if hi := s.upper + far(s.up, s.cells); !s.open && hi < b.hi {
			b.hi, b.above, b.yAbove = hi, t, s.upper
		}
		if lo := s.lower - far(s.down, s.cells); s.down > 0 && lo > b.lo {
			b.lo, b.below, b.yBelow = lo, t, s.lower
		}
		if b.lo > b.hi {
			return e.refuse(*b, set, c, s.cells)
		}
	}
	return nil
}

// refuse says which numbers leave nothing.
func (e *evidence) refuse(b bound, set []int, cell, cells int) error {
	where := ""
	for _, v := range slices.Backward(set) {
		node := e.d.Node(v)
		where = ", " + safetext.Short(node.Name) + " = " + safetext.Short(node.States[cell%len(node.States)]) + where
		cell /= len(node.States)
	}
	if where != "" {
		where = " of" + strings.TrimPrefix(where, ",")
	}
	if b.below >= 0 && b.above >= 0 && b.below != b.above {
		t, u, x, y := b.below, b.above, b.yBelow, b.yAbove
		return &EvidenceError{safetext.Short(e.tables[t].name), fmt.Sprintf("noisy counts%s that add up to %.6g, and to %.6g "+
			"in %s", where, x, y, safetext.Short(e.tables[u].name)), "tables of the same records"}
	}
	t, y := b.above, b.yAbove
	if t < 0 || b.below >= 0 {
		t, y = b.below, b.yBelow
	}
	out := &EvidenceError{Table: safetext.Short(e.tables[t].name), Value: fmt.Sprintf("noisy counts%s that add up to %.6g",
		where, y), Want: fmt.Sprintf("numbers within the noise's reach of %s, probability at least 1e-30", countsUpTo(e.n))}
	if cells == 1 {
		out.Value = fmt.Sprintf("a noisy count of %.6g records%s", y, where)
	}
	if len(set) == 0 && e.n >= 0 {
		out.Want = fmt.Sprintf("a sum within the noise's reach of n = %d", e.n)
	}
	return out
}

func countsUpTo(n int64) string {
	if n < 0 {
		return "0 or more"
	}
	return fmt.Sprintf("0 to n = %d", n)
}
