package dirichlet

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// certify states the release at given r and α.
func certify(ctx context.Context, p *problem, q params) (spec mechanism.Spec, err error) {
	r, alpha := q.Rate, q.Shape
	if err := validPair(r, alpha); err != nil {
		return spec, err
	}
	pair := p.pair(r, alpha)
	checks, err := p.checks(ctx, r, alpha)
	if err != nil {
		return spec, err
	}
	d := &sampler{problem: p, rate: r}
	for _, b := range p.blocks {
		d.shapes = append(d.shapes, alpha*b.weight)
	}
	spec = mechanism.Spec{
		Shape: p.shape, Settings: p.settings(r, alpha), Arithmetic: dp.Ideal,
		StandardFormula: p.standardFormula(r, alpha), Pair: pair,
		Checks: checks, Expected: p.expect(r, alpha), Sampler: d, Draws: mechanism.Reals,
	}
	if p.m.form == simplexForm {
		spec.Sampled = p.sampled(r, alpha)
	}
	return spec, nil
}

// sampled is the posterior that the simplex form and the urns draw from, Dirichlet(r·counts + α): a record weighs r,
// and α of every cell stands in the place of the prior.
func (p *problem) sampled(r, alpha float64) *mechanism.Sampled {
	out := &mechanism.Sampled{Power: r, Box: 1, Prior: math.Inf(1), PriorName: "the noise α, as pseudo-counts of a table,"}
	for _, b := range p.blocks {
		out.Prior = math.Min(out.Prior, alpha*b.weight*float64(b.rows*b.levels))
	}
	return out
}

func (p *problem) settings(r, alpha float64) []mechanism.Setting {
	out := []mechanism.Setting{
		{Name: "law", Value: "Gamma(r·count + α) per cell"},
		{Name: "r", Value: fmt.Sprintf("%.6g (%s)", r, p.m.calibration)},
		{Name: "α", Value: fmt.Sprintf("%.6g", alpha)},
		{Name: "pseudo-count α/r", Value: fmt.Sprintf("%.6g records per cell", alpha/r)},
		{Name: "tables changed by one unit", Value: fmt.Sprint(p.touched)},
		{Name: "post-processing", Value: "posterior mean"},
	}
	if p.m.form == simplexForm {
		out[0].Value, out[5].Value = "Dirichlet(r·counts + α) per table", "none: the draw is the parameters"
	}
	if p.m.bySize {
		out = append(out, mechanism.Setting{Name: "shares", Value: "α of a table ∝ its cells^−0.8"})
	}
	if p.m.minCount > 0 {
		out = append(out, mechanism.Setting{Name: "least count",
			Value: fmt.Sprintf("counts below %d are raised to it", p.m.minCount)})
	}
	return out
}

// pairParams are the public inputs of the check of the composed pair.
type pairParams struct {
	Rate     float64       `json:"rate"`
	Shapes   []float64     `json:"shapes"` // of the tables that one unit's change reaches
	MinCount int           `json:"min_count,omitempty"`
	Rows     int           `json:"rows"`
	Replaced bool          `json:"replaced"`
	BinaryN  int           `json:"binary_n,omitempty"` // records of one table with two cells and public n
	Want     dp.Parameters `json:"want"`
}

// problem is the part of the plan that the pair depends on.
func (q pairParams) problem() (*problem, error) {
	if q.Rows < 1 || q.MinCount < 0 || q.BinaryN < 0 || len(q.Shapes) == 0 || len(q.Shapes) > 1<<16 {
		return nil, domain.Refuse("dirichlet", "rows, min_count, shapes",
			fmt.Sprint(q.Rows, q.MinCount, len(q.Shapes)), "rows ≥ 1, min_count ≥ 0, at least one table")
	}
	p := &problem{m: Dirichlet{minCount: q.MinCount}, n: float64(q.BinaryN), rows: q.Rows, replaced: q.Replaced,
		binary: q.BinaryN > 0, touched: len(q.Shapes), weighted: true}
	for _, s := range q.Shapes {
		if err := validPair(q.Rate, s); err != nil {
			return nil, err
		}
		p.blocks = append(p.blocks, block{weight: s})
	}
	return p, q.Want.Valid()
}

