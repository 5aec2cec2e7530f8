package maxent

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// clique is one clique of the forest, and evaluates P(x) ∝ exp(Σ_f θ_f(x_f)) over its factors f: the tables that lie
// in it, structural zeros, and the messages of its children.
//
// Its cells are rows over the last variables. Every factor with one of these is a set of rows, exponentiated once, with
// the largest logarithm of each row taken out. A walk through the configurations of the other variables, depth first,
// multiplies a row of each factor in where its configuration is complete. The product is a row of cells up to a
// logarithm: the sum of what was taken out and of the factors without the last variables. On the way down each row is
// scaled, and added to the margins where it was multiplied in. So a cell costs a few multiplications and additions
// whatever the number of factors, no exponential and no index.
//
// Source: theory/structure.md §8.
type clique struct {
	vars      []int // the separator, the others with the widest last
	parent    int
	separator int   // variables of it
	groups    int   // configurations of the separator; 1 at a root
	prefix    []int // levels of the variables that the rows are not over
	width     int   // of a row
	part      int   // of a row: the cells of one configuration of the separator, or all
	factors   []*factor
	scalars   [][]*factor // those without the last variables, by the depth at which their configuration is complete
	rows      [][]*factor // those with some of them and others
	free      []*factor   // those with some of them alone
	first     int         // the depth at which a factor with rows first comes in, −1 for a free one

	children []int
	cells    []float64 // of each row up to a factor, then beliefs
	sums     []float64 // of the parts of all rows
	scale    []float64 // what a part is multiplied by: its logarithm, then given the separator, then as it is
	up       []float64 // the message to the parent: ln Σ over the rows of a configuration of the separator
	mass     []float64 // of the separator

	code []int       // where the walk is
	row  int         // and the number of the row it comes to next
	work [][]float64 // products of rows on the way up, sums of rows on the way down, by depth
}

// factor is a table of logarithms over some variables of a clique, with its margin.
type factor struct {
	theta  []float64
	sum    []float64
	depth  []int     // the places of its variables among those that rows are not over
	stride []int     // of these: in cells of theta, or in rows
	at     []int32   // for every cell of its rows the cell of theta; nil where they are the same
	width  int       // of its rows: that of a part where it has no variable of the separator among the last ones
	e      []float64 // rows, exponentiated, and their margin; nil of a factor without rows
	top    []float64 // what was taken out of each row

	here, step int // the cell, or the row, where the walk is, and how far the next one is
}

// narrow is the width below which a row takes in the next variable as well: what is paid for once a row would otherwise
// be most of the cost.
const narrow = 48

// vanishing is the sum below which a product of rows is made again by logarithms: cells that are lost above it are
// below 1e-50 of their row.
const vanishing = 1e-250

// newClique lays out the cells of a clique, which has at least one variable that is not in its separator.
func newClique(levels []int, of junction.Clique, r *room) *clique {
	q := &clique{vars: slices.Clone(of.Separator), parent: of.Parent, separator: len(of.Separator),
		groups: junction.Cells(of.Separator, levels)}
	for _, v := range of.Vars {
		if !slices.Contains(of.Separator, v) {
			q.vars = append(q.vars, v)
		}
	}
	own := q.vars[len(of.Separator):]
	slices.SortStableFunc(own, func(a, b int) int { return levels[a] - levels[b] })
	last := len(q.vars) - 1
	for q.width = levels[q.vars[last]]; q.width < narrow && last > len(of.Separator); {
		last--
		q.width *= levels[q.vars[last]]
	}
	for q.part = q.width; q.width < narrow && last > 0; {
		last--
		q.width *= levels[q.vars[last]]
	}
	for _, v := range q.vars[:last] {
		q.prefix = append(q.prefix, levels[v])
	}
	q.cells = r.take(junction.Cells(q.vars, levels))
	q.sums, q.scale = r.take(len(q.cells)/q.part), r.take(len(q.cells)/q.part)
	q.up, q.mass = r.take(q.groups), r.take(q.groups)
	q.code, q.first = make([]int, last), last
	q.scalars, q.rows, q.work = make([][]*factor, last), make([][]*factor, last), make([][]float64, last+1)
	for i := range q.work {
		q.work[i] = r.take(q.width)
	}
	return q
}

