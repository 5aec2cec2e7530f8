package wholenetworks

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// separate takes each noisy table for itself: every conditional table has the posterior given one measured table that
// holds its family, with the library's own posterior for that table, and the conditional tables are taken as
// independent.
func separate(ctx context.Context, s *noisy, draws int) (*outcome, error) {
	begin := clock()
	all := make([]tables, draws)
	out := &outcome{ess: math.Inf(1), rhat: 1}
	for v := range s.dag.Len() {
		p, err := s.alone(ctx, v)
		if err != nil {
			return nil, err
		}
		node, _ := p.DAG().Index("node")
		for i := range all {
			net := p.Draw((2*i + 1) * p.Len() / (2 * draws)).Net
			all[i] = append(all[i], net.Table(node))
		}
	}
	out.seconds = clock() - begin
	var err error
	out.nets, err = networks(s.dag, all, float64(draws))
	return out, err
}

// alone is the posterior of the conditional table of node v given one table: a network of the combined parents, the
// node, and what else is in the table, without any independence.
func (s *noisy) alone(ctx context.Context, v int) (*noiseaware.NetworkPosterior, error) {
	family := s.dag.Family(v)
	t := 0
	for !holds(s.vars[t], family) {
		t++
	}
	var rest []int
	for _, u := range s.vars[t] {
		if !holds(family, []int{u}) {
			rest = append(rest, u)
		}
	}
	groups := []struct {
		name string
		vars []int
	}{{"parents", family[:len(family)-1]}, {"node", []int{v}}, {"rest", rest}}
	var nodes []bayesnet.Node
	var columns []string
	sizes := make([]int, len(groups))
	for i, g := range groups {
		sizes[i] = 1
		for _, u := range g.vars {
			sizes[i] *= s.dag.Arity(u)
		}
		if len(g.vars) == 0 {
			continue
		}
		n := bayesnet.Node{Name: g.name, Parents: columns[:len(columns):len(columns)]}
		for l := range sizes[i] {
			n.States = append(n.States, fmt.Sprint(l))
		}
		nodes, columns = append(nodes, n), append(columns, g.name)
	}
	d, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(s.y[t]))
	x := make([]uint8, s.dag.Len())
	for i, y := range s.y[t] {
		at := i
		for j := len(s.vars[t]) - 1; j >= 0; j-- {
			u := s.vars[t][j]
			x[u] = uint8(at % s.dag.Arity(u))
			at /= s.dag.Arity(u)
		}
		place := 0
		for k, g := range groups {
			place = place*sizes[k] + cell(s.dag, g.vars, x)
		}
		counts[place] = y
	}
	return noiseaware.FromNoisyCounts(ctx, d, 1, []noiseaware.NoisyTable{{Columns: columns, Counts: counts,
		Noise: noiseaware.StatedGeometric(s.rate[t])}}, noiseaware.PublicN(int64(s.n)))
}
