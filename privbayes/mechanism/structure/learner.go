package structure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/maxent"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// table is a table that was measured.
type table struct {
	columns  []int // places, in the order of its cells
	noisy    []float64
	counts   []int64 // as drawn: of the first cells
	law      noise.Distribution
	variance float64
	stopped  bool // in place of a choice
	given    bool // not chosen: public beforehand
}

// learner is what is public at some point of a release: what was measured, and what follows from it. A draw and the
// reading of a file take it through the same rounds.
type learner struct {
	*problem
	laws   laws
	raw    [][]int64 // one-way tables, as measured
	size   int64     // n, or n̂
	margin [][]int64 // one-way tables in whole numbers of total size
	why    string    // nothing is chosen, and why
	grow   bool      // rounds after those of the tree choose
	done   []table   // one-way tables, then one for every round
	fit    *maxent.Model
	gap    float64 // of the last fit, or of potentials from a file
	edges  map[[2]int]bool
	stop   bool               // a stop was chosen
	again  int                // one-way tables measured again
	legal  map[[2]int]bool    // what is known of pairs in this round
	fresh  map[[2]int]bool    // pairs measured since the last fit
	public map[string][]int64 // tables M that do not change
	list   []candidate        // of a round
	round  whole
}

// laws are those of a release, exact.
type laws struct {
	columns []noise.Distribution
	within  []noise.Distribution
	phases  []phaseLaw
	batch   *batchLaw // in place of phases

	statements *statementLaw // after all else
}

// steps of the fit after a round, after several rounds, and at the end, where it begins anew and ends when it is
// there: of large tables that are known well 300 steps leave twice the distance. Many columns take fewer, for their
// time.
const (
	roundSteps = 40
	batchSteps = 8
	finalSteps = 2000
)

// newLearner takes in the one-way tables.
func newLearner(q *problem, l laws, raw [][]int64) (*learner, error) {
	s := &learner{problem: q, laws: l, raw: raw, edges: map[[2]int]bool{}, legal: map[[2]int]bool{},
		fresh: map[[2]int]bool{}, public: map[string][]int64{}}
	if len(raw) != len(q.levels) {
		return nil, domain.Refuse("structure", "raw", fmt.Sprintf("%d tables", len(raw)),
			fmt.Sprintf("%d, one for each column",
				len(q.levels)))
	}
	for i, t := range raw {
		if len(t) != q.measured(i) {
			return nil, domain.Refuse("structure", "raw", fmt.Sprintf("%d counts", len(t)), fmt.Sprint(q.measured(i)))
		}
	}
	s.size = sizeOf(s)
	for i, t := range raw {
		v := l.columns[i].Variance()
		s.done = append(s.done, table{columns: []int{i}, noisy: s.whole(i, t), counts: t, law: l.columns[i], variance: v})
		s.margin = append(s.margin, margin(s.done[i].noisy, s.size))
	}
	if s.why = q.declined; q.gated && s.why == "" {
		if _, known := q.publicSize(); !known {
			s.why = q.refusal(decisive(s))
		}
	}
	s.grow = q.set.Algorithm == model.Grown && (q.set.Always || q.gateOf(q.treeShare(1)).choices/float64(s.size) <= growAt)
	return s, nil
}

// sizeOf is the size that public tables are made for. Tests put the private one in its place.
var sizeOf = (*learner).totals

// decisive is the number of records to decide by, which must be public. Tests put the private one in its place.
var decisive = func(s *learner) float64 { return float64(s.size) }

// whole is a one-way table with the count that follows from n.
func (s *learner) whole(i int, t []int64) []float64 {
	out := make([]float64, 0, s.levels[i])
	for _, v := range t {
		out = append(out, float64(v))
	}
	if len(out) < s.levels[i] {
		out = append(out, float64(s.n)-out[0])
	}
	return out
}

// totals is n or, where that is private, the mean of the totals of the noisy tables by their precision; at least 1.
func (s *learner) totals() int64 {
	if s.publicN {
		return int64(s.n)
	}
	sum, weights := 0.0, 0.0
	for i, t := range s.raw {
		total := 0.0
		for _, v := range t {
			total += float64(v)
		}
		w := 1 / (s.laws.columns[i].Variance()*float64(len(t)) + 1e-300)
		sum, weights = sum+w*total, weights+w
	}
	return int64(math.Max(1, math.Min(math.Floor(sum/weights+.5+tie), 1e15)))
}

// tie is far above what machines differ by in a mean of totals, which may well be half a record over a whole number.
const tie = 1. / (1 << 20)