// add brings a factor in: logarithms over some of the variables, the last of them running fastest, and where its margin
// goes.
func (q *clique) add(levels, vars []int, theta, sum []float64, r *room) *factor {
	f := &factor{theta: theta, sum: sum}
	q.factors = append(q.factors, f)
	some := func(of []int) bool {
		return slices.ContainsFunc(of, func(v int) bool { return slices.Contains(vars, v) })
	}
	last, over := q.vars[len(q.prefix):], vars
	if some(last) {
		f.width = q.width
		if own := max(len(q.prefix), q.separator); !some(q.vars[len(q.prefix):own]) {
			last, f.width = q.vars[own:], q.part
		}
		over = nil
		for _, v := range q.vars {
			if slices.Contains(vars, v) || slices.Contains(last, v) {
				over = append(over, v)
			}
		}
		if !slices.Equal(over, vars) {
			f.at = places(levels, over, vars)
		}
		f.e = r.take(junction.Cells(over, levels))
		f.top = r.take(len(f.e) / f.width)
		over = over[:len(over)-len(last)]
	}
	for d, v := range q.vars[:len(q.prefix)] {
		if i := slices.Index(over, v); i >= 0 {
			f.depth, f.stride = append(f.depth, d), append(f.stride, junction.Cells(over[i+1:], levels))
		}
	}
	n := len(f.depth) - 1
	if n >= 0 {
		f.step = f.stride[n]
	}
	switch {
	case n < 0:
		q.free, q.first = append(q.free, f), -1
	case f.e == nil:
		q.scalars[f.depth[n]] = append(q.scalars[f.depth[n]], f)
	default:
		q.rows[f.depth[n]], q.first = append(q.rows[f.depth[n]], f), min(q.first, f.depth[n])
	}
	return f
}

// index is the cell, or the row, where the walk is.
func (f *factor) index(code []int) (at int) {
	for i, d := range f.depth {
		at += code[d] * f.stride[i]
	}
	return at
}

// lay puts the logarithms into rows.
func (f *factor) lay() {
	if f.at == nil {
		copy(f.e, f.theta)
		return
	}
	for i, k := range f.at {
		f.e[i] = f.theta[k]
	}
}

// exponentiate takes the largest logarithm out of every row.
func (f *factor) exponentiate() {
	for r := range f.top {
		row := f.e[r*f.width : (r+1)*f.width]
		f.top[r] = largest(row)
		expRow(row, f.top[r])
	}
}

// margin is the sum of rows.
func (f *factor) margin(rows []float64) {
	if f.at == nil {
		copy(f.sum, rows)
		return
	}
	clear(f.sum)
	scatter(f.sum, rows, f.at)
}

// largest of some numbers, −∞ of none.
func largest(row []float64) float64 {
	top := math.Inf(-1)
	for _, x := range row {
		if x > top {
			top = x
		}
	}
	return top
}

// collect makes the rows, their probabilities given the separator, and the message to the parent. A configuration of
// the separator under which nothing can be has message −∞ and rows of probability 0.
func (q *clique) collect() {
	for _, fs := range q.rows {
		for _, f := range fs {
			f.lay()
			f.exponentiate()
		}
	}
	q.row = 0
	product, log := q.start()
	q.rise(0, product, log)
	rest := len(q.scale) / q.groups
	if rest == 1 {
		for g, sum := range q.sums {
			if sum > 0 {
				q.up[g], q.scale[g] = q.scale[g]+math.Log(sum), 1/sum
			} else {
				q.up[g], q.scale[g] = math.Inf(-1), 0
			}
		}
		return
	}
	for g := range q.groups {
		row := q.scale[g*rest : (g+1)*rest]
		top := largest(row)
		expRow(row, top)
		q.up[g] = top
		if sum := floats.Dot(row, q.sums[g*rest:(g+1)*rest]); sum > 0 {
			q.up[g] += math.Log(sum)
			floats.Scale(1/sum, row)
		}
	}
}

// start is the product of the factors that have no other variables than the last ones, and its logarithm.
func (q *clique) start() (product []float64, log float64) {
	if len(q.free) == 0 {
		return nil, 0
	}
	product = q.work[len(q.prefix)]
	clear(product)
	for _, f := range q.free {
		f.lay()
		for row := range slices.Chunk(product, f.width) {
			floats.Add(row, f.e)
		}
	}
	log = largest(product)
	expRow(product, log)
	return product, log
}

// rise makes the rows below a configuration, from the product of those above it, nil for none, and the logarithm that
// goes with it.
func (q *clique) rise(depth int, row []float64, log float64) {
	switch {
	case math.IsInf(log, -1):
		q.skip(depth)
		return
	case depth == len(q.prefix):
		q.leaf(row, log)
		return
	}
	q.enter(depth)
	for v := range q.prefix[depth] {
		q.code[depth] = v
		product, l := row, log
		for _, f := range q.scalars[depth] {
			l += f.theta[f.here]
			f.here += f.step
		}
		to := q.work[depth]
		if depth+1 == len(q.prefix) {
			to = q.cells[q.row*q.width : (q.row+1)*q.width]
		}
		for _, f := range q.rows[depth] {
			l += f.top[f.here]
			e := f.e[f.here*f.width : (f.here+1)*f.width]
			if f.here += f.step; product == nil && len(e) == len(to) {
				product = e
				continue
			}
			multiply(to, product, e)
			product = to
		}
		q.rise(depth+1, product, l)
	}
}

