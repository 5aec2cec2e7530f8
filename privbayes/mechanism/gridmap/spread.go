package gridmap

import "math"

// spreadPoints are the distributions that spreadError averages over, spreadWork the candidates × levels of all laws up
// to which it does.
const (
	spreadPoints = 32
	spreadWork   = 300_000
)

// spreadError is the mean absolute error of a probability over levels and distributions, were the records shared
// equally among the rows of every distribution: each law summed over its grid, at points spread evenly over the simplex
// (at equal counts alone, a grid that has the uniform distribution would seem to make no error). ok is false beyond a
// fixed amount of work. Package advise predicts with it.
func (d *sampler) spreadError() (value float64, ok bool) {
	work := 0
	for k, c := range d.conds {
		if work += len(d.grids[k].points) * c.Levels; work > spreadWork || d.n == 0 {
			return 0, false
		}
	}
	type form struct{ levels, rows int }
	done := map[form]float64{} // distributions of one form have one law
	for k, c := range d.conds {
		v, known := done[form{c.Levels, c.Rows}]
		for j := 0; j < spreadPoints && !known; j++ {
			e, err := d.errorAt(k, spread(j, c.Levels), float64(d.n)/float64(c.Rows))
			if err != nil {
				return 0, false
			}
			v += e / spreadPoints
		}
		done[form{c.Levels, c.Rows}] = v
		value += v / float64(len(d.conds))
	}
	return value, true
}

// errorAt is the mean absolute error of a row of conditional k with n records that follow p.
func (d *sampler) errorAt(k int, p []float64, n float64) (float64, error) {
	g, counts := d.grids[k], make([]int64, len(p))
	for l, v := range p {
		counts[l] = int64(math.Round(n * v))
	}
	w, err := d.weights(k, counts, d.rate)
	if err != nil {
		return 0, err
	}
	sum, mass, top := 0.0, 0.0, math.Inf(-1)
	for i := range g.points {
		top = math.Max(top, w.LogWeight(i))
	}
	for i, r := range g.points {
		q := math.Exp(w.LogWeight(i) - top)
		mass += q
		for l, steps := range r {
			sum += q * math.Abs(float64(steps)/float64(g.steps)-p[l]) / float64(len(p))
		}
	}
	return sum / mass, nil
}

// spread is point j of a sequence that fills the simplex evenly: exponentials of the additive sequence of the root of
// x^{d+1} = x + 1.
func spread(j, levels int) []float64 {
	root := 2.0
	for range 60 {
		root = math.Pow(1+root, 1/float64(levels+1))
	}
	out, sum, step := make([]float64, levels), 0.0, 1.0
	for l := range out {
		step /= root
		_, u := math.Modf(.5 + step*float64(j+1))
		out[l] = -math.Log1p(-u)
		sum += out[l]
	}
	for l := range out {
		out[l] /= sum
	}
	return out
}
