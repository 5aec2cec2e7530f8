package bayesnet

import (
	"fmt"
	"math"
)

// Predict is P(x_target = · | the observed codes of the row) for each row. A row has one code for every node, −1 where it is missing;
// the code at the target is not looked at.
//
// When the Markov blanket of the target is observed, only it matters,
//
//	P(x_t | rest) ∝ P(x_t | parents of t) · Π_{children c} P(x_c | parents of c),
//
// and nothing is eliminated; otherwise the row is a Query. Errors: *Error naming row and code in Value; *ImpossibleError for a row of
// probability 0 (in the blanket, where that is observed); *WidthError.
func (n *Net) Predict(target int, rows [][]int) ([][]float64, error) {
	d := n.dag
	if err := d.checkNumber("target", target); err != nil {
		return nil, err
	}
	logs, blanket, r := n.logs(), d.MarkovBlanket(target), d.arity[target]
	out := make([][]float64, len(rows))
	flat := make([]float64, len(rows)*r)
	codes := make([]int, d.Len())
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
		for x := range r {
			codes[target] = x
			sum := logs[target][d.cell(target, codes)]
			for _, c := range d.children[target] {
				sum += logs[c][d.cell(c, codes)]
			}
			out[k][x] = sum
		}
		total := logSumExp(out[k])
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

func (d *DAG) checkRow(target, k int, row []int) error {
	if len(row) != d.Len() {
		return &Error{Field: "rows", Value: fmt.Sprintf("%d codes in row %d", len(row), k), Want: fmt.Sprintf("%d, one for each node", d.Len())}
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
