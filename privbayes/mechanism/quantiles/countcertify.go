package quantiles

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// treeParams are the public inputs of the enumeration of records.
type treeParams struct {
	Tree      tree         `json:"tree"`
	Adjacency dp.Adjacency `json:"adjacency"`
	// Omit says that a record may have no value: no count has it.
	Omit bool `json:"omit,omitempty"`
}

func (q treeParams) valid(points int64) error {
	if err := q.Tree.Valid(); err != nil {
		return err
	}
	if q.Tree.Points > points {
		return domain.Refuse("quantiles", "points", q.Tree.Points, fmt.Sprintf("at most %d to enumerate", points))
	}
	return q.Adjacency.Valid()
}

// enumeratedPoints bounds the lattices all of whose records are visited.
const enumeratedPoints = 256

// treeChecker visits every record, or pair of records, and sums up what the counts change by.
var treeChecker = cert.Define("quantile-tree/change", func(ctx context.Context, q treeParams) (cert.Outcome, error) {
	if err := q.valid(enumeratedPoints); err != nil {
		return cert.Outcome{}, err
	}
	return q.farthest(ctx)
})

// farthest is the largest change over all records, or pairs of records.
func (q treeParams) farthest(ctx context.Context) (cert.Outcome, error) {
	t := q.Tree
	one := make([][][]int64, t.Points) // the counts of one record at every point
	at := make([]int64, t.Points)
	for v := range one {
		at[v] = 1
		one[v] = t.sums(at)
		at[v] = 0
	}
	nothing := t.sums(at)
	out := cert.Outcome{Method: cert.Enumeration}
	visit := func(a, b [][]int64) {
		out.Work++
		out.Value = math.Max(out.Value, float64(change(a, b)))
	}
	for v, a := range one {
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
		if q.Adjacency == dp.AddRemove || q.Omit { // a record that comes, or comes to have a value
			visit(a, nothing)
		}
		if q.Adjacency == dp.AddRemove {
			continue
		}
		for _, b := range one[:v] {
			visit(a, b)
		}
	}
	return out, nil
}

// change is Σ|a − b| over all counts.
func change(a, b [][]int64) (sum int64) {
	for l := range a {
		for i := range a[l] {
			sum += apart(a[l][i], b[l][i])
		}
	}
	return sum
}

// small is the tree of the same branching, on a lattice whose records can be visited.
func (t tree) small(points int64) tree {
	return tree{Points: min(t.leaves(), points), Width: 1, Branching: t.Branching}
}

// countLossParams are the public inputs of the loss.
type countLossParams struct {
	treeParams
	Noise noise.Named   `json:"noise"`
	Rows  int           `json:"rows"`
	Want  dp.Parameters `json:"want"`
}

// distribution checks the parameters.
func (q countLossParams) distribution(points int64) (noise.Distribution, error) {
	if err := q.treeParams.valid(points); err != nil {
		return nil, err
	}
	if q.Rows < 1 || q.Rows > maxRows {
		return nil, domain.Refuse("quantiles", "rows", q.Rows, fmt.Sprintf("1 to %d", maxRows))
	}
	if err := q.Want.Valid(); err != nil {
		return nil, err
	}
	return inRecords(q.Noise)
}

var countLossChecker = cert.Define("quantile-tree/loss",
	func(ctx context.Context, q countLossParams) (cert.Outcome, error) {
		d, err := q.distribution(1 << 20)
		if err != nil {
			return cert.Outcome{}, err
		}
		pair, method := d.Pair(q.Tree.changed(q.Adjacency), q.Rows), cert.ClosedForm
		if math.IsInf(pair.PureEpsilon(), 1) {
			method = cert.ProvedBound
		}
		return cert.Outcome{Value: loss.Spent(loss.Until(ctx, pair), q.Want), Method: method}, ctx.Err()
	})