// next says what a round may measure: the table that is given, if nothing is chosen, or the candidates. A stop is among
// them where the algorithm has one.
func (s *learner) next(k int) (given []int, candidates []candidate) {
	number, before := s.phaseOf(k)
	s.renew(k)
	switch {
	case s.set.Star != "":
		return s.star(k), nil
	case s.joint:
		return s.all(), nil
	case s.why != "" || s.stop:
		return s.remeasured(), nil
	case s.set.Algorithm == model.Pairs:
		return nil, s.allPairs()
	case number == 0:
		candidates = s.forest()
	case !s.grow: // the tables of the tree once more
		return s.done[len(s.levels)+(k-before)%before].columns, nil
	default:
		candidates = s.chordal()
	}
	if len(candidates) == 0 { // publicly: nothing may be added
		return s.remeasured(), nil
	}
	if s.plain {
		return nil, candidates
	}
	return nil, append(candidates, candidate{stop: true})
}

// phaseOf is the phase of a round, and the rounds before it.
func (s *learner) phaseOf(k int) (number, before int) {
	for number = range s.laws.phases {
		if k < before+s.laws.phases[number].rounds {
			return number, before
		}
		before += s.laws.phases[number].rounds
	}
	return number, before
}

// remeasured is the next one-way table in turn.
func (s *learner) remeasured() []int { return []int{s.again % len(s.levels)} }

// given reports whether all tables are public beforehand: nothing is chosen.
func (s *learner) given() bool { return s.set.Star != "" || s.joint }

// star is the pair of the next column with the centre.
func (s *learner) star(k int) []int { return s.pairs[k][:] }

// take records a round: a table that was chosen or given.
func (s *learner) take(k int, c candidate, counts []int64) error {
	columns := c.columns
	if c.stop {
		s.stop, columns = true, s.remeasured()
	}
	if len(columns) == 1 {
		s.again++
	}
	clear(s.legal)
	number, _ := s.phaseOf(k)
	return s.measure(columns, counts, s.laws.phases[number].noise, s.given())
}

// measure records a table with its noise.
func (s *learner) measure(columns []int, counts []int64, z noise.Distribution, given bool) error {
	want := 1
	for _, v := range columns {
		want *= s.levels[v]
	}
	if len(columns) == 1 {
		want = s.measured(columns[0])
	}
	if len(counts) != want {
		return domain.Refuse("structure", "rounds", fmt.Sprintf("%d counts of columns %v", len(counts), columns),
			fmt.Sprint(want))
	}
	t := table{columns: columns, counts: counts, law: z, variance: z.Variance(), stopped: len(columns) == 1, given: given}
	if len(columns) == 1 {
		t.noisy = s.whole(columns[0], counts)
	} else {
		for _, v := range counts {
			t.noisy = append(t.noisy, float64(v))
		}
		for i, a := range columns {
			for _, b := range columns[i+1:] {
				s.edges[[2]int{min(a, b), max(a, b)}] = true
				s.fresh[[2]int{min(a, b), max(a, b)}] = true
			}
		}
	}
	s.done = append(s.done, t)
	if s.fit != nil {
		return s.fit.Add(t.columns, t.noisy, math.Max(t.variance, leastVariance))
	}
	return nil
}

// leastVariance is that of noise which is 0 but for an absurd probability.
const leastVariance = 1e-9

// begun makes the model of all that was measured, where there is none yet.
func (s *learner) begun() (err error) {
	if s.fit == nil {
		s.fit, err = s.unfitted()
	}
	return err
}

// refit brings the fit that tables are chosen by up to date.
func (s *learner) refit(ctx context.Context, steps int) error {
	if err := s.begun(); err != nil {
		return err
	}
	q, err := s.fit.Approach(ctx, steps, fitted)
	s.gap = q.Residual
	return err
}

