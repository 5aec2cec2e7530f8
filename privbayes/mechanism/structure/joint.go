package structure

import (
	"math"
	"slices"
)

// jointAt is the largest expected distance of the joint table that noise may make, as a share of the records: where
// it is more, what is not negative of a table is mostly noise.
const jointAt = .25

// jointShare is what one-way tables get of the budget beside the joint table. A small part of a pure ε makes little
// difference to them, since noise goes with its inverse; of a ρ it goes with the root.
func (q *problem) jointShare() float64 {
	if q.pure() {
		return .02
	}
	return .2
}

// all are the places of all columns.
func (q *problem) all() []int {
	out := make([]int, len(q.levels))
	for i := range out {
		out[i] = i
	}
	return out
}

// jointCells are those of the joint table of all columns.
func (q *problem) jointCells() int {
	cells := 1
	for _, k := range q.levels {
		cells *= k
	}
	return cells
}

// jointPays decides by public numbers alone whether the joint table of all columns is measured once, in place of rounds
// that choose pairs. Of K cells with noise Z the table of a pair of k cells is a sum, of K/k each: where
//
//	E|Z|·√(Kk)/2 ≤ E|Z'|·k·√(m/T)/2,  k the median over the m pairs, Z' the noise of one of T rounds,
//
// noise alone makes the joint table the better one, and it has what pairs leave out. And noise must not drown it:
// K·E|Z|/(2n) ≤ jointAt.
func (q *problem) jointPays(n float64) bool {
	if q.shape.Learning().Joint < 0 {
		return false
	}
	budget, s, cells := treeBudget(q.target.Parameters), q.pairShare(), float64(q.jointCells())
	noise := func(part float64) float64 {
		return q.noise.meanAbsolute(q.noise.rate(budget*part, q.pure(), q.changed(4), q.rows))
	}
	sizes := make([]float64, len(q.pairs))
	for i, p := range q.pairs {
		sizes[i] = float64(q.levels[p[0]]) * float64(q.levels[p[1]])
	}
	slices.Sort(sizes)
	k, rounds, once := sizes[len(sizes)/2], float64(s.rounds), noise(1-q.jointShare())
	return once*math.Sqrt(cells*k) <= noise(s.tables/rounds)*k*math.Sqrt(float64(len(sizes))/rounds) &&
		cells*once/2 <= jointAt*n
}
