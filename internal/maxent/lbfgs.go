package maxent

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// gonum's optimize package would bring in golang.org/x/tools, and runs goroutines and channels around every evaluation;
// what a strictly convex objective needs of L-BFGS (Nocedal and Wright, "Numerical Optimization", 2006, §7.2) is this.

// memory is how many steps are remembered.
const memory = 20

// lbfgs minimises a convex function from a start.
type lbfgs struct {
	f     func(x, slope []float64) float64
	gap   func(x, slope []float64) float64 // how far a place is from the minimum
	x     []float64
	value float64
	slope []float64
	calls int

	first  func(d []float64) // d ← H₀·d, the inverse Hessian before any step
	s, y   [][]float64       // the last steps and changes of slope, oldest first
	rho    []float64         // 1/⟨s, y⟩
	curved float64           // ⟨y, H₀·y⟩ of the last
	spare  [][]float64       // of steps that are forgotten
}

// The line search: a step is taken if it lowers the value by at least a ten-thousandth of what the slope promises, or,
// where the value is the same but for rounding, if the slope along it says so (the approximate condition of Hager and
// Zhang 2005). It is shortened at most this often.
const (
	lowering  = 1e-4
	rounded   = 1e-15 // of a value, relative to it
	shortened = 30
)

func newLBFGS(f, gap func(x, slope []float64) float64, first func(d []float64), x []float64) *lbfgs {
	l := &lbfgs{f: f, gap: gap, first: first, x: x, slope: make([]float64, len(x)), calls: 1}
	l.value = f(x, l.slope)
	return l
}

// run takes at most that many steps, and says how many. It ends where the gap is at most enough, or where rounding lets
// no step lower the value. Error: the context's.
func (l *lbfgs) run(ctx context.Context, steps int, enough float64) (int, error) {
	direction, next, slope := make([]float64, len(l.x)), make([]float64, len(l.x)), make([]float64, len(l.x))
	for k := range steps {
		if err := ctx.Err(); err != nil {
			return k, err
		}
		if l.residual() <= enough {
			return k, nil
		}
		l.direct(direction)
		promise := floats.Dot(direction, l.slope)
		if !(promise < 0) { // the memory is of no use: begin again
			if len(l.s) == 0 {
				return k, nil
			}
			l.forget(len(l.s))
			l.direct(direction)
			promise = floats.Dot(direction, l.slope)
		}
		value, ok := l.search(ctx, direction, promise, next, slope)
		if !ok {
			if len(l.s) == 0 {
				return k, ctx.Err()
			}
			l.forget(len(l.s))
			continue
		}
		l.remember(next, slope)
		l.value = value
		copy(l.x, next)
		copy(l.slope, slope)
	}
	return steps, nil
}

// residual is the gap here.
func (l *lbfgs) residual() float64 { return l.gap(l.x, l.slope) }

// direct makes the direction −H·slope, H the inverse Hessian that the remembered steps suggest.
func (l *lbfgs) direct(d []float64) {
	for i, g := range l.slope {
		d[i] = -g
	}
	a := make([]float64, len(l.s))
	for i := len(l.s) - 1; i >= 0; i-- {
		a[i] = l.rho[i] * floats.Dot(l.s[i], d)
		floats.AddScaled(d, -a[i], l.y[i])
	}
	l.first(d)
	if last := len(l.s) - 1; last >= 0 {
		floats.Scale(1/(l.rho[last]*l.curved), d)
	}
	for i := range l.s {
		floats.AddScaled(d, a[i]-l.rho[i]*floats.Dot(l.y[i], d), l.s[i])
	}
}

// search finds a step along a direction: 1, and where that is too far the minimum of the parabola through what is
// known, within a tenth to a half of the last.
func (l *lbfgs) search(ctx context.Context, d []float64, promise float64, next, slope []float64) (float64, bool) {
	step := 1.0
	for range shortened {
		floats.AddScaledTo(next, l.x, step, d)
		l.calls++
		value := l.f(next, slope)
		if ctx.Err() != nil {
			return 0, false
		}
		if value <= l.value+lowering*step*promise ||
			value <= l.value+rounded*math.Abs(l.value) && floats.Dot(d, slope) <= (2*lowering-1)*promise {
			return value, true
		}
		best := -promise * step * step / (2 * (value - l.value - promise*step))
		if !(best >= 0.1*step) {
			best = 0.1 * step
		}
		step = math.Min(best, 0.5*step)
	}
	return 0, false
}

// remember takes a step into the memory, if the slope grew along it beyond rounding.
func (l *lbfgs) remember(next, slope []float64) {
	s, y := l.vector(), l.vector()
	floats.SubTo(s, next, l.x)
	floats.SubTo(y, slope, l.slope)
	sy := floats.Dot(s, y)
	if !(sy > 1e-12*floats.Norm(s, 2)*floats.Norm(y, 2)) {
		l.spare = append(l.spare, s, y)
		return
	}
	if len(l.s) == memory {
		l.forget(1)
	}
	l.s, l.y, l.rho = append(l.s, s), append(l.y, y), append(l.rho, 1/sy)
	h := l.vector()
	copy(h, y)
	l.first(h)
	l.curved = floats.Dot(y, h)
	l.spare = append(l.spare, h)
}

