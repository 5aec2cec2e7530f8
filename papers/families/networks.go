package families

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/logratio"
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

// MarkovUnit says what one record of a Markov chain is.
type MarkovUnit int

// The units of a Markov chain.
const (
	OneStep       MarkovUnit = iota // one state of one sequence of T states
	WholeSequence                   // one of n sequences of T states
)

// Markov is a time-homogeneous Markov chain on m states; the rows of its transition matrix are independent a priori,
// symmetric Dirichlet(α) truncated to probabilities ≥ ε₀; the first state is not modelled. With L = ln((1 −
// (m−1)ε₀)/ε₀),
//
//	osc = 4L for one step (an inner state takes part in two transitions; 2L when T = 2),  2(T−1)L for a whole sequence,
//
// both attained by 0,0,0 → 0,1,0 and its repetition. Epsilon is exact, by enumeration of all sequences, for two states,
// one sequence and T ≤ 12, and osc otherwise. Source: theory/sampling.md §16.
type Markov struct {
	states, sequences, length int
	alpha, floor              float64
	unit                      MarkovUnit
	exact                     float64 // 0 when not enumerated
}

const enumeratedLength = 12

// NewMarkov takes T ≥ 2 states a sequence and 0 < ε₀ < 1/m; one sequence for OneStep, n ≥ 1 for WholeSequence:
// *ParameterError.
func NewMarkov(states, sequences, length int, alpha, floor float64, unit MarkovUnit) (*Markov, error) {
	c := need{family: "Markov chain"}
	c.that(states >= 2 && states <= 10_000, "m", states, "2 to 10,000 states")
	c.records(sequences)
	c.that(length >= 2 && length <= logratio.MaxRecords, "T", length, "2 to 10,000,000 states a sequence")
	c.positive("α", alpha)
	c.that(floor > 0 && floor*float64(states) < 1, "ε₀", floor, "inside (0, 1/m)")
	c.that(unit == OneStep || unit == WholeSequence, "unit", unit, "OneStep or WholeSequence")
	c.that(unit != OneStep || sequences == 1, "sequences", sequences, "1 when the unit is one step")
	if c.err != nil {
		return nil, c.err
	}
	f := &Markov{states: states, sequences: sequences, length: length, alpha: alpha, floor: floor, unit: unit}
	if states == 2 && sequences == 1 && length <= enumeratedLength {
		f.exact = math.Min(logratio.Inflated(f.enumerate(), length), f.Oscillation())
	}
	return f, nil
}

// transitions counts the transitions of a sequence of bits: [from][to].
type transitions [2][2]int

func count(bits, length int) (t transitions) {
	for i := 1; i < length; i++ {
		t[bits>>(i-1)&1][bits>>i&1]++
	}
	return t
}

// enumerate is the greatest loss over all sequences and their neighbours.
func (f *Markov) enumerate() float64 {
	cache := map[[2]int]float64{}
	evidence := func(row [2]int) float64 {
		v, ok := cache[row]
		if !ok {
			k := logratio.NewBetaDensity(row[0]+row[1], f.alpha, f.alpha, f.floor, 1-f.floor, 1)
			v = logratio.LogMass(k, float64(row[1]), k.Lo, k.Hi)
			cache[row] = v
		}
		return v
	}
	// loss is sup_θ |ln ξ(θ|x)/ξ(θ|y)|: the rows are independent, so their extremes add.
	loss := func(x, y transitions) float64 {
		lo, hi := 0.0, 0.0
		for r := range 2 {
			l, h := logExtremes(x[r][1]-y[r][1], x[r][0]-y[r][0], f.floor)
			shift := evidence(x[r]) - evidence(y[r])
			lo, hi = lo+l-shift, hi+h-shift
		}
		return math.Max(hi, -lo)
	}
	most := 0.0
	if f.unit == OneStep {
		for bits := range 1 << f.length {
			x := count(bits, f.length)
			for i := range f.length {
				most = math.Max(most, loss(x, count(bits^1<<i, f.length)))
			}
		}
		return most
	}
	distinct := map[transitions]bool{}
	for bits := range 1 << f.length {
		distinct[count(bits, f.length)] = true
	}
	for x := range distinct {
		for y := range distinct {
			most = math.Max(most, loss(x, y))
		}
	}
	return most
}

