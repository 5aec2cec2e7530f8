package loss

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// onGrid is a privacy loss with atoms on multiples of a step, under P: a distribution whose profile is nowhere below
// that of the pair it stands for.
type onGrid struct {
	at    []int     // ascending, in steps
	mass  []float64 // of each
	logs  []float64 // of the masses
	lost  float64   // mass of a loss above all of them: it counts as δ in full
	times float64
}

// points collects atoms.
type points struct {
	step float64
	low  int
	mass []float64
	lost float64
}

func newPoints(step, least, most float64) points {
	low := int(math.Floor(least/step)) - 1
	return points{step: step, low: low, mass: make([]float64, int(math.Ceil(most/step))+2-low)}
}

// add splits an atom between the two points about its loss so that its masses under P and Q are kept. It is taken up
// by a relative 1e-12 before, more than it was rounded.
func (p *points) add(loss, mass float64) {
	loss += num.Slack * math.Abs(loss)
	cell := math.Floor(loss / p.step)
	share := math.Expm1(cell*p.step+p.step-loss) / math.Expm1(p.step)
	share = math.Min(1, math.Max(0, share))
	i := int(cell) - p.low
	p.mass[i] += mass * share
	p.mass[i+1] += mass * (1 - share)
}

func (p *points) dist() onGrid {
	l := onGrid{lost: p.lost}
	for i, m := range p.mass {
		if m > 0 {
			l.at, l.mass = append(l.at, p.low+i), append(l.mass, m)
		}
	}
	return l
}

// maxPoints bounds the work on one distribution.
const maxPoints = 1 << 20

// atoms is the loss of one cell of a pair with a list of atoms, on the grid; ok is false for others.
func atoms(p Pair, step float64) (dist onGrid, cells int, ok bool) {
	switch p := p.(type) {
	case GeometricPair:
		dist, _, ok = atoms(ShiftedGeometricPair{p.Rate, 1, 1}, step)
		return dist, p.Cells, ok
	case ShiftedGeometricPair:
		top := p.Rate * float64(p.Shift)
		if p.Shift > longShift || top/step > maxPoints {
			return dist, 0, false
		}
		q := newPoints(step, -top, top)
		for j := 0; j <= p.Shift; j++ {
			q.add(p.atom(j))
		}
		return q.dist(), p.Cells, true
	case DiscreteGaussianPair:
		if p.Shift != 1 {
			return dist, 0, false
		}
		dist, _, ok = atoms(IntegerSumPair{p.Sigma2, 1}, step)
		return dist, p.Cells, ok
	case IntegerSumPair:
		return p.atoms(step)
	}
	return dist, 0, false
}

// atoms go tailWidth standard deviations to both sides. Below that a loss is taken up to the last; above, it is lost.
func (p IntegerSumPair) atoms(step float64) (dist onGrid, cells int, ok bool) {
	k, v := float64(p.Shift), p.Sigma2
	last := math.Ceil(tailWidth*math.Sqrt(v)) + 1
	lossOf := func(z float64) float64 { return k * (k + 2*z) / (2 * v) }
	if v > roundedFrom || math.Max(lossOf(last), -lossOf(-last))/step > maxPoints {
		return dist, 0, false
	}
	q := newPoints(step, lossOf(-last), lossOf(last))
	norm := p.normaliser()
	q.lost = math.Exp(-last * last / (2 * v))
	q.add(lossOf(-last), q.lost)
	for z := -last; z <= last; z++ {
		q.add(lossOf(z), math.Exp(-z*z/(2*v))/norm)
	}
	return q.dist(), 1, true
}

// profiled is a pair by its profile: upper bounds of the hockey-stick divergences at ε ≥ 0 of (P, Q) and of (Q, P), of
// one cell.
type profiled struct {
	forward, backward func(epsilon float64) float64
	cells             int
	fine              float64 // points a standard deviation: fewer where a value is dear
}

// profileOf knows the pairs whose profile is that of one mechanism, whatever was released before: the profile of a
// [ConcentratedPair] is not, since what it spends on the way depends on that, and pairs of other packages may not be.
func profileOf(p Pair) (q profiled, ok bool) {
	q = profiled{p.Delta, p.Delta, 1, 64}
	switch p := p.(type) {
	case interface{ Lattice() LatticePair }:
		near := p.Lattice().near
		q.forward, q.backward = near, near
	case GammaPair:
		c := num.LogGammaDiff(p.Shape, p.Rate)
		q.forward = func(e float64) float64 { return hockeyStick(gammaLoss{p.Shape, p.Rate, c, -1}, e) }
		q.backward = func(e float64) float64 { return hockeyStick(gammaLoss{p.Shape + p.Rate, p.Rate, c, 1}, e) }
		q.fine = 16
	case BinaryDirichletPair:
		return profileOf(DirichletPair{p.Rate, p.Shape}) // which dominates it
	case DirichletPair, VectorPair:
		q.fine = 16
	case LaplacePair:
		one := LaplacePair{p.Scale, 1}
		q.forward, q.backward, q.cells = one.Delta, one.Delta, p.Cells
	case DiscreteGaussianPair:
		if p.Shift == 1 { // of which the atoms were too many
			one := IntegerSumPair{p.Sigma2, 1}
			q.forward, q.backward, q.cells = one.Delta, one.Delta, p.Cells
		}
	case ShiftedGeometricPair: // likewise
		one := ShiftedGeometricPair{p.Rate, p.Shift, 1}
		q.forward, q.backward, q.cells = one.Delta, one.Delta, p.Cells
	case SelectionPair, RangePair, IntegerSumPair, GaussianPair:
	default:
		return q, false
	}
	return q, true
}

