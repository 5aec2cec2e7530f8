package loss

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Repeat is a pair released Times times, with independent randomness.
type Repeat struct {
	Pair  Pair
	Times int // ≥ 1
}

// Declared is the joint release of a list of mechanisms that was fixed before the first draw. It is a pair itself, the
// product of its parts, and its profile is exact: the losses are independent and add.
//
// That holds for a fixed list only. When later mechanisms are chosen after seeing earlier outputs, the total loss is no
// longer a sum of independent losses with known laws, and its exact profile is not that of any list. So a Declared
// cannot grow: it has no append, and [Declare] refuses one as a part. What is chosen on the way is charged to a
// [Budget], where pure ε and zCDP add, or to a [RenyiFilter].
//
// The zero value is the release of nothing.
type Declared struct{ list *composer }

// Declare fixes a list of releases. Losses whose transforms have no contour that converges are put on a grid. It fails
// with *dp.ParameterError for a nil pair, a multiplicity below 1, a part that is itself Declared, and parameters
// outside a pair's domain.
func Declare(parts ...Repeat) (Declared, error) { return declare(parts, true) }

// DeclareByCurve is [Declare] without a grid: one part without such a contour gives the whole list its Rényi bound.
// Release files state a δ of that kind, and are verified by it.
func DeclareByCurve(parts ...Repeat) (Declared, error) { return declare(parts, false) }

func declare(parts []Repeat, gridded bool) (Declared, error) {
	for i, part := range parts {
		refuse := func(what, want string) (Declared, error) {
			return Declared{}, domain.Refuse("loss: Declare", fmt.Sprintf("part %d", i), what, want)
		}
		switch part.Pair.(type) {
		case nil:
			return refuse("nil", "a pair")
		case Declared, *Declared:
			return refuse("a declared composition", "its parts in one list, declared before the first draw")
		}
		if part.Times < 1 {
			return refuse(fmt.Sprintf("released %d times", part.Times), "at least once")
		}
		rho := part.Pair.ZCDP()
		r := part.Pair.RDP(1 + 1e-3)
		if !(rho > 0 && r > 0) || math.IsInf(r, 1) && math.IsInf(part.Pair.RDP(1+1e-9), 1) {
			return refuse(part.Pair.String(), "positive parameters")
		}
	}
	return Declared{newComposer(append([]Repeat(nil), parts...), gridded)}, nil
}

// alone is the release of one pair, by its own transform.
func alone(p Pair) Declared { return Declared{newComposer([]Repeat{{p, 1}}, false)} }

// Parts is a copy of the list.
func (d Declared) Parts() []Repeat {
	if d.list == nil {
		return nil
	}
	return append([]Repeat(nil), d.list.parts...)
}

// String describes the list.
func (d Declared) String() string {
	parts := d.Parts()
	if len(parts) == 0 {
		return "nothing"
	}
	words := make([]string, 0, 4)
	for i, part := range parts {
		if i == 3 && len(parts) > 4 {
			words = append(words, fmt.Sprintf("%d more", len(parts)-3))
			break
		}
		s := part.Pair.String()
		if part.Times > 1 {
			s = fmt.Sprintf("%d × (%s)", part.Times, s)
		}
		words = append(words, s)
	}
	return "declared: " + strings.Join(words, "; ")
}

// addUp adds a figure of the parts.
func addUp(parts []Repeat, f func(Pair) float64) float64 {
	total := 0.0
	for _, part := range parts {
		total += float64(part.Times) * f(part.Pair)
	}
	return num.Inflate(total)
}

// sum adds a figure of the parts.
func (d Declared) sum(f func(Pair) float64) float64 {
	if d.list == nil {
		return 0
	}
	return addUp(d.list.parts, f)
}

// PureEpsilon is the sum over the parts.
func (d Declared) PureEpsilon() float64 { return d.sum(Pair.PureEpsilon) }

// RDP is the sum over the parts: Rényi divergences of products add.
func (d Declared) RDP(order float64) float64 {
	return d.sum(func(p Pair) float64 { return p.RDP(order) })
}

// ZCDP is the sum over the parts.
func (d Declared) ZCDP() float64 { return d.sum(Pair.ZCDP) }

// Delta is the privacy profile, an upper bound; see [Declared.Compose] for how it came about.
func (d Declared) Delta(epsilon float64) float64 { return d.Compose(epsilon).Delta }

