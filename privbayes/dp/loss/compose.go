package loss

import (
	"math"
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/num"
)

// contour evaluates the profile of a sum of independent losses with log-mgf K by the inversion formula of
// theory/dirichlet.md §2.5,
//
//	δ(ε) = (1/2πi) ∫_{c−i∞}^{c+i∞} e^{K(z) − zε}/(z(z+1)) dz,  0 < c < hi,
//
// with the trapezoid rule of step h, P = 2π/h:
//
//	T = (h/2π) Σ_{k∈ℤ} g(kh),  g(s) = e^{K(c+is) − (c+is)ε}/((c+is)(c+is+1)).
//
// Discretisation. g is the Fourier transform of x ↦ e^{cx}δ(x) (up to the shift by ε), with δ(x) = E(1 − e^{x−L})₊ for
// every real x, since ∫ e^{zx}δ(x) dx = e^{K(z)}/(z(z+1)). That function is continuous and vanishes at both ends
// exponentially, and Σ|g(kh)| converges because |e^{K(c+is)}| ≤ e^{K(c)}. So Poisson's summation formula holds, for
// lattice losses too:
//
//	T = Σ_{j∈ℤ} e^{cjP} δ(ε + jP) ≥ δ(ε).
//
// Every alias is ≥ 0: the trapezoid sum can only err upward. The excess is at most
//
//	e^{−cP}/(1 − e^{−cP}) + e^{K(c′) + κ(c′) − c′ε}/(e^{(c′−c)P} − 1),  κ(c) = c ln c − (1+c) ln(1+c),
//
// for any c′ in (c, hi): δ ≤ 1 below ε, and δ(x) ≤ e^{K(c′)+κ(c′)−c′x} above (Lemma 3). P is chosen to make it 1e-12 of
// δ.
//
// Truncation. The losses are split into those whose transform decays and the rest. Beyond s the integrand is at most
// |e^{K_decay(c+is)}|·e^{K_rest(c) − cε}/s², and the terms left out add up to at most 1/(πs) times that numerator,
// which is added.
//
// Rounding. Every exponent is computed with an error of at most roundoff = 1e-14 times its size, so the sum errs by at
// most roundoff·Σ|g|·(size of the exponent), which is added too.
type contour struct {
	line
	epsilon float64
	stop    func() bool // nil: never
}

// ended looks at stop at every thousandth node.
func (q *contour) ended(node int) bool { return q.stop != nil && node&0x3ff == 0 && q.stop() }

// term is a multiple of one log-mgf.
type term struct {
	times  float64
	kernel func(complex128) complex128
	bound  func(complex128) float64 // of Re kernel, not increasing away from the axis; nil: the kernel's own is so
}

// sumBounds bounds the real part of the sum of decaying terms from z on, away from the axis; at is that of the sum.
func sumBounds(list []term, z, at complex128) float64 {
	b := real(at)
	for _, t := range list {
		if t.bound != nil {
			b += t.times * (t.bound(z) - real(t.kernel(z)))
		}
	}
	return b
}

func sumTerms(list []term, z complex128) complex128 {
	var k complex128
	for _, t := range list {
		v := t.kernel(z)
		k += complex(t.times*real(v), t.times*imag(v))
	}
	return k
}

// k is K(c) on the real axis.
func (q *contour) k(c float64) float64 {
	v := real(sumTerms(q.decay, complex(c, 0))) + real(sumTerms(q.rest, complex(c, 0)))
	if math.IsNaN(v) {
		return math.Inf(1)
	}
	return v
}

// Accuracy aimed at: relative size of what aliases and truncation may add, and the relative error of a computed
// exponent.
const (
	contourTolerance = 1e-12
	roundoff         = 1e-14
	maxNodes         = 1 << 16
)

// kappa is c ln c − (1+c) ln(1+c), with which K(c) + κ(c) − cε is the log of Lemma 3's bound at order 1 + c.
func kappa(c float64) float64 { return c*math.Log(c/(1+c)) - math.Log1p(c) }

// saddle is where the contour crosses the real axis, and how wide the integrand is there.
type saddle struct {
	c, k, width float64
	logPeak     float64 // K(c) − cε − ln c − ln(1+c)
	logDelta    float64 // rough ln δ, by Laplace's method
	period      float64 // P
}

