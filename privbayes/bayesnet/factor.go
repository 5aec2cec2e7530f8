package bayesnet

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// tiny is the smallest product that linear arithmetic trusts. A smaller one, of factors that are not 0, might hide a
// ratio that a later factor brings back, so the query is then repeated with logarithms.
const tiny = 1e-290

// factor is a table over variables, ascending, the last running fastest. In log arithmetic the entries are logarithms.
type factor struct {
	vars  []int
	cells []float64
}

// arithmetic is the semiring of a query: products and sums of probabilities, or of their logarithms.
type arithmetic struct {
	logs  bool
	under bool // a product of positive numbers fell below tiny
	buf   []float64
	ctx   context.Context
	err   error // the context's, once it ended; then no table is complete
}

// stopEvery is how many products lie between two looks at the context: some milliseconds.
const stopEvery = 1 << 18

func (a *arithmetic) one() float64 {
	if a.logs {
		return 0
	}
	return 1
}

func (a *arithmetic) mul(x, y float64) float64 {
	if a.logs {
		return x + y
	}
	p := x * y
	if p < tiny && x != 0 && y != 0 {
		a.under = true
	}
	return p
}

func (a *arithmetic) sum(xs []float64) float64 {
	if a.logs {
		return floats.LogSumExp(xs)
	}
	s := 0.0
	for _, x := range xs {
		s += x
	}
	return s
}

// scale divides the table by its maximum and returns that maximum's logarithm, so that long products neither under- nor
// overflow. −Inf: the table is 0 everywhere, and stays.
func (a *arithmetic) scale(cells []float64) float64 {
	top := slices.Max(cells)
	if a.logs {
		if !math.IsInf(top, -1) {
			for i := range cells {
				cells[i] -= top
			}
		}
		return top
	}
	if top == 0 {
		return math.Inf(-1)
	}
	for i, x := range cells {
		if cells[i] = x / top; cells[i] < tiny && x != 0 {
			a.under = true
		}
	}
	return math.Log(top)
}

// combine multiplies the factors and sums v out; v = −1 sums nothing. The result is over vars, which with v are the
// variables of all the factors. Only the result is allocated, never the product over vars and v.
func (a *arithmetic) combine(fs []factor, vars []int, v int, arity []int) factor {
	out := factor{vars: vars, cells: make([]float64, cellsOf(vars, arity))}
	rv := 1
	if v >= 0 {
		rv = arity[v]
	}
	if cap(a.buf) < rv {
		a.buf = make([]float64, rv)
	}
	buf := a.buf[:rv]
	strides, strideV, at := make([][]int, len(fs)), make([]int, len(fs)), make([]int, len(fs))
	for j, f := range fs {
		strides[j] = make([]int, len(vars))
		step := 1
		for k := len(f.vars) - 1; k >= 0; k-- {
			if f.vars[k] == v {
				strideV[j] = step
			} else {
				strides[j][slices.Index(vars, f.vars[k])] = step
			}
			step *= arity[f.vars[k]]
		}
	}
	digits, left := make([]int, len(vars)), 0
	for cell := range out.cells {
		if left -= rv * max(len(fs), 1); left <= 0 {
			if left = stopEvery; a.err == nil {
				a.err = a.ctx.Err()
			}
			if a.err != nil {
				return out
			}
		}
		for x := range buf {
			p := a.one()
			for j := range fs {
				p = a.mul(p, fs[j].cells[at[j]+x*strideV[j]])
			}
			buf[x] = p
		}
		out.cells[cell] = a.sum(buf)
		for k := len(vars) - 1; k >= 0; k-- {
			if digits[k]++; digits[k] < arity[vars[k]] {
				for j := range fs {
					at[j] += strides[j][k]
				}
				break
			}
			for j := range fs {
				at[j] -= strides[j][k] * (digits[k] - 1)
			}
			digits[k] = 0
		}
	}
	return out
}

// cellsOf is the number of cells over the variables, saturated at maxInt.
func cellsOf(vars, arity []int) int {
	cells := 1
	for _, v := range vars {
		cells = mulSat(cells, arity[v])
	}
	return cells
}

// familyFactor is the table of node i with the evidence put in (code, or −1 for none).
func (n *Net) familyFactor(i int, evidence []int, logs bool) factor {
	d, table := n.dag, n.cpts[i]
	if logs {
		table = n.logs()[i]
	}
	fam := append(slices.Clone(d.parents[i]), i)
	strides, base, step := make(map[int]int, len(fam)), 0, 1
	var vars []int
	for k := len(fam) - 1; k >= 0; k-- {
		v := fam[k]
		if evidence[v] >= 0 {
			base += step * evidence[v]
		} else {
			vars = append(vars, v)
			strides[v] = step
		}
		step *= d.arity[v]
	}
	slices.Sort(vars)
	f := factor{vars: vars, cells: make([]float64, cellsOf(vars, d.arity))}
	digits := make([]int, len(vars))
	for cell := range f.cells {
		f.cells[cell] = table[base]
		for k := len(vars) - 1; k >= 0; k-- {
			base += strides[vars[k]]
			if digits[k]++; digits[k] < d.arity[vars[k]] {
				break
			}
			base -= strides[vars[k]] * digits[k]
			digits[k] = 0
		}
	}
	return f
}
