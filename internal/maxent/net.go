package maxent

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Net is the fitted distribution as a Bayesian network over nodes of these names and states; their parents are set
// here. A clique contributes its variables one by one, each given its separator and the variables before it, so that
// the graph is chordal and all margins are the model's. Rows under a configuration that cannot be are the variable's
// own distribution. Errors: *domain.Error for another number of nodes or states, ErrNotFitted, and those of
// bayesnet.NewDAG.
func (m *Model) Net(nodes []bayesnet.Node) (*bayesnet.Net, error) {
	if m.tree == nil {
		return nil, ErrNotFitted
	}
	if len(nodes) != len(m.levels) {
		return nil, refuse("Net", "nodes", len(nodes), fmt.Sprintf("%d, one for each variable", len(m.levels)))
	}
	out, tables := make([]bayesnet.Node, len(nodes)), make([][]float64, len(nodes))
	for v, l := range m.levels {
		if len(nodes[v].States) != l {
			return nil, refuse("Net", "nodes", fmt.Sprintf("%d states", len(nodes[v].States)), fmt.Sprintf("%d", l))
		}
		out[v] = bayesnet.Node{Name: nodes[v].Name, States: nodes[v].States}
	}
	for i := range m.tree.cliques {
		q := &m.tree.cliques[i]
		for k := len(m.tree.forest.Cliques[i].Separator); k < len(q.vars); k++ {
			v := q.vars[k]
			for _, p := range q.vars[:k] {
				out[v].Parents = append(out[v].Parents, nodes[p].Name)
			}
			tables[v] = m.tree.conditionals(q, k)
		}
	}
	dag, err := bayesnet.NewDAG(out)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(dag, tables)
}

// conditionals are the laws of variable number k of a clique given those before it.
func (t *tree) conditionals(q *clique, k int) []float64 {
	v := q.vars[k]
	own, out := make([]float64, t.levels[v]), make([]float64, 0)
	joint := table{vars: q.vars[:k+1]}
	joint.cells = make([]float64, len(q.cells)/cellsAfter(q, t.levels, k))
	scatter(joint.cells, q.cells, places(t.levels, q.vars, joint.vars))
	scatter(own, joint.cells, places(t.levels, joint.vars, []int{v}))
	normalise(own)
	for lo := 0; lo < len(joint.cells); lo += len(own) {
		row := joint.cells[lo : lo+len(own)]
		if !normalise(row) {
			row = own
		}
		out = append(out, row...)
	}
	return out
}

// cellsAfter is the product of the levels behind variable number k.
func cellsAfter(q *clique, levels []int, k int) int {
	cells := 1
	for _, v := range q.vars[k+1:] {
		cells *= levels[v]
	}
	return cells
}

// normalise makes numbers add up to 1; false if they are all 0.
func normalise(p []float64) bool {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	if !(sum > 0) {
		return false
	}
	for i := range p {
		p[i] /= sum
	}
	return true
}
