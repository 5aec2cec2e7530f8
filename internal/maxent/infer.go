package maxent

import "math"

// infer makes ln Z for the potentials of all tables, one slice for each, and leaves the belief P(x_C) in every clique
// and the margins in every factor.
func (t *tree) infer(theta [][]float64) (logZ float64) {
	t.pairs = nil
	for i := range t.factors {
		copy(t.factors[i].sum, theta[i])
	}
	for _, i := range t.up {
		if f := &t.factors[i]; f.within >= 0 {
			gather(t.factors[f.within].sum, f.sum, f.at)
		}
	}
	for i := len(t.cliques) - 1; i >= 0; i-- {
		q := &t.cliques[i]
		t.collect(q)
		if q.conditional(); q.parent < 0 {
			logZ += q.up[0]
		}
	}
	for i := range t.cliques {
		q := &t.cliques[i]
		if q.parent >= 0 {
			clear(q.mass)
			scatter(q.mass, t.cliques[q.parent].cells, q.above)
			q.weigh()
		}
		for _, k := range q.factors {
			f := &t.factors[k]
			clear(f.sum)
			scatter(f.sum, q.cells, f.at)
		}
	}
	for k := len(t.up) - 1; k >= 0; k-- {
		if f := &t.factors[t.up[k]]; f.within >= 0 {
			clear(f.sum)
			scatter(f.sum, t.factors[f.within].sum, f.at)
		}
	}
	return logZ
}

// collect adds up the logarithms of a clique: what is fixed, its potentials, and what its children say.
func (t *tree) collect(q *clique) {
	if q.fixed != nil {
		copy(q.cells, q.fixed)
	} else {
		clear(q.cells)
	}
	for _, k := range q.factors {
		gather(q.cells, t.factors[k].sum, t.factors[k].at)
	}
	for _, c := range q.children {
		gather(q.cells, t.cliques[c].up, t.cliques[c].above)
	}
}

// conditional turns the logarithms of a clique into its law given each configuration of the separator, and makes the
// message to the parent. A configuration under which nothing can be has message −∞ and law 0.
func (q *clique) conditional() {
	for g := range q.groups {
		row := q.cells[g*q.rest : (g+1)*q.rest]
		top := math.Inf(-1)
		for _, x := range row {
			if x > top {
				top = x
			}
		}
		if math.IsInf(top, -1) {
			clear(row)
			q.up[g] = top
			continue
		}
		sum := expRow(row, top)
		q.up[g] = top + math.Log(sum)
		for i, scale := 0, 1/sum; i < len(row); i++ {
			row[i] *= scale
		}
	}
}

// weigh multiplies the law given the separator by the separator's.
func (q *clique) weigh() {
	for g, p := range q.mass {
		row := q.cells[g*q.rest : (g+1)*q.rest]
		for i := range row {
			row[i] *= p
		}
	}
}
