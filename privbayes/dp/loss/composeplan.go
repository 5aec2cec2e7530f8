package loss

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/num"
)

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

// slow reports that a contour needs more than maxNodes, whatever ε: choices are all that decays, as 1/|s| each, and
// they are too few.
func (pl plan) slow() bool {
	choices := 0.0
	for _, w := range pl.decay {
		if _, ok := w.transform.(SelectionPair); !ok {
			return false
		}
		choices += w.times
	}
	return len(pl.decay) > 0 && choices < 3
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

// betaSeries is the sum of many Dirichlet log-mgfs with different parameters as one power series about the middle of
// the strip. With w = z + ½ and β = α + r/2,
//
//	K(z) = Σ_{j≥1} b_j (w^{2j} − 4^{−j}),  b_j = r^{2j} ζ(2j, β)/j,
//
// because lnΓ(β + wr) + lnΓ(β − wr) is even in w and ψ^{(2j−1)}(β) = (2j−1)! ζ(2j, β) (DLMF 5.7.4, 25.11.12). All b_j
// are positive, so they add without cancelling, and a node of the contour costs one Horner scheme instead of one gamma
// function a part. For |w| ≤ 0.4 β/r the terms after the last, j = 20, add up to at most 1e-17(1 + β), by ζ(2j, β) ≤
// β^{−2j}(1 + β/(2j−1)). Further out the parts are summed one by one.
type betaSeries struct {
	coef   [seriesTerms]float64
	base   float64
	radius float64
	exact  []term
}

const (
	seriesTerms = 20
	seriesReach = 0.4
	seriesFrom  = 8 // parts from which the series pays
)

// newBetaSeries collects the parts; ok is false where they are too few, or one has a strip too narrow for the series.
func newBetaSeries(pairs []DirichletPair, times []float64, exact []term) (s *betaSeries, ok bool) {
	if len(pairs) < seriesFrom {
		return nil, false
	}
	s = &betaSeries{radius: math.Inf(1), exact: exact}
	for i, p := range pairs {
		beta := p.Shape + p.Rate/2
		s.radius = math.Min(s.radius, seriesReach*beta/p.Rate)
		var zeta [seriesTerms]float64
		evenZeta(beta, p.Rate, &zeta)
		for j := range zeta {
			s.coef[j] += times[i] * zeta[j] / float64(j+1)
		}
	}
	for j := len(s.coef) - 1; j >= 0; j-- {
		s.base = (s.base + s.coef[j]) / 4
	}
	return s, s.radius > 1
}

// kernel is K(z).
func (s *betaSeries) kernel(z complex128) complex128 {
	w := z + 0.5
	if re, im := real(w), imag(w); re*re+im*im > s.radius*s.radius {
		return sumTerms(s.exact, z)
	}
	u := w * w
	x, y := real(u), imag(u)
	var re, im float64
	for j := len(s.coef) - 1; j >= 0; j-- {
		re += s.coef[j]
		re, im = re*x-im*y, re*y+im*x
	}
	return complex(re-s.base, im)
}

// bernoulliOverFactorial is B_{2k}/(2k)!, k = 1, 2, ….
var bernoulliOverFactorial = [...]float64{
	1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000, 1. / 74724249600,
	-3617. / 10670622842880000,
}

// evenZeta fills z[j−1] with r^{2j} ζ(2j, β), j = 1 … 20: the first terms of Σ (β+n)^{−2j} one by one, the rest from x
// = β + N ≥ 16 by the Euler–Maclaurin formula,
//
//	x^{1−s}/(s−1) + x^{−s}/2 + Σ_k B_{2k}/(2k)! s(s+1)…(s+2k−2) x^{1−s−2k}.
//
// Its error, 1e-7 relative for the largest j, is 1e-15 of the sum of the series, where those terms weigh 0.4^{2j}.
func evenZeta(beta, r float64, z *[seriesTerms]float64) {
	x := beta
	for ; x < 16; x++ {
		u := r / x
		u *= u
		power := u
		for j := range z {
			z[j] += power
			power *= u
		}
	}
	u, inv := r/x, 1/(x*x)
	u *= u
	power := u
	for j := range z {
		s := float64(2*j + 2)
		rest, rise, step := x/(s-1)+0.5, s/x, 1.0
		for k, b := range bernoulliOverFactorial {
			add := b * rise
			rest += add
			if math.Abs(add) < 1e-17 {
				break
			}
			step = s + float64(2*k+1)
			rise *= step * (step + 1) * inv
		}
		z[j] += power * rest
		power *= u
	}
}

// Transform is a pair (P, Q) whose privacy loss L = ln dP/dQ has a known Laplace transform. Independent losses add, so
// the logarithms of their transforms add: this is what exact composition is made of. The pairs of this package also
// know whether their transform decays or their losses lie on a lattice; a Transform of another package composes exactly
// only beside one that decays.
type Transform interface {
	Pair
	// LogMGF is K(z) = ln E_P e^{zL} for z in the strip, up to a multiple of 2πi. K(0) = K(−1) = 0. Swapping P and Q
	// gives K(−1−z).
	LogMGF(z complex128) complex128
	// Strip is the open interval of Re z on which the expectation is finite; it contains [−1, 0].
	Strip() (lo, hi float64)
	// Symmetric reports whether K(−1−z) = K(z): the loss has the same law with P and Q swapped.
	Symmetric() bool
}

var _ = [...]Transform{
	DirichletPair{}, GammaPair{}, GeometricPair{}, GaussianPair{}, LaplacePair{}, ShiftedGeometricPair{}, PurePair{},
	SelectionPair{},
	discreteGaussianTransform{},
}

// NoTransformError says that a pair's loss has no proved transform; such pairs compose by their Rényi curves.
type NoTransformError struct{ Pair, Reason string }

func (e *NoTransformError) Error() string {
	return fmt.Sprintf("loss: no transform of the privacy loss of %s: %s", e.Pair, e.Reason)
}

// TransformOf is the transform of a pair: the pair itself for those that implement [Transform], and the law of
// [DiscreteGaussianPair] with Shift = 1 and of [IntegerSumPair]. Vectors of discrete Gaussian counts shifted by more
// have several worst patterns and no single loss; they, and pairs that are maxima over histograms, are refused with
// *NoTransformError.
func TransformOf(p Pair) (Transform, error) {
	switch p := p.(type) {
	case Transform:
		return p, nil
	case DiscreteGaussianPair:
		if p.Shift == 1 {
			return discreteGaussianTransform{p}, nil
		}
		return nil, &NoTransformError{p.String(), "several patterns of change have the same norm; want Shift = 1"}
	case IntegerSumPair:
		return discreteGaussianTransform{p.vector()}, nil
	case nil:
		return nil, &NoTransformError{"nil", "want a pair"}
	}
	return nil, &NoTransformError{p.String(), "it bounds several pairs at once"}
}

// LogMGF is K(z) = lnΓ(α+r+zr) + lnΓ(α−zr) − lnΓ(α+r) − lnΓ(α), as a sum of Bregman divergences of lnΓ, each to 14
// digits. Source: theory/dirichlet.md §2.5.
func (p DirichletPair) LogMGF(z complex128) complex128 { return p.kernel()(z) }

// Strip is −1 − α/r < Re z < α/r.
func (p DirichletPair) Strip() (lo, hi float64) { return -1 - p.Shape/p.Rate, p.Shape / p.Rate }

// Symmetric is true: the pair is its own mirror image.
func (p DirichletPair) Symmetric() bool { return true }

func (p DirichletPair) kernel() func(complex128) complex128 {
	a, r := p.Shape, p.Rate
	mean := complex(num.LogGammaBregman(a+r, a, r)+num.LogGammaBregman(a, a+r, -r), 0)
	return func(z complex128) complex128 {
		zr := z * complex(r, 0)
		return num.LogGammaBregmanComplex(a, -zr) + num.LogGammaBregmanComplex(a+r, zr) + z*mean
	}
}

// decays: |Γ(a+iy)| falls with |y|, since |Γ(a+iy)/Γ(a)|² = Π_n 1/(1 + y²/(a+n)²) (DLMF 5.8.3).
func (p DirichletPair) decays() {}

// LogMGF is that of adding a record, K(z) = lnΓ(α−zr) − lnΓ(α) + z[lnΓ(α+r) − lnΓ(α)], L = −r ln g + const under
// Gamma(α); removing one has K(−1−z).
func (p GammaPair) LogMGF(z complex128) complex128 { return p.kernel()(z) }

// Strip is Re z < α/r.
func (p GammaPair) Strip() (lo, hi float64) { return math.Inf(-1), p.Shape / p.Rate }

// Symmetric is false.
func (p GammaPair) Symmetric() bool { return false }

func (p GammaPair) kernel() func(complex128) complex128 {
	a, r := p.Shape, p.Rate
	add, remove := complex(num.LogGammaBregman(a+r, a, r), 0), complex(num.LogGammaBregman(a, a+r, -r), 0)
	return func(z complex128) complex128 {
		if real(z) >= -0.5 {
			return num.LogGammaBregmanComplex(a, -z*complex(r, 0)) + z*add
		}
		w := -1 - z
		return num.LogGammaBregmanComplex(a+r, w*complex(r, 0)) + w*remove
	}
}

func (p GammaPair) decays() {}

// LogMGF is Cells·ln[cosh((1+2z)γ/2)/cosh(γ/2)].
func (p GeometricPair) LogMGF(z complex128) complex128 {
	return complex(float64(p.Cells), 0) * logResponse(p.Rate, z)
}

// Strip is the whole plane: the loss is bounded.
func (p GeometricPair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p GeometricPair) Symmetric() bool { return true }

// lattice: each cell's loss is ±γ.
func (p GeometricPair) lattice() (offset, step float64) {
	return -float64(p.Cells) * p.Rate, 2 * p.Rate
}

// logResponse is ln[cosh((1+2z)ε/2)/cosh(ε/2)] = ln(1 + 2 sinh((z+1)ε/2) sinh(zε/2)/cosh(ε/2)).
func logResponse(eps float64, z complex128) complex128 {
	half := complex(eps/2, 0)
	if cmplx.Abs(z+1)*eps < 1 {
		return log1pComplex(2 * cmplx.Sinh((z+1)*half) * cmplx.Sinh(z*half) / cmplx.Cosh(half))
	}
	w := (1 + 2*z) * half
	if real(w) < 0 {
		w = -w
	}
	return w - half + cmplx.Log(1+cmplx.Exp(-2*w)) - complex(math.Log1p(math.Exp(-eps)), 0)
}

// decaying pairs have |E_P e^{(c+is)L}| nonincreasing in |s|, for every c in the strip, or an envelope that is.
type decaying interface{ decays() }

// enveloped pairs bound Re K(c+is) by a function nonincreasing in |s|, symmetric under K(−1−z).
type enveloped interface{ envelope(z complex128) float64 }

// latticed pairs have losses in offset + step·ℤ.
type latticed interface{ lattice() (offset, step float64) }

// prepared pairs compute the constants of their transform once.
type prepared interface {
	kernel() func(complex128) complex128
}

// kernelOf is the transform as a function, in the given order of the two laws.
func kernelOf(t Transform, swapped bool) func(complex128) complex128 {
	f := t.LogMGF
	if p, ok := t.(prepared); ok {
		f = p.kernel()
	}
	if !swapped || t.Symmetric() {
		return f
	}
	return func(z complex128) complex128 { return f(-1 - z) }
}

// log1pComplex is ln(1 + w), accurate for small w.
func log1pComplex(w complex128) complex128 {
	x, y := real(w), imag(w)
	if math.Abs(x)+math.Abs(y) > 0.5 {
		return cmplx.Log(1 + w)
	}
	return complex(0.5*math.Log1p(2*x+x*x+y*y), math.Atan2(y, 1+x))
}

// expm1Complex is e^w − 1, accurate for small w.
func expm1Complex(w complex128) complex128 {
	sin, cos := math.Sincos(imag(w))
	half := math.Sin(imag(w) / 2)
	return complex(math.Expm1(real(w))*cos-2*half*half, math.Exp(real(w))*sin)
}
