package model

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Family is a node of a Bayesian network with its parents: columns of the schema.
type Family struct {
	Node    string   `json:"node"`
	Parents []string `json:"parents,omitempty"`
}

// Node is the family of a node with its parents.
func Node(name string, parents ...string) Family { return Family{name, parents} }

// Network is a Bayesian network over the columns named in families, with a Dirichlet(α, …, α) prior, α = 1, on every node given every
// configuration of its parents. target is the node that Predict classifies. Its count tables are those of the maximal families:
// every other family's table is a margin of one of these, so releasing it too would only cost (theory/networks.md §1.1).
func Network(target string, families ...Family) Model {
	return Model{Kind: KindNetwork, Target: target, Families: families, Alpha: Prior{1}}
}

// NetworkOf is Network with the structure of a graph, whose nodes must be columns of the schema.
func NetworkOf(target string, d *bayesnet.DAG) Model {
	m := Network(target)
	for i := range d.Len() {
		n := d.Node(i)
		m.Families = append(m.Families, Family{n.Name, n.Parents})
	}
	return m
}

// AsNetwork is a naive Bayes model as a network: the class is every feature's parent. The features must be named.
func (m Model) AsNetwork() Model {
	n := Network(m.Target, Node(m.Target))
	for _, f := range m.Features {
		n.Families = append(n.Families, Node(f, m.Target))
	}
	n.Alpha = m.Alpha
	return n
}

// WithEveryFamily returns a network model that measures the table of every family, as Algorithm 1 of Zhang, Rubinstein and
// Dimitrakakis (AAAI 2016) does, and not only those of the maximal ones.
func (m Model) WithEveryFamily() Model { m.EveryFamily = true; return m }

// SchemaOf is a schema with a categorical column for every node of a graph, for records of a network.
func SchemaOf(dataset string, d *bayesnet.DAG) *frame.Schema {
	s := &frame.Schema{Dataset: dataset}
	for i := range d.Len() {
		n := d.Node(i)
		s.Columns = append(s.Columns, frame.Categorical(n.Name, n.States...))
	}
	return s
}

// Simulate draws records of a network whose tables are known, as a frame under SchemaOf: public data for tutorials and experiments.
// Errors: *bayesnet.Error, *frame.SchemaError.
func Simulate(dataset string, net *bayesnet.Net, records int, src Source) (*frame.Frame, error) {
	d := net.DAG()
	drawn := make([][]uint16, d.Len())
	for i := range drawn {
		drawn[i] = make([]uint16, max(records, 0))
	}
	if err := net.Sample(records, src, drawn); err != nil {
		return nil, err
	}
	cols := map[string]any{}
	for i := range d.Len() {
		n, values := d.Node(i), make([]string, records)
		for r, c := range drawn[i] {
			values[r] = n.States[c]
		}
		cols[n.Name] = values
	}
	return frame.FromColumns(SchemaOf(dataset, d), cols)
}

// graph resolves the families against a schema: the DAG with the columns' levels as states.
func (m Model) graph(s *frame.Schema) (*bayesnet.DAG, error) {
	var nodes []bayesnet.Node
	of := nameColumns(s)
	for _, f := range m.Families {
		c, err := of.column(f.Node)
		if err != nil {
			return nil, err
		}
		if c.Kind == frame.KindSequence {
			return nil, &Error{Model: m.String(), Column: f.Node, Value: "a sequence column", Want: "categorical, integer or real columns"}
		}
		for _, p := range f.Parents {
			if _, err := of.column(p); err != nil {
				return nil, err
			}
		}
		nodes = append(nodes, bayesnet.Node{Name: f.Node, States: c.Labels(), Parents: f.Parents})
	}
	d, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	if _, ok := d.Index(m.Target); !ok {
		return nil, &Error{Model: m.String(), Column: m.Target, Value: "not a node", Want: "one of the network's nodes as the target"}
	}
	return d, nil
}

