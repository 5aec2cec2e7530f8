// Package bayesnet holds discrete Bayesian networks apart from any data: the graph, the conditional probability tables,
// exact queries, prediction, forward sampling, and the interchange format (BIF).
//
// A DAG has nodes with named states and, for each node, its parents in a given order. A Net adds one table per node:
//
//	P(x_1, …, x_k) = Π_i P(x_i | x_parents(i))
//
// Everywhere states and nodes are numbered from 0 as they were given, and a table over variables v_1, …, v_m is flat in
// mixed radix with the last variable running fastest: the cell of (c_1, …, c_m) is (…(c_1·r_2 + c_2)·r_3 + …)·r_m +
// c_m. The family of a node is its parents in order and then the node, so that row j of its table, the distribution
// under parent configuration j, is contiguous.
//
// DAG and Net are immutable and safe for concurrent use. Methods that take the number of a node panic, as slices do,
// where their result has no error and there is no such node; everything else that can be wrong is an error.
package bayesnet

import (
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// MaxStates is the largest number of states of a node: codes are uint16.
const MaxStates = 1 << 16

const maxInt = math.MaxInt

// Node is one variable of a network: its name, its states in the order of their codes, and the names of its parents.
// The order of the parents is the order of the columns of its table.
type Node struct {
	Name    string   `json:"name"`
	States  []string `json:"states"`
	Parents []string `json:"parents,omitempty"`
}

// DAG is a directed acyclic graph over discrete variables. Values come from NewDAG or ReadBIF.
type DAG struct {
	nodes    []Node
	index    map[string]int
	arity    []int
	parents  [][]int
	children [][]int
	order    []int
	cells    []int // of each family, saturated at maxInt
}

// MarshalJSON is {"nodes": [{"name": …, "states": […], "parents": […]}, …]}.
func (d *DAG) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Nodes []Node `json:"nodes"`
	}{d.nodes})
}

// NewDAG checks the nodes and copies them: at least one; names and states that can be shown (no control, bidirectional
// or invisible characters, not empty) and are unique under NFKC; 1 to MaxStates states, unique within the node (a node
// of one state is legal and constant); parents known, not repeated, not the node itself; no cycle. Errors: *Error,
// which for a cycle lists it.
func NewDAG(nodes []Node) (*DAG, error) {
	k := len(nodes)
	if k == 0 {
		return nil, &Error{Field: "nodes", Value: "none", Want: "at least one node"}
	}
	d := &DAG{nodes: make([]Node, k), index: make(map[string]int, k), arity: make([]int, k), parents: make([][]int, k),
		children: make([][]int, k), cells: make([]int, k)}
	forms := make(map[string]string, k)
	for i, n := range nodes {
		if err := checkNode(n, i); err != nil {
			return nil, err
		}
		form := safetext.Same(n.Name)
		if first, twice := forms[form]; twice && first != n.Name {
			return nil, &Error{Node: n.Name, Field: "name", Value: twiceText(first, n.Name),
				Want: "names that differ in more than their encoding"}
		}
		forms[form] = n.Name
		if first, ok := d.index[n.Name]; ok {
			return nil, &Error{Node: n.Name, Field: "name", Value: fmt.Sprintf("nodes %d and %d have it", first, i),
				Want: "unique names"}
		}
		d.index[n.Name] = i
		d.nodes[i] = cloneNode(n)
		d.arity[i] = len(n.States)
	}
	for i, n := range d.nodes {
		d.cells[i] = d.arity[i]
		for _, name := range n.Parents {
			p, ok := d.index[name]
			switch {
			case !ok:
				return nil, &Error{Node: n.Name, Field: "parents", Value: safetext.Short(name),
					Want: "a declared node (one without parents is declared too), " +
						safetext.OneOf(name, names(d.nodes))}
			case p == i:
				return nil, &Error{Node: n.Name, Field: "parents", Value: "the node itself", Want: "another node"}
			case slices.Contains(d.parents[i], p):
				return nil, &Error{Node: n.Name, Field: "parents", Value: safetext.Short(name) + " twice",
					Want: "each parent once"}
			}
			d.parents[i] = append(d.parents[i], p)
			d.children[p] = append(d.children[p], i)
			d.cells[i] = mulSat(d.cells[i], d.arity[p])
		}
	}
	return d, d.sort()
}