// enumerationParams are the public inputs of the enumeration: one table's law, on histograms of n records in some
// cells.
type enumerationParams struct {
	Rate     float64 `json:"rate"`
	Shape    float64 `json:"shape"`
	MinCount int     `json:"min_count,omitempty"`
	Rows     int     `json:"rows"`
	Replaced bool    `json:"replaced"`
	Cells    int     `json:"cells"`
	N        int     `json:"n"`
	Order    float64 `json:"order"`
}

var pairChecker = cert.Define("dirichlet/pair", func(ctx context.Context, q pairParams) (cert.Outcome, error) {
	p, err := q.problem()
	if err != nil {
		return cert.Outcome{}, err
	}
	value := loss.Spent(loss.Until(ctx, p.pair(q.Rate, 1)), q.Want)
	return cert.Outcome{Value: value, Method: cert.ClosedForm}, ctx.Err()
})

var enumerationChecker = cert.Define("dirichlet/enumeration",
	func(ctx context.Context, q enumerationParams) (cert.Outcome, error) {
		return q.enumerate(ctx)
	})

func (p *problem) checks(ctx context.Context, r, alpha float64) ([]cert.Check, error) {
	ctx = cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
	moved, err := sensitivity.CellsCheck(ctx, p.shape, p.target.Adjacency, p.countsChanged())
	if err != nil {
		return nil, err
	}
	q := pairParams{Rate: r, MinCount: p.m.minCount, Rows: p.rows, Replaced: p.replaced, Want: p.target.Parameters}
	for k := range p.blocks {
		if p.weighted || k < p.touched {
			q.Shapes = append(q.Shapes, alpha*p.blocks[k].weight)
		}
	}
	if p.binary {
		q.BinaryN = int(p.n)
	}
	bound := loss.Allowed(p.target.Parameters)
	if p.target.NominalScale { // nothing was asked for: the check states what is true
		bound = number(loss.Spent(loss.Until(ctx, p.pair(r, alpha)), p.target.Parameters))
	}
	scope := "all data of any size; r and α as shipped"
	if p.m.minCount > 0 {
		scope = fmt.Sprintf("all data of any size, counts below %d raised to it; r and α as shipped", p.m.minCount)
	}
	loss, err := pairChecker.Check(ctx, cert.Check{
		Statement: "composition of the tables' dominating pairs, " + loss.NotionWords(p.target.Parameters),
		Formula:   fmt.Sprintf("%d × %s", p.touched, p.tablePair(r, alpha)),
		Source:    "theory/dirichlet.md, Theorems A to D, Corollaries A1 to A5; composition §2.5",
		Bound:     bound, Scope: scope,
	}, q)
	if err != nil {
		return nil, err
	}
	e := enumerationParams{Rate: r, Shape: q.Shapes[0], MinCount: p.m.minCount, Rows: p.rows, Replaced: p.replaced,
		Cells: 3, N: 5 + p.rows, Order: p.target.Order}
	if e.Order == 0 {
		e.Order = 1 + (e.Shape+r*float64(p.m.minCount))/(2*r*float64(p.rows))
	}
	single := *p
	single.binary = false
	each, err := enumerationChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("no neighbouring histograms exceed one table's pair: Rényi divergence of order %.4g "+
			"between the shipped Dirichlet laws", e.Order),
		Formula: "[ln B(λu − (λ−1)v) + (λ−1) ln B(v) − λ ln B(u)]/(λ−1), u = r·x + α, v = r·x′ + α",
		Source:  "theory/dirichlet.md §1.1",
		Bound:   number(single.tablePair(r, q.Shapes[0]).RDP(e.Order)),
		Scope:   fmt.Sprintf("every pair of neighbouring histograms of up to %d records in %d cells", e.N, e.Cells),
	}, e)
	if err != nil {
		return nil, err
	}
	return []cert.Check{moved, loss, each}, nil
}

// countsChanged is the number of counts of the model's tables that one row changes.
func (p *problem) countsChanged() int {
	tables := p.touched
	if p.m.prior {
		tables--
	}
	if p.replaced {
		return 2 * tables
	}
	return tables
}

