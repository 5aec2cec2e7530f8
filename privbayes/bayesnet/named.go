package bayesnet

import (
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
	for _, name := range sortedKeys(evidence) { // of several mistakes the same one is reported each time
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