// unfitted is the model of all that was measured, before a fit.
func (s *learner) unfitted() (*maxent.Model, error) {
	m, err := maxent.New(s.levels, float64(s.size))
	if err != nil {
		return nil, err
	}
	if s.checked() { // by the same triangulation
		if err := m.Limit(s.set.FitCells()); err != nil {
			return nil, err
		}
	}
	for _, z := range s.zeros {
		if err := m.Forbid(z.Columns, z.Forbidden); err != nil {
			return nil, err
		}
	}
	for _, p := range s.reserved {
		if err := m.Join(p[:]...); err != nil {
			return nil, err
		}
	}
	for _, t := range s.done {
		if err := m.Add(t.columns, t.noisy, math.Max(t.variance, leastVariance)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// renew forgets, in rounds that begin with a fit, which pairs the last one had not seen. A file that is read goes
// through the same rounds without the fits.
func (s *learner) renew(k int) {
	if k%s.batch() == 0 {
		clear(s.fresh)
	}
}

// ready makes what the scores of a round need: the fit to all that was measured before it. The tables M of a tree are
// products of the columns' tables, made once; with structural zeros they are the margins of a fit to those.
func (s *learner) ready(ctx context.Context, k int) error {
	switch number, _ := s.phaseOf(k); {
	case s.set.Algorithm == model.Pairs && k%s.batch() > 0:
		return nil
	case s.set.Algorithm == model.Pairs && s.batch() > 1:
		return s.refit(ctx, batchSteps)
	case s.set.Algorithm == model.Pairs || number > 0 || len(s.zeros) > 0 && s.fit == nil:
		return s.refit(ctx, roundSteps)
	}
	return nil
}

// checked reports whether tables are chosen only where the cliques of the fit keep to its cap.
func (q *problem) checked() bool { return q.set.Algorithm == model.Pairs || len(q.zeros) > 0 }

// scopes are the sets of columns that the fit joins: those of the tables that were measured, of structural zeros, and
// pairs that are reserved.
func (s *learner) scopes() (out [][]int) {
	for _, p := range s.reserved {
		out = append(out, p[:])
	}
	for _, t := range s.done {
		out = append(out, t.columns)
	}
	for _, z := range s.zeros {
		out = append(out, z.Columns)
	}
	return out
}

// triangulated reports whether the fit can compute with more sets of columns: each of its cliques keeps to the cap, and
// all of them to the work.
func (s *learner) triangulated(ctx context.Context, more ...[]int) bool {
	f, err := junction.Build(ctx, s.levels, append(s.scopes(), more...), s.set.FitCells())
	return err == nil && (s.set.MaxWork == 0 || f.Work() <= s.set.MaxWork)
}

// Structural zeros are public, and change only what is public: the tables M, which candidates are legal, and the fit. A
// score moves by what it moves by, whatever M is.

// forbidden is how many cells of a table of columns are structural zeros over just these.
func (s *learner) forbidden(columns []int) (n int) {
	for _, z := range s.zeros {
		if len(z.Columns) == len(columns) && inside(z.Columns, columns) {
			n += z.Cells()
		}
	}
	return n
}

// inside reports whether all of some columns are among others.
func inside(some, others []int) bool {
	return !slices.ContainsFunc(some, func(v int) bool { return !slices.Contains(others, v) })
}

// zeroTables are the structural zeros with what the noisy tables have there.
func (s *learner) zeroTables(columns []frame.Column) (out []model.ZeroTable) {
	for _, z := range s.zeros {
		t := model.ZeroTable{Cells: z.Cells()}
		for _, v := range z.Columns {
			t.Columns = append(t.Columns, columns[v].Name)
		}
		weights := 0.0
		for _, d := range s.done {
			if !inside(z.Columns, d.columns) {
				continue
			}
			sum, cells := s.noisyZeros(z, d)
			w := 1 / (float64(cells) * math.Max(d.variance, leastVariance))
			t.Noisy, weights = t.Noisy+w*sum, weights+w
		}
		if t.Measured = weights > 0; t.Measured {
			t.Noisy, t.SD = t.Noisy/weights, 1/math.Sqrt(weights)
		}
		out = append(out, t)
	}
	return out
}

// noisyZeros adds up the cells of a measured table that are structural zeros.
func (s *learner) noisyZeros(z model.Zeros, t table) (sum float64, cells int) {
	codes := make([]int, len(s.levels))
	for c, v := range t.noisy {
		rest, at := c, 0
		for i := len(t.columns) - 1; i >= 0; i-- {
			codes[t.columns[i]] = rest % s.levels[t.columns[i]]
			rest /= s.levels[t.columns[i]]
		}
		for _, i := range z.Columns {
			at = at*s.levels[i] + codes[i]
		}
		if z.Forbidden[at] {
			sum, cells = sum+v, cells+1
		}
	}
	return sum, cells
}

// contradicted is how many standard deviations of noise a count of declared zeros may have. Gaussian noise alone
// exceeds it with a probability of 1e-9, geometric noise in a single cell with one of 1e-4.
const contradicted = 6

// Warned says where noisy tables have records that are declared impossible. It reads the released numbers.
func (d *sampler) Warned(drawn mechanism.Output) (out warning.List) {
	if len(d.zeros) == 0 {
		return nil
	}
	s, err := newLearner(d.problem, d.laws, drawn.Raw)
	if err != nil || d.laws.batch == nil && len(drawn.Rounds) != d.rounds() {
		return nil
	}
	if d.laws.batch != nil {
		if d.replayBatches(context.Background(), s, drawn.Rounds) != nil {
			return nil
		}
		drawn.Rounds = nil
	}
	for k, r := range drawn.Rounds {
		given, list := s.next(k)
		c := candidate{columns: given}
		if list != nil {
			c = candidate{columns: r.Chosen, stop: r.Stop || len(r.Chosen) == 0}
		}
		if slices.ContainsFunc(c.columns, func(v int) bool { return v < 0 || v >= len(d.levels) }) {
			return nil // numbers that no estimate accepts
		}
		if err := s.take(k, c, r.Counts); err != nil {
			return nil
		}
	}
	for _, z := range s.zeroTables(d.shape.Columns()) {
		if z.Measured && z.Noisy > contradicted*z.SD {
			out = append(out, warning.ZerosContradicted(z.Columns, z.Cells, z.Noisy, z.SD))
		}
	}
	return out
}