// certifyCounts states the release at given noise.
func certifyCounts(ctx context.Context, p *counted, q countParams) (s mechanism.Spec, err error) {
	if q.Tree.Points != p.points {
		return s, domain.Refuse("quantiles", "points", q.Tree.Points, fmt.Sprintf("the grid's %d", p.points))
	}
	l, err := inRecords(q.Noise)
	if err != nil {
		return s, err
	}
	adj, want := p.target.Adjacency, p.target.Parameters
	of := treeParams{q.Tree, adj, p.omits}
	all := countLossParams{of, q.Noise, p.rows, want}
	pair := l.Pair(q.Tree.changed(adj), p.rows)
	few := treeParams{q.Tree.small(enumeratedPoints), adj, p.omits}
	moved, err := treeChecker.Check(ctx, cert.Check{
		Statement: "Σ|change| of all counts by one row", Formula: "levels, twice under replace-one",
		Source: "a record is at one node of every level", Bound: cert.Number(few.Tree.changed(adj)),
		Scope: fmt.Sprintf("every record, or pair of records, on %d points and %d levels%s",
			few.Tree.Points, few.Tree.levels(), omitted(p.omits)),
	}, few)
	if err != nil {
		return s, err
	}
	spent, err := countLossChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(want),
		Formula: fmt.Sprintf("%s; %d counts changed on %d levels, by %d at most", pair, q.Tree.changed(adj),
			q.Tree.levels(), p.rows),
		Source: "loss.GeometricPair, loss.DiscreteGaussianPair", Bound: loss.Allowed(want),
		Scope: "all data; the noise is exact, rounded toward privacy",
	}, all)
	if err != nil {
		return s, err
	}
	checks := []cert.Check{moved, spent}
	if rate := noise.FormOf(l).Rate; rate > 0 {
		tiny := all
		tiny.Tree, tiny.Rows = tree{Points: 3, Width: 1, Branching: 2}, min(p.rows, 2)
		moves := tiny.Tree.changed(adj) * tiny.Rows
		whole, err := wholeChecker.Check(ctx, cert.Check{
			Statement: "exact pure ε of whole releases, by enumeration",
			Formula:   fmt.Sprintf("max log P_x(o)/P_y(o) ≤ %d·γ", moves),
			Source:    "the sampler's own probabilities, every count of the tree",
			Bound:     cert.Number(float64(moves)*rate*(1+1e-12) + 1e-12),
			Scope: fmt.Sprintf("every data set of 2 records on 3 points, units of %d, every output%s", tiny.Rows,
				omitted(p.omits)),
		}, tiny)
		if err != nil {
			return s, err
		}
		checks = append(checks, whole)
	}
	expected, err := p.expected(q)
	if err != nil {
		return s, err
	}
	return mechanism.Spec{
		Shape: p.shape, Settings: p.settings(q, l), Arithmetic: dp.Exact, Pair: pair,
		StandardFormula: p.standardFormula(q, l), Checks: checks, Expected: expected,
		Draws: mechanism.Integers, Count: q.Tree.count(), Sampler: &countSampler{p, q.Tree, l},
	}, ctx.Err()
}

func (p *counted) settings(q countParams, d noise.Distribution) []mechanism.Setting {
	counts := fmt.Sprintf("a histogram of %d intervals", q.Tree.leaves())
	if l := q.Tree.levels(); l > 1 {
		counts = fmt.Sprintf("a tree of %d intervals, %d levels, %d children a node", q.Tree.leaves(), l, q.Tree.Branching)
	}
	return []mechanism.Setting{
		{Name: "noise", Value: d.String()}, {Name: "counts", Value: counts},
		{Name: "grid", Value: fmt.Sprintf("%d points", p.points)},
		{Name: "consistency", Value: "least squares on the tree; counts up to a value made to increase"},
	}
}

// standardFormula is what the usual formulas claim.
func (p *counted) standardFormula(q countParams, d noise.Distribution) (out mechanism.StandardFormula) {
	out.Level, out.Source = d.StandardFormula(q.Tree.changed(p.target.Adjacency), p.rows, p.target.Parameters)
	return out
}

// wholeChecker enumerates whole releases on a tiny lattice: the noisy counts of every data set against those of every
// neighbour, for every output in a box beyond which no ratio changes any more.
var wholeChecker = cert.Define("quantile-tree/releases",
	func(ctx context.Context, q countLossParams) (cert.Outcome, error) {
		l, err := q.distribution(3)
		if err != nil {
			return cert.Outcome{}, err
		}
		if noise.FormOf(l).Rate == 0 || q.Rows > 2 {
			return cert.Outcome{}, domain.Refuse("quantiles", "noise, rows", q.Noise.Family, "geometric, 1 or 2 rows")
		}
		return q.largestLoss(ctx, l)
	})

// largestLoss is max |log P_x(o)/P_y(o)| over data sets x of 2 records, neighbours y and outputs o. The counts' noises
// are independent, so that the greatest ratio is the product of the counts' greatest: every output of every count is
// visited.
func (q countLossParams) largestLoss(ctx context.Context, l noise.Probabilities) (cert.Outcome, error) {
	const records = 2
	t, rows, of := q.Tree, q.Rows, kinds(int(q.Tree.Points), q.Omit)
	out := cert.Outcome{Method: cert.Enumeration}
	ratio := func(x, y [][]int64) {
		sum := 0.0
		for k := range x {
			for i := range x[k] {
				worst := math.Inf(-1)
				for o := int64(-1); o <= int64(records+rows+1); o++ {
					out.Work++
					worst = math.Max(worst, l.LogProb(o-x[k][i])-l.LogProb(o-y[k][i]))
				}
				sum += worst
			}
		}
		out.Value = math.Max(out.Value, sum)
	}
	sums := func(x []int) [][]int64 { return t.sums(finite.Counts(x[:t.Points])) }
	for x := range finite.Histograms(of, records) {
		if ctx.Err() != nil {
			return cert.Outcome{}, ctx.Err()
		}
		a := sums(x)
		if q.Adjacency != dp.AddRemove {
			for y := range finite.Histograms(of, records) {
				if between(x, y) <= 2*rows {
					ratio(a, sums(y))
				}
			}
			continue
		}
		for more := 1; more <= rows; more++ {
			for y := range finite.Histograms(of, records+more) {
				if between(x, y) == more { // x and more records
					b := sums(y)
					ratio(a, b)
					ratio(b, a)
				}
			}
		}
	}
	return out, ctx.Err()
}

func between(x, y []int) (sum int) {
	for i := range x {
		sum += max(x[i]-y[i], y[i]-x[i])
	}
	return sum
}
