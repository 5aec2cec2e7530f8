package lipschitz

import "math"

// profiled gives a family the four verbs of Theorems A to C.
type profiled struct{ one oneParameter }

// Oscillation is (b − a)Δ, natural parameter in [a, b], Δ the range of one record's statistic.
func (p profiled) Oscillation() float64 { return p.one.oscillation() }

// Epsilon is the pure ε of one sample, attained for this prior: end points and evidence ratio (theory/sampling.md §22 A).
func (p profiled) Epsilon() float64 { return p.one.epsilon() }

// Profile is δ(ε), ε ≥ 0 (theory/sampling.md §22 B); NaN for ε < 0.
func (p profiled) Profile(epsilon float64) float64 {
	if !(epsilon >= 0) {
		return math.NaN()
	}
	return p.one.delta(epsilon)
}

// Renyi is the worst Rényi divergence of order λ > 1, in nats (theory/sampling.md §22 C); NaN for λ ≤ 1.
func (p profiled) Renyi(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	return p.one.renyi(order)
}

// Interrupt makes the searches behind Profile and Renyi ask stop, and return +Inf, which is a bound still, once it says true; nil, the default,
// lets them end. Not to be called while they run.
func (p *profiled) Interrupt(stop func() bool) {
	p.one.stop = stop
	if e, ok := p.one.spreads.(*envelope); ok {
		e.stop = stop
	}
}

// iid draws data sets of n independent records and their neighbours.
type iid struct {
	n      int
	record func(src Source) []float64
}

// Draw is n records: half of the time all the same, else independent.
func (d iid) Draw(src Source) Data {
	data := make(Data, d.n)
	same := src.Uint64()&1 == 0
	for i := range data {
		if same && i > 0 {
			data[i] = data[0]
		} else {
			data[i] = d.record(src)
		}
	}
	return data
}

// Neighbour replaces one record.
func (d iid) Neighbour(src Source, data Data) Data {
	out := append(Data(nil), data...)
	out[int(src.Uint64()%uint64(len(out)))] = d.record(src)
	return out
}

// unit is a uniform number in [0, 1).
func unit(src Source) float64 { return float64(src.Uint64()>>11) * 0x1p-53 }

// between is lo or hi, a quarter of the time each, else uniform in between.
func between(src Source, lo, hi float64) float64 {
	switch src.Uint64() & 3 {
	case 0:
		return lo
	case 1:
		return hi
	}
	return lo + (hi-lo)*unit(src)
}

// quadratureNodes is a prior density as nodes θ(t) with weights, fine enough for posteriors of n records, and its two ends without
// weight.
func quadratureNodes(k density, n int, theta func(t float64) float64) []Node {
	lo, hi := k.ends()
	count := math.Min(400, math.Ceil((hi-lo)/maxStep*math.Max(1, math.Sqrt(float64(n))/6)))
	nodes := []Node{{[]float64{theta(lo)}, math.Inf(-1)}, {[]float64{theta(hi)}, math.Inf(-1)}}
	step := (hi - lo) / count
	for i := range int(count) {
		panels(lo+step*float64(i), lo+step*float64(i+1), 0, func(t, w float64) {
			h, _ := k.eval(0, t)
			nodes = append(nodes, Node{[]float64{theta(t)}, h + math.Log(w)})
		})
	}
	return nodes
}
