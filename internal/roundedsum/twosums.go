package roundedsum

import (
	"cmp"
	"math"
	"slices"
)

// TwoSums is a normal law's mean and standard deviation given the noisy sums of c and c², c a record's place about the
// middle of the lattice: |c| ≤ Half, points Unit apart. All are in units of c. The prior is uniform in μ on [−Half,
// Half] and in log σ on [Half/250, 2·Half].
//
// The two sums are taken for normal, with the exact moments of clipped and rounded records: for n ≥ 50 the posterior is
// then within a total variation of some 0.003 of the exact one (theory/numbers.md §2). The noise is not taken for
// normal, unless it is.
type TwoSums struct {
	N          int
	Half, Unit float64
	First      float64 // noisy Σc
	Second     float64 // noisy Σc²

	// One of two: Gaussian noise by its variances, or noise with the density e^{−Exponent}/Mass, with its variances
	Variances [2]float64
	Exponent  func(d, e float64) float64 // nil for Gaussian noise
	Mass      float64
}

// LogLikelihood is up to a constant.
func (o *TwoSums) LogLikelihood(mu, sigma float64) float64 {
	s, n := normalSums(mu, sigma, o.Half, o.Unit), float64(o.N)
	d, e := o.First-n*s.m1, o.Second-n*s.m2
	a, b, c := n*s.v11, n*s.v12, n*s.v22
	if o.Exponent == nil {
		return logNormal2(d, e, a+o.Variances[0], b, c+o.Variances[1])
	}
	// S = n·m + L·u with L the Cholesky factor of nV, u standard normal
	l11 := math.Sqrt(a)
	l21 := b / l11
	l22 := math.Sqrt(math.Max(c-l21*l21, 1e-12))
	// how many e-folds of the noise one unit of u is worth, along both axes
	folds := [2]float64{o.Exponent(l11, l21), o.Exponent(0, l22)}
	if math.Max(folds[0], folds[1]) > foldsOfNormal {
		if math.Min(folds[0], folds[1]) > foldsOfNormal/2 {
			// noise far narrower than the sums: its variance is all that shows
			return logNormal2(d, e, a+o.Variances[0], b, c+o.Variances[1])
		}
	}
	var nodes [2]int
	var steps [2]float64
	for i, f := range folds {
		steps[i] = math.Min(.6, 1.2/math.Max(f, 2))
		nodes[i] = int(math.Ceil(reachOfNormal / steps[i]))
	}
	total, most := 0.0, math.Inf(-1)
	for i := -nodes[0]; i <= nodes[0]; i++ {
		u := float64(i) * steps[0]
		x, y := d-l11*u, e-l21*u
		for j := -nodes[1]; j <= nodes[1]; j++ {
			v := float64(j) * steps[1]
			w := -(u*u+v*v)/2 - o.Exponent(x, y-l22*v)
			if w > most {
				total, most = total*math.Exp(most-w), w
			}
			if w > most-40 {
				total += math.Exp(w - most)
			}
		}
	}
	return most + math.Log(total*steps[0]*steps[1]/o.Mass)
}

// Where the sums' own spread is worth more e-folds of the noise than this, the noise is narrow; and how far the sums
// are followed, in standard deviations.
const (
	foldsOfNormal = 8
	reachOfNormal = 6
)

// logNormal2 is the log-density of a bivariate normal law at (x, y), up to a constant.
func logNormal2(x, y, a, b, c float64) float64 {
	det := a*c - b*b
	return -(c*x*x-2*b*x*y+a*y*y)/(2*det) - math.Log(det)/2
}

// Surface is a posterior of two parameters, μ and log σ, on a grid whose axes are its own.
type Surface struct {
	centre [2]float64
	axes   [2][2]float64 // columns: one step of each coordinate of the grid in (μ, log σ)
	first  [2]float64    // the grid's coordinates of its first cell's middle, and the width of a cell
	cell   [2]float64
	lo, hi [2]float64
	below  []float64 // cumulative weights of the cells, the second coordinate running fastest
}

// Points of the grid to a side, while its box is looked for and at last, and the depth in nats to which it reaches.
const (
	boxPoints     = 12
	surfacePoints = 28
	surfaceDepth  = 9
)

