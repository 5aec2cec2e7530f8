package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
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
	independent bool                // its prior was set
	states      map[string][]string // of the nodes of a graph, which the columns must have; nil if nobody says
}

// Network is a Bayesian network over the columns named in families. target is the node that Predict classifies. Its
// count tables are those of the maximal families: every other family's table is a margin of one of these, so releasing
// it too would only cost (theory/networks.md §1.1).
//
// Released probabilities have a Dirichlet(1, …, 1) prior on every row: of every node given every configuration of its
// parents. Intervals that account for the noise have that of noiseaware.OfNetwork; a network in the shape of naive
// Bayes classifies better WithPrior(1) (docs/explanation/intervals.md).
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

// WithPrior sets the prior: independent rows with one hyperparameter α > 0 for every cell, of released probabilities
// and of intervals that account for the noise alike. α is public: choose it without the data.
func (m NetworkModel) WithPrior(alpha ...float64) NetworkModel {
	m.alpha, m.independent = slices.Clone(alpha), true
	return m
}

// ShareRows reports whether intervals that account for the noise have the prior of shared rows: nobody set another.
func (m NetworkModel) ShareRows() bool { return !m.independent }

// WithEveryFamily measures the table of every family, as Algorithm 1 of Zhang, Rubinstein and Dimitrakakis (AAAI 2016)
// does, and not only those of the maximal ones.
func (m NetworkModel) WithEveryFamily() NetworkModel { m.everyFamily = true; return m }

// String describes the model.
func (m NetworkModel) String() string {
	return fmt.Sprintf("network of %d nodes, target %s", len(m.families), safetext.Quote(m.target))
}

func (m NetworkModel) describe() Description {
	return Description{Kind: "network", Target: m.target, Families: m.families, Alpha: m.alpha,
		EveryFamily: m.everyFamily, IndependentRows: m.independent && slices.Equal(m.alpha, Prior{1})}
}

