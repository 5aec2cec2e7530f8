package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/truncated"
)

// NetworkNode is a variable of a discrete Bayesian network: its number of states and its parents, which come before it.
type NetworkNode struct {
	States  int
	Parents []int
}

// NetworkUnit says what is replaced between neighbours.
type NetworkUnit int

// The units of a network.
const (
	OneRecord NetworkUnit = iota // all cells of one row: the classical definition
	OneCell                      // one value of one row
)

// Network is n rows of a discrete Bayesian network whose conditional probabilities are independent a priori, symmetric
// Dirichlet(α) truncated to probabilities ≥ ε₀ (Lemma 24, corrected). With L = ln((1 − (m−1)ε₀)/ε₀) at a node of m
// states,
//
//	osc = Σ_k 2L_k for one record (every factor changes once),  max_k [2L_k + Σ_{children} 2L_j] for one cell.
//
// Epsilon is the sum over the nodes of the exact ε of each node's posterior where the node is binary, else 2L: attained
// when no node has a parent, else an upper bound, because the worst columns of different nodes need not occur together.
// Source: theory/sampling.md §16.
type Network struct {
	nodes        []NetworkNode
	n            int
	alpha, floor float64
	unit         NetworkUnit
}

// NewNetwork takes nodes in topological order, 0 < ε₀ < 1/m for every number of states m: *ParameterError.
func NewNetwork(n int, nodes []NetworkNode, alpha, floor float64, unit NetworkUnit) (*Network, error) {
	c := need{family: "Bayesian network"}
	c.records(n)
	c.positive("α", alpha)
	c.that(len(nodes) >= 1 && len(nodes) <= 10_000, "number of nodes", len(nodes), "1 to 10,000")
	c.that(unit == OneRecord || unit == OneCell, "unit", unit, "OneRecord or OneCell")
	f := &Network{n: n, alpha: alpha, floor: floor, unit: unit}
	for k, node := range nodes {
		name := fmt.Sprintf("node %d", k)
		c.that(node.States >= 2, name+" states", node.States, "at least 2")
		c.that(floor > 0 && floor*float64(node.States) < 1, "ε₀", floor, fmt.Sprintf("inside (0, 1/m) for the m = %d "+
			"states of %s", node.States, name))
		for i, p := range node.Parents {
			c.that(p >= 0 && p < k, name+" parent", p, fmt.Sprintf("an earlier node, 0 to %d", k-1))
			for _, q := range node.Parents[:i] {
				c.that(p != q, name+" parent", p, "no parent twice")
			}
		}
		f.nodes = append(f.nodes, NetworkNode{node.States, append([]int(nil), node.Parents...)})
	}
	if c.err != nil {
		return nil, c.err
	}
	return f, nil
}

// floorLipschitz is L of one node, ln((1 − (m−1)ε₀)/ε₀).
func floorLipschitz(states int, floor float64) float64 {
	return math.Log1p(-float64(states-1)*floor) - math.Log(floor)
}

func (f *Network) level(k int) float64 { return floorLipschitz(f.nodes[k].States, f.floor) }

// children lists, for every node, the nodes it is a parent of.
func (f *Network) children() [][]int {
	out := make([][]int, len(f.nodes))
	for k, node := range f.nodes {
		for _, p := range node.Parents {
			out[p] = append(out[p], k)
		}
	}
	return out
}

// total adds what the nodes touched by one replacement contribute: own for a node whose value changes under unchanged
// parents or not, moved for one whose parents change; the worst cell under OneCell.
func (f *Network) total(own, moved func(k int) float64) float64 {
	if f.unit == OneRecord {
		sum := 0.0
		for k, node := range f.nodes {
			v := own(k)
			if len(node.Parents) > 0 {
				v = math.Max(v, moved(k))
			}
			sum += v
		}
		return sum
	}
	most := 0.0
	for k, children := range f.children() {
		sum := own(k)
		for _, j := range children {
			sum += moved(j)
		}
		most = math.Max(most, sum)
	}
	return most
}

// Describe names the family and its public bounds.
func (f *Network) Describe() Description {
	d := Description{Name: "Bayesian network, one record", Records: f.n, Bounds: "states of each node",
		Unit: "one row", Metric: "v′δ",
		Parameters: []Parameter{{"n", float64(f.n)}, {"K", float64(len(f.nodes))}, {"α", f.alpha}, {"ε₀", f.floor}},
		Tight:      true}
	if f.unit == OneCell {
		d.Name, d.Unit = "Bayesian network, one cell", "one value of one row"
	}
	for _, node := range f.nodes {
		if len(node.Parents) > 0 || node.States > 2 {
			d.Tight, d.Note = false, "ε is a sum of per-node bounds"
		}
	}
	return d
}

// Oscillation is the corrected Lemma 24.
func (f *Network) Oscillation() float64 {
	twice := func(k int) float64 { return 2 * f.level(k) }
	return f.total(twice, twice) * (1 + 1e-14)
}

// Epsilon is the sum of the per-node ε; see Network.
func (f *Network) Epsilon() float64 {
	cache := map[string]float64{}
	once := func(kind string, k int, value func() float64) float64 {
		if f.nodes[k].States > 2 {
			return 2 * f.level(k)
		}
		if _, ok := cache[kind]; !ok {
			cache[kind] = math.Min(value(), 2*f.level(k))
		}
		return cache[kind]
	}
	return math.Min(f.Oscillation(), f.total(
		func(k int) float64 { return once("own", k, f.replaced) },
		func(k int) float64 { return once("moved", k, f.moved) }))
}

