package loss

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
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

// Declare fixes a list of releases. It fails with *dp.ParameterError for a nil pair, a multiplicity below 1, a part
// that is itself Declared, and parameters outside a pair's domain.
func Declare(parts ...Repeat) (Declared, error) {
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
	return Declared{newComposer(append([]Repeat(nil), parts...))}, nil
}

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
		return composedDelta(nil, epsilon)
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
