// Package maxent fits a joint distribution of discrete variables to noisy tables over some of them.
//
// Tables y_c over sets c of variables, cells with variance σ_c² each, are to be explained by a distribution of maximum
// entropy, p_θ(x) = exp(Σ_c θ_c(x_c)) / Z(θ), with one potential for every cell of every table. θ minimises
//
//	N ln Z(θ) − Σ_c ⟨θ_c, ȳ_c⟩ + ½λ Σ_c σ_c² ‖θ_c‖²,  λ = Ridge,
//
// where N is the number of records and ȳ_c is y_c moved by a constant so that it adds up to N. The objective is
// strictly convex, its minimum is unique, and there every table satisfies N·p_θ(x_c) − ȳ_c = −λσ_c² θ_c: margins agree
// with the tables up to what their noise allows, and a table that is known better is met more closely. (Without the
// last term this is the maximum-likelihood fit of a log-linear model, whose minimum lies at infinity as soon as a noisy
// cell is below 0.)
//
// Z and the margins are exact: the sets are triangulated (package junction) and messages go up and down the junction
// forest. Upwards they are logarithms, so nothing overflows or vanishes. A clique is evaluated by products of rows,
// which cost a few multiplications a cell and no exponential. The minimum is sought by L-BFGS with memory 20, in
// coordinates scaled by (λσ² + max(ȳ, 1))^(−½), from the potentials of the last fit.
//
// Everything runs on one goroutine in a fixed order: the same tables give the same bits on every run of a machine.
//
// Cells that cannot be ([Model.Forbid]) have potential −∞. A fitted model gives margins over any variables
// ([Model.Margin], [Model.Pair]) and a Bayesian network ([Model.Net]), which makes records.
//
// Source: theory/structure.md §8.
package maxent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/junction"
)

// Quality tells how far a fit came. Its residual is made of the derivatives g = N·p − ȳ + λσ²θ of the objective, one
// for each cell of each table: the largest of |g| in units of (λσ² + max(ȳ, 1))^½, about the square root of the cell's
// count, and where g > 0, √(g·min(g, N·p)) in place of g. Such a cell should have fewer records, and has no more than
// N·p to lose: how far its potential has come is of no consequence then.
//
// That bounds the margins. They grow with their potentials, Σ (p − p*)(θ − θ*) ≥ 0, * at the minimum, so that of the
// tables' cells
//
//	Σ (N·p − N·p*)²/σ² ≤ Σ g·(N·p − N·p*)/σ²,
//
// and N·p − N·p* ≤ N·p. With A² the sum of g²/σ² over the cells that have more to lose than g, or gain, and B that of
// g·N·p/σ² over the others, all margins together are within A + √B standard deviations of noise of those at the
// minimum.
type Quality struct {
	Steps       int     // of the minimiser
	Evaluations int     // of the objective and its gradient
	Residual    float64 // how far the margins are from those at the minimum, as below: 0 there
	Largest     int     // cells of the largest clique
	Cells       int     // of all cliques
}

// enough is the scaled derivative at which a fit ends: a thousandth of the square root of a cell's count.
const enough = 1e-3

// Fit moves the model toward the minimum of its objective in at most that many steps, from the potentials of the last
// fit, and makes the margins there. It ends early where every derivative, in scaled coordinates, is at most 0.001.
// Errors: *domain.Error for steps below 1, *junction.WidthError where the tables need a clique above the limit,
// *ImpossibleError, the context's; the model then keeps its potentials, but has no margins.
func (m *Model) Fit(ctx context.Context, steps int) (Quality, error) {
	return m.FitTo(ctx, steps, enough)
}

// FitTo is Fit that ends where every scaled derivative is at most the given number: a part of the square root of a
// cell's count. Errors: also *domain.Error for one that is not above 0.
func (m *Model) FitTo(ctx context.Context, steps int, enough float64) (Quality, error) {
	return m.fitTo(ctx, steps, enough, true)
}

// Approach is FitTo of a model that more tables will come to. It does without the curvature of tables' constants: where
// noise is much, fits that are not led to their minimum choose better tables (theory/structure.md §8).
func (m *Model) Approach(ctx context.Context, steps int, enough float64) (Quality, error) {
	return m.fitTo(ctx, steps, enough, false)
}