// Posterior climbs to the mode, in the coordinates in which the posterior is round to first order: those of the inverse
// of
//
//	n²·Jᵀ(nV + Var Z)⁻¹J + range⁻²,
//
// J the derivative of a record's moments. Then it takes a grid about the mode, whose sides move until each is 9 nats
// down, or out of the range, and not far more.
func (o *TwoSums) Posterior() (*Surface, error) {
	s := &Surface{lo: [2]float64{-o.Half, math.Log(o.Half / 250)}, hi: [2]float64{o.Half, math.Log(2 * o.Half)}}
	f := func(x [2]float64) float64 {
		for i := range x {
			if x[i] < s.lo[i] || x[i] > s.hi[i] {
				return math.Inf(-1)
			}
		}
		return o.LogLikelihood(x[0], math.Exp(x[1]))
	}
	top, best := [2]float64{}, math.Inf(-1)
	for _, at := range o.starts(s.lo, s.hi, f) {
		value := f(at)
		for range 12 {
			before := value
			_, value = s.newton(o, at, value, f)
			at, value = s.climb(value, f)
			if value-before < .05 {
				break
			}
		}
		if value > best {
			top, best = at, value
		}
	}
	if math.IsInf(best, 0) || math.IsNaN(best) {
		return nil, ErrNoPosterior
	}
	s.centre = top
	s.axes, _ = o.axes(top, s.lo, s.hi)
	from, to := [2]float64{-4, -4}, [2]float64{4, 4}
	for range 16 {
		values, best := s.fill(boxPoints, from, to, f)
		moved := false
		for i := range from {
			for side := range 2 {
				moved = slide(values, best, i, side, &from, &to) || moved
			}
		}
		if !moved {
			break
		}
	}
	values, best := s.fill(surfacePoints, from, to, f)
	for i := range from {
		s.cell[i] = (to[i] - from[i]) / surfacePoints
		s.first[i] = from[i] + s.cell[i]/2
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

// at is the place of grid coordinates.
func (s *Surface) at(u [2]float64) [2]float64 {
	return [2]float64{s.centre[0] + s.axes[0][0]*u[0] + s.axes[0][1]*u[1],
		s.centre[1] + s.axes[1][0]*u[0] + s.axes[1][1]*u[1]}
}

// axes is a square root of the posterior's covariance to first order at x.
// and uphill the gradient of the log-likelihood there, to first order.
func (o *TwoSums) axes(x, lo, hi [2]float64) (l [2][2]float64, uphill [2]float64) {
	n := float64(o.N)
	at := func(x [2]float64) sums { return normalSums(x[0], math.Exp(x[1]), o.Half, o.Unit) }
	c := at(x)
	var j [2][2]float64 // of (m1, m2) by (μ, log σ)
	for i := range x {
		h := 1e-4
		if i == 0 {
			h *= math.Exp(x[1])
		}
		a, b := x, x
		a[i], b[i] = x[i]-h, x[i]+h
		p, q := at(a), at(b)
		j[0][i], j[1][i] = (q.m1-p.m1)/(2*h), (q.m2-p.m2)/(2*h)
	}
	va, vb, vc := n*c.v11+o.Variances[0], n*c.v12, n*c.v22+o.Variances[1]
	det := va*vc - vb*vb
	form := func(p, q int) float64 {
		return n * n * (j[0][p]*(vc*j[0][q]-vb*j[1][q]) + j[1][p]*(va*j[1][q]-vb*j[0][q])) / det
	}
	w, r := hi[0]-lo[0], hi[1]-lo[1]
	ha, hb, hc := form(0, 0)+1/(w*w), form(0, 1), form(1, 1)+1/(r*r)
	if most := (1 - 1e-9) * math.Sqrt(ha*hc); math.Abs(hb) > most {
		hb = math.Copysign(most, hb)
	}
	d := ha*hc - hb*hb
	l[0][0] = math.Sqrt(hc / d)
	l[1][0] = -hb / d / l[0][0]
	l[1][1] = math.Sqrt(1 / hc)
	r1, r2 := o.First-n*c.m1, o.Second-n*c.m2
	for i := range uphill {
		uphill[i] = n * (j[0][i]*(vc*r1-vb*r2) + j[1][i]*(va*r2-vb*r1)) / det
	}
	return l, uphill
}

// newton makes a step of the scoring method, shortened until it leads upwards, and sets the axes where it ends.
func (s *Surface) newton(o *TwoSums, at [2]float64, value float64, f func([2]float64) float64) ([2]float64, float64) {
	l, g := o.axes(at, s.lo, s.hi)
	a, b := l[0][0]*g[0]+l[1][0]*g[1], l[0][1]*g[0]+l[1][1]*g[1] // lᵀg, then l·lᵀg
	for share := 1.0; share > .001; share /= 3 {
		next := [2]float64{at[0] + share*(l[0][0]*a+l[0][1]*b), at[1] + share*(l[1][0]*a+l[1][1]*b)}
		for i := range next {
			next[i] = math.Min(math.Max(next[i], s.lo[i]), s.hi[i])
		}
		if v := f(next); v > value {
			at, value = next, v
			break
		}
	}
	s.centre = at
	s.axes, _ = o.axes(at, s.lo, s.hi)
	return at, value
}

// fill takes the density at the middles of the cells.
func (s *Surface) fill(n int, from, to [2]float64, f func([2]float64) float64) (values [][]float64, best float64) {
	values, best = make([][]float64, n), math.Inf(-1)
	for i := range values {
		values[i] = make([]float64, n)
		for j := range values[i] {
			values[i][j] = f(s.at([2]float64{from[0] + (float64(i)+.5)/float64(n)*(to[0]-from[0]),
				from[1] + (float64(j)+.5)/float64(n)*(to[1]-from[1])}))
			best = math.Max(best, values[i][j])
		}
	}
	return values, best
}

// slide moves one side of the box: out where it is not deep enough, in where most of it is too deep.
func slide(values [][]float64, best float64, axis, side int, from, to *[2]float64) bool {
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
		from[axis] -= by
	} else {
		to[axis] += by
	}
	return true
}

// starts are the best places of a coarse look at the whole range and of the moments' own values.
func (o *TwoSums) starts(lo, hi [2]float64, f func([2]float64) float64) [][2]float64 {
	type start struct {
		at    [2]float64
		value float64
	}
	var list []start
	try := func(x [2]float64) {
		for i := range x {
			x[i] = math.Min(math.Max(x[i], lo[i]), hi[i])
		}
		if v := f(x); v > math.Inf(-1) {
			list = append(list, start{x, v})
		}
	}
	n := math.Max(float64(o.N), 1)
	mean := o.First / n
	for _, share := range []float64{1, .1, .01, .001} {
		v := math.Max(o.Second/n-mean*mean, share*1e-2*o.Half*o.Half)
		try([2]float64{mean, math.Log(v) / 2})
	}
	for i := range 9 {
		for j := range 7 {
			try([2]float64{lo[0] + (float64(i)+.5)/9*(hi[0]-lo[0]), lo[1] + (float64(j)+.5)/7*(hi[1]-lo[1])})
		}
	}
	slices.SortStableFunc(list, func(a, b start) int { return cmp.Compare(b.value, a.value) })
	var out [][2]float64
	for _, s := range list[:min(4, len(list))] {
		out = append(out, s.at)
	}
	return out
}

// climb follows the better of eight neighbours on the grid's axes, doubling the step after a success and halving it
// when there is none.
func (s *Surface) climb(best float64, f func([2]float64) float64) ([2]float64, float64) {
	u, step := [2]float64{}, 1.0
	for range 120 {
		moved := false
		for _, d := range [8][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}} {
			w := [2]float64{u[0] + d[0]*step, u[1] + d[1]*step}
			if v := f(s.at(w)); v > best {
				u, best, moved = w, v, true
				break
			}
		}
		if moved {
			step *= 2
		} else if step /= 2; step < .1 {
			break
		}
	}
	return s.at(u), best
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
	x := s.at([2]float64{s.first[0] + (float64(i)+v-.5)*s.cell[0], s.first[1] + (float64(j)+w-.5)*s.cell[1]})
	for i := range x {
		x[i] = math.Min(math.Max(x[i], s.lo[i]), s.hi[i])
	}
	return x[0], math.Exp(x[1])
}
