package bayesnet

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Predict is P(x_target = · | the observed codes of the row) for each row. A row has one code for every node, −1 where
// it is missing; the code at the target is not looked at.
//
// When the Markov blanket of the target is observed, only it matters,
//
//	P(x_t | rest) ∝ P(x_t | parents of t) · Π_{children c} P(x_c | parents of c),
//
// and nothing is eliminated; otherwise the row is a Query. Errors: *Error naming row and code in Value;
// *ImpossibleError for a row of probability 0 (in the blanket, where that is observed); *WidthError.
func (n *Net) Predict(target int, rows [][]int) ([][]float64, error) {
	d := n.dag
	if err := d.checkNumber("target", target); err != nil {
		return nil, err
	}
	logs, blanket, r := n.logs(), d.MarkovBlanket(target), d.arity[target]
	out := make([][]float64, len(rows))
	flat := make([]float64, len(rows)*r)
	codes, term := make([]int, d.Len()), make([]float64, r)
	for k, row := range rows {
		if err := d.checkRow(target, k, row); err != nil {
			return nil, err
		}
		copy(codes, row)
		out[k] = flat[k*r : (k+1)*r : (k+1)*r]
		if !observed(blanket, codes) {
			codes[target] = -1
			p, _, err := n.infer([]int{target}, codes)
			if err != nil {
				return nil, err
			}
			copy(out[k], p)
			continue
		}
		d.addLogs(out[k], term, logs[target], target, target, codes)
		for _, c := range d.children[target] {
			d.addLogs(out[k], term, logs[c], c, target, codes)
		}
		total := floats.LogSumExp(out[k])
		if math.IsInf(total, -1) {
			codes[target] = -1
			return nil, n.impossible(codes)
		}
		for x := range r {
			out[k][x] = math.Exp(out[k][x] - total)
		}
	}
	return out, nil
}

// addLogs adds to out[x] the logarithm of the table of node i at target = x, less the largest over x: with thousands of
// children the sums stay small, and so does their rounding.
func (d *DAG) addLogs(out, term, table []float64, i, target int, codes []int) {
	for x := range term {
		codes[target] = x
		term[x] = table[d.cell(i, codes)]
	}
	top := slices.Max(term)
	if math.IsInf(top, -1) {
		top = 0
	}
	for x := range out {
		out[x] += term[x] - top
	}
}

func (d *DAG) checkRow(target, k int, row []int) error {
	if len(row) != d.Len() {
		return &Error{Field: "rows", Value: fmt.Sprintf("%d codes in row %d", len(row), k),
			Want: fmt.Sprintf("%d, one for each node", d.Len())}
	}
	for i, c := range row {
		if i != target && (c < -1 || c >= d.arity[i]) {
			return &Error{Node: d.nodes[i].Name, Field: "rows", Value: fmt.Sprintf("code %d in row %d", c, k),
				Want: fmt.Sprintf("0 to %d, or -1 for missing", d.arity[i]-1)}
		}
	}
	return nil
}

func observed(nodes, codes []int) bool {
	for _, i := range nodes {
		if codes[i] < 0 {
			return false
		}
	}
	return true
}
