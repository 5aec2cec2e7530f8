// Package dp holds the vocabulary of differential privacy. [Parameters] and [Guarantee] say what is promised,
// [Adjacency] between which data sets, [Request] what is asked for, and [Stream] where randomness comes from.
//
// All logarithms are natural. A conversion between privacy definitions ([Parameters.At]) can only weaken a claim.
// These conversions order the parameters.
package dp

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Adjacency is the relation between neighbouring data sets. It is part of every guarantee: guarantees under different
// adjacencies do not compose. Values are comparable; the zero value is ReplaceOne.
type Adjacency struct{ name string }

// The record-level adjacencies.
var (
	// ReplaceOne: one unit's rows are replaced by other rows; the number of rows n is public.
	ReplaceOne = Adjacency{}
	// AddRemove: one unit's rows are added or removed; n is private and never released.
	AddRemove = Adjacency{"add-remove"}
	// ReplaceValue: one feature value (not the class) of each of one unit's rows is replaced; n is public. Weaker than
	// ReplaceOne.
	ReplaceValue = Adjacency{"replace-value"}
	// WithinStrata: the row of one unit is replaced by another row of the same stratum; how many rows every stratum has
	// is public. Weaker than ReplaceOne, which implies it. A schema says which strata: see frame.Strata.
	WithinStrata = Adjacency{"replace-one within strata"}
)

const metric = "metric:"

// UnderMetric is adjacency under a pseudo-metric ρ on data sets: losses are bounded by ε·ρ(x, y). The name must be one
// that can be shown, see Valid.
func UnderMetric(name string) Adjacency { return Adjacency{metric + name} }

// String names the adjacency, such as "replace-one"; the name of a metric is quoted: metric:"hamming".
func (a Adjacency) String() string {
	if name, ok := strings.CutPrefix(a.text(), metric); ok {
		return metric + safetext.Quote(name)
	}
	return a.text()
}

// text is the adjacency in files.
func (a Adjacency) text() string {
	if a.name == "" {
		return "replace-one"
	}
	return a.name
}

// Valid returns a *ParameterError for a metric whose name cannot be shown: an empty one, or one with control,
// bidirectional or invisible characters.
func (a Adjacency) Valid() error {
	name, ok := strings.CutPrefix(a.name, metric)
	var e *safetext.Error
	if ok && errors.As(safetext.CheckTitle(name), &e) {
		return domain.Refuse("dp", "adjacency", "metric:NAME with the name "+e.Shown(), safetext.Want)
	}
	return nil
}

// PublicN reports whether the number of rows is the same in all neighbouring data sets, and so public.
func (a Adjacency) PublicN() bool { return a != AddRemove }

// Implies reports whether a level under a holds under b: ReplaceOne does under WithinStrata, whose neighbours are some
// of its own, and every adjacency under itself.
func (a Adjacency) Implies(b Adjacency) bool { return a == b || a == ReplaceOne && b == WithinStrata }

