package posteriorsample

import (
	"fmt"
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// inflation covers the rounding of the sums made here.
const inflation = 1 + 1e-12

// curve is what the accounting of one draw offers: upper bounds, +Inf where there is none.
type curve interface {
	Oscillation() float64
	Epsilon() float64
	Delta(epsilon float64) float64
	Renyi(order float64) float64
	// Quick is an upper bound of Renyi that costs little.
	Quick(order float64) float64
	// Rate bounds D_λ/λ over 1 < λ ≤ order, at little cost.
	Rate(order float64) float64
	ZCDP() float64
}

// Family is what the accounting of draws needs of a posterior: upper bounds between the posteriors of neighbouring data
// sets.
type Family interface {
	Oscillation() float64            // of the range of the log-ratio, +Inf when unbounded
	Epsilon() float64                // of the log-ratio
	Profile(epsilon float64) float64 // of the hockey-stick divergence, ε ≥ 0
	Renyi(order float64) float64     // of the Rényi divergence of order λ > 1
}

// family is a Family as a curve.
type family struct{ Family }

func (f family) Delta(epsilon float64) float64 { return f.Profile(epsilon) }

// Quick is the bound from the variance of the natural parameter, or the curve itself where that is in closed form.
func (f family) Quick(order float64) float64 {
	if q, ok := f.Family.(*logratio.Posteriors); ok {
		if v := q.QuickRenyi(order); !math.IsInf(v, 1) {
			return math.Min(v, logratio.BoundedRange(f.Oscillation()).Renyi(order))
		}
	}
	return f.Renyi(order)
}

// Rate is half of Δ² times the greatest variance of the natural parameter that the order reaches, which rises with the
// order.
func (f family) Rate(order float64) float64 {
	if q, ok := f.Family.(*logratio.Posteriors); ok {
		return q.QuickRenyi(order) / order * inflation
	}
	return math.Inf(1)
}

// ZCDP is osc²/8.
func (f family) ZCDP() float64 { return logratio.BoundedRange(f.Oscillation()).ZCDP() }

// Pair bounds N draws from a posterior, independent given the data and released as a list, over all neighbours of a
// family: what a dominating pair would give. Pure ε is N times that of one draw, exactly (the worst point repeats), and
// so is the Rényi divergence. It is safe for concurrent use, and remembers the Rényi divergences that it was asked for.
type Pair struct {
	name     string
	one      curve
	draws    int
	mu       *sync.Mutex
	known    map[float64]float64 // order → Rényi divergence of one draw
	bounds   map[float64]float64 // the same of the cheap bound
	stop     *func() bool        // shared by the pairs of one plan: ends long sums, see settle; *stop is nil: never
	profiled bool                // the profile of one draw is exact or as good as the Rényi curve's
}

var _ loss.Pair = (*Pair)(nil)

// PairOf accounts for N ≥ 1 draws from the posterior of a named family, such as those of package families:
// *dp.ParameterError.
func PairOf(name string, f Family, draws int) (*Pair, error) {
	if err := domain.Check("posteriorsample", name, domain.AtLeast("N", draws, 1)); err != nil {
		return nil, err
	}
	return newPair(name, family{f}, draws, true), nil
}

func newPair(name string, one curve, draws int, exact bool) *Pair {
	return &Pair{name, one, draws, new(sync.Mutex), map[float64]float64{}, map[float64]float64{}, new(func() bool),
		exact}
}

// interrupt makes the searches of a curve end with +Inf once stop says so.
func interrupt(c curve, stop func() bool) {
	if f, ok := c.(family); ok {
		if p, ok := f.Family.(*logratio.Posteriors); ok {
			p.Interrupt(stop)
		}
	}
}

// settle frees the pair of the context that it was planned under.
func (p *Pair) settle() {
	*p.stop = nil
	interrupt(p.one, nil)
}

// ended says that the context of planning has ended: bounds are then +Inf, and nothing is remembered.
func (p *Pair) ended() bool { return *p.stop != nil && (*p.stop)() }

// with is the pair of another number of draws, which shares what is known.
func (p *Pair) with(draws int) *Pair {
	q := *p
	q.draws = draws
	return &q
}

// String describes the pair.
func (p *Pair) String() string {
	if p.draws == 1 {
		return "one draw from " + p.name
	}
	return fmt.Sprintf("%s from %s", table.Count(p.draws, "draw"), p.name)
}

// PureEpsilon is N·ε of one draw.
func (p *Pair) PureEpsilon() float64 { return float64(p.draws) * p.one.Epsilon() * inflation }

// RDP is N·D_λ, at most PureEpsilon; NaN for λ ≤ 1.
func (p *Pair) RDP(order float64) float64 {
	if !(order > 1) {
		return math.NaN()
	}
	return p.remember(p.known, order, p.one.Renyi)
}

// quick is RDP from the curve's cheap bound.
func (p *Pair) quick(order float64) float64 { return p.remember(p.bounds, order, p.one.Quick) }

func (p *Pair) remember(known map[float64]float64, order float64, f func(float64) float64) float64 {
	p.mu.Lock()
	d, ok := known[order]
	p.mu.Unlock()
	if !ok && p.ended() {
		return math.Inf(1)
	}
	if !ok {
		d = math.Min(f(order), p.one.Epsilon())
		p.mu.Lock()
		known[order] = d
		p.mu.Unlock()
	}
	return float64(p.draws) * d * inflation
}

// Delta is the privacy profile at ε ≥ 0: of one draw the family's own, exact where that is, and for N draws the least
// that follows from the Rényi curve, from the range N·osc of the log-ratio, and from N·ε.
func (p *Pair) Delta(epsilon float64) float64 {
	switch {
	case !(epsilon >= 0):
		return math.NaN()
	case p.ended():
		return 1
	case epsilon >= p.PureEpsilon():
		return 0
	case p.draws == 1 && p.profiled:
		return math.Min(1, p.one.Delta(epsilon))
	}
	best := 1.0
	if p.draws == 1 {
		best = math.Min(best, p.one.Delta(epsilon))
	}
	if osc := p.one.Oscillation(); !math.IsInf(osc, 1) {
		best = math.Min(best, logratio.BoundedRange(float64(p.draws)*osc).Delta(epsilon))
		best = math.Min(best, loss.PurePair{Epsilon: p.PureEpsilon()}.Delta(epsilon))
	}
	return math.Min(best, p.renyiDelta(epsilon))
}

// The orders are 1 + 2^{i/orderSteps}.
const (
	orderSteps = 32
	coarse     = 8 // a first search uses every eighth order
	orderLow   = -10 * orderSteps
	orderHigh  = 20 * orderSteps
)

// renyiDelta is the δ that the best order proves (Canonne, Kamath, Steinke 2020, Proposition 12):
//
//	ln δ = min_λ (λ−1)(N·D_λ − ε) + (λ−1) ln(1 − 1/λ) − ln λ,
//
// over a grid of orders. The best order of the cheap bound is found by golden section; the exact curve is evaluated
// there, beside it, and at the vertex of the parabola through the three. Every order proves its own δ, so the search is
// safe however the curve behaves.
func (p *Pair) renyiDelta(epsilon float64) float64 {
	logDelta := func(i int, rdp func(float64) float64) float64 {
		c := math.Exp2(float64(i) / orderSteps)
		r := rdp(1 + c)
		if math.IsInf(r, 1) {
			return r
		}
		return c*(r-epsilon) - c*math.Log1p(1/c) - math.Log1p(c)
	}
	at := p.bestOrder(func(i int) float64 { return logDelta(i, p.quick) })
	exact := func(i int) float64 { return logDelta(i, p.RDP) }
	mid := exact(at)
	for range 12 { // down the exact curve, should its valley be elsewhere
		left, right := exact(at-coarse), exact(at+coarse)
		switch {
		case left < mid && left <= right:
			at, mid = at-coarse, left
			continue
		case right < mid:
			at, mid = at+coarse, right
			continue
		}
		if bend := left - 2*mid + right; bend > 0 && !math.IsInf(bend, 1) {
			mid = math.Min(mid, exact(at+int(math.Round(coarse*(left-right)/(2*bend)))))
		}
		break
	}
	return math.Min(1, math.Exp(mid)*inflation)
}

// bestOrder minimises a function of the grid that falls and then rises, by golden section on multiples of coarse.
func (p *Pair) bestOrder(f func(i int) float64) (at int) {
	lo, hi := orderLow/coarse, orderHigh/coarse
	for hi-lo > 3 {
		a, b := lo+(hi-lo)*38/100, lo+(hi-lo)*62/100
		if a == b {
			b++
		}
		if f(a*coarse) <= f(b*coarse) {
			hi = b
		} else {
			lo = a
		}
	}
	least := math.Inf(1)
	for i := lo; i <= hi; i++ {
		if v := f(i * coarse); v < least {
			at, least = i*coarse, v
		}
	}
	return at
}

// ZCDP is sup over λ > 1 of RDP(λ)/λ, from above and within a few supGap of it: the family's own bound, or one from the
// curve, whichever is less.
func (p *Pair) ZCDP() float64 {
	rho := float64(p.draws) * p.one.ZCDP() * inflation
	epsilon := p.PureEpsilon()
	if math.IsInf(epsilon, 1) {
		return rho
	}
	if epsilon == 0 {
		return 0
	}
	return math.Min(rho, p.supremum(math.Inf(1)))
}

// TCDP is the same over 1 < λ ≤ ω; NaN for ω ≤ 1.
func (p *Pair) TCDP(omega float64) float64 {
	if !(omega > 1) {
		return math.NaN()
	}
	if math.IsInf(p.RDP(omega), 1) {
		return math.Inf(1)
	}
	return math.Min(float64(p.draws)*p.one.ZCDP()*inflation, p.supremum(omega))
}

const (
	supGap    = .01 // the relative gap at which the search for a supremum stops
	supOrders = 200 // orders after which it stops with a wider gap
)

// orders is a range [a, b] of orders with a bound of D_λ/λ over it.
type orders struct{ a, b, bound float64 }

// supremum bounds sup over 1 < λ ≤ ω of D_λ/λ, from the exact curve at finitely many orders. The cumulant (λ−1)D_λ of
// one pair of neighbours is convex and 0 at λ = 1, and so is the greatest over all pairs: on [a, b] it lies under its
// chord, and D_λ/λ under chord/(λ(λ−1)); near 1, D_λ ≤ D_b; and D_λ ≤ ε. Upper bounds in place of the ends only raise
// the chord. Ranges are split, the one with the greatest bound first, until that is within supGap of a value attained;
// the cheap bound, where it is that close, saves the exact curve.
func (p *Pair) supremum(omega float64) float64 {
	attained, epsilon := 0.0, p.PureEpsilon()
	rdp := func(order float64) float64 {
		d := p.RDP(order)
		attained = math.Max(attained, d/order)
		return d
	}
	first := math.Min(1+supGap, omega)
	list := []orders{{1, first, rdp(first)}}
	if omega > 2 {
		rdp(2)
	}
	between := func(a, b float64) orders {
		cheap := math.Min(p.quick(b)/a, float64(p.draws)*p.one.Rate(b)*inflation)
		if cheap <= attained*(1+supGap) {
			return orders{a, b, cheap}
		}
		v := p.between(a, b, rdp)
		v.bound = math.Min(v.bound, cheap)
		return v
	}
	// beyond the last order, D_λ/λ ≤ ε/λ; an infinite ε goes with a finite ω
	last := math.Min(omega, math.Max(2*first, epsilon/attained))
	if first < last {
		list = append(list, between(first, last))
	}
	for range supOrders {
		top := 0
		for i := range list {
			if list[i].bound > list[top].bound {
				top = i
			}
		}
		v := list[top]
		if v.bound <= attained*(1+supGap) || v.a == 1 {
			break
		}
		mid := 1 + math.Sqrt((v.a-1)*(v.b-1))
		list[top] = between(v.a, mid)
		list = append(list, between(mid, v.b))
	}
	most := 0.0
	if last < omega {
		most = epsilon / last
	}
	for _, v := range list {
		most = math.Max(most, v.bound)
	}
	return most * inflation
}

// between bounds D_λ/λ on [a, b], a > 1, by the chord of the cumulant, and by D_b/a.
func (p *Pair) between(a, b float64, rdp func(float64) float64) orders {
	da, db := rdp(a), rdp(b)
	fa, fb := (a-1)*da, (b-1)*db
	slope := (fb - fa) / (b - a)
	base := fa - slope*a
	at := func(l float64) float64 { return (base + slope*l) / (l * (l - 1)) }
	most := math.Max(da/a, db/b)
	if root := base*base + base*slope; root >= 0 && slope != 0 { // where the derivative vanishes
		for _, l := range []float64{(-base + math.Sqrt(root)) / slope, (-base - math.Sqrt(root)) / slope} {
			if l > a && l < b {
				most = math.Max(most, at(l))
			}
		}
	}
	return orders{a, b, math.Min(most, db/a)}
}