// DeltaUntil is Delta, or the bound that the Rényi curve proves once stop, which may be nil, says so.
func (d Declared) DeltaUntil(epsilon float64, stop func() bool) float64 {
	if d.list == nil || stop == nil {
		return d.Delta(epsilon)
	}
	c := *d.list
	c.stop = stop
	return c.compose(epsilon).Delta
}

// Compose is the privacy profile at ε ≥ 0 with its evidence: the exact value with its error bound where the losses have
// transforms, and the bound that the Rényi curve proves, which must not be below it. The smaller is reported. A NaN
// gives δ = 1.
func (d Declared) Compose(epsilon float64) Composition {
	if d.list == nil {
		return newComposer(nil, false).compose(epsilon)
	}
	return d.list.compose(epsilon)
}

// merged adds up equal parts and Gaussian parts, and composes cells of geometric noise of one rate.
func merged(parts []Repeat) []Repeat {
	var out []Repeat
	at := map[Pair]int{}
	gauss := 0.0
	for _, part := range parts {
		switch p := part.Pair.(type) {
		case GaussianPair:
			gauss += float64(part.Times) * p.Mu * p.Mu
			continue
		case PurePair:
			part = Repeat{GeometricPair{p.Epsilon, 1}, part.Times}
		case GeometricPair:
			part = Repeat{GeometricPair{p.Rate, 1}, part.Times * p.Cells}
		case ShiftedGeometricPair:
			part = Repeat{ShiftedGeometricPair{p.Rate, p.Shift, 1}, part.Times * p.Cells}
			if p.Shift == 1 {
				part.Pair = GeometricPair{p.Rate, 1}
			}
		case LaplacePair:
			part = Repeat{LaplacePair{p.Scale, 1}, part.Times * p.Cells}
		}
		if reflect.TypeOf(part.Pair).Comparable() {
			if i, ok := at[part.Pair]; ok {
				out[i].Times += part.Times
				continue
			}
			at[part.Pair] = len(out)
		}
		out = append(out, part)
	}
	if gauss > 0 {
		out = append(out, Repeat{GaussianPair{math.Sqrt(gauss)}, 1})
	}
	return out
}

// Spent is the number that a pair spends in the notion of want: ε, δ at want's ε, Rényi ε at want's order, or ρ.
func Spent(p Pair, want dp.Parameters) float64 {
	switch want.Notion {
	case dp.Approximate:
		return p.Delta(float64(want.Epsilon))
	case dp.Concentrated:
		return p.ZCDP()
	case dp.TruncatedConcentrated:
		return TruncatedRho(p, want.Order)
	default:
		return float64(LevelOf(p, want).Epsilon)
	}
}

// Allowed is the bound on Spent.
func Allowed(want dp.Parameters) cert.Number {
	switch want.Notion {
	case dp.Approximate:
		return cert.Number(want.Delta)
	case dp.Concentrated, dp.TruncatedConcentrated:
		return cert.Number(want.Rho)
	default:
		return want.Epsilon
	}
}

// NotionWords names the number that Spent returns.
func NotionWords(l dp.Parameters) string {
	switch l.Notion {
	case dp.Approximate:
		return fmt.Sprintf("δ at ε = %.4g", float64(l.Epsilon))
	case dp.Renyi:
		return fmt.Sprintf("Rényi ε at order %.4g", l.Order)
	case dp.Concentrated:
		return "zCDP ρ"
	case dp.TruncatedConcentrated:
		return fmt.Sprintf("tCDP ρ up to order %.4g", l.Order)
	default:
		return "pure ε"
	}
}

// Spend is what a release with the pair has, in the notion of the target, and whether that meets it. For a calibrated
// (ε, δ) target it is the asked ε with the δ spent there, which is what the calibration was made on, and not the ε that
// the asked δ would give: the δ left over is worth more than a hair of ε. A nominal target asks for nothing, and is
// told the ε of its δ. ctx ends a long profile.
func Spend(ctx context.Context, p Pair, t dp.Request) (level dp.Parameters, meets bool, err error) {
	p = Until(ctx, p)
	want := t.Parameters
	meets = Meets(p, want)
	if want.Notion == dp.Approximate && meets && !t.NominalScale {
		level = dp.Parameters{Notion: dp.Approximate, Epsilon: want.Epsilon, Delta: p.Delta(float64(want.Epsilon))}
	} else {
		level = LevelOf(p, want)
	}
	return level, meets, ctx.Err()
}

// Until is the same pair until ctx ends: from then on, and within the computation that is under way, its bounds are the
// trivial ones, δ = 1 and ε = ρ = +Inf, which hold for every release. A search for parameters that looks at ctx between
// two evaluations ends soon after it.
func Until(ctx context.Context, p Pair) Pair { return untilPair{p, ctx} }