// MarshalText implements encoding.TextMarshaler.
func (a Adjacency) MarshalText() ([]byte, error) { return []byte(a.text()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Adjacency) UnmarshalText(b []byte) error {
	switch s := string(b); {
	case s == "replace-one":
		*a = ReplaceOne
	case s == AddRemove.name, s == ReplaceValue.name, s == WithinStrata.name:
		*a = Adjacency{s}
	case strings.HasPrefix(s, metric):
		*a = Adjacency{s}
		return a.Valid()
	default:
		return domain.Refuse("dp", "adjacency", safetext.Short(s), "replace-one, add-remove, replace-value, "+
			"replace-one within strata or metric:NAME")
	}
	return nil
}

// ParameterError is an argument outside its domain, of a call or of a file: the one type of this error in the library.
type ParameterError = domain.Error

// Notion is the kind of privacy claim.
type Notion string

// The notions of privacy.
const (
	Pure         Notion = "pure"         // ε-DP
	Approximate  Notion = "approximate"  // (ε, δ)-DP
	Renyi        Notion = "renyi"        // (λ, ε)-RDP
	Concentrated Notion = "concentrated" // ρ-zCDP
	// TruncatedConcentrated is (ρ, ω)-tCDP: Rényi divergence at most ρλ at every order 1 < λ ≤ ω, a whole Rényi curve
	// in two numbers (Bun, Dwork, Rothblum, Steinke 2018).
	TruncatedConcentrated Notion = "truncated-concentrated"
	None                  Notion = "none" // no claim, with a reason
)

var notions = [...]Notion{Pure, Approximate, Renyi, Concentrated, TruncatedConcentrated, None}

// Parameters is a notion of privacy with its parameters; those that the notion does not use are zero.
type Parameters struct {
	Notion  Notion      `json:"notion"`
	Epsilon cert.Number `json:"epsilon,omitempty"`
	Delta   float64     `json:"delta,omitempty"`
	Order   float64     `json:"order,omitempty"` // λ of (λ, ε)-RDP, ω of (ρ, ω)-tCDP
	Rho     float64     `json:"rho,omitempty"`
	Reason  string      `json:"reason,omitempty"` // why there is no claim
}

// NotPrivate is the level of a release without a privacy claim.
func NotPrivate(reason string) Parameters { return Parameters{Notion: None, Reason: reason} }

// String shows the parameters with their names, such as "ε = 1, δ = 1e-6". A δ says approximate DP, an order λ Rényi
// DP, ρ zero-concentrated DP, and an order ω the truncated kind; ε alone is pure DP.
func (l Parameters) String() string { return l.Apart(l) }

// Apart is String with as many digits as tell the parameters from those of another level, where they differ.
func (l Parameters) Apart(o Parameters) string {
	eps, rho := "ε = "+table.Apart(float64(l.Epsilon), float64(o.Epsilon)), "ρ = "+table.Apart(l.Rho, o.Rho)
	switch l.Notion {
	case Pure:
		return eps
	case Approximate:
		return eps + ", δ = " + table.Apart(l.Delta, o.Delta)
	case Renyi:
		return eps + " at order λ = " + table.Apart(l.Order, o.Order)
	case Concentrated:
		return rho
	case TruncatedConcentrated:
		return rho + " up to order ω = " + table.Apart(l.Order, o.Order)
	case None:
		return "not private: " + safetext.Line(l.Reason)
	default:
		return "no privacy definition: " + safetext.Short(string(l.Notion))
	}
}

// Valid returns a *ParameterError naming the first parameter outside its domain: ε in (0, ∞), δ in (0, 1), λ in (1,
// ∞), ρ in (0, ∞), and 0, or no reason, for what the notion does not use.
func (l Parameters) Valid() error {
	if err := l.stray(); err != nil {
		return err
	}
	positive := func(name string, v float64) error {
		if !(v > 0) || math.IsInf(v, 1) {
			return domain.Refuse("dp", name, v, "a finite number > 0")
		}
		return nil
	}
	switch l.Notion {
	case Pure:
		return positive("epsilon", float64(l.Epsilon))
	case Approximate:
		if err := positive("epsilon", float64(l.Epsilon)); err != nil {
			return err
		}
		if !(l.Delta > 0 && l.Delta < 1) {
			return domain.Refuse("dp", "delta", l.Delta, "a number in (0, 1); for δ = 0 ask for PureDP(ε)")
		}
		return nil
	case Renyi:
		if !(l.Order > 1) || math.IsInf(l.Order, 1) {
			return domain.Refuse("dp", "lambda", l.Order, "a finite order > 1")
		}
		return positive("epsilon", float64(l.Epsilon))
	case Concentrated:
		return positive("rho", l.Rho)
	case TruncatedConcentrated:
		if !(l.Order > 1) || math.IsInf(l.Order, 1) {
			return domain.Refuse("dp", "omega", l.Order, "a finite order > 1; for all orders ask for ZCDP(ρ)")
		}
		return positive("rho", l.Rho)
	case None:
		return nil
	}
	if l.Notion == "" {
		return domain.Refuse("dp", "privacy level", "none", "one such as PureDP or ApproxDP makes")
	}
	return domain.Refuse("dp", "notion", safetext.Short(string(l.Notion)), "pure, approximate, renyi, concentrated, "+
		"truncated-concentrated or none")
}

// stray refuses a parameter that the notion does not use: it would be read by nobody, or added up by somebody.
func (l Parameters) stray() error {
	n := l.Notion
	if !slices.Contains(notions[:], n) {
		return nil // Valid says so
	}
	for _, p := range [...]struct {
		name  string
		value float64
		used  bool
	}{
		{"epsilon", float64(l.Epsilon), n == Pure || n == Approximate || n == Renyi},
		{"delta", l.Delta, n == Approximate},
		{"order", l.Order, n == Renyi || n == TruncatedConcentrated},
		{"rho", l.Rho, n == Concentrated || n == TruncatedConcentrated},
	} {
		if p.value != 0 && !p.used {
			return domain.Refuse("dp", p.name, p.value, fmt.Sprintf("none under the privacy definition %.40q", string(n)))
		}
	}
	if l.Reason != "" && n != None {
		return domain.Refuse("dp", "reason", fmt.Sprintf("%.40q", l.Reason),
			fmt.Sprintf("none under the privacy definition %.40q", string(n)))
	}
	return nil
}

// Satisfies reports whether a mechanism with level l also has the level want, by the conversions of [Parameters.At].
func (l Parameters) Satisfies(want Parameters) bool {
	if l.Notion == None || want.Notion == None {
		return want.Notion == None
	}
	c, err := l.At(want)
	if err != nil {
		return false
	}
	return c.Epsilon <= want.Epsilon && c.Delta <= want.Delta && c.Rho <= want.Rho
}

// ConversionError says that no conversion leads from one notion to another.
type ConversionError struct{ From, To Notion }

func (e *ConversionError) Error() string {
	return fmt.Sprintf("dp: no conversion from %s to %s privacy; conversions only weaken a claim", e.From, e.To)
}

// At weakens l to the notion of want, at want's δ (approximate) or λ (Rényi):
//
//	pure ε      → (ε, δ); (λ, RR_λ(ε))-RDP; ε·tanh(ε/2)-zCDP   (Kairouz, Oh, Viswanath 2015: worst: randomised response)
//	ρ-zCDP      → (ρ, ω)-tCDP; (λ, λρ)-RDP; (ε, δ) at the best order
//	(ρ, ω)-tCDP → (λ, λρ)-RDP for λ ≤ ω; (ε, δ) at the best order ≤ ω
//	(λ, ε)-RDP  → (ε + log1p(−1/λ) − log(λδ)/(λ−1), δ)         (Canonne, Kamath, Steinke 2020, Proposition 12)
//
// It returns a *ConversionError where no conversion exists.
func (l Parameters) At(want Parameters) (Parameters, error) {
	e := float64(l.Epsilon)
	out := Parameters{Notion: want.Notion, Delta: want.Delta, Order: want.Order}
	switch {
	case l.Notion == None || want.Notion == None:
		return Parameters{}, &ConversionError{l.Notion, want.Notion}
	case l.Notion == Pure && want.Notion == Pure:
		return l, nil
	case l.Notion == Pure && want.Notion == Approximate:
		out.Epsilon = l.Epsilon
	case l.Notion == Pure && want.Notion == Renyi:
		out.Epsilon = number(num.Inflate(num.ResponseDivergence(e, want.Order)))
	case l.Notion == Pure && want.Notion == Concentrated:
		out.Rho = num.Inflate(e * math.Tanh(e/2))
	case l.Notion == Concentrated && want.Notion == Concentrated:
		return l, nil
	case l.Notion == Concentrated && want.Notion == Renyi:
		out.Epsilon = number(num.Inflate(want.Order * l.Rho))
	case l.Notion == Concentrated && want.Notion == Approximate:
		out.Epsilon = number(zcdpEpsilon(l.Rho, want.Delta))
	case l.Notion == Pure && want.Notion == TruncatedConcentrated:
		out.Rho = num.Inflate(e * math.Tanh(e/2))
	case l.Notion == Concentrated && want.Notion == TruncatedConcentrated:
		out.Rho = l.Rho
	case l.Notion == TruncatedConcentrated && want.Notion == TruncatedConcentrated && want.Order <= l.Order:
		out.Rho = l.Rho
	case l.Notion == TruncatedConcentrated && want.Notion == Renyi && want.Order <= l.Order:
		out.Epsilon = number(num.Inflate(want.Order * l.Rho))
	case l.Notion == TruncatedConcentrated && want.Notion == Approximate:
		out.Epsilon = number(tcdpEpsilon(l.Rho, l.Order, want.Delta))
	case l.Notion == Renyi && want.Notion == Renyi && want.Order <= l.Order:
		out.Epsilon = l.Epsilon // Rényi divergence does not decrease with its order
	case l.Notion == Renyi && want.Notion == Approximate:
		out.Epsilon = number(num.Inflate(rdpEpsilon(l.Order, e, want.Delta)))
	case l.Notion == Approximate && want.Notion == Approximate && l.Delta <= want.Delta:
		out.Epsilon = l.Epsilon
	default:
		return Parameters{}, &ConversionError{l.Notion, want.Notion}
	}
	return out, nil
}

// rdpEpsilon is the ε of (λ, e)-RDP at δ: e + log(1 − 1/λ) − log(λδ)/(λ−1), and never below 0.
func rdpEpsilon(order, e, delta float64) float64 {
	return math.Max(0, e+math.Log1p(-1/order)-(math.Log(delta)+math.Log(order))/(order-1))
}

// zcdpEpsilon minimises rdpEpsilon(λ, λρ, δ) over λ > 1 by golden section in log(λ−1). Any order gives a valid ε, so
// the search needs no accuracy to be safe.
func zcdpEpsilon(rho, delta float64) float64 { return tcdpEpsilon(rho, math.Inf(1), delta) }

// tcdpEpsilon does the same over 1 < λ ≤ ω.
func tcdpEpsilon(rho, omega, delta float64) float64 {
	hi := math.Min(40, math.Log(omega-1))
	_, least := num.Minimum(math.Min(-10, hi-1), hi, func(t float64) float64 {
		order := 1 + math.Exp(t)
		return rdpEpsilon(order, order*rho, delta)
	})
	return num.Inflate(least)
}

// Warnings lists what is dangerous about a level, for data of a size (public or declared; zero if neither is known):
//
//	pure ε, (ε, δ)   ε > 10; δ ≥ 1/n
//	ρ-zCDP           ε > 10 at δ = 1e-6, by the conversion of [Parameters.At]: ρ above 1.539
//	(ρ, ω)-tCDP      as ρ-zCDP, whose part it is
//	(λ, ε)-RDP       ε > 10, or as (ε/λ)-zCDP, the least that has this ε at this order
//
// The last two are not converted themselves: a conversion at a low order costs log(1/δ)/(λ−1) however small the level
// is, and would warn of every one. So a level is held against the zCDP at the limit, order by order. At δ = 1e-6 it is
// as strict as with the δ of most (ε, δ) targets. No level warns when there is no claim: it says so itself.
func (l Parameters) Warnings(size warning.Size) warning.List {
	var out warning.List
	e := float64(l.Epsilon)
	switch l.Notion {
	case Pure, Approximate:
		if e > warning.MostEpsilon {
			out = append(out, warning.Epsilon(e, l.String()))
		}
		if l.Notion == Approximate && size.Known() && l.Delta*float64(size.Rows) >= 1 {
			out = append(out, warning.Delta(l.Delta, size))
		}
	case Concentrated, TruncatedConcentrated:
		out = append(out, l.weak(l.Rho)...)
	case Renyi:
		if e > warning.MostEpsilon {
			return append(out, warning.Epsilon(e, l.String()))
		}
		out = append(out, l.weak(e/l.Order)...)
	}
	return out
}

// weak warns of a level that is, at its orders, as weak as ρ-zCDP with ε > 10.
func (l Parameters) weak(rho float64) warning.List {
	if at := zcdpEpsilon(rho, warning.ReferenceDelta); at > warning.MostEpsilon {
		return warning.List{warning.EpsilonAt(at, l.String(), Parameters{Notion: Concentrated, Rho: rho}.String())}
	}
	return nil
}
