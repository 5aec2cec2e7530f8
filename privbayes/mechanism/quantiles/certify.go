package quantiles

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// logRange is the bounded range of a draw at a rate: twice what the rows of a unit move its exponents by. The joint law
// is drawn in exact arithmetic; the weights of one quantile are rounded.
func logRange(rate float64, rows int, joint bool) float64 {
	w := 2 * rate * float64(rows) * (1 + 0x1p-50)
	if !joint {
		w += rounding()
	}
	return w
}

// pair is the dominating pair of all draws: one, or one for each quantile; gridded says that these compose on a grid,
// and not by their Rényi curves alone.
func pair(rate float64, rows, draws int, joint, gridded bool) (loss.Pair, error) {
	w := logRange(rate, rows, joint)
	one := loss.RangePair{Range: w, Pure: w}
	if joint || draws == 1 {
		return one, nil
	}
	if gridded {
		return loss.Declare(loss.Repeat{Pair: one, Times: draws})
	}
	return loss.DeclareByCurve(loss.Repeat{Pair: one, Times: draws})
}

func (p *problem) pair(q params) (loss.Pair, error) {
	return pair(q.Rate, p.rows, len(p.a), p.m.joint, q.Grid)
}

// calibrate finds the largest rate that meets the target. With intervals the rate says how far the ends are, and so
// which of them are drawn, which may leave more for the others.
func calibrate(ctx context.Context, p *problem) (params, error) {
	q, err := p.rateFor(ctx, len(p.a)*p.m.each())
	if p.m.joint && p.m.intervals {
		q.Cells = p.nearest(q.Rate)
	}
	for draws := len(p.at(q).a); err == nil && !p.m.joint && p.m.intervals; draws++ {
		if q, err = p.rateFor(ctx, draws); len(p.at(q).a) <= draws {
			break
		}
	}
	return q, err
}

// rateFor is the largest rate at which so many draws meet the target.
func (p *problem) rateFor(ctx context.Context, draws int) (params, error) {
	q := params{Intervals: p.m.intervals}
	if p.m.joint {
		q.Cells = p.cells
	}
	level := p.target.Parameters
	q.Grid = level.Notion == dp.Approximate && !p.m.joint && draws > 1
	pair := func(rate float64) (loss.Pair, error) { return pair(rate, p.rows, draws, p.m.joint, q.Grid) }
	excess := func(rate float64) float64 {
		of, err := pair(rate)
		if ctx.Err() != nil {
			return -1
		}
		if err != nil {
			return math.Inf(1)
		}
		return loss.Excess(loss.Until(ctx, of), level)
	}
	if excess(leastRate) > 0 {
		of, err := pair(leastRate)
		if err != nil {
			return q, err
		}
		return q, mechanism.Unmet(ctx, level, of, "a weaker target")
	}
	q.Rate = math.Min(maxRate, noise.GreatestBy(leastRate, 2*maxRate, excess))
	for q.Grid && excess(q.Rate) > 0 { // neighbouring rates have other grids: the list itself must meet the level
		q.Rate *= 1 - 1e-9
	}
	return q, ctx.Err()
}

// leastRate is below what any target with a use asks for.
const leastRate = 1e-9

// lossParams are the public inputs of the loss: the range follows from them, and from nothing of the lattice or of n.
type lossParams struct {
	Rate  float64       `json:"rate"`
	Rows  int           `json:"rows"`
	Draws int           `json:"draws"`
	Joint bool          `json:"joint"`
	Want  dp.Parameters `json:"want"`
	Grid  bool          `json:"grid,omitempty"`
}

var lossChecker = cert.Define("quantiles/loss", func(ctx context.Context, q lossParams) (cert.Outcome, error) {
	if err := (params{Rate: q.Rate}).Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if q.Rows < 1 || q.Rows > maxRows || q.Draws < 1 || q.Draws > maxDraws {
		return cert.Outcome{}, domain.Refuse("quantiles", "rows, draws", fmt.Sprint(q.Rows, q.Draws), "as in a plan")
	}
	if err := q.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	of, err := pair(q.Rate, q.Rows, q.Draws, q.Joint, q.Grid)
	if err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: loss.Spent(loss.Until(ctx, of), q.Want), Method: cert.ProvedBound}, ctx.Err()
})