// leastDelta is where a distribution ends whose losses are not bounded: what lies beyond is lost.
const leastDelta = 1e-80

// envelope is the distribution whose profile, as a function of α = e^ε, is the greatest convex function that is at most
// the given bounds at so many multiples of the step. A profile is convex in α, so that it stays below, between the
// points too.
//
// At α < 1 the profile is 1 − α + α·δ(1/α) with the two distributions exchanged, and its first part is linear: slopes
// there are of the second part, as 1 − α would swallow their digits. Source: theory/ledger.md §4.2.
func envelope(forward, backward func(float64) float64, pure, step float64, every int,
	stop func() bool) (onGrid, bool) {
	side := func(profile func(float64) float64) (list []float64, ok bool) {
		for j := 0; ; j++ {
			x := float64(j*every) * step
			v := 0.0
			if x < pure*(1+1e-9) {
				v = profile(x)
			}
			list = append(list, v)
			if v <= leastDelta {
				return list, true
			}
			if j > maxPoints/64 || stop != nil && stop() || math.IsNaN(v) {
				return nil, false
			}
		}
	}
	right, ok := side(forward)
	left, ok2 := side(backward)
	if !ok || !ok2 {
		return onGrid{}, false
	}
	h := hull{every: every, step: step}
	for j := len(left) - 1; j > 0; j-- {
		x := -float64(j*every) * step
		h.push(vertex{-j, math.Exp(x), left[j] * math.Exp(x)})
	}
	for j, v := range right {
		if j == 0 {
			v = math.Min(v, left[0])
		}
		h.push(vertex{j, math.Exp(float64(j*every) * step), v})
	}
	return h.dist(), true
}

// vertex is a point of the profile at α = e^{j·every·step}: above 1 − α for j < 0, above 0 for j ≥ 0.
type vertex struct {
	j            int
	alpha, above float64
}

// hull is the greatest convex minorant of points that come in ascending order.
type hull struct {
	every int
	step  float64
	list  []vertex
}

// slope is that of the profile between two points, or of what it has above 1 − α where left is set.
func (h *hull) slope(a, b vertex, left bool) float64 {
	width := a.alpha * math.Expm1(float64((b.j-a.j)*h.every)*h.step)
	low, high := a.above, b.above
	if !left {
		if a.j < 0 {
			low += 1 - a.alpha
		}
		if b.j < 0 {
			high += 1 - b.alpha
		}
	}
	return (high - low) / width
}

// turn is by how much the slope grows at b.
func (h *hull) turn(a, b, c vertex) float64 {
	left := c.j <= 0
	return h.slope(b, c, left) - h.slope(a, b, left)
}

func (h *hull) push(v vertex) {
	for len(h.list) >= 2 && h.turn(h.list[len(h.list)-2], h.list[len(h.list)-1], v) <= 0 {
		h.list = h.list[:len(h.list)-1]
	}
	h.list = append(h.list, v)
}

// dist has the mass α·(growth of the slope) at each vertex. Left of the first the profile is taken as 1 − α, and right
// of the last as what it is there, which is lost.
func (h *hull) dist() (l onGrid) {
	n := len(h.list)
	for i, v := range h.list {
		mass := 0.0
		switch {
		case n == 1:
			mass = 1
		case i == 0:
			mass = h.slope(v, h.list[1], v.j < 0 && h.list[1].j <= 0)
			if v.j >= 0 || h.list[1].j > 0 {
				mass++ // the slope before it is −1
			}
			mass = math.Max(0, mass) + v.above/v.alpha
		case i == n-1:
			mass = -h.slope(h.list[i-1], v, false)
		default:
			mass = h.turn(h.list[i-1], v, h.list[i+1])
		}
		if mass *= v.alpha; mass > 0 {
			l.at, l.mass = append(l.at, v.j*h.every), append(l.mass, mass)
		}
		l.lost = v.above
	}
	return l
}
