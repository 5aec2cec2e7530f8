package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"math"
	"math/rand/v2"
)

// iid draws data sets of n independent records and their neighbours.
type iid struct {
	n      int
	record func(src rand.Source) []float64
}

// Draw is n records: half of the time all the same, else independent.
func (d iid) Draw(src rand.Source) Data {
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
func (d iid) Neighbour(src rand.Source, data Data) Data {
	out := append(Data(nil), data...)
	out[int(src.Uint64()%uint64(len(out)))] = d.record(src)
	return out
}

// unit is a uniform number in [0, 1).
func unit(src rand.Source) float64 { return float64(src.Uint64()>>11) * 0x1p-53 }

// between is lo or hi, a quarter of the time each, else uniform in between.
func between(src rand.Source, lo, hi float64) float64 {
	switch src.Uint64() & 3 {
	case 0:
		return lo
	case 1:
		return hi
	}
	return lo + (hi-lo)*unit(src)
}

// quadratureNodes is a prior density as nodes θ(t) with weights, fine enough for posteriors of n records, and its two
// ends without weight.
func quadratureNodes(k logratio.Density, n int, theta func(t float64) float64) []Node {
	lo, hi := k.Ends()
	count := math.Min(400, math.Ceil((hi-lo)/logratio.MaxStep*math.Max(1, math.Sqrt(float64(n))/6)))
	nodes := []Node{{[]float64{theta(lo)}, math.Inf(-1)}, {[]float64{theta(hi)}, math.Inf(-1)}}
	step := (hi - lo) / count
	for i := range int(count) {
		logratio.Panels(lo+step*float64(i), lo+step*float64(i+1), 0, func(t, w float64) {
			h, _ := k.Eval(0, t)
			nodes = append(nodes, Node{[]float64{theta(t)}, h + math.Log(w)})
		})
	}
	return nodes
}
