package posteriorsample

import "math"

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
