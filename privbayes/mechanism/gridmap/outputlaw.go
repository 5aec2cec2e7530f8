package gridmap

import "math"

// outputLimit is the number of candidates up to which an output law is walked.
const outputLimit = 20_000

// OutputLaw visits every grid point that Draw may release of one distribution, with its probability; ok is false for
// several distributions and too many points. What is visited is overwritten by the next visit. Package advise sums
// errors over it.
func (d *sampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(d.conds) != 1 || d.conds[0].Rows != 1 || len(d.grids[0].points) > outputLimit {
		return false
	}
	x, logs := make([]int, len(tables[0])), make([]float64, len(d.grids[0].points))
	for i, c := range tables[0] {
		x[i] = int(c)
	}
	gridLaw{d.problem, d.rate}.LogLaw(x, logs)
	raw := [][]int64{make([]int64, len(x))}
	for o, v := range logs {
		for i, r := range d.grids[0].points[o] {
			raw[0][i] = int64(r)
		}
		visit(raw, math.Exp(v))
	}
	return true
}
