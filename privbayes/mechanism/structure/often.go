package structure

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// How often pairs are chosen, in rounds or in batches, follows from ν, the noise of a table as a share of the records
// (gate.go), at the rates of two rounds a column. ν has n in it: it is read where n is public or declared, and nowhere
// else. Where n is private a number of rounds that follows from it would tell neighbours apart with certainty, whatever
// ε is.

// littleNoise is the ν below which more rounds than two a column pay.
const littleNoise = .005

// roundsAt is the number of rounds at a ν: two a column, more where noise is little, eight at most and no more than
// there are pairs (theory/structure.md §8).
func roundsAt(columns, pairs int, nu float64) int {
	few := 2 * columns
	more := math.Min(float64(few)*math.Pow(littleNoise/nu, 2), float64(4*few))
	return max(few, min(pairs, int(more)))
}

// publicNoise is ν, where it is public; ok is false where n is private and none is declared. Tests put the private size
// in its place.
var publicNoise = func(q *problem) (nu float64, ok bool) {
	n, known := q.publicSize()
	return q.gate().noise / n, known
}

// chooses reports whether pairs are chosen for a distribution of maximum entropy.
func (q *problem) chooses() bool {
	return q.set.Algorithm == model.Pairs && q.set.Star == "" && !q.joint && q.declined == ""
}

// decideRounds fills in how often pairs are chosen.
func (q *problem) decideRounds() {
	q.many, q.batched = 0, false
	nu, public := publicNoise(q)
	if q.chooses() && public && !q.pure() && q.batch() == 1 { // of more columns, fits of many tables take minutes
		q.many = roundsAt(len(q.levels), len(q.pairs), nu)
		q.batched = q.mayBatch() && nu <= batchesAt && q.reportNoise() <= q.gate().noise
	}
}

// algorithm says how often pairs are chosen, and why.
func (q *problem) algorithm(p params) string {
	nu, public := publicNoise(q)
	if p.Batches != nil {
		return fmt.Sprintf("two batches: ν = %.2g, at most %g", nu, batchesAt)
	}
	rounds := shown.Count(p.Phases[0].Rounds, "round")
	switch {
	case q.pure():
		return rounds + ". Batches are for other targets than pure ε"
	case !q.noise.unbounded:
		return rounds + ". Batches need discrete Gaussian noise"
	case !public:
		return rounds + ". Where noise is little two batches are nearer. They need a public number of records: declare one " +
			"(Size), or ask for replace-one"
	case q.batch() > 1:
		return fmt.Sprintf("%s. Batches are for fewer than %d columns", rounds, 2*batched)
	case nu > batchesAt:
		return fmt.Sprintf("%s: ν = %.2g. Two batches are for ν up to %g", rounds, nu, batchesAt)
	}
	n, _ := q.publicSize()
	return fmt.Sprintf("%s: ν = %.2g. In batches the distances of %s would have an error of %.2g, more than ν", rounds, nu,
		shown.Count(len(q.reported()), "pair"), q.reportNoise()/n)
}