// networkColumns lists the target's column and then those of the other nodes in their order.
func (m Model) networkColumns(s *frame.Schema) ([]frame.Column, error) {
	if _, err := m.graph(s); err != nil {
		return nil, err
	}
	target, _, err := s.Column(m.Target)
	if err != nil {
		return nil, err
	}
	cols, of := []frame.Column{*target}, nameColumns(s)
	for _, f := range m.Families {
		if f.Node == m.Target {
			continue
		}
		c, err := of.column(f.Node)
		if err != nil {
			return nil, err
		}
		if l := c.Levels(); l < 2 {
			return nil, &Error{Model: m.String(), Column: f.Node, Value: fmt.Sprintf("%d level", l), Want: "at least two categories or bins in the schema; leave a constant column out"}
		}
		cols = append(cols, *c)
	}
	return cols, nil
}

// networkTables sets the graph of a shape, its tables, and which tables hold which family.
func (s *Shape) networkTables() error {
	d, err := s.model.graph(s.schema)
	if err != nil {
		return err
	}
	s.dag = d
	sets, holds := d.MaximalFamilies()
	if s.model.EveryFamily {
		sets, holds = nil, nil
		for i := range d.Len() {
			sets, holds = append(sets, d.Family(i)), append(holds, []int{i})
		}
	}
	s.sets, s.holds = sets, holds
	total := 0.0
	for _, set := range sets {
		t := Table{}
		cells := 1.0
		for _, v := range set {
			n := d.Node(v)
			t.Columns, t.Levels, t.Labels = append(t.Columns, n.Name), append(t.Levels, len(n.States)), append(t.Labels, n.States)
			cells *= float64(len(n.States))
		}
		t.Name = strings.Join(t.Columns, " × ")
		if total += cells; total > maxCells {
			return &Error{Model: s.model.String(), Column: t.Name, Value: fmt.Sprintf("%.0f cells, %.0f with the tables before it", cells, total), Want: fmt.Sprintf("at most %d cells in all tables; use fewer parents or bins", maxCells)}
		}
		s.tables = append(s.tables, t)
	}
	return nil
}

// Graph is the structure of a network model, nil for other models.
func (s *Shape) Graph() *bayesnet.DAG { return s.dag }

// Sets lists the nodes of Graph in every table of a network, in the order of its columns.
func (s *Shape) Sets() [][]int { return s.sets }

// familyCounts is the table of node i's family from estimated tables: a margin of a table that holds the family, or, where several
// do, the mean of their margins weighted 1/(cells added up per cell), to which the variance of a sum of equally noisy cells is
// proportional.
func (s *Shape) familyCounts(i int, tables [][]float64) []float64 {
	family := s.dag.Family(i)
	out, weights := make([]float64, s.dag.FamilyCells(i)), 0.0
	for _, t := range s.holds[i] {
		w := float64(len(out)) / float64(len(tables[t]))
		weights += w
		s.addMargin(out, family, s.sets[t], tables[t], w)
	}
	for c := range out {
		out[c] /= weights
	}
	return out
}

// addMargin adds w times the margin on the variables of family, whose last runs fastest, of a table over set.
func (s *Shape) addMargin(out []float64, family, set []int, table []float64, w float64) {
	stride := make([]int, len(set)) // of each variable of the set in the family's table; 0 where it is summed out
	for k, v := range set {
		step := 1
		for j := len(family) - 1; j >= 0; j-- {
			if family[j] == v {
				stride[k] = step
			}
			step *= s.dag.Arity(family[j])
		}
	}
	codes, at := make([]int, len(set)), 0
	for _, x := range table {
		out[at] += w * x
		for k := len(set) - 1; k >= 0; k-- {
			codes[k]++
			at += stride[k]
			if codes[k] < s.dag.Arity(set[k]) {
				break
			}
			at -= stride[k] * codes[k]
			codes[k] = 0
		}
	}
}

