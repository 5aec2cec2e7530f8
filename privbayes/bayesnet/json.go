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