// saddle minimises K(c) − cε − ln c − ln(1+c), a convex function, and chooses the period. The point need not be exact:
// every c in the strip gives the same integral.
func (q *contour) saddle() (saddle, bool) {
	place := func(t float64) float64 {
		if math.IsInf(q.hi, 1) {
			return math.Exp(t)
		}
		return q.hi / (1 + math.Exp(-t))
	}
	f := func(c float64) float64 { return q.k(c) - c*q.epsilon - math.Log(c) - math.Log1p(c) }
	// walk downhill from a middling point with doubling steps, then golden section: points near the end of the strip
	// are dear
	t, dir := math.Log(math.Min(1, q.hi/4)), 1.0
	if !math.IsInf(q.hi, 1) {
		t -= math.Log1p(-math.Min(1, q.hi/4) / q.hi)
		t -= math.Log(q.hi)
	}
	here, next := f(place(t)), f(place(t+1))
	if !(next < here) {
		dir, t, here, next = -1, t+1, next, here
	}
	step := 1.0
	for next < here && math.Abs(t) < 60 {
		t, here = t+dir*step, next
		step *= 2
		next = f(place(t + dir*step))
	}
	lo, hi := t-dir*step/2, t+dir*step
	if lo > hi {
		lo, hi = hi, lo
	}
	lo, hi = num.GoldenSection(func(t float64) float64 { return f(place(t)) }, lo, hi, 0.05)
	s := saddle{c: place((lo + hi) / 2)}
	s.k = q.k(s.c)
	s.logPeak = f(s.c)
	d := 0.01 * math.Min(s.c, q.hi-s.c)
	curvature := (f(s.c+d) - 2*s.logPeak + f(s.c-d)) / (d * d)
	s.width = 1 / math.Sqrt(curvature)
	s.logDelta = s.logPeak + math.Log(s.width/math.Sqrt(2*math.Pi))
	if !(curvature > 0) || math.IsInf(s.logPeak, 0) || !(s.logPeak > -650) {
		return s, false
	}
	room := -math.Log(contourTolerance)
	s.period = math.Inf(1)
	for j := -1.0; j <= 9; j++ {
		step := math.Min(s.width*math.Exp2(j), 0.9*(q.hi-s.c))
		next := s.c + step
		period := (q.k(next) + kappa(next) - next*q.epsilon - s.logDelta + room) / step
		if period >= s.period {
			break
		}
		s.period = period
	}
	s.period = math.Max(s.period, (room-s.logDelta)/s.c)
	return s, !math.IsInf(s.period, 1)
}

// estimate is an upper bound value ≥ δ with value − δ ≤ slop, up to the inflation of reported numbers.
type estimate struct {
	value, slop float64
	nodes       int
}

// integrate is the trapezoid sum with its error bounds; ok is false when it did not converge within maxNodes.
func (q *contour) integrate(s saddle) (e estimate, ok bool) {
	h := 2 * math.Pi / s.period
	rest := real(sumTerms(q.rest, complex(s.c, 0)))
	var sum, rough, tail float64
	for k := 0; k < maxNodes; k++ {
		if q.ended(k) {
			return e, false
		}
		y := float64(k) * h
		z := complex(s.c, y)
		decay := sumTerms(q.decay, z)
		total := decay + sumTerms(q.rest, z)
		exponent := total - z*complex(q.epsilon, 0) - cmplx.Log(z*(z+1)) - complex(s.logPeak, 0)
		size := math.Exp(real(exponent))
		weight := 1.0
		if k == 0 {
			weight = 0.5
		}
		sum += weight * size * math.Cos(imag(exponent))
		rough += weight * size * (20 + cmplx.Abs(total) + cmplx.Abs(z)*q.epsilon + math.Abs(s.logPeak))
		if k == 0 {
			continue
		}
		// numerator of the tail bound, over y, in units of the step
		tail = math.Exp(sumBounds(q.decay, z, decay)+rest-s.c*q.epsilon-s.logPeak) / (y * h)
		if tail <= contourTolerance*math.Abs(sum) {
			ok = true
			e.nodes = k + 1
			break
		}
	}
	scale := math.Exp(s.logPeak) * h / math.Pi
	extra := scale * (tail + roundoff*rough)
	e.value = scale*sum + extra
	e.slop = 2*extra + 3*contourTolerance*math.Abs(e.value)
	return e, ok && e.value > 0
}

