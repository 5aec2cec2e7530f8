package maxent

import (
	"context"
	"math"
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
// Errors: *domain.Error for steps below 1, *junction.WidthError where the tables need a clique above MaxCells,
// *ImpossibleError, the context's; the model then keeps its potentials, but has no margins.
func (m *Model) Fit(ctx context.Context, steps int) (Quality, error) {
	return m.FitTo(ctx, steps, enough)
}

// FitTo is Fit that ends where every scaled derivative is at most the given number: a part of the square root of a
// cell's count. Errors: also *domain.Error for one that is not above 0.
func (m *Model) FitTo(ctx context.Context, steps int, enough float64) (Quality, error) {
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
		if err := o.minimise(ctx, steps, enough, &q); err != nil {
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
func (o *objective) minimise(ctx context.Context, steps int, enough float64, q *Quality) error {
	l := newLBFGS(o.evaluate, o.gap, o.start)
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