// enumerate is the greatest Rényi divergence between neighbours, and −Inf's place taken by 0 where there are none.
func (q enumerationParams) enumerate(ctx context.Context) (cert.Outcome, error) {
	if err := validPair(q.Rate, q.Shape); err != nil {
		return cert.Outcome{}, err
	}
	if q.Cells < 2 || q.Cells > 4 || q.N < 1 || q.N > 32 || q.Rows < 1 || q.MinCount < 0 || !(q.Order > 1) {
		return cert.Outcome{}, domain.Refuse("dirichlet", "cells, n, rows, order",
			fmt.Sprint(q.Cells, q.N, q.Rows, q.Order), "2 to 4 cells, 1 ≤ n ≤ 32, rows ≥ 1, order > 1")
	}
	all := histograms(q.Cells, q.N)
	work := int64(len(all)) * int64(len(all))
	if work > cert.WorkLimit(ctx) {
		return cert.Outcome{}, cert.ErrWorkLimit
	}
	out := cert.Outcome{Method: cert.Enumeration}
	u, change := make([]float64, q.Cells), make([]float64, q.Cells)
	for _, x := range all {
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		for _, y := range all {
			if !q.neighbours(x, y) {
				continue
			}
			for i := range u {
				u[i] = q.Rate*float64(x[i]+q.MinCount) + q.Shape
				change[i] = q.Rate * float64(y[i]-x[i])
			}
			out.Value = math.Max(out.Value, loss.DirichletRenyi(u, change, q.Order))
			out.Work++
		}
	}
	return out, nil
}

// neighbours reports whether y follows from x by one unit's change.
func (q enumerationParams) neighbours(x, y []int) bool {
	up, down := 0, 0
	for i := range x {
		up += max(y[i]-x[i], 0)
		down += max(x[i]-y[i], 0)
	}
	if q.Replaced {
		return up == down && up > 0 && up <= q.Rows
	}
	return (up == 0) != (down == 0) && max(up, down) <= q.Rows
}

// histograms lists every histogram of up to n records in d cells.
func histograms(d, n int) [][]int {
	if d == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for c := 0; c <= n; c++ {
		for _, rest := range histograms(d-1, n-c) {
			out = append(out, append([]int{c}, rest...))
		}
	}
	return out
}

func number(x float64) cert.Number { return cert.Number(x) }

// pair is the dominating pair of the whole release: the composition of one pair for every table that a unit's change
// reaches. Under replace-value that is a number of tables, all with the same parameters; otherwise every table.
func (p *problem) pair(r, alpha float64) loss.Pair {
	if len(p.blocks) == 1 || !p.weighted && p.touched == 1 {
		return p.tablePair(r, alpha*p.blocks[0].weight)
	}
	if !p.weighted { // with equal parameters only the number of tables matters; with weights, all of them are composed
		return declare(loss.Repeat{Pair: p.tablePair(r, alpha*p.blocks[0].weight), Times: p.touched})
	}
	var parts []loss.Repeat
	for _, b := range p.blocks {
		parts = append(parts, loss.Repeat{Pair: p.tablePair(r, alpha*b.weight), Times: 1})
	}
	return declare(parts...)
}

// declare composes pairs; parameters at which no composition is known have no claim.
func declare(parts ...loss.Repeat) loss.Pair {
	d, err := loss.DeclareByCurve(parts...)
	if err != nil {
		return unbounded{}
	}
	return d
}

// unbounded is the pair of a release without any guarantee.
type unbounded struct{}

func (unbounded) String() string        { return "no bound" }
func (unbounded) PureEpsilon() float64  { return math.Inf(1) }
func (unbounded) Delta(float64) float64 { return 1 }
func (unbounded) RDP(float64) float64   { return math.Inf(1) }
func (unbounded) ZCDP() float64         { return math.Inf(1) }

// tablePair is the pair of one table: Theorems A and C, Corollaries A2 to A5.
func (p *problem) tablePair(r, alpha float64) loss.Pair {
	alpha += r * float64(p.m.minCount)
	switch {
	case p.rows > 1:
		two, inf := p.deltas()
		return loss.VectorPair{Rate: r, Shape: alpha, Delta2: math.Sqrt(two), DeltaInf: inf}
	case !p.replaced:
		return loss.GammaPair{Rate: r, Shape: alpha}
	case p.binary:
		return loss.BinaryDirichletPair{Rate: r, Shape: alpha, N: int(p.n)}
	}
	return loss.DirichletPair{Rate: r, Shape: alpha}
}
