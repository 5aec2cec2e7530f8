package bayesnet

import (
	"errors"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// Marginal is P(x_i = ·). Errors: *Error for a node that does not exist, *WidthError.
func (n *Net) Marginal(i int) ([]float64, error) { return n.Query([]int{i}, nil) }

// Query is the joint law of the targets given evidence, P(x_targets | evidence), as a table over the targets in the
// order given, the last running fastest; evidence maps nodes to codes. It is exact but for rounding, of relative size
// about 1e-13 per probability: variable elimination over the ancestors of targets and evidence, the other nodes being
// barren, in min-fill order on their moral graph with the evidence removed. Tables are rescaled on the way, and where a
// product falls below 1e-290 all the same the query is repeated with logarithms (relative error about 2^-52·|ln
// P(evidence)|): no evidence is too improbable.
//
// Errors, before any table is made: *Error for a node or code that does not exist, a repeated target, a target in the
// evidence; *WidthError when a step, or the answer, needs more cells than the limit (DefaultCells, see WithCells;
// several tables can be alive at once), or the order of the steps more memory. *ImpossibleError when the evidence has
// probability 0. The error of the network's context (see WithContext) when it ends first.
func (n *Net) Query(targets []int, evidence map[int]int) ([]float64, error) {
	codes, err := n.evidenceCodes(targets, evidence)
	if err != nil {
		return nil, err
	}
	table, _, err := n.infer(targets, codes)
	return table, err
}

// LogEvidence is ln P(evidence); −Inf for evidence that the network rules out. Errors: as Query, without
// *ImpossibleError.
func (n *Net) LogEvidence(evidence map[int]int) (float64, error) {
	codes, err := n.evidenceCodes(nil, evidence)
	if err != nil {
		return 0, err
	}
	_, log, err := n.infer(nil, codes)
	if _, impossible := err.(*ImpossibleError); impossible {
		return math.Inf(-1), nil
	}
	return log, err
}

// evidenceCodes checks the arguments and gives the code of every node, −1 where there is no evidence.
func (n *Net) evidenceCodes(targets []int, evidence map[int]int) ([]int, error) {
	codes := make([]int, n.dag.Len())
	for i := range codes {
		codes[i] = -1
	}
	for i, c := range evidence {
		if err := n.dag.checkNumber("evidence", i); err != nil {
			return nil, err
		}
		if err := n.dag.checkCode("evidence", i, c); err != nil {
			return nil, err
		}
		codes[i] = c
	}
	for j, t := range targets {
		if err := n.dag.checkNumber("targets", t); err != nil {
			return nil, err
		}
		name := n.dag.nodes[t].Name
		if slices.Contains(targets[:j], t) {
			return nil, &Error{Node: name, Field: "targets", Value: "given twice", Want: "each target once"}
		}
		if codes[t] >= 0 {
			return nil, &Error{Node: name, Field: "targets", Value: "also in the evidence", Want: "targets without " +
				"evidence"}
		}
	}
	return codes, nil
}

// infer is the table of the targets given codes (−1: not observed), and ln P(evidence).
func (n *Net) infer(targets, codes []int) ([]float64, float64, error) {
	d := n.dag
	start := slices.Clone(targets)
	for i, c := range codes {
		if c >= 0 {
			start = append(start, i)
		}
	}
	var relevant []int
	var scopes [][]int
	for i, in := range d.ancestral(start) {
		if in {
			relevant = append(relevant, i)
			scopes = append(scopes, slices.DeleteFunc(d.Family(i), func(v int) bool { return codes[v] >= 0 }))
		}
	}
	if err := n.checkWidth(targets, nil, true); err != nil { // the answer's table needs no order
		return nil, 0, err
	}
	steps, whole, err := junction.Order(n.ctx, scopes, targets, d.arity, n.limit)
	if err != nil {
		return nil, 0, ordered(err)
	}
	if err := n.checkWidth(targets, steps, whole); err != nil {
		return nil, 0, err
	}
	a := &arithmetic{ctx: n.ctx}
	table, log := n.eliminate(a, relevant, steps, targets, codes)
	if a.under && a.err == nil {
		a = &arithmetic{ctx: n.ctx, logs: true}
		table, log = n.eliminate(a, relevant, steps, targets, codes)
	}
	if a.err != nil {
		return nil, 0, a.err
	}
	if math.IsInf(log, -1) {
		return nil, log, n.impossible(codes)
	}
	return table, log, nil
}

// ordered is the error of an order in this package's words.
func ordered(err error) error {
	var wide *junction.WidthError
	if errors.As(err, &wide) {
		return &WidthError{Graph: true, Width: wide.Width, Cells: wide.Cells, Bytes: mulSat(wide.Cells, 8),
			Limit: wide.Limit}
	}
	return err
}

// checkWidth finds the largest table: a product at an elimination, or the answer. Steps that are not whole are the
// first ones of an order.
func (n *Net) checkWidth(targets []int, steps []junction.Step, whole bool) error {
	d := n.dag
	worst := &WidthError{Width: len(targets), Cells: cellsOf(targets, d.arity), Limit: n.limit, AtLeast: !whole}
	for _, s := range steps {
		if c := mulSat(cellsOf(s.Rest, d.arity), d.arity[s.V]); c > worst.Cells {
			worst.Node, worst.Width, worst.Cells = d.nodes[s.V].Name, len(s.Rest)+1, c
		}
	}
	worst.Bytes = mulSat(worst.Cells, 8)
	if worst.Cells > n.limit {
		return worst
	}
	return nil
}

// eliminate carries out the steps. Every factor waits in the bucket of its variable that is eliminated first.
func (n *Net) eliminate(a *arithmetic, relevant []int, steps []junction.Step, targets, codes []int) ([]float64,
	float64) {
	when := make(map[int]int, len(steps)) // step of each variable
	for s, step := range steps {
		when[step.V] = s
	}
	buckets := make([][]factor, len(steps)+1) // the last holds what is over targets only
	logScale := 0.0
	put := func(f factor) {
		logScale += a.scale(f.cells)
		s := len(steps)
		for _, v := range f.vars {
			if w, ok := when[v]; ok {
				s = min(s, w)
			}
		}
		buckets[s] = append(buckets[s], f)
	}
	for _, i := range relevant {
		put(n.familyFactor(i, codes, a.logs))
	}
	for s, step := range steps {
		if a.err != nil {
			return nil, 0
		}
		put(a.combine(buckets[s], step.Rest, step.V, n.dag.arity))
		buckets[s] = nil
	}
	table := a.combine(buckets[len(steps)], targets, -1, n.dag.arity).cells
	if a.err != nil {
		return nil, 0
	}
	total := a.sum(table)
	if a.logs {
		for i := range table {
			table[i] = math.Exp(table[i] - total)
		}
		return table, logScale + total
	}
	for i := range table {
		table[i] /= total
	}
	return table, logScale + math.Log(total)
}

func (n *Net) impossible(codes []int) error {
	e := &ImpossibleError{Evidence: map[string]string{}}
	for i, c := range codes {
		if c >= 0 {
			e.Evidence[n.dag.nodes[i].Name] = n.dag.nodes[i].States[c]
		}
	}
	return e
}