// logExtremes is the range of p·ln θ + q·ln(1−θ) on [ε₀, 1−ε₀]: at the ends, or at θ = p/(p+q) when p and q have one
// sign.
func logExtremes(p, q int, floor float64) (lo, hi float64) {
	at := func(theta float64) float64 { return float64(p)*math.Log(theta) + float64(q)*math.Log1p(-theta) }
	a, b := at(floor), at(1-floor)
	lo, hi = math.Min(a, b), math.Max(a, b)
	if p*q > 0 {
		v := at(math.Min(math.Max(float64(p)/float64(p+q), floor), 1-floor))
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	return lo, hi
}

// Describe names the family and its public bounds.
func (f *Markov) Describe() Description {
	d := Description{Name: "Markov chain, one step", Records: f.length, Bounds: "states 0 to m−1",
		Unit:   "one state of the sequence",
		Metric: "v′δ", Tight: f.exact > 0,
		Parameters: []Parameter{{"m", float64(f.states)}, {"T", float64(f.length)}, {"α", f.alpha}, {"ε₀", f.floor}}}
	if f.unit == WholeSequence {
		d.Name, d.Unit, d.Records = "Markov chain, whole sequence", "one sequence", f.sequences
		d.Parameters = append(d.Parameters, Parameter{"n", float64(f.sequences)})
	}
	if f.exact == 0 {
		d.Note = "ε is the bound of the oscillation; enumerated for two states, one sequence, T ≤ 12"
	}
	return d
}

// Uniform is L, where the paper has ln 1/ε₀.
func (f *Markov) Uniform() float64 { return floorLipschitz(f.states, f.floor) }

// Oscillation is 4L (2L for T = 2) for one step, 2(T−1)L for a whole sequence.
func (f *Markov) Oscillation() float64 {
	changed := f.length - 1
	if f.unit == OneStep {
		changed = min(changed, 2)
	}
	return 2 * float64(changed) * f.Uniform() * (1 + 1e-14)
}

// Epsilon is exact where Describe().Tight, else Oscillation.
func (f *Markov) Epsilon() float64 {
	if f.exact > 0 {
		return f.exact
	}
	return f.Oscillation()
}

// Paper is 4 ln 1/ε₀.
func (f *Markov) Paper() Paper {
	p := Paper{Epsilon: 4 * math.Log(1/f.floor), Source: "Lemma 24, Markov chain", Verdict: "holds for one step, loose"}
	if f.unit == WholeSequence {
		p.Verdict = "holds for one step; in a whole sequence up to T−1 transitions change"
	}
	return p
}

// Draw is one record a step for OneStep, one a sequence for WholeSequence: constant, alternating or random.
func (f *Markov) Draw(src rand.Source) Data {
	if f.unit == WholeSequence {
		return iid{f.sequences, f.sequence}.Draw(src)
	}
	var data Data
	for _, s := range f.sequence(src) {
		data = append(data, []float64{s})
	}
	return data
}

func (f *Markov) sequence(src rand.Source) []float64 {
	out := make([]float64, f.length)
	kind, first := src.Uint64()%3, src.Uint64()%uint64(f.states)
	for i := range out {
		switch kind {
		case 0:
			out[i] = float64(first)
		case 1:
			out[i] = float64((first + uint64(i)) % 2)
		default:
			out[i] = float64(src.Uint64() % uint64(f.states))
		}
	}
	return out
}

// Neighbour replaces one state, or one sequence.
func (f *Markov) Neighbour(src rand.Source, data Data) Data {
	if f.unit == WholeSequence {
		return iid{f.sequences, f.sequence}.Neighbour(src, data)
	}
	out := append(Data(nil), data...)
	out[int(src.Uint64()%uint64(len(out)))] = []float64{float64(src.Uint64() % uint64(f.states))}
	return out
}

// Nodes is the prior of the two rows on 48 points each and the corners, for two states; nil otherwise. θ = P(1|0),
// P(1|1).
func (f *Markov) Nodes() (nodes []Node, exact bool) {
	if f.states != 2 {
		return nil, false
	}
	k := logratio.BetaDensity{Alpha: f.alpha, Total: 2 * f.alpha, Lo: logratio.Logit(f.floor),
		Hi: -logratio.Logit(f.floor)}
	axis := quadratureNodes(k, f.sequences*f.length, func(t float64) float64 {
		x, _ := num.Logistic(t)
		return x
	})
	for _, a := range axis {
		for _, b := range axis {
			if math.IsInf(a.LogWeight, -1) == math.IsInf(b.LogWeight, -1) {
				nodes = append(nodes, Node{[]float64{a.Theta[0], b.Theta[0]}, a.LogWeight + b.LogWeight})
			}
		}
	}
	return nodes, false
}

// LogLikelihood is Σ ln P(next | state), for two states.
func (f *Markov) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	step := func(from, to float64) {
		if t := theta[int(from)]; to == 1 {
			sum += math.Log(t)
		} else {
			sum += math.Log1p(-t)
		}
	}
	for i, r := range data {
		if f.unit == OneStep && i > 0 {
			step(data[i-1][0], r[0])
		}
		for j := 1; j < len(r); j++ {
			step(r[j-1], r[j])
		}
	}
	return sum
}
