package loss

import "math"

// plan says how a list of parts is composed: by which contour, with which transforms.
type plan struct {
	method       string
	decay, rest  []weighted
	symmetric    bool
	loose        bool // some Rényi curve is above the divergence of its transform
	tight        bool // some Rényi curve is below it: that of a choice
	approximate  bool // some law is a lattice law that dominates the part
	offset, step float64
	lines        []line // one, or two where swapping the laws matters
}

// weighted is a transform with its multiplicity.
type weighted struct {
	transform Transform
	times     float64
}

// line is what a contour needs to know about one order of the two laws: the transforms and the end of their strip.
type line struct {
	decay, rest []term
	hi          float64
}

// prepare computes the constants of all transforms, once for every later ε.
func (pl *plan) prepare() {
	pl.lines = pl.lines[:0]
	for _, swapped := range []bool{false, true} {
		l := line{hi: math.Inf(1)}
		var pairs []DirichletPair
		var times []float64
		var exact []term
		for _, w := range pl.decay {
			if p, ok := w.transform.(DirichletPair); ok {
				pairs, times = append(pairs, p), append(times, w.times)
				l.narrow(p, swapped)
				exact = append(exact, term{times: w.times, kernel: p.LogMGF})
			} else {
				l.decay = append(l.decay, l.add(w, swapped))
			}
		}
		if s, ok := newBetaSeries(pairs, times, exact); ok {
			l.decay = append(l.decay, term{times: 1, kernel: s.kernel})
		} else {
			for i, p := range pairs {
				l.decay = append(l.decay, term{times: times[i], kernel: p.kernel()})
			}
		}
		for _, w := range pl.rest {
			l.rest = append(l.rest, l.add(w, swapped))
		}
		pl.lines = append(pl.lines, l)
		if pl.symmetric {
			return
		}
	}
}

// add is the transform as a term, and narrows the strip.
func (l *line) add(w weighted, swapped bool) term {
	l.narrow(w.transform, swapped)
	t := term{times: w.times, kernel: kernelOf(w.transform, swapped)}
	if e, ok := w.transform.(enveloped); ok {
		t.bound = e.envelope
	}
	return t
}

// narrow keeps to the strip of one more transform.
func (l *line) narrow(t Transform, swapped bool) {
	lo, hi := t.Strip()
	if swapped {
		hi = -1 - lo
	}
	l.hi = math.Min(l.hi, hi)
}

// planFor chooses. With a decaying part the line contour converges, and lattice parts stand under it as bounded
// factors. Without one, all losses must lie on one lattice: bounded losses that do not are moved to a common grid by a
// law that dominates them.
func planFor(list []Repeat) (plan, bool) {
	pl := plan{method: byContour, symmetric: true}
	var transforms []weighted
	laplace := 0
	for _, part := range list {
		t, err := TransformOf(part.Pair)
		if err != nil {
			return pl, false
		}
		w := weighted{t, float64(part.Times)}
		transforms = append(transforms, w)
		pl.symmetric = pl.symmetric && t.Symmetric()
		switch t.(type) {
		case discreteGaussianTransform:
			pl.loose = true
		case SelectionPair:
			pl.tight = true
		}
		if _, ok := t.(decaying); ok {
			pl.decay = append(pl.decay, w)
		} else {
			pl.rest = append(pl.rest, w)
		}
		if _, ok := t.(LaplacePair); ok {
			laplace += part.Times
		}
	}
	if len(pl.decay) > 0 {
		return pl, true
	}
	pl.rest = nil
	for _, w := range transforms {
		if p, ok := w.transform.(LaplacePair); ok {
			pl.approximate = true
			w.transform = p.onLattice(laplace)
		}
		pl.rest = append(pl.rest, w)
	}
	if offset, step, ok := commonLattice(pl.rest); ok {
		pl.method, pl.offset, pl.step = byLattice, offset, step
		return pl, true
	}
	return gridPlan(transforms)
}

