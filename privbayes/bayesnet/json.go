package bayesnet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/strictjson"
)

// MarshalJSON is {"nodes": [{"name": …, "states": […], "parents": […]}, …]}, which ParseJSON reads back to an equal
// graph.
func (d *DAG) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Nodes []Node `json:"nodes"`
	}{d.nodes})
}

// descriptive are the fields of a graph in JSON that say something about it and are not read.
var descriptive = []string{"name", "title", "description", "source", "licence", "license", "parameters"}

// ParseJSON reads a graph in one of the forms
//
//	{"nodes": [{"name": "lung", "states": ["yes", "no"], "parents": ["smoke"]}, …]}
//	{"nodes": [{"name": "lung", "states": ["yes", "no"]}, …], "edges": [["smoke", "lung"], …]}
//	{"nodes": ["lung", …], "states": {"lung": ["yes", "no"], …}, "edges": [["smoke", "lung"], …]}
//
// With edges, the parents of a node are in the order of the edges, and no node has "parents". The fields name, title,
// description, source, licence and parameters of the graph are passed over; any other field is an error. Errors: *Error
// with node and field, the line where the text is not JSON, and what NewDAG refuses.
func ParseJSON(data []byte) (*DAG, error) {
	var deep *strictjson.DepthError
	if err := strictjson.Shallow(data); errors.As(err, &deep) {
		return nil, &Error{Field: "file", Value: "too deep", Want: err.Error(), Line: deep.Line}
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, jsonError(err, data, "", "file", "an object with nodes")
	}
	var key *strictjson.KeyError
	if errors.As(strictjson.Unique(data, false), &key) {
		return nil, &Error{Field: key.Field(), Value: "there twice", Want: "every field once"}
	}
	for _, field := range sortedKeys(top) {
		if !slices.Contains([]string{"nodes", "edges", "states"}, field) && !slices.Contains(descriptive, field) {
			return nil, &Error{Field: field, Value: "an unknown field", Want: `"nodes", "edges", "states"`}
		}
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(top["nodes"], &raw); err != nil {
		return nil, jsonError(err, nil, "", "nodes", "a list of nodes")
	}
	nodes := make([]Node, len(raw))
	for i, r := range raw {
		if err := parseNode(r, i, &nodes[i]); err != nil {
			return nil, err
		}
	}
	if err := parseStates(top["states"], nodes); err != nil {
		return nil, err
	}
	if err := parseEdges(top["edges"], nodes); err != nil {
		return nil, err
	}
	return NewDAG(nodes)
}

// parseNode reads a name, or an object with a name and more.
func parseNode(raw json.RawMessage, i int, n *Node) error {
	where := fmt.Sprintf("node %d of the list", i)
	if bytes.HasPrefix(raw, []byte{'"'}) {
		if err := json.Unmarshal(raw, &n.Name); err != nil {
			return jsonError(err, nil, where, "name", "a name")
		}
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return jsonError(err, nil, where, "nodes", "a name or an object")
	}
	if err := json.Unmarshal(fields["name"], &n.Name); err != nil {
		return jsonError(err, nil, where, "name", "a name")
	}
	for _, field := range sortedKeys(fields) {
		var err error
		switch field {
		case "name":
		case "states":
			err = json.Unmarshal(fields[field], &n.States)
		case "parents":
			err = json.Unmarshal(fields[field], &n.Parents)
		default:
			return &Error{Node: n.Name, Field: field, Value: "an unknown field", Want: `"name", "states", "parents"`}
		}
		if err != nil {
			return jsonError(err, nil, n.Name, field, "a list of names")
		}
	}
	return nil
}

// parseStates gives the states of a list by name to the nodes.
func parseStates(raw json.RawMessage, nodes []Node) error {
	if raw == nil {
		return nil
	}
	var states map[string][]string
	if err := json.Unmarshal(raw, &states); err != nil {
		return jsonError(err, nil, "", "states", "an object of lists")
	}
	place := places(nodes)
	for _, name := range sortedKeys(states) {
		i, ok := place[name]
		switch {
		case !ok:
			return &Error{Node: name, Field: "states", Value: "unknown node", Want: safetext.OneOf(name, names(nodes))}
		case nodes[i].States != nil:
			return &Error{Node: name, Field: "states", Value: "given twice", Want: `them in the node or in "states"`}
		}
		nodes[i].States = states[name]
	}
	return nil
}

// parseEdges gives the parents to the nodes.
func parseEdges(raw json.RawMessage, nodes []Node) error {
	if raw == nil {
		return nil
	}
	var edges [][]string
	if err := json.Unmarshal(raw, &edges); err != nil {
		return jsonError(err, nil, "", "edges", `a list of ["parent", "child"]`)
	}
	for _, n := range nodes {
		if n.Parents != nil {
			return &Error{Node: n.Name, Field: "parents", Value: "parents besides edges", Want: "parents or edges"}
		}
	}
	place := places(nodes)
	for j, e := range edges {
		if len(e) != 2 {
			return &Error{Field: "edges", Value: fmt.Sprintf("%q at place %d", e, j), Want: `["parent", "child"]`}
		}
		for _, name := range e {
			if _, ok := place[name]; !ok {
				return &Error{Node: name, Field: "edges", Value: fmt.Sprintf("unknown node in %q", e),
					Want: safetext.OneOf(name, names(nodes))}
			}
		}
		child := place[e[1]]
		nodes[child].Parents = append(nodes[child].Parents, e[0])
	}
	return nil
}

func places(nodes []Node) map[string]int {
	place := make(map[string]int, len(nodes))
	for i, n := range nodes {
		place[n.Name] = i
	}
	return place
}

// jsonError is a decoding error as an *Error. Parts of a text that was read before (data is nil) have no wrong syntax,
// but a part that is missing looks like the end of the input.
func jsonError(err error, data []byte, node, field, want string) error {
	e := &Error{Node: node, Field: field, Value: strings.TrimPrefix(err.Error(), "json: "), Want: want}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && data == nil:
		e.Value = "missing"
	case errors.As(err, &syntax):
		e.Line = 1 + bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte{'\n'})
	case errors.As(err, &kind):
		e.Value = kind.Value
	}
	return e
}

func sortedKeys[T any](m map[string]T) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

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
