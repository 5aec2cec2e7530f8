package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// once gives a table one output whatever is in it, and keeps what was measured: with Gaussian noise its divergence is
// that of the counts that move.
func (s *script) once(l noise.Distribution, counts []int64) []int64 {
	out := make([]int64, len(counts))
	out[0] = 1
	s.measured, s.rho = append(s.measured, counts), append(s.rho, 1/(2*l.(interface{ Sigma2() float64 }).Sigma2()))
	return out
}

// report lists the noisy distances as far as they have a probability to speak of. Up to n records and tables M of n and
// a few have distances of up to 2n and a few.
func (s *script) report(l noise.Distribution, distances []int64) []int64 {
	out, low := make([]int64, len(distances)), -int64(s.window)
	for i, v := range distances {
		out[i] = low + int64(s.decide(2*(s.n+1)+2*s.window+1))
		s.logP += noiseLaw(l, v).LogProb(out[i] - v)
	}
	return out
}

// reportParams: the distances of all pairs of three binary columns.
type reportParams struct {
	N         int          `json:"n"`
	Adjacency dp.Adjacency `json:"adjacency"`
	Rows      int          `json:"rows,omitempty"` // of a unit; 0: 1
}

// reportChecker derives the largest squared ℓ₂ change of a report: over every data set of n records of three binary
// columns, every neighbour and, for each pair, every public table M.
var reportChecker = cert.Define("structure/report", func(ctx context.Context, p reportParams) (cert.Outcome, error) {
	if p.N < 1 || p.N > 4 {
		return cert.Outcome{}, domain.Refuse("structure", "n", p.N, "1 to 4")
	}
	if err := unitRows(p.Rows, p.N); err != nil {
		return cert.Outcome{}, err
	}
	if err := within(ctx, 2e4*math.Pow(float64(p.N), 4)); err != nil {
		return cert.Outcome{}, err
	}
	sizes := []int{p.N}
	if p.Adjacency == dp.AddRemove {
		sizes = append(sizes, p.N-1, p.N+1)
	}
	var public [][]int64
	for _, n := range sizes {
		for m := range finite.Histograms(4, n) {
			public = append(public, finite.Counts(m))
		}
	}
	t := smallInstance{sampler: sampler{problem: &problem{levels: []int{2, 2, 2}}}, n: p.N}
	worst, work := 0.0, int64(0)
	space := finite.Space{Cells: 8, N: p.N, Adjacency: p.Adjacency}
	for x := range finite.Histograms(8, p.N) {
		of := t.count(recordsOf(x))
		for y := range units(space, x, p.Rows) {
			than, sum := t.count(recordsOf(y)), 0.0
			for _, pair := range [][]int{{0, 1}, {0, 2}, {1, 2}} {
				a, _ := of(pair)
				b, _ := than(pair)
				most := 0.0
				for _, m := range public {
					most = math.Max(most, math.Abs(float64(reportedDistance(a, m)-reportedDistance(b, m))))
					work++
				}
				sum += most * most
			}
			worst = math.Max(worst, sum)
		}
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
})

// batchParams: a whole release in batches over some binary columns.
type batchParams struct {
	Columns   int            `json:"columns"`
	Batches   int            `json:"batches"`
	N         int            `json:"n"`
	Adjacency dp.Adjacency   `json:"adjacency"`
	Column    noise.Rational `json:"column"` // σ²
	Report    noise.Rational `json:"report"` // σ²
	Tables    noise.Rational `json:"tables"` // ρ
	Order     float64        `json:"order"`  // 1: Kullback–Leibler
}

// smallInstance is the release: reports are listed, and each table has one output, on which the next report depends.
func (p batchParams) smallInstance() (*smallInstance, error) {
	for _, r := range []noise.Rational{p.Column, p.Report, p.Tables} {
		if err := r.Valid(); err != nil {
			return nil, err
		}
	}
	if p.Columns < 2 || p.Columns > 3 || p.Batches < 1 || p.Batches > 4-p.Columns || p.N < 1 || p.N > 3 ||
		!(p.Order >= 1 && p.Order <= 4) {
		return nil, domain.Refuse("structure", "columns, batches, n, order", fmt.Sprint(p.Columns, p.Batches, p.N, p.Order),
			"1 batch of 3 columns or 1 or 2 of 2, n of 1 to 3, an order of 1 to 4")
	}
	q := &problem{noise: gaussian, target: dp.ZCDP(1).Under(p.Adjacency), rows: 1, batched: true,
		set: model.MaxEntropy().Always().Settings()}
	if q.publicN = p.Adjacency.PublicN(); q.publicN {
		q.n = p.N
	}
	params := params{Batches: &batches{Number: p.Batches, Report: p.Report, Tables: p.Tables}}
	for i := range p.Columns {
		q.levels, params.Columns = append(q.levels, 2), append(params.Columns, p.Column)
		for j := range i {
			q.pairs = append(q.pairs, [2]int{j, i})
		}
	}
	params.Batches.Distances = len(q.pairs)
	l, err := q.laws(params)
	if err != nil {
		return nil, err
	}
	t := &smallInstance{sampler: sampler{q, l}, n: p.N, batched: true, window: 1}
	for l.batch.report.LogTail(int64(t.window)) > math.Log(1e-13) {
		if t.window++; t.window > 8 {
			return nil, domain.Refuse("structure", "report", p.Report.String(), "noise within 8 of a distance, but for 1e-13")
		}
	}
	l.batch.report = remember(l.batch.report)
	return t, nil
}

// allowed is what the composition says of the release.
func (p batchParams) allowed() (float64, error) {
	t, err := p.smallInstance()
	if err != nil {
		return 0, err
	}
	out := params{Batches: &t.laws.batch.batches}
	for range t.levels {
		out.Columns = append(out.Columns, p.Column)
	}
	d, err := loss.DeclareByCurve(t.parts(out)...)
	if err != nil {
		return 0, err
	}
	if p.Order == 1 {
		return d.ZCDP(), nil
	}
	return d.RDP(p.Order), nil
}

// batchChecker derives the Rényi divergence of the whole release, from records up, by the learner and the laws of
// production: the sum over all reports; that of the tables which a report chooses follows from their noise.
var batchChecker = cert.Define("structure/batches", func(ctx context.Context, p batchParams) (cert.Outcome, error) {
	t, err := p.smallInstance()
	if err != nil {
		return cert.Outcome{}, err
	}
	listed := math.Pow(float64(2*(p.N+1+t.window)+1), float64(p.Batches*len(t.pairs)))
	if err := within(ctx, 2000*listed*math.Pow(2, float64(p.Columns*p.N))); err != nil {
		return cert.Outcome{}, err
	}
	worst := 0.0
	pairs, err := t.neighbours(ctx, func(a, b []path) { worst = math.Max(worst, batchDivergence(a, b, p.Order)) })
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: pairs}, err
})

