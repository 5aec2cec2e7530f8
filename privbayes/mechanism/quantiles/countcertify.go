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
)

// treeParams are the public inputs of the enumeration of records.
type treeParams struct {
	Tree      tree         `json:"tree"`
	Adjacency dp.Adjacency `json:"adjacency"`
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
	return q.Tree.farthest(ctx, q.Adjacency)
})

// farthest is the largest change over all records, or pairs of records.
func (t tree) farthest(ctx context.Context, adj dp.Adjacency) (cert.Outcome, error) {
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
		if adj == dp.AddRemove {
			visit(a, nothing)
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
	Noise countNoise `json:"noise"`
	Rows  int        `json:"rows"`
	Want  dp.Level   `json:"want"`
}

func (q countLossParams) valid(points int64) error {
	if err := q.treeParams.valid(points); err != nil {
		return err
	}
	if _, err := q.Noise.law(); err != nil {
		return err
	}
	if q.Rows < 1 || q.Rows > maxRows {
		return domain.Refuse("quantiles", "rows", q.Rows, fmt.Sprintf("1 to %d", maxRows))
	}
	return q.Want.Valid()
}

func (q countLossParams) pair() loss.Pair { return q.Noise.pair(q.Tree.changed(q.Adjacency), q.Rows) }

var countLossChecker = cert.Define("quantile-tree/loss",
	func(ctx context.Context, q countLossParams) (cert.Outcome, error) {
		if err := q.valid(1 << 20); err != nil {
			return cert.Outcome{}, err
		}
		method := cert.ClosedForm
		if q.Noise.Law == gaussianLaw {
			method = cert.ProvedBound
		}
		return cert.Outcome{Value: loss.Spent(loss.Until(ctx, q.pair()), q.Want), Method: method}, ctx.Err()
	})

// certifyCounts states the release at given noise.
func certifyCounts(ctx context.Context, p *counted, q countParams) (s mechanism.Spec, err error) {
	if q.Tree.Points != p.points {
		return s, domain.Refuse("quantiles", "points", q.Tree.Points, fmt.Sprintf("the lattice's %d", p.points))
	}
	l, err := q.Noise.law()
	if err != nil {
		return s, err
	}
	adj, want := p.target.Adjacency, p.target.Level
	of := treeParams{q.Tree, adj}
	all := countLossParams{of, q.Noise, p.rows, want}
	pair := all.pair()
	level, meets, err := loss.Spend(ctx, pair, p.target)
	if err != nil {
		return s, err
	}
	if !meets {
		return s, mechanism.Unmet(ctx, p.m.Title(), want, pair, "another level")
	}
	few := treeParams{q.Tree.small(enumeratedPoints), adj}
	moved, err := treeChecker.Check(ctx, cert.Check{
		Statement: "Σ|change| of all counts by one row", Formula: "levels, twice under replace-one",
		Source: "a record is at one node of every level", Bound: cert.Number(few.Tree.changed(adj)),
		Scope: fmt.Sprintf("every record, or pair of records, on %d points and %d levels", few.Tree.Points,
			few.Tree.levels()),
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
	if q.Noise.Law == geometricLaw {
		tiny := all
		tiny.Tree, tiny.Rows = tree{Points: 3, Width: 1, Branching: 2}, min(p.rows, 2)
		moves := tiny.Tree.changed(adj) * tiny.Rows
		whole, err := wholeChecker.Check(ctx, cert.Check{
			Statement: "exact pure ε of whole releases, by enumeration",
			Formula:   fmt.Sprintf("max log P_x(o)/P_y(o) ≤ %d·γ", moves),
			Source:    "the sampler's own probabilities, every count of the tree",
			Bound:     cert.Number(float64(moves)*q.Noise.Size.Float()*(1+1e-12) + 1e-12),
			Scope:     fmt.Sprintf("every data set of 2 records on 3 points, units of %d, every output", tiny.Rows),
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
		Shape: p.shape, Settings: p.settings(q), Level: level, Arithmetic: dp.Exact, Pair: pair,
		Textbook: p.textbook(q), Checks: checks, Expected: expected,
		Draws: mechanism.Integers, Count: q.Tree.count(), Drawer: &countDrawer{p, q.Tree, l},
	}, ctx.Err()
}

func (p *counted) settings(q countParams) []mechanism.Setting {
	noise := fmt.Sprintf("two-sided geometric, rate γ = %s = %.6g", q.Noise.Size, q.Noise.Size.Float())
	if q.Noise.Law == gaussianLaw {
		noise = fmt.Sprintf("discrete Gaussian, σ² = %s = %.6g", q.Noise.Size, q.Noise.Size.Float())
	}
	counts := fmt.Sprintf("a histogram of %d intervals", q.Tree.leaves())
	if l := q.Tree.levels(); l > 1 {
		counts = fmt.Sprintf("a tree of %d intervals, %d levels, %d children a node", q.Tree.leaves(), l, q.Tree.Branching)
	}
	return []mechanism.Setting{
		{Name: "noise", Value: noise}, {Name: "counts", Value: counts},
		{Name: "lattice", Value: fmt.Sprintf("%d points", p.points)},
		{Name: "consistency", Value: "least squares on the tree; counts up to a value made to increase"},
	}
}

// textbook is what the usual formulas claim: ε = Δ₁γ, or ρ = Δ₂²/(2σ²) and its conversion.
func (p *counted) textbook(q countParams) mechanism.Textbook {
	cells, rows := float64(q.Tree.changed(p.target.Adjacency)), float64(p.rows)
	if q.Noise.Law == geometricLaw {
		return mechanism.Textbook{
			Level:  dp.Level{Notion: dp.Pure, Epsilon: cert.Number(cells * rows * q.Noise.Size.Float())},
			Source: "ε = Δ₁γ, Laplace mechanism, Dwork, McSherry, Nissim, Smith 2006",
		}
	}
	rho := cells * rows * rows / (2 * q.Noise.Size.Float())
	out := mechanism.Textbook{Level: dp.Level{Notion: dp.Concentrated, Rho: rho},
		Source: "ρ = Δ₂²/(2σ²), Canonne, Kamath, Steinke 2020, Theorem 14"}
	if want := p.target.Level; want.Notion == dp.Approximate {
		out.Level = dp.Level{Notion: dp.Approximate, Delta: want.Delta,
			Epsilon: cert.Number(rho + 2*math.Sqrt(rho*math.Log(1/want.Delta)))}
		out.Source = "ε = ρ + 2√(ρ log 1/δ), Bun, Steinke 2016, Proposition 1.3"
	}
	return out
}
