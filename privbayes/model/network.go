package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
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

// NetworkModel is a Bayesian network: see Network.
type NetworkModel struct {
	ofCounts
	families    []Family
	everyFamily bool
	states      map[string][]string // of the nodes of a graph, which the columns must have; nil if nobody says
}

// Network is a Bayesian network over the columns named in families, with a Dirichlet(α, …, α) prior, α = 1, on every
// node given every configuration of its parents. target is the node that Predict classifies. Its count tables are those
// of the maximal families: every other family's table is a margin of one of these, so releasing it too would only cost
// (theory/networks.md §1.1).
func Network(target string, families ...Family) NetworkModel {
	return NetworkModel{ofCounts: ofCounts{base{target, Prior{1}}}, families: families}
}

// NetworkOf is Network with the structure of a graph, whose nodes must be columns of the schema. A column of categories
// must have the node's states, as categories or their aliases, in any order; a column of numbers must have as many
// bins.
func NetworkOf(target string, d *bayesnet.DAG) NetworkModel {
	m := Network(target)
	m.states = map[string][]string{}
	for i := range d.Len() {
		n := d.Node(i)
		m.states[n.Name] = n.States
		m.families = append(m.families, Family{n.Name, n.Parents})
	}
	return m
}

// WithPrior sets the prior: one hyperparameter α > 0 for every cell. α is public: choose it without the data.
func (m NetworkModel) WithPrior(alpha ...float64) NetworkModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// WithEveryFamily measures the table of every family, as Algorithm 1 of Zhang, Rubinstein and Dimitrakakis (AAAI 2016)
// does, and not only those of the maximal ones.
func (m NetworkModel) WithEveryFamily() NetworkModel { m.everyFamily = true; return m }

// String describes the model.
func (m NetworkModel) String() string {
	return fmt.Sprintf("network of %d nodes, target %s", len(m.families), safetext.Quote(m.target))
}

func (m NetworkModel) describe() Description {
	return Description{Kind: "network", Target: m.target, Families: m.families, Alpha: m.alpha,
		EveryFamily: m.everyFamily}
}

func (m NetworkModel) with(d Description) Model {
	m.target, m.families, m.alpha, m.everyFamily = d.Target, d.Families, d.Alpha, d.EveryFamily
	return m
}

// SchemaOf is a schema with a categorical column for every node of a graph, for records of a network.
func SchemaOf(dataset string, d *bayesnet.DAG) *frame.Schema {
	s := &frame.Schema{Dataset: dataset}
	for i := range d.Len() {
		n := d.Node(i)
		s.Columns = append(s.Columns, frame.Categorical(n.Name, n.States...))
	}
	return s
}

// Simulate draws records of a network whose tables are known, as a frame under SchemaOf: public data for tutorials and
// experiments. Errors: *bayesnet.Error, *frame.SchemaError.
func Simulate(dataset string, net *bayesnet.Net, records int, src rand.Source) (*frame.Frame, error) {
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
	f, err := frame.FromColumns(SchemaOf(dataset, d), cols)
	if err != nil {
		return nil, err
	}
	return f.AsPublic("drawn from a network whose tables are known")
}

