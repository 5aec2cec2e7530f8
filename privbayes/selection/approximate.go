package selection

import (
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// profile is the privacy profile of a candidate, on a grid of ε.
type profile struct{ at, power, delta []float64 } // ε, e^ε, δ

// profileOf takes the profile of a pair up to ε = top. Every value is an upper bound, and so is what lies between two.
func profileOf(p loss.Pair, top float64) profile {
	const apart = .06 // a chord is 3 % above a profile that falls by a factor e^10 from 0 to 1
	var out profile
	for i := range int(top/apart) + 2 {
		x := apart * float64(i)
		out.at, out.power = append(out.at, x), append(out.power, math.Exp(x))
		out.delta = append(out.delta, math.Min(p.Delta(x), 1))
	}
	return out
}

// value is an upper bound on δ(ε), for every ε. The profile is convex in e^ε and falls, so a chord lies above it.
// Below 0 it is δ(−ε) = 1 − e^{−ε}(1 − δ(ε)).
func (p profile) value(eps float64) float64 {
	if eps < 0 {
		return 1 - math.Exp(eps)*(1-p.value(-eps))
	}
	i := sort.SearchFloat64s(p.at, eps)
	switch {
	case i == len(p.at):
		return p.delta[i-1]
	case i == 0 || p.at[i] == eps:
		return p.delta[i]
	}
	part := (math.Exp(eps) - p.power[i-1]) / (p.power[i] - p.power[i-1])
	return (1-part)*p.delta[i-1] + part*p.delta[i]
}

// reach is the greatest probability under a neighbour of an event of probability a: min over ε of e^ε·a + δ(ε), and of
// 1 − e^{−ε}(1 − a − δ(ε)).
func (p profile) reach(a float64) float64 {
	out := 1.
	for i, e := range p.power {
		out = math.Min(out, math.Min(e*a+p.delta[i], 1-(1-a-p.delta[i])/e))
	}
	return math.Max(out, a)
}

// delta bounds the δ of the selection at ε:
//
//	sup over a of h(b)·min(a, δ_M(x)) + (f(b) − e^ε f(b′))₊,  x = ε + ln(h(b′)/h(b)),
//
// where a is how likely a candidate is accepted, b = 1 − a and b′ = 1 − reach(a). The supremum is over the cells of a
// grid, each bounded by its corners: f and h grow with b. Source: theory/selection.md §3.
func (s Stop) delta(p profile, eps float64) (worst float64) {
	const steps = 12_000
	grid := []float64{0}
	for i := range steps + 1 { // even in ln(a/(1−a))
		grid = append(grid, 1/(1+math.Exp(-28*(2*float64(i)/steps-1))))
	}
	grid = append(grid, 1)
	l, e := s.distribution(), math.Exp(eps)
	for i := 0; i+1 < len(grid); i++ {
		none, density := l.generating(1 - grid[i])
		otherNone, other := l.generating(1 - p.reach(grid[i+1]))
		accepted := density * math.Min(grid[i+1], p.value(eps+math.Log(math.Min(other/density, 1))))
		worst = math.Max(worst, accepted+math.Max(none*(1+rounded)-e*otherNone*(1-rounded), 0))
	}
	return worst * (1 + rounded)
}