// maxDraws bounds the quantiles of one release.
const maxDraws = 255

// changeParams are the public inputs of the enumeration of costs.
type changeParams struct {
	A         []int64      `json:"a"`
	B         int64        `json:"b"`
	Joint     bool         `json:"joint"`
	Adjacency dp.Adjacency `json:"adjacency"`
	N         int64        `json:"n"`
	// Omit says that a record may have no value: no cost counts it.
	Omit bool `json:"omit,omitempty"`
}

var changeChecker = cert.Define("quantiles/change", func(ctx context.Context, q changeParams) (cert.Outcome, error) {
	r := ranks{q.A, q.B}
	if err := r.valid(); err != nil {
		return cert.Outcome{}, err
	}
	if err := q.Adjacency.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if most := mostRecords(q.Omit); q.N < 0 || q.N > most {
		return cert.Outcome{}, domain.Refuse("quantiles", "n", q.N, fmt.Sprintf("0 to %d records to enumerate", most))
	}
	if q.Joint {
		return r.farthestJoint(ctx, q)
	}
	return r.farthest(ctx, q)
})

// certify states the release at a given rate.
func certify(ctx context.Context, p *problem, q params) (s mechanism.Spec, err error) {
	p = p.at(q)
	of, err := p.pair(q)
	if err != nil {
		return s, err
	}
	want, adj := p.target.Parameters, p.target.Adjacency
	formula := "max |D(v) − D′(v)|/s, s = b, or max(a, b − a) under add-remove"
	if p.m.joint {
		formula = "max |D(v_1, …) − D′(v_1, …)|/s, s = 2b, or 2(b − least gap) under add-remove"
	}
	n := p.enumerated()
	change, err := changeChecker.Check(ctx, cert.Check{
		Statement: "one row moves the cost by at most the sensitivity s", Formula: formula,
		Source: "theory/numbers.md §4, referee's correction 8; doc of package quantiles", Bound: 1,
		Scope: fmt.Sprintf("every place of a quantile among %d records, every change of one%s; proved for all n", n,
			omitted(p.omits)),
	}, changeParams{p.a, p.b, p.m.joint, adj, n, p.omits})
	if err != nil {
		return s, err
	}
	spent, err := lossChecker.Check(ctx, cert.Check{
		Statement: "loss of the draws, " + loss.NotionWords(want),
		Formula:   "bounded range w = 2·rate·rows a draw: " + of.String(),
		Source:    "theory/numbers.md §4; bounded range: theory/sampling.md §22 D", Bound: loss.Allowed(want),
		Scope: "all data of all sizes, every lattice; the weights' rounding included",
	}, lossParams{q.Rate, p.rows, len(p.a), p.m.joint, want, q.Grid})
	if err != nil {
		return s, err
	}
	total := logRange(q.Rate, p.rows, p.m.joint)
	if !p.m.joint {
		total *= float64(len(p.a))
	}
	return mechanism.Spec{
		Shape: p.shape, Settings: p.settings(q), Arithmetic: dp.Exact, Pair: of,
		StandardFormula: mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(total)},
			Source: "ε = 2·x·s a draw, McSherry and Talwar 2007"},
		Checks: []cert.Check{change, spent}, Expected: p.expected(q),
		Draws: mechanism.Integers, Count: len(p.a), Sampler: &sampler{p, q},
	}, ctx.Err()
}

func (p *problem) settings(q params) []mechanism.Setting {
	out := []mechanism.Setting{
		{Name: "distribution", Value: "P(v) ∝ e^{−x·D(v)}, x = rate/s"}, {Name: "rate", Value: fmt.Sprintf("%.6g", q.Rate)},
		{Name: "grid", Value: fmt.Sprintf("%d points", p.points)},
	}
	if p.m.joint {
		out = append(out, mechanism.Setting{Name: "ties", Value: fmt.Sprintf("told apart in %d cells a point", p.cells)})
	}
	if p.m.intervals {
		out = append(out, mechanism.Setting{Name: "intervals", Value: p.endsText()})
	}
	return out
}