func (m *Model) fitTo(ctx context.Context, steps int, enough float64, constants bool) (Quality, error) {
	switch {
	case steps < 1:
		return Quality{}, refuse("Fit", "steps", steps, "at least 1")
	case !(enough > 0):
		return Quality{}, refuse("Fit", "enough", enough, "a number > 0")
	}
	if err := m.prepare(ctx); err != nil {
		return Quality{}, err
	}
	m.begin()
	o := m.objective()
	q := Quality{Largest: m.tree.largest}
	for i := range m.tree.cliques {
		q.Cells += len(m.tree.cliques[i].cells)
	}
	if len(o.scale) > 0 {
		if err := o.minimise(ctx, steps, enough, constants, &q); err != nil {
			m.tree = nil
			return Quality{}, err
		}
	}
	m.tree.infer(m.potentials())
	return q, ctx.Err()
}

// begin gives the potentials of a first fit: those of independent variables with the measured margins, which is most of
// the way.
func (m *Model) begin() {
	for _, t := range m.tables {
		for _, x := range t.theta {
			if x != 0 {
				return
			}
		}
	}
	for _, t := range m.tables {
		if len(t.vars) == 1 {
			for c, y := range t.y {
				t.theta[c] = math.Log(math.Max(y, 1) / m.total * float64(len(t.y)))
			}
		}
	}
}

// prepare lays out the tree, where tables changed.
func (m *Model) prepare(ctx context.Context) error {
	if m.tree != nil {
		return ctx.Err()
	}
	t, err := newTree(ctx, m)
	if err != nil {
		return err
	}
	m.tree = t
	if math.IsInf(t.infer(m.potentials()), -1) {
		m.tree = nil
		return &ImpossibleError{}
	}
	return nil
}

func (m *Model) potentials() [][]float64 {
	theta := make([][]float64, len(m.tables))
	for i, t := range m.tables {
		theta[i] = t.theta
	}
	return theta
}

// objective is what Fit minimises, as a function of scaled coordinates.
type objective struct {
	m     *Model
	theta [][]float64 // views of flat
	flat  []float64
	y     []float64 // centred
	ridge []float64 // λσ² of every cell
	scale []float64
	start []float64
}

// objective lays out the cells of all tables. Cells that cannot be, since everything in them is forbidden, are taken
// out: their count is 0 and their potential stays 0.
func (m *Model) objective() *objective {
	n := 0
	for _, t := range m.tables {
		n += len(t.y)
	}
	o := &objective{m: m, flat: make([]float64, n), y: make([]float64, n), ridge: make([]float64, n),
		scale: make([]float64, n), start: make([]float64, n)}
	k := 0
	for i, t := range m.tables {
		possible, sum := 0, 0.0
		margin := m.tree.factors[i].sum
		for c, p := range margin {
			if p > 0 || len(m.zeros) == 0 {
				possible++
				sum += t.y[c]
			}
		}
		shift := (m.total - sum) / float64(possible)
		o.theta = append(o.theta, o.flat[k:k+len(t.y)])
		for c, p := range margin {
			if o.ridge[k] = Ridge * t.variance; p > 0 || len(m.zeros) == 0 {
				o.y[k] = t.y[c] + shift
				o.flat[k] = t.theta[c]
			}
			o.scale[k] = 1 / math.Sqrt(o.ridge[k]+math.Max(o.y[k], 1))
			o.start[k] = o.flat[k] / o.scale[k]
			k++
		}
	}
	return o
}

// evaluate makes the objective and its gradient at a place.
func (o *objective) evaluate(x, slope []float64) float64 {
	for i, v := range x {
		o.flat[i] = v * o.scale[i]
	}
	return o.here(slope)
}

// here makes the objective and its gradient at the potentials as they are.
func (o *objective) here(slope []float64) float64 {
	value, k := o.m.total*o.m.tree.infer(o.theta), 0
	for i := range o.m.tables {
		for _, p := range o.m.tree.factors[i].sum {
			th, ridge := o.flat[k], o.ridge[k]
			value += th * (0.5*ridge*th - o.y[k])
			slope[k] = (o.m.total*p - o.y[k] + ridge*th) * o.scale[k]
			k++
		}
	}
	return value
}