// forget drops the oldest steps.
func (l *lbfgs) forget(n int) {
	l.spare = append(append(l.spare, l.s[:n]...), l.y[:n]...)
	l.s, l.y, l.rho = slices.Delete(l.s, 0, n), slices.Delete(l.y, 0, n), slices.Delete(l.rho, 0, n)
}

// vector has the numbers of one that served, or zeros.
func (l *lbfgs) vector() []float64 {
	last := len(l.spare) - 1
	if last < 0 {
		return make([]float64, len(l.x))
	}
	v := l.spare[last]
	l.spare = l.spare[:last]
	return v
}

// The exponential of a row, some three times as fast as math.Exp on each: e^x = 2^(k/64)·e^r with k = round(64x/ln 2)
// and |r| ≤ ln 2/128 = 0.0054, where the Taylor polynomial of degree 5 leaves a relative error of r^6/720 ≤ 4e-17.
// ln 2/64 is taken off in two parts, the first with 32 bits, so that k times it is exact. Everything is relative to the
// row's largest entry: arguments are ≤ 0, and results below 2^−1000, which no sum would notice, are 0.
const (
	parts    = 64
	perUnit  = parts / math.Ln2
	unitHigh = 0x1.62e42fee00000p-7 // ln 2/64, its leading 32 bits
	unitLow  = 0x1.a39ef35793c76p-39
	rounding = 0x1.8p52 // added and taken off, it leaves the nearest integer
	smallest = -690.0
)

// powers are 2^(j/64).
var powers = func() (p [parts]uint64) {
	for j := range p {
		p[j] = math.Float64bits(math.Exp2(float64(j) / parts))
	}
	return p
}()

// expRow replaces every x by e^(x − top) and returns their sum. top is at least every x.
func expRow(row []float64, top float64) float64 {
	sum := 0.0
	for i, x := range row {
		x -= top
		if !(x > smallest) {
			row[i] = 0
			continue
		}
		shifted := x*perUnit + rounding
		k := math.Float64bits(shifted) // its last bits
		shifted -= rounding
		r := (x - shifted*unitHigh) - shifted*unitLow
		e := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120)))))
		e *= math.Float64frombits(powers[k%parts] + k/parts<<52)
		row[i] = e
		sum += e
	}
	return sum
}

// Potentials are the potentials that the last fit ended at: the cells of every set of variables that was measured, in
// the order in which the sets were first added, each with its variables ascending and the last running fastest.
func (m *Model) Potentials() [][]float64 {
	out := make([][]float64, len(m.tables))
	for i, t := range m.tables {
		out[i] = slices.Clone(t.theta)
	}
	return out
}

// Take puts potentials in the place of a fit and makes the margins there. Its residual is how far they are from the
// minimum: the largest scaled derivative, which [Model.FitTo] takes below a given number. Where a fit ends depends on
// the machine; what its potentials say does not, but for rounding.
//
// Scaled derivatives g_i bound more than themselves. Since the margins of an exponential family grow with its
// potentials, (N·p − N·p*)·(θ − θ*) ≥ 0, and a derivative is N(p − p*) + λσ²(θ − θ*), the margins of the tables are
// within Σ (N·p_i − N·p*_i)²/σ_i² ≤ Σ g_i²/σ_i² of those at the minimum, g unscaled.
//
// Errors: those of Fit; *domain.Error for potentials that are not one finite number for each cell, of at most 1e9, or
// not 0 where the forbidden cells leave no record. The model then has no margins.
func (m *Model) Take(ctx context.Context, potentials [][]float64) (Quality, error) {
	if len(potentials) != len(m.tables) {
		return Quality{}, refuse("Take", "potentials", fmt.Sprintf("%d tables", len(potentials)),
			fmt.Sprintf("%d, one for each set of variables", len(m.tables)))
	}
	for i, t := range m.tables {
		if len(potentials[i]) != len(t.theta) {
			return Quality{}, refuse("Take", "potentials", fmt.Sprintf("%d cells of table %d", len(potentials[i]), i+1),
				fmt.Sprint(len(t.theta)))
		}
		for _, x := range potentials[i] {
			if !(math.Abs(x) <= mostPotential) {
				return Quality{}, refuse("Take", "potentials", x, fmt.Sprintf("numbers of at most %g", mostPotential))
			}
		}
		clear(t.theta)
	}
	m.tree = nil // its margins at potentials 0 say which cells can be
	if err := m.prepare(ctx); err != nil {
		return Quality{}, err
	}
	for i, t := range m.tables {
		copy(t.theta, potentials[i])
	}
	o := m.objective()
	if x := floats.Distance(o.flat, slices.Concat(potentials...), math.Inf(1)); x > 0 {
		m.tree = nil
		return Quality{}, refuse("Take", "potentials", x, "0 in cells that cannot be")
	}
	slope := make([]float64, len(o.flat))
	value := o.here(slope)
	q := Quality{Evaluations: 1, Residual: o.gap(o.start, slope), Largest: m.tree.largest}
	for i := range m.tree.cliques {
		q.Cells += len(m.tree.cliques[i].cells)
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || floats.HasNaN(slope) {
		m.tree = nil
		return Quality{}, refuse("Take", "potentials", value, "potentials of a distribution")
	}
	return q, ctx.Err()
}

// mostPotential is far above those of any fit, and so small that sums of them keep seven digits.
const mostPotential = 1e9