// A pair whose profile is a long computation has, besides Delta, DeltaUntil(ε, stop): an upper bound of Delta, soon
// after stop says so.
type untilPair struct {
	Pair
	ctx context.Context
}

// Delta implements Pair.
func (u untilPair) Delta(epsilon float64) float64 {
	if u.ctx.Err() != nil {
		return 1
	}
	if long, ok := u.Pair.(interface {
		DeltaUntil(epsilon float64, stop func() bool) float64
	}); ok {
		return long.DeltaUntil(epsilon, func() bool { return u.ctx.Err() != nil })
	}
	return u.Pair.Delta(epsilon)
}

// RDP implements Pair.
func (u untilPair) RDP(order float64) float64 {
	return u.bound(func() float64 { return u.Pair.RDP(order) })
}

// ZCDP implements Pair.
func (u untilPair) ZCDP() float64 { return u.bound(u.Pair.ZCDP) }

// TCDP is what TruncatedRho asks for.
func (u untilPair) TCDP(omega float64) float64 {
	return u.bound(func() float64 { return TruncatedRho(u.Pair, omega) })
}

func (u untilPair) bound(of func() float64) float64 {
	if u.ctx.Err() != nil {
		return math.Inf(1)
	}
	return of()
}

// Curve is a Rényi curve: an upper bound on the Rényi divergence of each order λ > 1, +Inf where there is none. The
// method RDP of every [Pair] is one.
type Curve = func(order float64) float64

// EpsilonFromRDP is the least ε that Lemma 3 proves at δ in (0, 1) from a whole Rényi curve, and the order that proves
// it:
//
//	ε = min_{λ>1} R(λ) + ln(1 − 1/λ) − ln(λδ)/(λ−1), and at least 0.
//
// Every order proves its own ε, so the search is safe however the curve behaves; it is exact to about 1e-10 where
// (λ−1)R(λ) is convex, as it is for every Rényi divergence. NaN for δ outside (0, 1); +Inf where no order has a finite
// bound. Source: Canonne, Kamath, Steinke 2020, Proposition 12; theory/dirichlet.md §2.4.
func EpsilonFromRDP(curve Curve, delta float64) (epsilon, order float64) {
	if !(delta > 0 && delta < 1) {
		return math.NaN(), math.NaN()
	}
	order, least := bestOrder(func(c float64) float64 {
		// (c·R + κ(c) − ln δ)/c, written so that nothing cancels for large c
		return curve(1+c) - math.Log1p(1/c) - (math.Log1p(c)+math.Log(delta))/c
	})
	if least <= 0 {
		return 0, order
	}
	return num.Inflate(least), order
}

// DeltaFromRDP is the least δ that Lemma 3 proves at ε ≥ 0 from a whole Rényi curve, at most 1, and the order that
// proves it:
//
//	ln δ = min_{λ>1} (λ−1)(R(λ) − ε) + (λ−1) ln(1 − 1/λ) − ln λ.
//
// NaN for ε < 0.
func DeltaFromRDP(curve Curve, epsilon float64) (delta, order float64) {
	if !(epsilon >= 0) {
		return math.NaN(), math.NaN()
	}
	order, least := bestOrder(func(c float64) float64 { return renyiLogDelta(curve(1+c), c, epsilon) })
	return math.Min(1, num.InflateGamma(math.Exp(least))), order
}

// renyiLogDelta is the ln δ that divergence R of order 1 + c proves at ε.
func renyiLogDelta(r, c, epsilon float64) float64 { return c*(r-epsilon) + kappa(c) }

// bestOrder minimises an objective of c = λ − 1 over (4e-7, 5e10): a scan on a logarithmic grid, which finds the valley
// whatever infinities surround it, and golden section inside it.
func bestOrder(objective func(c float64) float64) (order, least float64) {
	f := func(t float64) float64 {
		v := objective(math.Exp(t))
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		return v
	}
	const lo, hi, steps = -14.75, 24.65, 40
	const step = (hi - lo) / steps
	at, least := lo, math.Inf(1)
	for k := 0; k <= steps; k++ {
		if v := f(lo + step*float64(k)); v < least {
			at, least = lo+step*float64(k), v
		}
	}
	num.GoldenSection(func(t float64) float64 {
		v := f(t)
		if v < least {
			at, least = t, v
		}
		return v
	}, at-step, at+step, 1e-7)
	return 1 + math.Exp(at), least
}