func checkNode(n Node, i int) error {
	var e *safetext.Error
	if errors.As(safetext.Check(n.Name), &e) {
		return &Error{Node: n.Name, Field: "name", Value: fmt.Sprintf("%s, at place %d", e.Shown(), i),
			Want: safetext.Want}
	}
	if len(n.States) == 0 || len(n.States) > MaxStates {
		return &Error{Node: n.Name, Field: "states", Value: fmt.Sprint(len(n.States)),
			Want: fmt.Sprintf("1 to %d states", MaxStates)}
	}
	seen := make(map[string]string, len(n.States))
	for _, s := range n.States {
		if errors.As(safetext.Check(s), &e) {
			return &Error{Node: n.Name, Field: "states", Value: e.Shown(), Want: safetext.Want}
		}
		form := safetext.Same(s)
		if first, twice := seen[form]; twice {
			return &Error{Node: n.Name, Field: "states", Value: twiceText(first, s), Want: "each state once"}
		}
		seen[form] = s
	}
	return nil
}

// twiceText says that two names are one, or one to Unicode.
func twiceText(first, second string) string {
	if first == second {
		return safetext.Short(second) + " twice"
	}
	return fmt.Sprintf("%s and %+q, which are one text to Unicode (NFKC)", safetext.Short(first), safetext.Clip(second, 80))
}

func cloneNode(n Node) Node {
	return Node{n.Name, slices.Clone(n.States), slices.Clone(n.Parents)}
}

// mulSat is a·b for a, b ≥ 1, or maxInt when that is larger.
func mulSat(a, b int) int {
	if a > maxInt/b {
		return maxInt
	}
	return a * b
}

// intHeap gives the smallest ready node.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// sort finds the topological order: always the ready node of smallest number (Kahn's algorithm with a heap). gonum's
// topo.SortStabilized gives another order, and saved networks, draws and files depend on this one.
func (d *DAG) sort() error {
	waiting := make([]int, d.Len())
	var ready intHeap
	for i := range waiting {
		if waiting[i] = len(d.parents[i]); waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	d.order = make([]int, 0, d.Len())
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		d.order = append(d.order, i)
		for _, c := range d.children[i] {
			if waiting[c]--; waiting[c] == 0 {
				heap.Push(&ready, c)
			}
		}
	}
	if len(d.order) == d.Len() {
		return nil
	}
	cycle := d.cycle(waiting)
	return &Error{Node: cycle[0], Field: "parents", Value: "a cycle " + cycleText(cycle), Want: "no cycle"}
}

// cycleText shows a cycle.
func cycleText(names []string) string {
	words := make([]string, len(names))
	for i, n := range names {
		words[i] = safetext.Word(n)
	}
	return strings.Join(words, " → ")
}

// cycle lists a cycle along the arrows. Every node still waiting has a parent still waiting, so walking up must meet
// itself.
func (d *DAG) cycle(waiting []int) []string {
	i := slices.IndexFunc(waiting, func(w int) bool { return w > 0 })
	place := map[int]int{}
	var up []int
	for {
		if from, ok := place[i]; ok {
			up = append(up[from:], i)
			break
		}
		place[i] = len(up)
		up = append(up, i)
		p := slices.IndexFunc(d.parents[i], func(p int) bool { return waiting[p] > 0 })
		i = d.parents[i][p]
	}
	slices.Reverse(up)
	names := make([]string, len(up))
	for j, v := range up {
		names[j] = d.nodes[v].Name
	}
	return names
}

// Len is the number of nodes.
func (d *DAG) Len() int { return len(d.nodes) }

// Node is a copy of node i as it was given.
func (d *DAG) Node(i int) Node { return cloneNode(d.nodes[i]) }

// Index is the number of the node with this name, and whether there is one.
func (d *DAG) Index(name string) (i int, ok bool) {
	i, ok = d.index[name]
	return i, ok
}

// Arity is the number of states of node i.
func (d *DAG) Arity(i int) int { return d.arity[i] }

// Parents are the parents of node i in the order given.
func (d *DAG) Parents(i int) []int { return slices.Clone(d.parents[i]) }

// Children are the children of node i, ascending.
func (d *DAG) Children(i int) []int { return slices.Clone(d.children[i]) }

// Order is a topological order, parents before children: of all such orders the one that is smallest when compared
// number by number.
func (d *DAG) Order() []int { return slices.Clone(d.order) }

// Graph draws the graph: parents stand above their children.
func (d *DAG) Graph() *figure.Graph {
	g := &figure.Graph{Title: fmt.Sprintf("Network of %d nodes", d.Len())}
	for i, n := range d.nodes {
		g.Vertices = append(g.Vertices, figure.Vertex{Name: safetext.Line(n.Name), Parents: d.Parents(i),
			About: fmt.Sprintf("%d: %s", d.arity[i], safetext.List(n.States, 4))})
	}
	return g
}

// Graph draws the graph of the network, as DAG.Graph does.
func (n *Net) Graph() *figure.Graph { return n.dag.Graph() }

// Family is the parents of node i in order and then i: the variables of its table, the last running fastest.
func (d *DAG) Family(i int) []int { return append(slices.Clone(d.parents[i]), i) }

// FamilyCells is the number of cells of the table of node i, r_i·Π r_parent; math.MaxInt where that is larger.
func (d *DAG) FamilyCells(i int) int { return d.cells[i] }

