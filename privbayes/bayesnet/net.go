package bayesnet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
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
			return nil, &Error{Node: name, Field: "targets", Value: "also in the evidence", Want: "targets without evidence"}
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

// Answers are the distributions of one node given several pieces of evidence.
type Answers struct {
	Target, State string
	Given         []string // the evidence, in words
	Values        []float64
	Caption       string // of the figure and the table: where the network comes from
}

// Strength is how far two nodes are from being independent, in total variation: ½ Σ_ab |P(a, b) − P(a)·P(b)|, from 0 to
// 1. Errors: those of Query.
func (n *Net) Strength(i, j int) (float64, error) {
	joint, err := n.Query([]int{i, j}, nil)
	if err != nil {
		return 0, err
	}
	columns := n.dag.Arity(j)
	a, b := make([]float64, n.dag.Arity(i)), make([]float64, columns)
	for k, p := range joint {
		a[k/columns] += p
		b[k%columns] += p
	}
	sum := 0.0
	for k, p := range joint {
		sum += math.Abs(p-a[k/columns]*b[k%columns]) / 2
	}
	return sum, nil
}

// Answer is P(target = state | evidence) for every piece of evidence, in the order given; one without names is the
// margin. Errors: as GivenState.
func (n *Net) Answer(target, state string, evidence ...map[string]string) (*Answers, error) {
	out := &Answers{Target: target, State: state}
	for _, e := range evidence {
		p, err := n.GivenState(target, state, e)
		if err != nil {
			return nil, err
		}
		out.Given, out.Values = append(out.Given, inWords(e)), append(out.Values, p)
	}
	return out, nil
}

// inWords lists evidence by name: "Class = 3rd, Sex = Female".
func inWords(evidence map[string]string) string {
	var words []string
	for name, state := range evidence {
		words = append(words, name+" = "+state)
	}
	if len(words) == 0 {
		return "nothing"
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func (a *Answers) title() string { return fmt.Sprintf("P(%s = %s)", a.Target, a.State) }

// Table has a row for every piece of evidence.
func (a *Answers) Table() *table.Table {
	t := table.New(a.title()+", answered by the network", "given", "probability")
	for i, g := range a.Given {
		t.Add(g, a.Values[i])
	}
	if a.Caption != "" {
		t.Note(a.Caption)
	}
	return t
}

// Figure draws the probabilities one below the other. They have no intervals: those of a release are its posterior's.
func (a *Answers) Figure() *figure.Forest {
	f := &figure.Forest{Title: a.title() + ", answered by the network", XLabel: "probability", Caption: a.Caption,
		Percent: true,
		Series:  []string{a.title()}}
	for i, p := range a.Values {
		f.Rows = append(f.Rows, figure.ForestRow{Name: a.Given[i], Marks: []figure.Mark{{At: p, From: p, To: p}},
			Text: figure.Share(p)})
	}
	return f
}

// String is the table as text.
func (a *Answers) String() string { return table.Text(a) }
