package structure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
	shown "github.com/privbayes/privbayes-go/privbayes/table"
)

// Thresholds of the decisions (theory/structure.md §2), tuned on four data sets: learn where r + ν is at most half, and
// grow cliques where r, at the rates of a tree that has all of the budget, is small.
const (
	learnAt = .5
	growAt  = .025
)

// gate says what learning would cost beside what it may find, from public numbers alone: with n records
//
//	r = ln m/(ηn)            what the choices of m candidates miss, as a share of the records
//	ν = median Π(k−1)·E|Z|/2n  what noise puts into a table
//
// at the rates of the rounds that choose. kappa is n·(r + ν): learning pays where n ≥ kappa/learnAt.
type gate struct{ choices, noise float64 } // n·r, n·ν

func (g gate) kappa() float64 { return g.choices + g.noise }

// gate is that of the algorithm's own rounds.
func (q *problem) gate() gate {
	switch {
	case q.set.Algorithm == model.Pairs:
		return q.gateOf(q.pairShare())
	case q.grows():
		return q.gateOf(q.treeShare(.7))
	}
	return q.gateOf(q.treeShare(1))
}

// gateOf is computed from the target, without calibration: exact for pure ε and ρ, close for the others.
func (q *problem) gateOf(s share) gate {
	pure, rounds := q.pure(), float64(s.rounds)
	budget := treeBudget(q.target.Parameters)
	spread := selectionRange(budget*s.choose/rounds, pure)
	eta := 2 * spread / (spanOf(q.target.Adjacency) * float64(q.rows)) // of a pair of the greatest weight
	rate := q.noise.rate(budget*s.tables/rounds, pure, q.changed(4), q.rows)
	sizes := make([]float64, len(q.pairs))
	for i, p := range q.pairs {
		sizes[i] = float64(q.levels[p[0]]-1) * float64(q.levels[p[1]]-1)
	}
	slices.Sort(sizes)
	return gate{
		choices: math.Log(float64(max(len(q.pairs), 2))) / eta,
		noise:   sizes[len(sizes)/2] * q.noise.meanAbsolute(rate) / 2,
	}
}