// valid checks quantiles from a file.
func (r ranks) valid() error {
	last := int64(0)
	for _, a := range r.a {
		if a <= last || a >= r.b {
			return domain.Refuse("quantiles", "ranks", fmt.Sprint(r.a, "/", r.b), "0 < a_1 < … < a_m < b")
		}
		last = a
	}
	if len(r.a) == 0 || len(r.a) > maxDraws || r.b > 2*fineRanks {
		return domain.Refuse("quantiles", "ranks", fmt.Sprintf("%d with b = %d", len(r.a), r.b), "1 to 255, b ≤ 2^21")
	}
	return nil
}

// mostRecords is how many records are enumerated at most: fewer where there is one more kind of them.
func mostRecords(omit bool) int64 {
	if omit {
		return 24
	}
	return 64
}

// enumerated is the number of records for which every change is visited: n where that is little work.
func (p *problem) enumerated() int64 {
	most := mostRecords(p.omits)
	if p.m.joint {
		for most > 1 && p.jointChanges(most, p.omits) > jointWork {
			most--
		}
	}
	if p.n > 0 && int64(p.n) < most {
		return int64(p.n)
	}
	return most
}

// farthest is the largest change of a cost, in units of the sensitivity, over all data of n records and one record
// replaced, or added. A cost depends on the data through how many records lie below, at and above each quantile: for
// one quantile all (below, at, above) are visited, for several at once all counts between them, records that tie being
// placed on either side first. Records without a value, where there may be any, are counted last, and in no cost.
func (r ranks) farthest(ctx context.Context, q changeParams) (cert.Outcome, error) {
	worst, work := 0.0, int64(0)
	for i := range r.a {
		s := float64(r.sensitivity(i, q.Adjacency))
		cost := func(c []int) int64 {
			below, at, all := int64(c[0]), int64(c[1]), int64(c[0]+c[1]+c[2])
			return max(0, r.b*below-r.a[i]*all, r.a[i]*all-r.b*(below+at))
		}
		for x := range finite.Histograms(kinds(3, q.Omit), int(q.N)) {
			for y := range changed(x, q.Adjacency) {
				work++
				worst = max(worst, float64(apart(cost(x), cost(y)))/s)
			}
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
}

// kinds are those of records: with a value, and one more where there may be none.
func kinds(valued int, omit bool) int {
	if omit {
		return valued + 1
	}
	return valued
}

// omitted says that a record without a value is visited, too.
func omitted(omits bool) string {
	if omits {
		return ", with a value or without"
	}
	return ""
}

// changed is what one record replaced, or added, makes of counts.
func changed(x []int, adj dp.Adjacency) iter.Seq[[]int] {
	if adj == dp.AddRemove {
		return finite.Stepped(x, 1)
	}
	return finite.Moved(x)
}

// jointWork bounds the changes that are visited.
const jointWork = 1e6

// jointChanges is the number of all counts of n records between m quantiles, times that of changes of one.
func (r ranks) jointChanges(n int64, omit bool) float64 {
	m := float64(kinds(len(r.a), omit))
	out := (m + 1) * (m + 1)
	for i := 1.0; i <= m; i++ {
		out *= (float64(n) + i) / i
	}
	return out
}

func (r ranks) farthestJoint(ctx context.Context, q changeParams) (cert.Outcome, error) {
	gaps, s := r.gaps(), float64(r.jointSensitivity(q.Adjacency))
	if changes := r.jointChanges(q.N, q.Omit); changes > jointWork {
		return cert.Outcome{}, domain.Refuse("quantiles", "n", q.N, "fewer records for so many quantiles at once")
	}
	worst, work := 0.0, int64(0)
	cost := func(counts []int) (sum int64) {
		counts = counts[:len(gaps)]
		all := int64(0)
		for _, c := range counts {
			all += int64(c)
		}
		for i, c := range counts {
			sum += apart(r.b*int64(c), gaps[i]*all)
		}
		return sum
	}
	for x := range finite.Histograms(kinds(len(gaps), q.Omit), int(q.N)) {
		before := cost(x)
		for y := range changed(x, q.Adjacency) {
			work++
			worst = max(worst, float64(apart(before, cost(y)))/s)
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
}

func apart(a, b int64) int64 { return max(a-b, b-a) }
