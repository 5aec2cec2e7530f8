package latticesum

import "math"

// Surface is a posterior of two parameters on a grid: of μ and log σ.
type Surface struct {
	mu, logSigma []float64
	below        []float64 // cumulative weights of the cells, log σ running fastest
}

// Points of the grid to a side, and the depth in nats to which it reaches.
const (
	boxPoints     = 12 // while its box is looked for
	surfacePoints = 28
	surfaceDepth  = 9
)

// Posterior climbs to the mode from the moments of the noisy sums and from a coarse look at the whole range, then takes a
// grid about it, whose sides move until each is 9 nats down, or at the end of the range, and not far more.
func (o *TwoSums) Posterior() (*Surface, error) {
	lo := [2]float64{-o.Half, math.Log(o.Half / 250)}
	hi := [2]float64{o.Half, math.Log(2 * o.Half)}
	f := func(x [2]float64) float64 {
		for i := range x {
			if x[i] < lo[i] || x[i] > hi[i] {
				return math.Inf(-1)
			}
		}
		return o.LogLikelihood(x[0], math.Exp(x[1]))
	}
	top, best := o.start(lo, hi, f)
	if math.IsInf(best, 0) || math.IsNaN(best) {
		return nil, ErrNoPosterior
	}
	top, best = climb(top, best, hi[0]/8, f)
	// widths by steps along both axes until 2 nats down
	var from, to [2]float64
	for i := range top {
		width := (hi[i] - lo[i]) * 1e-6
		for width < hi[i]-lo[i] {
			a, b := top, top
			a[i], b[i] = a[i]-width, b[i]+width
			if math.Max(f(a), f(b)) < best-2 {
				break
			}
			width *= 1.6
		}
		from[i], to[i] = math.Max(lo[i], top[i]-2.5*width), math.Min(hi[i], top[i]+2.5*width)
	}
	for range 12 {
		values, best := fill(boxPoints, from, to, f)
		moved := false
		for i := range from {
			for side := range 2 {
				moved = slide(values, best, i, side, &from, &to, lo, hi) || moved
			}
		}
		if !moved {
			break
		}
	}
	values, best := fill(surfacePoints, from, to, f)
	s := &Surface{}
	for i := range surfacePoints {
		at := (float64(i) + .5) / surfacePoints
		s.mu = append(s.mu, from[0]+at*(to[0]-from[0]))
		s.logSigma = append(s.logSigma, from[1]+at*(to[1]-from[1]))
	}
	total := 0.0
	for i := range values {
		for _, v := range values[i] {
			total += math.Exp(v - best)
			s.below = append(s.below, total)
		}
	}
	for i := range s.below {
		s.below[i] /= total
	}
	return s, nil
}

// fill takes the density at the middles of the cells.
func fill(n int, from, to [2]float64, f func([2]float64) float64) (values [][]float64, best float64) {
	values, best = make([][]float64, n), math.Inf(-1)
	for i := range values {
		values[i] = make([]float64, n)
		for j := range values[i] {
			values[i][j] = f([2]float64{from[0] + (float64(i)+.5)/float64(n)*(to[0]-from[0]),
				from[1] + (float64(j)+.5)/float64(n)*(to[1]-from[1])})
			best = math.Max(best, values[i][j])
		}
	}
	return values, best
}

// slide moves one side of the box: out where it is not deep enough, in where most of it is too deep.
func slide(values [][]float64, best float64, axis, side int, from, to *[2]float64,
	lo, hi [2]float64) bool {
	line := func(k int) float64 { // the greatest value on a line of cells, counted from this side
		if side == 1 {
			k = boxPoints - 1 - k
		}
		most := math.Inf(-1)
		for j := range boxPoints {
			v := values[k][j]
			if axis == 1 {
				v = values[j][k]
			}
			most = math.Max(most, v)
		}
		return most
	}
	width := to[axis] - from[axis]
	deep := 0
	for deep < boxPoints-1 && line(deep) < best-surfaceDepth {
		deep++
	}
	var by float64 // outwards
	switch {
	case deep == 0:
		by = .4 * width
	case deep > 2:
		by = -float64(deep-1) / boxPoints * width
	default:
		return false
	}
	if side == 0 {
		next := math.Max(lo[axis], from[axis]-by)
		moved := math.Abs(next-from[axis]) > 1e-12*width
		from[axis] = next
		return moved
	}
	next := math.Min(hi[axis], to[axis]+by)
	moved := math.Abs(next-to[axis]) > 1e-12*width
	to[axis] = next
	return moved
}

// start is the best of the moments' own values and of a coarse grid.
func (o *TwoSums) start(lo, hi [2]float64, f func([2]float64) float64) (at [2]float64, best float64) {
	best = math.Inf(-1)
	try := func(x [2]float64) {
		for i := range x {
			x[i] = math.Min(math.Max(x[i], lo[i]), hi[i])
		}
		if v := f(x); v > best {
			at, best = x, v
		}
	}
	n := math.Max(float64(o.N), 1)
	mean := o.First / n
	for _, share := range []float64{1, .3, .1, .03} {
		v := math.Max(o.Second/n-mean*mean, share*1e-2*o.Half*o.Half)
		try([2]float64{mean, math.Log(v) / 2})
	}
	for i := range 9 {
		for j := range 7 {
			try([2]float64{lo[0] + (float64(i)+.5)/9*(hi[0]-lo[0]), lo[1] + (float64(j)+.5)/7*(hi[1]-lo[1])})
		}
	}
	return at, best
}

// climb follows the better of eight neighbours, halving the step when there is none; steps in μ and log σ are kept in the
// proportion first : 1/4.
func climb(at [2]float64, best, first float64, f func([2]float64) float64) ([2]float64, float64) {
	step := [2]float64{first, .25}
	for range 400 {
		moved := false
		for _, d := range [8][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
			x := [2]float64{at[0] + d[0]*step[0], at[1] + d[1]*step[1]}
			if v := f(x); v > best {
				at, best, moved = x, v, true
				break
			}
		}
		if !moved {
			if step[0] /= 2; step[0] < first*1e-6 {
				break
			}
			step[1] /= 2
		}
	}
	return at, best
}

// At is a point of the posterior for three numbers in (0, 1): the first chooses the cell, the others the place in it.
func (s *Surface) At(u, v, w float64) (mu, sigma float64) {
	lo, hi := -1, len(s.below)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.below[mid] < u {
			lo = mid
		} else {
			hi = mid
		}
	}
	i, j := hi/surfacePoints, hi%surfacePoints
	return s.mu[i] + (v-.5)*(s.mu[1]-s.mu[0]), math.Exp(s.logSigma[j] + (w-.5)*(s.logSigma[1]-s.logSigma[0]))
}
