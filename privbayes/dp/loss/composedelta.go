package loss

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Composition is a declared composition's profile at one ε, with what proves it.
type Composition struct {
	Epsilon float64
	Delta   float64 // the bound: the smaller of Exact and Renyi
	Exact   float64 // upper bound by exact composition; NaN where it is not available
	Slop    float64 // Exact exceeds the true profile of the composed law by at most this, before the inflation by 1e-9
	Renyi   float64 // bound by Lemma 3 from the sum of the Rényi curves
	Order   float64 // the order that gives Renyi
	Nodes   int     // evaluations of the transform on the contour
	Method  string  // how Delta was found: "closed form", "contour", "lattice contour", "common grid" or "Rényi bound"
}

// The ways to compose.
const (
	byClosedForm = "closed form"     // one release, or Gaussian or randomised-response releases only
	byContour    = "contour"         // inversion of the transform on a line
	byLattice    = "lattice contour" // the same for losses on one lattice, a finite sum
	byGrid       = "common grid"     // losses on several lattices, dominated by one on a fine grid
	byRenyi      = "Rényi bound"     // no transform, no convergence, or a failed cross-check
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
	ok     bool // there is a plan
	stop   func() bool
}

func newComposer(parts []Repeat) *composer {
	c := &composer{parts: parts, merged: merged(parts)}
	c.pure = addUp(c.merged, Pair.PureEpsilon)
	if len(c.merged) == 1 && closedForm(c.merged[0]) != nil || len(c.merged) == 0 {
		return c
	}
	if c.plan, c.ok = planFor(c.merged); c.ok {
		c.plan.prepare()
	}
	return c
}

// composedDelta is the profile of the product of the parts.
func composedDelta(parts []Repeat, epsilon float64) Composition {
	return composedUntil(parts, epsilon, nil)
}

// composedUntil is composedDelta, or the Rényi bound once stop, which may be nil, says so.
func composedUntil(parts []Repeat, epsilon float64, stop func() bool) Composition {
	c := newComposer(parts)
	c.stop = stop
	return c.compose(epsilon)
}

// rdp is the Rényi curve of the product.
func (c *composer) rdp(order float64) float64 {
	return addUp(c.merged, func(p Pair) float64 { return p.RDP(order) })
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
	r.Exact, r.Slop, r.Delta, r.Method = math.NaN(), 0, math.Min(ceiling, r.Renyi), byRenyi
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
		tolerance = 0.02 // the law on the grid dominates the one that the curve belongs to
	}
	for i, l := range pl.lines {
		swapped := i == 1
		q := &contour{l, eps, stop}
		s, ok := q.saddle()
		if bound := num.InflateGamma(math.Exp(s.k - s.c*eps + kappa(s.c))); !ok && swapped && bound <= r.Exact {
			continue // by Lemma 3, from the transform itself, this order of the laws is not the worse one
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