// gap is how far a place is from the minimum: see Quality.
func (o *objective) gap(x, slope []float64) (most float64) {
	for i, d := range slope {
		if d > most {
			g := d / o.scale[i]
			d = math.Sqrt(g*math.Min(g, o.records(i, x[i], d))) * o.scale[i]
		}
		most = math.Max(most, math.Abs(d))
	}
	return most
}

// records are those of the model in a cell, at a coordinate and its derivative.
func (o *objective) records(i int, x, slope float64) float64 {
	return math.Max(slope/o.scale[i]+o.y[i]-o.ridge[i]*x*o.scale[i], 0)
}

// minimise runs L-BFGS, and leaves the potentials of the place it ends in the tables.
func (o *objective) minimise(ctx context.Context, steps int, enough float64, constants bool, q *Quality) error {
	l := newLBFGS(o.evaluate, o.gap, o.precondition(constants).apply, o.start)
	var err error
	if q.Steps, err = l.run(ctx, steps, enough); err != nil {
		return err
	}
	q.Evaluations, q.Residual = l.calls, l.residual()
	for i, v := range l.x {
		o.flat[i] = v * o.scale[i]
	}
	for i, t := range o.m.tables {
		copy(t.theta, o.theta[i])
	}
	return nil
}

// Ridge is λ: how strongly potentials are drawn to 0, in units of the tables' variances. Of 0.0001 to 1 it is the value
// that served best (theory/structure.md §8).
const Ridge = 0.002

// MaxCells is the largest table of a clique or a margin: 2^24 cells, 128 MiB.
const MaxCells = 1 << 24

// Model is a distribution of maximum entropy with the tables that it is fitted to. Before the first Fit it is uniform.
// Not safe for concurrent use.
type Model struct {
	levels []int
	total  float64
	tables []*measured
	zeros  []*forbidden
	joined [][]int
	limit  int   // cells of a clique
	tree   *tree // nil until the first fit, or since the last change of the tables
	room   room
}

// measured is one table with its potential.
type measured struct {
	vars     []int // ascending
	y        []float64
	variance float64
	theta    []float64
}

// forbidden marks cells that cannot be.
type forbidden struct {
	vars []int
	no   []bool
}

// New is a model without tables of variables with levels[v] states each, for a number of records, which is public or
// an estimate. Errors: *domain.Error unless there is a variable, every variable has 1 to 65,536 levels and 1 ≤ total
// ≤ 1e15.
func New(levels []int, total float64) (*Model, error) {
	if len(levels) == 0 {
		return nil, refuse("New", "levels", "none", "at least one variable")
	}
	for v, l := range levels {
		if l < 1 || l > 1<<16 {
			return nil, refuse("New", "levels", fmt.Sprintf("%d of variable %d", l, v), "1 to 65536")
		}
	}
	if !(total >= 1 && total <= 1e15) {
		return nil, refuse("New", "total", total, "1 to 1e15")
	}
	return &Model{levels: slices.Clone(levels), total: total, limit: MaxCells}, nil
}

// Limit bounds the cells of a clique, 1 to MaxCells, which is the bound without it. A triangulation by min-fill depends
// on the bound: tables that junction.Build finds cliques for under a limit have these here under the same one alone.
// Errors: *domain.Error.
func (m *Model) Limit(cells int) error {
	if cells < 1 || cells > MaxCells {
		return refuse("Limit", "cells", cells, fmt.Sprintf("1 to %d", MaxCells))
	}
	m.tree, m.limit = nil, cells
	return nil
}

// Join keeps variables in one clique, as a table over them would. Errors: *domain.Error for variables that are none or
// repeated.
func (m *Model) Join(vars ...int) error {
	if err := m.checkVars("Join", vars); err != nil {
		return err
	}
	m.tree, m.joined = nil, append(m.joined, slices.Sorted(slices.Values(vars)))
	return nil
}

// Total is the number of records that tables are moved to.
func (m *Model) Total() float64 { return m.total }