// fitNetwork adds the prior to every family's counts.
func fitNetwork(sh *Shape, e Estimate) (*Fitted, error) {
	d := sh.dag
	f := &Fitted{shape: sh}
	cpts := make([][]float64, d.Len())
	for i := range d.Len() {
		counts, arity := sh.familyCounts(i, e.Tables), d.Arity(i)
		rows := make([]Named, 0, len(counts)/arity)
		for lo := 0; lo < len(counts); lo += arity {
			row, err := sh.dirichlet(sh.given(i, lo/arity), d.Node(i).States, counts[lo:lo+arity], e.WithPrior)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
			cpts[i] = append(cpts[i], row.Predictive()...)
		}
		f.cond = append(f.cond, rows)
		if d.Node(i).Name != sh.model.Target {
			continue
		}
		margin := make([]float64, arity)
		for c, v := range counts {
			margin[c%arity] += math.Max(v, 0)
		}
		var err error
		if f.class, err = sh.dirichlet(sh.model.Target, d.Node(i).States, margin, e.WithPrior); err != nil {
			return nil, err
		}
	}
	var err error
	f.net, err = bayesnet.NewNet(d, cpts)
	return f, err
}

// given names the law of node i under a configuration of its parents, such as "x | y = a, z = b".
func (s *Shape) given(i, row int) string {
	parents := s.dag.Parents(i)
	words := make([]string, len(parents))
	for k := len(parents) - 1; k >= 0; k-- {
		p := s.dag.Node(parents[k])
		words[k] = p.Name + " = " + p.States[row%len(p.States)]
		row /= len(p.States)
	}
	name := s.dag.Node(i).Name
	if len(words) > 0 {
		name += " | " + strings.Join(words, ", ")
	}
	return name
}

// Network is the fitted network with its predictive tables, for queries; nil for other models.
func (f *Fitted) Network() *bayesnet.Net { return f.net }

// rows are the codes of a frame's records in the order of the graph's nodes.
func (f *Fitted) rows(x *frame.Frame) ([][]int, error) {
	d := f.shape.dag
	flat, out := make([]int, x.Len()*d.Len()), make([][]int, x.Len())
	for i := range d.Len() {
		codes, err := x.Codes(d.Node(i).Name)
		if err != nil {
			return nil, err
		}
		for r := range out {
			flat[r*d.Len()+i] = codes.At(r)
		}
	}
	for r := range out {
		out[r] = flat[r*d.Len() : (r+1)*d.Len() : (r+1)*d.Len()]
	}
	return out, nil
}

// networkPredict is Predict for a network.
func (f *Fitted) networkPredict(x *frame.Frame) ([][]float64, error) {
	rows, err := f.rows(x)
	if err != nil {
		return nil, err
	}
	target, _ := f.shape.dag.Index(f.shape.model.Target)
	return f.net.Predict(target, rows)
}

// networkLogLikelihood is LogLikelihood for a network.
func (f *Fitted) networkLogLikelihood(x *frame.Frame) (float64, error) {
	rows, err := f.rows(x)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, r := range rows {
		l, err := f.net.LogProb(r)
		if err != nil {
			return 0, err
		}
		sum += l
	}
	return sum / float64(max(len(rows), 1)), nil
}

// networkRecords draws codes of n records, one column for each of the shape's columns.
func (f *Fitted) networkRecords(n int, src Source) ([][]int, error) {
	d := f.shape.dag
	drawn := make([][]uint16, d.Len())
	for i := range drawn {
		drawn[i] = make([]uint16, n)
	}
	if err := f.net.Sample(n, src, drawn); err != nil {
		return nil, err
	}
	out := make([][]int, len(f.shape.columns))
	for c, col := range f.shape.columns {
		i, _ := d.Index(col.Name)
		out[c] = make([]int, n)
		for r, v := range drawn[i] {
			out[c][r] = int(v)
		}
	}
	return out, nil
}