// graph resolves the families against a schema: the DAG with the columns' levels as states.
func (m NetworkModel) graph(s *frame.Schema) (*bayesnet.DAG, error) {
	var nodes []bayesnet.Node
	of := nameColumns(s)
	for _, f := range m.families {
		c, err := of.column(f.Node)
		if err != nil {
			return nil, err
		}
		if c.Kind == frame.KindSequence {
			return nil, wrong(m, f.Node, "a sequence column", "categorical, integer or real columns")
		}
		if err := m.contradiction(c); err != nil {
			return nil, err
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
	if _, ok := d.Index(m.target); !ok {
		return nil, wrong(m, m.target, "not a node", "one of the network's nodes as the target")
	}
	return d, nil
}

// contradiction is a node whose states are not those of its column.
func (m NetworkModel) contradiction(c *frame.Column) error {
	states, ok := m.states[c.Name]
	if !ok {
		return nil
	}
	const agree = "a network and a schema that agree: one of them is of other data, or bins differ"
	if c.Numeric() {
		if bins := len(c.Edges) - 1; len(states) != bins && len(states) != c.Levels() {
			return wrong(m, c.Name, fmt.Sprintf("%d states in the network and %d bins in the schema", len(states), bins), agree)
		}
		return nil
	}
	labels := c.Labels()
	found := map[string]bool{}
	for _, s := range states {
		at := slices.IndexFunc(labels, func(l string) bool { return safetext.Same(l) == safetext.Same(s) })
		if at < 0 {
			at = slices.IndexFunc(labels, func(l string) bool {
				return slices.ContainsFunc(c.Aliases, func(a frame.Alias) bool {
					return a.Category == l && slices.Contains(a.Texts, s)
				})
			})
		}
		if at < 0 {
			return wrong(m, c.Name, fmt.Sprintf("with state %s in the network, which the schema has not", safetext.Short(s)), agree)
		}
		found[labels[at]] = true
	}
	for _, k := range c.Categories {
		if !found[k] {
			return wrong(m, c.Name, fmt.Sprintf("with category %s in the schema, which the network has not", safetext.Short(k)),
				agree)
		}
	}
	return nil
}

// columns lists the target's column and then those of the other nodes in their order.
func (m NetworkModel) columns(s *frame.Schema) ([]frame.Column, error) {
	target, err := targetColumn(m, s, false)
	if err != nil {
		return nil, err
	}
	if _, err := m.graph(s); err != nil {
		return nil, err
	}
	cols, of := []frame.Column{*target}, nameColumns(s)
	for _, f := range m.families {
		if f.Node == m.target {
			continue
		}
		c, err := of.column(f.Node)
		if err != nil {
			return nil, err
		}
		if l := c.Levels(); l < 2 {
			return nil, wrong(m, f.Node, fmt.Sprintf("%d level", l),
				twoLevels(*c)+"; leave a constant column out")
		}
		cols = append(cols, *c)
	}
	return cols, nil
}

// layOut sets the graph of a shape, its tables, and which tables hold which family.
func (m NetworkModel) layOut(s *Shape) error {
	d, err := m.graph(s.schema)
	if err != nil {
		return err
	}
	s.dag = d
	sets, holds := d.MaximalFamilies()
	if m.everyFamily {
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
			t.Columns, t.Levels, t.Labels = append(t.Columns, n.Name), append(t.Levels, len(n.States)),
				append(t.Labels, n.States)
			cells *= float64(len(n.States))
		}
		t.Name = strings.Join(t.Columns, " × ")
		if total += cells; total > maxCells {
			return wrong(m, t.Name, fmt.Sprintf("%.0f cells, %.0f with the tables before it", cells, total),
				fmt.Sprintf("at most %d cells in all tables; use fewer parents or bins", maxCells))
		}
		s.tables = append(s.tables, t)
	}
	return nil
}

// Graph is the structure of a network model, nil for other models.
func (s *Shape) Graph() *bayesnet.DAG { return s.dag }

// EveryFamily reports whether the table of every family is measured: see WithEveryFamily.
func (m NetworkModel) EveryFamily() bool { return m.everyFamily }

func (m NetworkModel) conditionals(sh *Shape) (out []Conditional) {
	for i := range sh.dag.Len() {
		out = append(out, Conditional{sh.dag.Node(i).Name, sh.dag.FamilyCells(i) / sh.dag.Arity(i), sh.dag.Arity(i)})
	}
	return out
}

func (m NetworkModel) conditionalCounts(sh *Shape, tables [][]int64) [][]int64 {
	out := make([][]int64, sh.dag.Len())
	for i := range out {
		holder := sh.holds[i][0]
		margin := make([]float64, sh.dag.FamilyCells(i))
		sh.addMargin(margin, sh.dag.Family(i), sh.sets[holder], asFloats(tables[holder : holder+1])[0], 1)
		out[i] = make([]int64, len(margin))
		for c, v := range margin {
			out[i][c] = int64(v)
		}
	}
	return out
}
