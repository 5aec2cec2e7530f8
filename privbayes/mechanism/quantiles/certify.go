package quantiles

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
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

// pair is the dominating pair of all draws: one, or one for each quantile.
func pair(rate float64, rows, draws int, joint bool) (loss.Pair, error) {
	w := logRange(rate, rows, joint)
	one := loss.RangePair{Range: w, Pure: w}
	if joint || draws == 1 {
		return one, nil
	}
	return loss.Declare(loss.Repeat{Pair: one, Times: draws})
}

func (p *problem) pair(rate float64) (loss.Pair, error) {
	return pair(rate, p.rows, len(p.a), p.m.joint)
}

// calibrate finds the largest rate that meets the target.
func calibrate(ctx context.Context, p *problem) (params, error) {
	q := params{}
	if p.m.joint {
		q.Cells = p.cells
	}
	level := p.target.Parameters
	meets := func(inverse float64) bool {
		of, err := p.pair(1 / inverse)
		return ctx.Err() != nil || err == nil && loss.Meets(loss.Until(ctx, of), level)
	}
	if !meets(1 / leastRate) {
		of, err := p.pair(leastRate)
		if err != nil {
			return q, err
		}
		return q, mechanism.Unmet(ctx, level, of, "a weaker target")
	}
	q.Rate = math.Min(maxRate, 1/noise.Least(1/(2.0*maxRate), 1/leastRate, meets))
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
	of, err := pair(q.Rate, q.Rows, q.Draws, q.Joint)
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
}

var changeChecker = cert.Define("quantiles/change", func(ctx context.Context, q changeParams) (cert.Outcome, error) {
	r := ranks{q.A, q.B}
	if err := r.valid(); err != nil {
		return cert.Outcome{}, err
	}
	if err := q.Adjacency.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if q.N < 0 || q.N > 64 {
		return cert.Outcome{}, domain.Refuse("quantiles", "n", q.N, "0 to 64 records to enumerate")
	}
	return r.farthest(ctx, q.Adjacency, q.Joint, q.N)
})

// certify states the release at a given rate.
func certify(ctx context.Context, p *problem, q params) (s mechanism.Spec, err error) {
	of, err := p.pair(q.Rate)
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
		Scope: fmt.Sprintf("every place of a quantile among %d records, every change of one; proved for all n", n),
	}, changeParams{p.a, p.b, p.m.joint, adj, n})
	if err != nil {
		return s, err
	}
	spent, err := lossChecker.Check(ctx, cert.Check{
		Statement: "loss of the draws, " + loss.NotionWords(want),
		Formula:   "bounded range w = 2·rate·rows a draw: " + of.String(),
		Source:    "theory/numbers.md §4; bounded range: theory/sampling.md §22 D", Bound: loss.Allowed(want),
		Scope: "all data of all sizes, every lattice; the weights' rounding included",
	}, lossParams{q.Rate, p.rows, len(p.a), p.m.joint, want})
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
		{Name: "law", Value: "P(v) ∝ e^{−x·D(v)}, x = rate/s"}, {Name: "rate", Value: fmt.Sprintf("%.6g", q.Rate)},
		{Name: "lattice", Value: fmt.Sprintf("%d points", p.points)},
	}
	if p.m.joint {
		return append(out, mechanism.Setting{Name: "ties", Value: fmt.Sprintf("told apart in %d cells a point", p.cells)})
	}
	return out
}
