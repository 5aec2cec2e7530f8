package bayesnet

import (
	"maps"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// names lists the names of nodes in their order.
func names(nodes []Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.Name
	}
	return out
}

// number is the number of the node with this name; field is the argument that named it.
func (d *DAG) number(field, name string) (int, error) {
	i, ok := d.index[name]
	if !ok {
		return 0, &Error{Node: name, Field: field, Value: "unknown node", Want: safetext.OneOf(name, names(d.nodes))}
	}
	return i, nil
}

// code is the code of a state of node i.
func (d *DAG) code(field string, i int, state string) (int, error) {
	states := d.nodes[i].States
	c := slices.Index(states, state)
	if c < 0 {
		return 0, &Error{Node: d.nodes[i].Name, Field: field, Value: safetext.Short(state),
			Want: safetext.OneOf(state, states)}
	}
	return c, nil
}

// codesOf turns names into numbers, for callers that think in names.
func (d *DAG) codesOf(evidence map[string]string) (map[int]int, error) {
	out := make(map[int]int, len(evidence))
	for _, name := range slices.Sorted(maps.Keys(evidence)) { // of several mistakes the same one is reported each time
		i, err := d.number("evidence", name)
		if err != nil {
			return nil, err
		}
		if out[i], err = d.code("evidence", i, evidence[name]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Given is P(target = · | evidence), Query for one target with names instead of numbers: one probability per state, in
// the order of the node's States (for a column of a schema, that of its categories or bins). Errors: as Query, and
// *Error for an unknown node or state, which lists those there are.
func (n *Net) Given(target string, evidence map[string]string) ([]float64, error) {
	t, err := n.dag.number("targets", target)
	if err != nil {
		return nil, err
	}
	codes, err := n.dag.codesOf(evidence)
	if err != nil {
		return nil, err
	}
	return n.Query([]int{t}, codes)
}

// GivenState is P(target = state | evidence), one entry of Given by its name. Errors: as Given.
func (n *Net) GivenState(target, state string, evidence map[string]string) (float64, error) {
	t, err := n.dag.number("targets", target)
	if err != nil {
		return 0, err
	}
	c, err := n.dag.code("targets", t, state)
	if err != nil {
		return 0, err
	}
	p, err := n.Given(target, evidence)
	if err != nil {
		return 0, err
	}
	return p[c], nil
}

// published builds a network whose tables stand in this file; they satisfy what NewNet checks.
func published(nodes []Node, tables [][]float64) *Net {
	dag, err := NewDAG(nodes)
	if err != nil {
		panic(err)
	}
	net, err := NewNet(dag, tables)
	if err != nil {
		panic(err)
	}
	return net
}

// Asia is the chest-clinic network of Lauritzen and Spiegelhalter, "Local computations with probabilities on graphical
// structures and their application to expert systems" (1988), with the probabilities of their Table 2: a visit to Asia
// raises the risk of tuberculosis, smoking that of lung cancer and bronchitis; either of the first two shows on the
// X-ray and, like bronchitis, causes dyspnoea. All nodes have the states yes, no.
func Asia() *Net {
	yesNo := []string{"yes", "no"}
	node := func(name string, parents ...string) Node { return Node{name, yesNo, parents} }
	return published([]Node{
		node("asia"), node("tub", "asia"), node("smoke"), node("lung", "smoke"), node("bronc", "smoke"),
		node("either", "lung", "tub"), node("xray", "either"), node("dysp", "bronc", "either"),
	}, [][]float64{
		{0.01, 0.99},
		{0.05, 0.95, 0.01, 0.99},
		{0.5, 0.5},
		{0.1, 0.9, 0.01, 0.99},
		{0.6, 0.4, 0.3, 0.7},
		{1, 0, 1, 0, 1, 0, 0, 1},
		{0.98, 0.02, 0.05, 0.95},
		{0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.1, 0.9},
	})
}

// Sachs is the structure of the protein-signalling network of Sachs, Perez, Pe'er, Lauffenburger and Nolan, "Causal
// protein-signaling networks derived from multiparameter single-cell data" (2005): 11 phosphoproteins and phospholipids
// in three levels, LOW, AVG and HIGH, and the 17 arrows of the consensus network in the orientation customary for the
// discretised data. It has no tables.
func Sachs() *DAG {
	levels := []string{"LOW", "AVG", "HIGH"}
	node := func(name string, parents ...string) Node { return Node{name, levels, parents} }
	dag, err := NewDAG([]Node{
		node("Akt", "Erk", "PKA"), node("Erk", "Mek", "PKA"), node("Jnk", "PKA", "PKC"),
		node("Mek", "PKA", "PKC", "Raf"),
		node("P38", "PKA", "PKC"), node("PIP2", "PIP3", "Plcg"), node("PIP3", "Plcg"), node("PKA", "PKC"), node("PKC"),
		node("Plcg"), node("Raf", "PKA", "PKC"),
	})
	if err != nil {
		panic(err)
	}
	return dag
}