// enter puts the factors that come in at a depth to the first of its configurations.
func (q *clique) enter(depth int) {
	q.code[depth] = 0
	for _, f := range q.scalars[depth] {
		f.here = f.index(q.code)
	}
	for _, f := range q.rows[depth] {
		f.here = f.index(q.code)
	}
}

// skip leaves out the rows below a configuration that cannot be.
func (q *clique) skip(depth int) {
	rows := 1
	for _, l := range q.prefix[depth:] {
		rows *= l
	}
	parts := q.width / q.part
	for i := q.row * parts; i < (q.row+rows)*parts; i++ {
		q.scale[i], q.sums[i] = math.Inf(-1), 0
	}
	clear(q.cells[q.row*q.width : (q.row+rows)*q.width])
	q.row += rows
}

// leaf keeps a row.
func (q *clique) leaf(row []float64, log float64) {
	out := q.cells[q.row*q.width : (q.row+1)*q.width]
	if row == nil {
		for i := range out {
			out[i] = 1
		}
	} else if &row[0] != &out[0] {
		copy(out, row)
	}
	at := q.row * q.width / q.part
	for from := 0; from < q.width; from += q.part {
		part, sum := out[from:from+q.part], 0.0
		for _, x := range part {
			sum += x
		}
		top := log
		if sum < vanishing {
			top, sum = q.again(part, from)
		}
		q.scale[at], q.sums[at] = top, sum
		at++
	}
	q.row++
}

// again makes a part of a row, which begins there, by logarithms: its product vanished.
func (q *clique) again(part []float64, from int) (top, sum float64) {
	clear(part)
	for _, f := range q.factors {
		at := f.index(q.code)
		for i := range part {
			switch {
			case f.e == nil:
				part[i] += f.theta[at]
			case f.at == nil:
				part[i] += f.theta[at*f.width+from%f.width+i]
			default:
				part[i] += f.theta[f.at[at*f.width+from%f.width+i]]
			}
		}
	}
	top = largest(part)
	if sum = expRow(part, top); sum > 0 {
		sum = math.Max(sum, 1)
	}
	return top, sum
}

// spread makes the beliefs and the margins of the factors, from the distribution of the separator.
func (q *clique) spread() {
	rest := len(q.scale) / q.groups
	for i := range q.scale {
		q.scale[i] *= q.mass[i/rest]
	}
	for _, f := range q.factors {
		clear(f.sum)
		clear(f.e)
	}
	q.row = 0
	total, _ := q.fall(0)
	for _, f := range q.free {
		for row := range slices.Chunk(total, f.width) {
			accumulate(f.e, row)
		}
		f.margin(f.e)
	}
	for _, fs := range q.rows {
		for _, f := range fs {
			f.margin(f.e)
		}
	}
}

// fall scales the rows below a configuration, adds them to the margins of the factors that come in there, and hands up
// their sum, where a factor above needs it, and their probability.
func (q *clique) fall(depth int) (total []float64, mass float64) {
	if depth == len(q.prefix) {
		row, at := q.cells[q.row*q.width:(q.row+1)*q.width], q.row*q.width/q.part
		for from := 0; from < q.width; from += q.part {
			part, w := row[from:from+q.part], q.scale[at]
			for i := range part {
				part[i] *= w
			}
			mass += w * q.sums[at]
			at++
		}
		q.row++
		return row, mass
	}
	total = q.work[depth]
	clear(total)
	q.enter(depth)
	for v := range q.prefix[depth] {
		q.code[depth] = v
		part, p := q.fall(depth + 1)
		mass += p
		for _, f := range q.scalars[depth] {
			f.sum[f.here] += p
			f.here += f.step
		}
		for _, f := range q.rows[depth] {
			for from := 0; from < q.width; from += f.width {
				accumulate(f.e[f.here*f.width:], part[from:from+f.width])
			}
			f.here += f.step
		}
		if depth > q.first {
			accumulate(total, part)
		}
	}
	return total, mass
}

// multiply makes the products of a row, nil for ones, with numbers that it repeats.
func multiply(to, row, by []float64) {
	for from := 0; from < len(to); from += len(by) {
		out := to[from : from+len(by)]
		if row == nil {
			copy(out, by)
			continue
		}
		in := row[from : from+len(by)]
		for i, x := range by {
			out[i] = x * in[i]
		}
	}
}

// accumulate adds the numbers of a row.
func accumulate(to, row []float64) {
	to = to[:len(row)]
	for i, x := range row {
		to[i] += x
	}
}