// replaced is the ε of a binary node that loses one value and gains another in the same column.
func (f *Network) replaced() float64 {
	b, err := NewTrimmedBeta(f.n, f.alpha, f.alpha, f.floor, 1-f.floor)
	if err != nil {
		return math.Inf(1)
	}
	return b.Epsilon()
}

// moved is the ε of a binary node whose record leaves one column, which keeps m′ values, for another, which has m, m +
// m′ ≤ n − 1: adding a one has log-ratio ln θ − ln E θ, at most up(m) = ln u − ln E[θ | 0 of m ones] and at least
// −down(m), down(m) = ln E[θ | m of m ones] − ln l; removing one has the opposite. Both grow with m, so the sum is
// greatest at m + m′ = n − 1.
func (f *Network) moved() float64 {
	logMean := func(ones, zeros int) float64 {
		b, err := truncated.NewBeta(f.alpha+float64(ones), f.alpha+float64(zeros), f.floor, 1-f.floor)
		if err != nil {
			return math.NaN() // not with parameters that NewNetwork checked
		}
		return b.LogMoment(1, 0)
	}
	up := func(m int) float64 { return math.Log1p(-f.floor) - logMean(0, m) }
	down := func(m int) float64 { return logMean(m, 0) - math.Log(f.floor) }
	rest := f.n - 1
	if rest > 256 { // the monotone bound
		return logratio.Inflated(up(rest)+down(rest), f.n)
	}
	most := 0.0
	for m := range rest + 1 {
		most = math.Max(most, up(m)+down(rest-m))
	}
	return logratio.Inflated(most, f.n)
}

// Paper is 2‖v‖_∞ ln 1/ε₀, v_k = 1 + the number of children of k.
func (f *Network) Paper() Paper {
	most := 0
	for _, c := range f.children() {
		most = max(most, 1+len(c))
	}
	p := Paper{Epsilon: 2 * float64(most) * math.Log(1/f.floor), Source: "Lemma 24", Verdict: "holds for one cell, " +
		"loose"}
	if f.unit == OneRecord {
		p.Verdict = "false for one record: a row changes every factor, 2K·ln((1−(m−1)ε₀)/ε₀), not ‖v‖_∞ of them"
	}
	return p
}

// Uniform is the greatest L of a node, where the paper has ln 1/ε₀.
func (f *Network) Uniform() float64 {
	most := 0.0
	for k := range f.nodes {
		most = math.Max(most, f.level(k))
	}
	return most
}

// Draw is n rows: half of the time all the same, else independent.
func (f *Network) Draw(src rand.Source) Data { return iid{f.n, f.row}.Draw(src) }

func (f *Network) row(src rand.Source) []float64 {
	row := make([]float64, len(f.nodes))
	equal := src.Uint64()&1 == 0
	for k, node := range f.nodes {
		row[k] = float64(src.Uint64() % uint64(node.States))
		if equal && k > 0 {
			row[k] = math.Min(row[0], float64(node.States-1))
		}
	}
	return row
}

// Neighbour replaces one row, or one cell of one row.
func (f *Network) Neighbour(src rand.Source, data Data) Data {
	if f.unit == OneRecord {
		return iid{f.n, f.row}.Neighbour(src, data)
	}
	out := append(Data(nil), data...)
	i, k := int(src.Uint64()%uint64(len(out))), int(src.Uint64()%uint64(len(f.nodes)))
	row := append([]float64(nil), out[i]...)
	row[k] = float64(src.Uint64() % uint64(f.nodes[k].States))
	out[i] = row
	return out
}

// Nodes is the product of the columns' priors on 24 points each and the corners of the parameter set, when all nodes
// are binary and there are at most three columns; nil otherwise. θ holds P(1 | configuration), node by node.
func (f *Network) Nodes() (nodes []Node, exact bool) {
	columns := 0
	for _, node := range f.nodes {
		if node.States != 2 || columns > 3 || len(node.Parents) > 1 {
			return nil, false
		}
		columns += 1 << len(node.Parents)
	}
	if columns > 3 {
		return nil, false
	}
	k := logratio.BetaDensity{Alpha: f.alpha, Total: 2 * f.alpha, Lo: logratio.Logit(f.floor),
		Hi: -logratio.Logit(f.floor)}
	axis := []Node{{[]float64{f.floor}, math.Inf(-1)}, {[]float64{1 - f.floor}, math.Inf(-1)}}
	nodes24, weights24 := num.GaussLegendre24()
	for j, x := range nodes24 {
		h, _ := k.Eval(0, k.Hi*x)
		theta, _ := num.Logistic(k.Hi * x)
		axis = append(axis, Node{[]float64{theta}, h + math.Log(weights24[j])})
	}
	nodes = []Node{{nil, 0}}
	for range columns {
		var next []Node
		for _, a := range nodes {
			for _, b := range axis {
				// Keep corners and interior points, not the mixed ones that carry no mass.
				if len(a.Theta) > 0 && math.IsInf(a.LogWeight, -1) != math.IsInf(b.LogWeight, -1) {
					continue
				}
				next = append(next, Node{append(append([]float64(nil), a.Theta...), b.Theta[0]),
					a.LogWeight + b.LogWeight})
			}
		}
		nodes = next
	}
	return nodes, false
}

// LogLikelihood is Σ ln P(x_k | parents), for binary nodes.
func (f *Network) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	for _, row := range data {
		column := 0
		for k, node := range f.nodes {
			c := 0
			for i, p := range node.Parents {
				c |= int(row[p]) << i
			}
			if t := theta[column+c]; row[k] == 1 {
				sum += math.Log(t)
			} else {
				sum += math.Log1p(-t)
			}
			column += 1 << len(node.Parents)
		}
	}
	return sum
}