// Add brings in a noisy table over variables in any order, the last running fastest, whose cells have the variance
// given. A table over the same variables as an earlier one is averaged with it by 1/variance. The fit takes it up when
// Fit is called. Errors: *domain.Error for variables that are none or repeated, another number of cells, cells that are
// no numbers, or a variance that is not positive and finite.
func (m *Model) Add(vars []int, table []float64, variance float64) error {
	if err := m.checkTable("Add", vars, table); err != nil {
		return err
	}
	if !(variance > 0 && variance <= 1e30) {
		return refuse("Add", "variance", variance, "a number > 0, at most 1e30")
	}
	vars, table = m.ascending(vars, table)
	m.tree = nil
	for _, t := range m.tables {
		if slices.Equal(t.vars, vars) {
			a, b := 1/t.variance, 1/variance
			for i, y := range table {
				t.y[i] = (a*t.y[i] + b*y) / (a + b)
			}
			t.variance = 1 / (a + b)
			return nil
		}
	}
	m.tables = append(m.tables, &measured{vars, table, variance, make([]float64, len(table))})
	return nil
}

// Forbid rules out cells: those of a table over the variables, laid out as in Add, that are true. The variables are
// joined like those of a measured table. Errors: *domain.Error as of Add.
func (m *Model) Forbid(vars []int, cells []bool) error {
	table := make([]float64, len(cells))
	for i, no := range cells {
		if no {
			table[i] = 1
		}
	}
	if err := m.checkTable("Forbid", vars, table); err != nil {
		return err
	}
	vars, table = m.ascending(vars, table)
	z := &forbidden{vars, make([]bool, len(table))}
	for i, no := range table {
		z.no[i] = no == 1
	}
	m.tree, m.zeros = nil, append(m.zeros, z)
	return nil
}

// ascending is the table with its variables in ascending order; both are copies.
func (m *Model) ascending(vars []int, table []float64) ([]int, []float64) {
	sorted := slices.Clone(vars)
	slices.Sort(sorted)
	out := make([]float64, len(table))
	for i, k := range places(m.levels, vars, sorted) {
		out[k] = table[i]
	}
	return sorted, out
}

// scopes are the sets of variables that must lie in a clique.
func (m *Model) scopes() [][]int {
	s := slices.Clone(m.joined)
	for _, t := range m.tables {
		s = append(s, t.vars)
	}
	for _, z := range m.zeros {
		s = append(s, z.vars)
	}
	return s
}

// ImpossibleError says that the forbidden cells leave no record that could be.
type ImpossibleError struct{}

func (*ImpossibleError) Error() string {
	return "maxent: the forbidden cells rule out every record; want at least one that can be"
}

// ErrNotFitted says that a model has tables that no Fit has taken up.
var ErrNotFitted = errors.New("maxent: margins of a model that is not fitted; want Fit first")

// refuse is the error of an argument.
func refuse(of, parameter string, value any, want string) error {
	return domain.Refuse("maxent: "+of, parameter, value, want)
}

// checkVars refuses sets of variables that are none.
func (m *Model) checkVars(of string, vars []int) error {
	for i, v := range vars {
		if v < 0 || v >= len(m.levels) {
			return refuse(of, "vars", v, fmt.Sprintf("variables 0 to %d", len(m.levels)-1))
		}
		if slices.Contains(vars[:i], v) {
			return refuse(of, "vars", fmt.Sprintf("%d twice", v), "each variable once")
		}
	}
	if cells := junction.Cells(vars, m.levels); cells > MaxCells {
		return refuse(of, "vars", "a table of "+junction.CellText(cells)+" cells", fmt.Sprintf("at most %d", MaxCells))
	}
	return nil
}

// checkTable refuses a table of another shape or with cells that are no numbers.
func (m *Model) checkTable(of string, vars []int, table []float64) error {
	if len(vars) == 0 {
		return refuse(of, "vars", "none", "at least one variable")
	}
	if err := m.checkVars(of, vars); err != nil {
		return err
	}
	if cells := junction.Cells(vars, m.levels); len(table) != cells {
		return refuse(of, "table", fmt.Sprintf("%d cells", len(table)), fmt.Sprintf("%d, the product of the levels", cells))
	}
	for _, y := range table {
		if math.IsNaN(y) || math.Abs(y) > 1e18 {
			return refuse(of, "table", y, "numbers of at most 1e18")
		}
	}
	return nil
}