// commonLattice is the lattice of the sum of the losses, if every step is a multiple of the smallest.
func commonLattice(list []weighted) (offset, step float64, ok bool) {
	step = math.Inf(1)
	for _, w := range list {
		l, isLattice := w.transform.(latticed)
		if !isLattice {
			return 0, 0, false
		}
		_, g := l.lattice()
		step = math.Min(step, g)
	}
	for _, w := range list {
		o, g := w.transform.(latticed).lattice()
		if math.Mod(g, step) != 0 {
			return 0, 0, false
		}
		offset += w.times * o
	}
	return offset, step, true
}

// gridPlan moves bounded losses to a grid of step σ/512, σ² = 2·Σ KL about the variance of the total loss. An atom (p,
// q) of the two laws between two grid points is split between them so that both masses are kept; as (p − e^ε q)₊ is
// sublinear in (p, q) this only increases the profile. Losses that are lattices of many atoms are taken as Laplace
// losses rounded up to the grid, u′ ≥ u: less noise.
func gridPlan(list []weighted) (plan, bool) {
	pl := plan{method: byGrid, symmetric: true, approximate: true}
	rho := 0.0
	for _, w := range list {
		rho += w.times * w.transform.ZCDP()
	}
	g := math.Sqrt(2*rho) / 512
	if !(g > 0) || math.IsInf(g, 1) {
		return pl, false
	}
	pl.step = g
	for _, w := range list {
		switch p := w.transform.(type) {
		case GeometricPair:
			w.times *= float64(p.Cells)
			w.transform = newGridLaw(g, ShiftedGeometricPair{p.Rate, 1, 1})
		case ShiftedGeometricPair:
			if p.Shift > 64 {
				return pl, false
			}
			w.times *= float64(p.Cells)
			w.transform = newGridLaw(g, ShiftedGeometricPair{p.Rate, p.Shift, 1})
		case LaplacePair:
			// a lattice of step g for the loss is geometric noise of rate g/2, whose shift is even so that 0 is on the
			// grid
			n := 2 * int(math.Ceil(1/(p.Scale*g)))
			if n > 1<<20 {
				return pl, false
			}
			w.times *= float64(p.Cells)
			w.transform = ShiftedGeometricPair{g / 2, n, 1}
		default:
			return pl, false
		}
		pl.rest = append(pl.rest, w)
	}
	return pl, true
}

// gridLaw is a loss with finitely many atoms on a grid through 0. The embedded pair is the one it dominates.
type gridLaw struct {
	ShiftedGeometricPair
	step    float64
	lowest  int // of the first weight
	weights []float64
}

// newGridLaw splits the atoms of one cell of geometric noise: mass p at loss l in [a, a+g] becomes p(e^{−l} −
// e^{−a−g})/(e^{−a} − e^{−a−g}) at a and the rest at a + g.
func newGridLaw(g float64, p ShiftedGeometricPair) gridLaw {
	top := int(math.Ceil(p.Rate*float64(p.Shift)/g)) + 1
	law := gridLaw{p, g, -top, make([]float64, 2*top+1)}
	for j := 0; j <= p.Shift; j++ {
		loss, mass := p.atom(j)
		cell := math.Floor(loss / g)
		share := math.Expm1(cell*g+g-loss) / math.Expm1(g)
		share = math.Min(1, math.Max(0, share))
		law.weights[int(cell)+top] += mass * share
		law.weights[int(cell)+top+1] += mass * (1 - share)
	}
	return law
}

// kernel sums over the atoms present.
func (l gridLaw) kernel() func(complex128) complex128 {
	var at, weight []float64
	for i, w := range l.weights {
		if w > 0 {
			at, weight = append(at, float64(i+l.lowest)*l.step), append(weight, w)
		}
	}
	return func(z complex128) complex128 {
		var sum complex128 // E e^{zL} − 1
		for i, a := range at {
			sum += complex(weight[i], 0) * expm1Complex(z*complex(a, 0))
		}
		return log1pComplex(sum)
	}
}

// LogMGF is ln Σ w_i e^{z·l_i}.
func (l gridLaw) LogMGF(z complex128) complex128 { return l.kernel()(z) }

func (l gridLaw) lattice() (offset, step float64) { return 0, l.step }
