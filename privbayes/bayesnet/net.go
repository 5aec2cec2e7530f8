package bayesnet

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
)

// DefaultCells is the largest table that a query makes unless WithCells says otherwise: 2^27 cells, 1 GiB.
const DefaultCells = 1 << 27

// rowTolerance is how far the sum of a row may be from 1; such a row is divided by its sum.
const rowTolerance = 1e-6

// Net is a DAG with a conditional probability table for every node. Values come from NewNet, ReadBIF or Asia.
type Net struct {
	dag   *DAG
	cpts  [][]float64
	limit int
	ctx   context.Context // of queries
	lazy  *lazy

	rounded int // rows
}

// Rounded is how many rows of the tables that ReadBIF read did not sum to 1 within 1e-6, since their decimals are
// rounded, and were divided by their sum.
func (n *Net) Rounded() int { return n.rounded }

// lazy holds what sampling and prediction derive from the tables on first use.
type lazy struct {
	logsOnce, cutsOnce sync.Once
	logs               [][]float64
	cuts               [][]int64
}

// NewNet checks the tables and copies them. cpts[i] is the table of node i over its family, flat, FamilyCells(i)
// numbers: row j holds P(x_i = · | parent configuration j), configurations in mixed radix with the last parent fastest.
// Entries are ≥ 0 and finite; rows that sum to 1 within 1e-6 are divided by their sum, and kept to the bit where the
// sum is 1 up to rounding. Errors: *Error with the node, and in Value the parent configuration and the sum or the
// entry.
func NewNet(dag *DAG, cpts [][]float64) (*Net, error) {
	if len(cpts) != dag.Len() {
		return nil, &Error{Field: "table", Value: fmt.Sprintf("%d tables", len(cpts)),
			Want: fmt.Sprintf("%d, one for each node", dag.Len())}
	}
	n := &Net{dag: dag, cpts: make([][]float64, len(cpts)), limit: DefaultCells, ctx: context.Background(),
		lazy: new(lazy)}
	for i, t := range cpts {
		if len(t) != dag.cells[i] {
			return nil, &Error{Node: dag.nodes[i].Name, Field: "table", Value: fmt.Sprintf("%d entries", len(t)),
				Want: fmt.Sprintf("%d, states times parent configurations", dag.cells[i])}
		}
	}
	for i, t := range cpts {
		n.cpts[i] = slices.Clone(t)
		r := dag.arity[i]
		for lo := 0; lo < len(t); lo += r {
			if err := dag.normalise(i, lo/r, n.cpts[i][lo:lo+r], rowTolerance); err != nil {
				return nil, err
			}
		}
	}
	return n, nil
}

// normalise makes one row of node i sum to 1. A row already divided sums to 1 within (r+1)·2^-52 and is not divided
// again, so that writing and reading a network returns its very numbers. most is how far the sum may be from 1.
func (d *DAG) normalise(i, row int, p []float64, most float64) error {
	sum := 0.0
	for _, x := range p {
		if !(x >= 0) || math.IsInf(x, 1) {
			return &Error{Node: d.nodes[i].Name, Field: "table",
				Value: fmt.Sprintf("%v in row %s", x, d.config(i, row)),
				Want:  "probabilities, finite and ≥ 0"}
		}
		sum += x
	}
	off := math.Abs(sum - 1)
	if !(off <= most) {
		return &Error{Node: d.nodes[i].Name, Field: "table",
			Value: fmt.Sprintf("sum %v in row %s", sum, d.config(i, row)),
			Want:  fmt.Sprintf("rows that sum to 1 within %.2g", most)}
	}
	if off > float64(len(p)+1)*0x1p-52 {
		for j := range p {
			p[j] /= sum
		}
	}
	return nil
}

// config names a parent configuration of node i: "(lung=yes, tub=no)".
func (d *DAG) config(i, row int) string {
	parts := make([]string, len(d.parents[i]))
	for j := len(parts) - 1; j >= 0; j-- {
		p := d.parents[i][j]
		parts[j] = d.nodes[p].Name + "=" + d.nodes[p].States[row%d.arity[p]]
		row /= d.arity[p]
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// DAG is the graph.
func (n *Net) DAG() *DAG { return n.dag }

// WithCells is the same network with another limit on the tables of a query, in cells of 8 bytes; below 1 it is taken
// as 1.
func (n *Net) WithCells(limit int) *Net {
	return &Net{n.dag, n.cpts, max(limit, 1), n.ctx, n.lazy, n.rounded}
}

// WithContext is the same network with a context that ends its queries: they return the context's error soon after it
// is done.
func (n *Net) WithContext(ctx context.Context) *Net {
	return &Net{n.dag, n.cpts, n.limit, ctx, n.lazy, n.rounded}
}

// Table is a copy of the table of node i, in the form that NewNet takes.
func (n *Net) Table(i int) []float64 { return slices.Clone(n.cpts[i]) }

// Prob is a copy of P(x_i = · | parent configuration row), row in mixed radix with the last parent fastest, 0 for a
// root.
func (n *Net) Prob(i, row int) []float64 {
	r := n.dag.arity[i]
	return slices.Clone(n.cpts[i][row*r : row*r+r])
}

// Parameters is the number of free parameters, Σ_i (r_i − 1)·(parent configurations of i).
func (n *Net) Parameters() int {
	sum := 0
	for i, r := range n.dag.arity {
		sum += n.dag.cells[i] / r * (r - 1)
	}
	return sum
}

// LogProb is the joint log-probability Σ_i ln P(x_i | x_parents(i)) of a full assignment, one code for each node; −Inf
// where the network rules it out. Errors: *Error for a wrong number of codes or a code outside 0, …, r_i − 1.
func (n *Net) LogProb(codes []int) (float64, error) {
	if len(codes) != n.dag.Len() {
		return 0, &Error{Field: "codes", Value: fmt.Sprintf("%d codes", len(codes)),
			Want: fmt.Sprintf("%d, one for each node", n.dag.Len())}
	}
	for i, c := range codes {
		if err := n.dag.checkCode("codes", i, c); err != nil {
			return 0, err
		}
	}
	logs, sum := n.logs(), 0.0
	for i := range codes {
		sum += logs[i][n.dag.cell(i, codes)]
	}
	return sum, nil
}

// cell is the place of an assignment in the table of node i.
func (d *DAG) cell(i int, codes []int) int {
	cell := 0
	for _, p := range d.parents[i] {
		cell = cell*d.arity[p] + codes[p]
	}
	return cell*d.arity[i] + codes[i]
}

func (d *DAG) checkCode(field string, i, c int) error {
	if c < 0 || c >= d.arity[i] {
		return &Error{Node: d.nodes[i].Name, Field: field, Value: fmt.Sprintf("code %d", c),
			Want: fmt.Sprintf("0 to %d", d.arity[i]-1)}
	}
	return nil
}

func (d *DAG) checkNumber(field string, i int) error {
	if i < 0 || i >= d.Len() {
		return &Error{Field: field, Value: fmt.Sprintf("node %d", i), Want: fmt.Sprintf("0 to %d", d.Len()-1)}
	}
	return nil
}

// logs are the logarithms of the tables.
func (n *Net) logs() [][]float64 {
	n.lazy.logsOnce.Do(func() {
		n.lazy.logs = make([][]float64, len(n.cpts))
		for i, t := range n.cpts {
			n.lazy.logs[i] = make([]float64, len(t))
			for j, p := range t {
				n.lazy.logs[i][j] = math.Log(p)
			}
		}
	})
	return n.lazy.logs
}
