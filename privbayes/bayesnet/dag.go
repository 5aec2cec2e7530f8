package bayesnet

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
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

// DAG is a directed acyclic graph over discrete variables. Values come from NewDAG, ParseJSON or ReadBIF.
type DAG struct {
	nodes    []Node
	index    map[string]int
	arity    []int
	parents  [][]int
	children [][]int
	order    []int
	cells    []int // of each family, saturated at maxInt
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
