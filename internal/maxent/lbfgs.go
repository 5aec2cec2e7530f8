package maxent

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// gonum's optimize package would bring in golang.org/x/tools, and runs goroutines and channels around every evaluation;
// what a strictly convex objective needs of L-BFGS (Nocedal and Wright, "Numerical Optimization", 2006, §7.2) is this.

// memory is how many steps are remembered.
const memory = 10

// lbfgs minimises a convex function from a start.
type lbfgs struct {
	f     func(x, slope []float64) float64
	gap   func(x, slope []float64) float64 // how far a place is from the minimum
	x     []float64
	value float64
	slope []float64
	calls int

	s, y [][]float64 // the last steps and changes of slope, oldest first
	rho  []float64   // 1/⟨s, y⟩
}

// The line search: a step is taken if it lowers the value by at least a ten-thousandth of what the slope promises, or,
// where the value is the same but for rounding, if the slope along it says so (the approximate condition of Hager and
// Zhang 2005). It is shortened at most this often.
const (
	lowering  = 1e-4
	rounded   = 1e-15 // of a value, relative to it
	shortened = 30
)

func newLBFGS(f, gap func(x, slope []float64) float64, x []float64) *lbfgs {
	l := &lbfgs{f: f, gap: gap, x: x, slope: make([]float64, len(x)), calls: 1}
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
			l.s, l.y, l.rho = nil, nil, nil
			l.direct(direction)
			promise = floats.Dot(direction, l.slope)
		}
		value, ok := l.search(ctx, direction, promise, next, slope)
		if !ok {
			if len(l.s) == 0 {
				return k, ctx.Err()
			}
			l.s, l.y, l.rho = nil, nil, nil
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
	if last := len(l.s) - 1; last >= 0 {
		floats.Scale(1/(l.rho[last]*floats.Dot(l.y[last], l.y[last])), d)
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
	s, y := make([]float64, len(next)), make([]float64, len(next))
	floats.SubTo(s, next, l.x)
	floats.SubTo(y, slope, l.slope)
	sy := floats.Dot(s, y)
	if !(sy > 1e-12*floats.Norm(s, 2)*floats.Norm(y, 2)) {
		return
	}
	if len(l.s) == memory {
		l.s, l.y, l.rho = l.s[1:], l.y[1:], l.rho[1:]
	}
	l.s, l.y, l.rho = append(l.s, s), append(l.y, y), append(l.rho, 1/sy)
}