// integrateLattice is the same for losses on offset + step·ℤ. With P = N·step the trapezoid sum folds into N terms, and
// the inner sums are geometric series; nothing is truncated:
//
//	T = (1/N) Σ_{k<N} e^{K(z_k) − z_k l₀} [1/(1 − e^{−z_k g}) − e^{ε−l₀}/(1 − e^{−(1+z_k)g})],  z_k = c + 2πik/(Ng),
//
// g the step and l₀ the first lattice point above ε.
func (q *contour) integrateLattice(s saddle, offset, step float64) (e estimate, ok bool) {
	n := int(math.Ceil(s.period / step))
	if !(s.period/step < 8*maxNodes) {
		return e, false
	}
	n = max(n, 2)
	first := offset + step*(math.Floor((q.epsilon-offset)/step)+1)
	h := 2 * math.Pi / (float64(n) * step)
	var sum, rough float64
	for k := 0; 2*k <= n; k++ {
		if q.ended(k) {
			return e, false
		}
		z := complex(s.c, float64(k)*h)
		total := sumTerms(q.rest, z)
		inner := -1/expm1Complex(-z*complex(step, 0)) +
			complex(math.Exp(q.epsilon-first), 0)/expm1Complex(-(1+z)*complex(step, 0))
		v := cmplx.Exp(total-z*complex(first, 0)-complex(s.logPeak, 0)) * inner
		weight := 2.0
		if k == 0 || 2*k == n {
			weight = 1
		}
		sum += weight * real(v)
		rough += weight * cmplx.Abs(v) * (20 + cmplx.Abs(z) + cmplx.Abs(total) + cmplx.Abs(z)*math.Abs(first) +
			math.Abs(s.logPeak))
	}
	scale := math.Exp(s.logPeak) / float64(n)
	extra := scale * roundoff * rough
	e = estimate{value: scale*sum + extra, slop: 2*extra + 3*contourTolerance*math.Abs(scale*sum), nodes: n/2 + 1}
	return e, e.value > 0
}

// Composition is a declared composition's profile at one ε, with what proves it.
type Composition struct {
	Epsilon float64
	Delta   float64 // the bound: the smaller of Exact and Renyi
	Exact   float64 // upper bound by exact composition; NaN where it is not available
	Slop    float64 // Exact exceeds the true profile of the composed law by at most this, before the inflation by 1e-9
	Renyi   float64 // bound by Lemma 3 from the sum of the Rényi curves
	Order   float64 // the order that gives Renyi
	Nodes   int     // evaluations of the transform on the contour
	// Method is how Delta was found: "closed form", "contour", "grid contour", "common grid", "convolution" or "Rényi
	// bound".
	Method string
}

// The ways to compose.
const (
	byClosedForm = "closed form"  // one release, or Gaussian or randomised-response releases only
	byContour    = "contour"      // inversion of the transform on a line
	byLattice    = "grid contour" // the same for losses on one lattice, a finite sum
	byGrid       = "common grid"  // losses on several lattices, dominated by one on a fine grid
	byConvolve   = "convolution"  // no such transform, or no convergence: distributions on a grid
	byRenyi      = "Rényi bound"  // no distribution either, or the Rényi curve is below it
)

// agreement is how far the transform and the Rényi curve, computed apart from each other, may differ: |K(c) − c·R(1+c)|
// relative to K(c).
const agreement = 1e-6

// composer is a list of parts made ready for any ε.
type composer struct {
	parts  []Repeat
	merged []Repeat
	pure   float64
	plan   plan
	ok     bool   // there is a plan
	grids  *grids // nil: not used
	stop   func() bool
}

// newComposer makes a list ready; gridded says whether distributions on a grid may serve where no contour does.
func newComposer(parts []Repeat, gridded bool) *composer {
	c := &composer{parts: parts, merged: merged(parts)}
	if gridded {
		c.grids = &grids{}
	}
	c.pure = addUp(c.merged, Pair.PureEpsilon)
	if len(c.merged) == 1 && closedForm(c.merged[0]) != nil || len(c.merged) == 0 {
		return c
	}
	if c.plan, c.ok = planFor(c.merged); c.ok && gridded && c.plan.slow() {
		c.ok = false
	}
	if c.ok {
		c.plan.prepare()
	}
	return c
}

// rdp is the Rényi curve of the product.
func (c *composer) rdp(order float64) float64 {
	return addUp(c.merged, func(p Pair) float64 { return p.RDP(order) })
}

// twoPoints is that curve with choices of bounded range by their two-point distributions, whose divergence no choice
// exceeds. It is dear, and searched only near the order at which the product of pairs has its saddle point.
func (c *composer) twoPoints(r *Composition, tilt float64) {
	ranges := 0
	for _, part := range c.merged {
		if p, ok := part.Pair.(RangePair); ok && p.Range > 0 {
			ranges += part.Times
		}
	}
	if ranges == 0 {
		return
	}
	curve := func(order float64) float64 {
		return addUp(c.merged, func(p Pair) float64 {
			if q, ok := p.(RangePair); ok && q.Range > 0 {
				return math.Min(p.RDP(order), SelectionPair{q.Range}.RDP(order))
			}
			return p.RDP(order)
		})
	}
	num.GoldenSection(func(t float64) float64 {
		order := 1 + tilt*math.Exp(t)
		least := renyiLogDelta(curve(order), order-1, math.Max(0, r.Epsilon))
		if d := num.InflateGamma(math.Exp(least)); d < r.Renyi {
			r.Renyi, r.Order = d, order
		}
		return least
	}, -1, 1, .02)
}