func (m NetworkModel) with(d Description) Model {
	m.target, m.families, m.alpha, m.everyFamily = d.Target, d.Families, d.Alpha, d.EveryFamily
	m.independent = d.IndependentRows || !slices.Equal(d.Alpha, Prior{1})
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
		if c.Levels() < 2 {
			return nil, wrong(m, f.Node, levelsOf(*c), twoLevels(*c)+"; leave a constant column out")
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

// familyCounts is the table of node i's family from estimated tables: a margin of a table that holds the family, or,
// where several do, the mean of their margins weighted 1/(cells added up per cell), to which the variance of a sum of
// equally noisy cells is proportional.
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

// fit adds the prior to every family's counts.
func (m NetworkModel) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Conditionals != nil {
		return m.fitConditionals(sh, e)
	}
	if err := sh.checkTables(e); err != nil {
		return nil, err
	}
	d := sh.dag
	var laws [][]Named
	var class Named
	for i := range d.Len() {
		counts, arity := sh.familyCounts(i, e.Tables), d.Arity(i)
		rows, given, states := make([]Named, 0, len(counts)/arity), sh.given(i), d.Node(i).States
		for lo := 0; lo < len(counts); lo += arity {
			row, err := sh.dirichlet(given(lo/arity), states, counts[lo:lo+arity], e.WithPrior)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
		laws = append(laws, rows)
		if d.Node(i).Name != m.target {
			continue
		}
		margin := make([]float64, arity)
		for c, v := range counts {
			margin[c%arity] += math.Max(v, 0)
		}
		var err error
		if class, err = sh.dirichlet(m.target, d.Node(i).States, margin, e.WithPrior); err != nil {
			return nil, err
		}
	}
	net, err := sh.net(laws)
	return &Fitted{shape: sh, class: class, cond: laws, net: net, draws: e.Draws}, err
}

// net is the network of the predictive distributions of every node's laws.
func (s *Shape) net(laws [][]Named) (*bayesnet.Net, error) {
	tables := make([][]float64, len(laws))
	for i, rows := range laws {
		for _, r := range rows {
			tables[i] = append(tables[i], r.Mean()...)
		}
	}
	return bayesnet.NewNet(s.dag, tables)
}

// fitConditionals gives the target its marginal distribution in the network, with the weight of its parameters.
func (m NetworkModel) fitConditionals(sh *Shape, e Estimate) (*Fitted, error) {
	laws, err := sh.laws(e, func(i int) (func(int) string, []string) { return sh.given(i), sh.dag.Node(i).States })
	if err != nil {
		return nil, err
	}
	f := &Fitted{shape: sh, cond: laws, draws: e.Draws}
	if f.net, err = sh.net(laws); err != nil {
		return nil, err
	}
	target, _ := sh.dag.Index(m.target)
	margin, err := f.net.Marginal(target)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, v := range e.Conditionals[target] {
		total += v
	}
	for k := range margin {
		margin[k] *= total
	}
	f.class, err = sh.dirichlet(m.target, sh.dag.Node(target).States, margin, true)
	return f, err
}

func (m NetworkModel) conditionalTable(f *Fitted, feature string, cell cellOf) (*table.Table, error) {
	d := f.shape.dag
	i, ok := d.Index(feature)
	if !ok {
		return nil, wrong(m, feature, "not a node", safetext.OneOf(feature, f.shape.columnNames()))
	}
	names := make([]string, len(f.cond[i]))
	for j, r := range f.cond[i] {
		names[j] = r.Name
	}
	return cellTable("Probabilities of "+plain(feature), "distribution", d.Node(i).States, names, i, cell), nil
}

// given names the distribution of node i under each configuration of its parents, such as "x | y = a, z = b".
func (s *Shape) given(i int) func(row int) string {
	parents := s.dag.Parents(i)
	nodes, words, name := make([]bayesnet.Node, len(parents)), make([]string, len(parents)), plain(s.dag.Node(i).Name)
	for k, p := range parents {
		nodes[k] = s.dag.Node(p)
	}
	return func(row int) string {
		for k := len(nodes) - 1; k >= 0; k-- {
			words[k] = plain(nodes[k].Name) + " = " + plain(nodes[k].States[row%len(nodes[k].States)])
			row /= len(nodes[k].States)
		}
		if len(words) == 0 {
			return name
		}
		return name + " | " + strings.Join(words, ", ")
	}
}

// Network is the fitted network with its predictive tables, for queries; nil for other models.
func (f *Fitted) Network() *bayesnet.Net {
	if f.exact != nil {
		return f.exact
	}
	return f.net
}

// rows are the codes of a frame's records in the order of the graph's nodes.
func (f *Fitted) rows(x *frame.Frame) ([][]int, error) {
	d := f.shape.dag
	flat, out := make([]int, x.Len()*d.Len()), make([][]int, x.Len())
	for i := range d.Len() {
		codes, err := x.Codes(d.Node(i).Name)
		if err != nil && d.Node(i).Name == f.shape.columns[0].Name {
			continue // absent: Predict does not look at it
		}
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

func (m NetworkModel) predict(f *Fitted, x *frame.Frame) ([]float64, error) {
	rows, err := f.rows(x)
	if err != nil {
		return nil, err
	}
	target, _ := f.shape.dag.Index(m.target)
	probs, err := f.net.Predict(target, rows)
	return slices.Concat(probs...), err
}

func (m NetworkModel) logLikelihood(f *Fitted, x *frame.Frame) (sum float64, err error) {
	rows, err := f.rows(x)
	if err != nil {
		return 0, err
	}
	for _, r := range rows {
		l, err := f.net.LogProb(r)
		if err != nil {
			return 0, err
		}
		sum += l
	}
	return sum, nil
}

// records draws codes of n records, one column for each of the shape's columns.
func (m NetworkModel) records(f *Fitted, n int, src rand.Source) ([][]int, error) {
	return f.shape.recordsOf(f.Network(), n, src)
}

// recordsOf draws codes of the model's columns from a network over the shape's graph.
func (s *Shape) recordsOf(net *bayesnet.Net, n int, src rand.Source) ([][]int, error) {
	return s.recordsBy(net.Sample, n, src)
}

// recordsBy are the codes of the model's columns that a network's method makes.
func (s *Shape) recordsBy(records func(int, rand.Source, [][]uint16) error, n int, src rand.Source) ([][]int, error) {
	d := s.dag
	drawn := make([][]uint16, d.Len())
	for i := range drawn {
		drawn[i] = make([]uint16, n)
	}
	if err := records(n, src, drawn); err != nil {
		return nil, err
	}
	out := make([][]int, len(s.columns))
	for c, col := range s.columns {
		i, _ := d.Index(col.Name)
		out[c] = make([]int, n)
		for r, v := range drawn[i] {
			out[c][r] = int(v)
		}
	}
	return out, nil
}

// networkDraws bounds the values drawn for a network, whose records are drawn one by one; beyond, a part of them is
// drawn and taken several times. What is left out is sampling variation, which both estimates share.
const networkDraws = 1_000_000

// networkRows is the number of records that are drawn.
func networkRows(sh *Shape, n int) int {
	return min(n, max(networkDraws/sh.dag.Len(), 1000))
}

// looks is the number of records between two looks at the context: whole blocks of bayesnet.Net.Sample, so that the
// records are those of one call.
const looks = 4 * 2048

func (m NetworkModel) steps(sh *Shape, n int) float64 {
	family, rows := 0.0, 0.0
	for _, set := range sh.sets {
		family += float64(len(set))
	}
	for _, c := range sh.Conditionals() {
		rows += float64(c.Rows)
	}
	return 1000 + 2*float64(networkRows(sh, n))*(float64(sh.dag.Len())+family) + 150*float64(sh.Cells()) + 500*rows
}

func (m NetworkModel) simulate(ctx context.Context, sh *Shape, n int, a0 float64, src rand.Source) (*Statistics, error) {
	d := sh.dag
	cpts := make([][]float64, d.Len())
	for i := range cpts {
		for range d.FamilyCells(i) / d.Arity(i) {
			cpts[i] = append(cpts[i], distribution(d.Arity(i), a0, src)...)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	net, err := bayesnet.NewNet(d, cpts)
	if err != nil {
		return nil, err
	}
	rows := networkRows(sh, n)
	codes, part := make([][]uint16, d.Len()), make([][]uint16, d.Len())
	for i := range codes {
		codes[i] = make([]uint16, rows)
	}
	for lo := 0; lo < rows; lo += looks {
		size := min(looks, rows-lo)
		for i := range part {
			part[i] = codes[i][lo : lo+size]
		}
		if err := net.Sample(size, src, part); err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	times, more := int64(n/rows), n%rows // every record so often, the first ones once more
	var tables [][]int64
	for k, set := range sh.sets {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := make([]int64, sh.tables[k].Cells())
		for r := range rows {
			cell := 0
			for _, v := range set {
				cell = cell*d.Arity(v) + int(codes[v][r])
			}
			t[cell] += times
			if r < more {
				t[cell]++
			}
		}
		tables = append(tables, t)
	}
	return FromCounts(sh, tables)
}
