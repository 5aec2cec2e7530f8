package structure

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Again is the estimate of simulated records: every table that a draw measured, and its sums within bins, of these
// records, each with fresh noise of its distribution, and the fit to them. What was chosen stays as it was drawn. The
// fit begins at the given potentials. Source: theory/structure.md §12.
func (d *sampler) Again(ctx context.Context, of mechanism.Simulated, drawn mechanism.Output, potentials [][]float64,
	src rand.Source) (e model.Estimate, err error) {
	s, err := d.replay(ctx, drawn)
	if err != nil {
		return e, err
	}
	columns := s.shape.Columns()
	s.raw = nil
	for i := range s.done {
		t := &s.done[i]
		var names []string
		for _, v := range t.columns {
			names = append(names, columns[v].Name)
		}
		counts, err := of.Table(names...)
		if err != nil {
			return e, err
		}
		t.counts = freshNoise(t.law, counts[:len(t.counts)], src) // what follows from a public n is left out
		if t.noisy = s.whole(t.columns[0], t.counts); len(t.columns) > 1 {
			t.noisy = wholes(t.counts)
		}
		if i < len(s.levels) {
			s.raw = append(s.raw, t.counts)
		}
	}
	s.size = sizeOf(s)
	if err := s.finalFrom(ctx, potentials); err != nil {
		return e, err
	}
	var within [][]int64
	for i, sums := range of.Within {
		within = append(within, freshNoise(d.laws.within[i], sums, src))
	}
	return s.estimate(ctx, mechanism.Output{Within: within})
}

// freshNoise adds noise to counts.
func freshNoise(l noise.Distribution, counts []int64, src rand.Source) []int64 {
	out := make([]int64, len(counts))
	for i, v := range counts {
		out[i] = v + l.Draw(src)
	}
	return out
}

func wholes(counts []int64) (out []float64) {
	for _, v := range counts {
		out = append(out, float64(v))
	}
	return out
}

// finalFrom is final that begins at the potentials of another fit to the same tables.
func (s *learner) finalFrom(ctx context.Context, potentials [][]float64) (err error) {
	if s.fit, err = s.unfitted(); err != nil {
		return err
	}
	if _, err = s.fit.Take(ctx, potentials); err != nil {
		return err
	}
	return s.finish(ctx)
}

// finish takes a fit to its end.
func (s *learner) finish(ctx context.Context) error {
	if err := s.begun(); err != nil {
		return err
	}
	q, err := s.fit.FitTo(ctx, finalSteps/s.batch(), fitted)
	if err == nil && q.Residual > s.allowed() {
		q, err = s.fit.FitTo(ctx, unlimited, s.allowed())
	}
	s.gap = q.Residual
	return err
}

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