// divergence is that of the pairs themselves, where some releases are known to be less apart than their pair.
func (c *composer) divergence(order float64) float64 {
	return addUp(c.merged, func(p Pair) float64 {
		if own, ok := p.(interface{ divergence(order float64) float64 }); ok {
			return own.divergence(order)
		}
		return p.RDP(order)
	})
}

func (c *composer) compose(epsilon float64) Composition {
	r := Composition{Epsilon: epsilon, Exact: math.NaN(), Method: byClosedForm}
	// taken down, so that rounding at ε or at a lattice point is on the safe side
	eps := epsilon - num.Slack*(1+math.Abs(epsilon))
	switch {
	case math.IsNaN(epsilon):
		r.Delta = 1
		return r
	case c.pure <= eps || len(c.merged) == 0:
		r.Exact, r.Order = 0, math.Inf(1)
		return r
	case len(c.merged) == 1 && closedForm(c.merged[0]) != nil:
		r.Exact = closedForm(c.merged[0]).Delta(epsilon)
		r.Renyi, r.Order = DeltaFromRDP(c.rdp, math.Max(0, epsilon))
		r.Delta = math.Min(r.Exact, r.Renyi)
		return r
	}
	ceiling := math.Min(1, num.Inflate(-math.Expm1(eps-c.pure))) // no loss exceeds the sum of the pure ε
	if c.ok {
		r.Method = c.plan.method
		if c.plan.evaluate(&r, eps, c.divergence, c.stop) {
			// the curve belongs to the losses themselves, and near their largest value it may win
			if c.plan.approximate || c.plan.tight {
				r.Renyi, r.Order = DeltaFromRDP(c.rdp, math.Max(0, epsilon))
			}
			r.Delta = math.Min(ceiling, math.Min(r.Exact, r.Renyi))
			return r
		}
	}
	r.Renyi, r.Order = DeltaFromRDP(c.rdp, math.Max(0, epsilon))
	r.Exact, r.Slop, r.Delta, r.Method, r.Nodes = math.NaN(), 0, math.Min(ceiling, r.Renyi), byRenyi, 0
	if c.grids == nil {
		return r
	}
	if exact, slop, tilt, ok := c.grids.delta(c.merged, eps, c.stop); ok {
		c.twoPoints(&r, tilt)
		r.Exact, r.Slop, r.Delta = exact, slop, math.Min(ceiling, math.Min(exact, r.Renyi))
		if exact <= r.Renyi {
			r.Method = byConvolve
		}
	}
	return r
}

// closedForm is the pair whose own profile is that of the repeated pair, or nil.
func closedForm(part Repeat) Pair {
	if p, ok := part.Pair.(GeometricPair); ok && part.Times <= 1<<12 {
		return GeometricPair{p.Rate, part.Times}
	}
	if p, ok := part.Pair.(DiscreteGaussianPair); ok && p.Shift == 1 {
		return DiscreteGaussianPair{p.Sigma2, p.Cells * part.Times, 1}
	}
	if part.Times == 1 {
		return part.Pair
	}
	return nil
}

// evaluate fills in the exact value and the Rényi bound at the same order; it reports false when the contour did not
// converge or the two disagree beyond the error bounds.
func (pl plan) evaluate(r *Composition, eps float64, curve Curve, stop func() bool) bool {
	r.Exact, r.Renyi = 0, 1
	tolerance := agreement
	if pl.approximate {
		tolerance = 0.02 // the distribution on the grid dominates the one that the curve belongs to
	}
	for i, l := range pl.lines {
		swapped := i == 1
		q := &contour{l, eps, stop}
		s, ok := q.saddle()
		if bound := num.InflateGamma(math.Exp(s.k - s.c*eps + kappa(s.c))); !ok && swapped && bound <= r.Exact {
			continue // by Lemma 3, from the transform itself, this order of the distributions is not the worse one
		}
		if !ok {
			return false
		}
		var e estimate
		if pl.step > 0 {
			e, ok = q.integrateLattice(s, pl.offset, pl.step)
		} else {
			e, ok = q.integrate(s)
		}
		if !ok || math.IsNaN(e.value) {
			return false
		}
		divergence := s.c * curve(1+s.c)
		if s.k > divergence*(1+tolerance)+1e-13 {
			return false
		}
		if !pl.loose && !swapped && s.k < divergence*(1-tolerance)-1e-13 {
			return false
		}
		renyi := num.InflateGamma(math.Exp(renyiLogDelta(divergence/s.c, s.c, eps)))
		if e.value > (renyi+e.slop)*(1+50*tolerance*math.Max(1, math.Abs(s.logDelta))) {
			return false
		}
		if v := num.InflateGamma(e.value); v >= r.Exact {
			r.Exact, r.Slop = v, e.slop
		}
		if renyi <= r.Renyi { // the curve covers both directions, so any order serves
			r.Renyi, r.Order = renyi, 1+s.c
		}
		r.Nodes += e.nodes
	}
	return true
}