// treeBudget is the ε of a pure level, and about the ρ of the others: the ρ whose conversion gives the level.
func treeBudget(l dp.Parameters) float64 {
	switch l.Notion {
	case dp.Pure:
		return float64(l.Epsilon)
	case dp.Concentrated, dp.TruncatedConcentrated:
		return l.Rho
	case dp.Renyi:
		return float64(l.Epsilon) / l.Order
	}
	lo, hi := 1e-12, 1e6
	for range 100 {
		mid := math.Sqrt(lo * hi)
		if e, _ := loss.EpsilonFromRDP(func(order float64) float64 { return order * mid }, l.Delta); e <= float64(l.Epsilon) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// publicSize is the public number of records to decide by; ok is false where it must be paid for.
func (q *problem) publicSize() (n float64, ok bool) {
	if q.publicN {
		return float64(q.n), true
	}
	return float64(q.set.Size), q.set.Size > 0
}

// decide fills in whether learning pays, where that is known before the draw.
func (q *problem) decide() {
	if q.set.Star != "" {
		return
	}
	if !q.set.Always {
		n, known := q.publicSize()
		q.joint = known && q.jointPays(n)
		q.decidePairs()
	}
	q.decideRounds()
}

// decidePairs fills in whether rounds pay, where the joint table is not measured.
func (q *problem) decidePairs() {
	q.gated, q.declined = !q.joint, ""
	if n, known := q.publicSize(); q.gated && known {
		q.declined = q.refusal(n)
	}
}

// refusal says why nothing is chosen among n records, "" if learning pays.
func (q *problem) refusal(n float64) string {
	g := q.gate()
	if n >= g.kappa()/learnAt {
		return ""
	}
	return fmt.Sprintf("Learning is not expected to help: the expected error r + ν = %.3g is above %g. From %s records "+
		"on it would. Released instead: every column separately.", g.kappa()/n, learnAt, q.worthwhile())
}

// fewerPlaces says up to how many places of children a plan would not decline at n records, by the same public numbers;
// "" if it would decline any, or has none to leave out.
func (q *problem) fewerPlaces(n float64) string {
	if q.shape == nil { // of enumerations
		return ""
	}
	m, _ := q.shape.Model().(model.LearnedModel)
	places := q.shape.Schema().Places()
	for k := len(places); k > 0; k-- {
		gone := map[string]bool{}
		for _, p := range places {
			gone[p.Column] = p.At >= k
		}
		var names []string
		for _, c := range q.shape.Columns() {
			if !gone[c.Name] {
				names = append(names, c.Name)
			}
		}
		if len(names) == len(q.levels) {
			continue
		}
		few, err := model.NewShape(q.shape.Schema(), m.Of(names...).Size(int(n)), q.n, q.publicN, q.shape.PrivateNStep())
		if err != nil {
			return ""
		}
		if with, err := (Learning{noise: q.noise}).prepare(context.Background(), few, q.target); err == nil &&
			with.declined == "" {
			return fmt.Sprintf("\"places\": %d", k) + map[bool]string{true: " or fewer"}[k > 1]
		}
	}
	return ""
}

// grows reports whether cliques grow beyond the tree: where the size must be paid for, the rounds are kept and decide
// then.
func (q *problem) grows() bool {
	if q.set.Algorithm != model.Grown || q.set.Width < 3 {
		return false
	}
	n, known := q.publicSize()
	return !known || q.set.Always || q.gateOf(q.treeShare(1)).choices/n <= growAt
}

// worthwhile is the number of records from which on learning is expected to help.
func (q *problem) worthwhile() string { return shown.Number(math.Ceil(q.gate().kappa() / learnAt)) }

// alternatives answer whether learning is expected to help, and say what else could be done where it is not.
func (q *problem) alternatives() string {
	switch {
	case q.set.Star != "":
		return "No: the structure is given, and public"
	case q.joint:
		return "No: the joint table of all columns is released, and nothing is chosen"
	}
	n, known := q.publicSize()
	switch {
	case !known:
		return "The noisy size decides: from " + q.worthwhile() + " records on"
	case q.set.Always:
		return "As asked for. Learning is expected to help from " + q.worthwhile() + " records on"
	case q.declined == "":
		return "Yes. Learning is expected to help from " + q.worthwhile() + " records on"
	}
	out := fmt.Sprintf("No. Every column is released separately. Learning is expected to help from %s records "+
		"on, or at %.3g times the ε. Or give a public structure (Star or Network), or use fewer columns (Of)",
		q.worthwhile(), q.gate().kappa()/learnAt/n)
	if few := q.fewerPlaces(n); few != "" {
		out += ", or " + few
	}
	return out
}

// Where a fit ends depends on the machine: the last places of a product and of an exponential differ, and after
// hundreds of steps so does everything. So a file has the potentials at which the fit ended, and who reads it does not
// fit again: potentials are good where they are at most a gap from the minimum (maxent.Quality), which is one, and the
// distribution follows from them without a step.

// fitted is the gap where a fit ends, as a part of the standard deviation that sampling alone gives a cell: on Adult a
// tenth of it takes twice the time, and changes the fifth digit of distances and likelihood.
const fitted = 1e-2

// Noise of a variance below this part of the records tells much more than sampling does, and takes fits long: there
// they may end at a larger gap.
const (
	faint   = 1e-3
	hardest = 1.
)

// unlimited is a number of steps that no fit takes.
const unlimited = math.MaxInt

// allowed is the largest gap of a fit.
func (s *learner) allowed() float64 {
	for _, t := range s.done {
		if t.variance < faint*float64(s.size) {
			return hardest
		}
	}
	return fitted
}

// final fits from the start: a function of the draw alone.
func (s *learner) final(ctx context.Context) error {
	s.fit = nil
	return s.finish(ctx)
}

// rounding is what machines differ by in the gap of the same potentials, relative to it.
const rounding = 1e-2

// fitAt takes potentials in place of a fit.
func (s *learner) fitAt(ctx context.Context, potentials [][]float64) (err error) {
	if s.fit, err = s.unfitted(); err != nil {
		return err
	}
	q, err := s.fit.Take(ctx, potentials)
	if err != nil {
		return err
	}
	if s.gap = q.Residual; !(s.gap <= s.allowed()*(1+rounding)) {
		return domain.Refuse("structure", "potentials", fmt.Sprintf("a fit whose margins miss the noisy tables by %.3g",
			s.gap), fmt.Sprintf("one that ends within %g of its minimum, in units of about the square root of a count",
			s.allowed()))
	}
	return nil
}