// batchDivergence is the divergence of an order between two releases.
func batchDivergence(a, b []path, order float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	sum, most, logs := 0.0, math.Inf(-1), []float64(nil)
	for i, p := range a {
		moved := 0.0
		for k, m := range p.measured {
			if k >= len(b[i].measured) || len(m) != len(b[i].measured[k]) || p.rho[k] != b[i].rho[k] {
				return math.Inf(1) // a set, or noise, that the other cannot have
			}
			moved += order * p.rho[k] * float64(distance(m, b[i].measured[k]))
		}
		switch apart := p.logP - b[i].logP; {
		case math.IsInf(p.logP, -1):
		case order == 1:
			sum += math.Exp(p.logP) * (apart + moved)
		default:
			logs = append(logs, p.logP+(order-1)*(apart+moved))
			most = math.Max(most, logs[len(logs)-1])
		}
	}
	if order == 1 {
		return sum
	}
	for _, v := range logs {
		sum += math.Exp(v - most)
	}
	return (most + math.Log(sum)) / (order - 1)
}

const batchSource = "docs/structure.md, theory/structure.md §9"

// reportChecks are those of the distances of pairs.
func (q *problem) reportChecks(ctx context.Context) (out []cert.Check, err error) {
	for _, rows := range []int{0, 2} {
		if rows > q.rows {
			continue
		}
		unit, statement := *q, "squared change of three reported distances, by enumeration"
		if unit.rows = max(rows, 1); rows > 0 {
			statement += "; units of 2 rows"
		}
		move := distanceMove(&unit)
		c, err := reportChecker.Check(ctx, cert.Check{
			Statement: statement, Formula: fmt.Sprintf("m·%d², m = 3 distances, each of which moves by at most %d", move, move),
			Source: batchSource, Bound: cert.Number(reportCounts(3) * move * move),
			Scope: "every data set of 3 records of three binary columns, every neighbour, every public table of each pair",
		}, reportParams{3, q.target.Adjacency, rows})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// batchChecks are those of a release in batches.
func (q *problem) batchChecks(ctx context.Context, b *batches) (out []cert.Check, err error) {
	if out, err = q.reportChecks(ctx); err != nil {
		return nil, err
	}
	one, err := q.tableCheck(ctx, q.tableNoise(b.Tables, sizeUnit, sizeUnit))
	if err != nil {
		return nil, err
	}
	out = append(out, one)
	for _, p := range []batchParams{{Columns: 3, Batches: 1, N: 1, Order: 1}, {Columns: 2, Batches: 2, N: 2, Order: 1}} {
		p.Adjacency, p.Column, p.Report, p.Tables = q.target.Adjacency, largeRate, sixteenth, largeRate
		bound, err := p.allowed()
		if err != nil {
			return nil, err
		}
		c, err := batchChecker.Check(ctx, cert.Check{
			Statement: fmt.Sprintf("Kullback–Leibler divergence of a whole release of %d columns in %s, by enumeration",
				p.Columns, []string{"", "one batch", "two batches"}[p.Batches]),
			Formula: "one-way tables, reports at m·(move)²/(2σ²), and ρ for the tables of each batch, whatever they are",
			Source:  batchSource, Bound: cert.Number(bound * (1 + 1e-9)),
			Scope: fmt.Sprintf("every data set of %d records, every neighbour, all reports but for 1e-13 of their law, one "+
				"output of every table", p.N),
		}, p)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