// MaximalFamilies are the families that are not contained in another family, as sets: node numbers ascending within a
// family, families in the order of the nodes they belong to. containing[i] lists, ascending, the places in families of
// those that contain the family of node i; it is never empty.
//
// If the family of i lies in the family of j ≠ i then i is in it, so that j is a child of i: only children are looked
// at. No two families are equal as sets, since i and j would be parents of each other.
func (d *DAG) MaximalFamilies() (families [][]int, containing [][]int) {
	k := d.Len()
	place := make([]int, k) // of the family of a node, -1 if it is not maximal
	for i := range k {
		place[i] = -1
		if !slices.ContainsFunc(d.children[i], func(j int) bool { return d.familyWithin(i, j) }) {
			place[i] = len(families)
			f := d.Family(i)
			slices.Sort(f)
			families = append(families, f)
		}
	}
	containing = make([][]int, k)
	for i := range k {
		if place[i] >= 0 {
			containing[i] = []int{place[i]}
			continue
		}
		for _, j := range d.children[i] {
			if place[j] >= 0 && d.familyWithin(i, j) {
				containing[i] = append(containing[i], place[j])
			}
		}
	}
	return families, containing
}

// familyWithin tells whether the family of i lies in that of j, a child of i.
func (d *DAG) familyWithin(i, j int) bool {
	for _, p := range d.parents[i] {
		if !slices.Contains(d.parents[j], p) {
			return false
		}
	}
	return true
}

// MarkovBlanket is the parents of node i, its children and their other parents, ascending: given these, i does not
// depend on the rest. They are those that share a family with i.
func (d *DAG) MarkovBlanket(i int) []int {
	b := slices.Concat(d.parents[i], d.children[i])
	for _, c := range d.children[i] {
		for _, p := range d.parents[c] {
			if p != i {
				b = append(b, p)
			}
		}
	}
	slices.Sort(b)
	return slices.Compact(b)
}

// ancestral marks the given nodes and all their ancestors.
func (d *DAG) ancestral(of []int) []bool {
	in := make([]bool, d.Len())
	stack := slices.Clone(of)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !in[i] {
			in[i] = true
			stack = append(stack, d.parents[i]...)
		}
	}
	return in
}

// Error is a wrong network, table, file or argument.
type Error struct {
	Node  string // the node concerned, "" if none
	Field string // the part of it: "name", "states", "parents", "edges", "table", …; for a method its argument
	Value string // what was found
	Want  string // what was expected
	Line  int    // the line of the file, from 1; 0 when there is no file
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("bayesnet: ")
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if e.Node != "" {
		fmt.Fprintf(&b, "node %s: ", safetext.Short(e.Node))
	}
	if e.Field != "" {
		b.WriteString(safetext.Word(e.Field) + ": ")
	}
	b.WriteString(safetext.Line(e.Value) + "; want " + safetext.Line(e.Want))
	return b.String()
}

// at gives an *Error a line where it has none yet.
func at(err error, line int) error {
	if e, ok := err.(*Error); ok && e.Line == 0 {
		e.Line = line
	}
	return err
}

// WidthError says that an exact query needs a table above the limit. Nothing was allocated for it.
type WidthError struct {
	Node  string // the node whose elimination needs the table, "" for the table of the answer
	Width int    // variables in the table
	Cells int    // its cells, math.MaxInt when there are more
	Bytes int    // its memory at 8 bytes a cell, math.MaxInt when more
	Limit int    // the cells allowed

	AtLeast bool // the search for the widest table was cut short: another one may need more
	Graph   bool // it is not a table that is too large but the graph of the variables that an order is sought for
}

func (e *WidthError) Error() string {
	where, least := "the table of the answer", ""
	switch {
	case e.Graph:
		where = "finding an order of elimination"
	case e.Node != "":
		where = "eliminating node " + safetext.Short(e.Node)
	}
	if e.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("bayesnet: %s needs %s%d variables at once, %s cells or %s bytes; at most %d cells are "+
		"allowed (see Net.WithCells)",
		where, least, e.Width, orMore(e.Cells), orMore(e.Bytes), e.Limit)
}

func orMore(n int) string {
	if n == maxInt {
		return "more than 2^63"
	}
	return fmt.Sprint(n)
}

// ImpossibleError is evidence of probability 0: nothing can be said given it.
type ImpossibleError struct {
	Evidence map[string]string // node to state
}

func (e *ImpossibleError) Error() string {
	var parts []string
	for node, state := range e.Evidence {
		parts = append(parts, safetext.Word(node)+" = "+safetext.Word(state))
	}
	sort.Strings(parts)
	return fmt.Sprintf("bayesnet: the evidence %s has probability 0; want evidence that the network allows",
		strings.Join(parts, ", "))
}
