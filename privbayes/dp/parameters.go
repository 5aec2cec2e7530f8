package dp

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

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

// String shows the level, such as "(1, 1e-06)-DP".
func (l Parameters) String() string { return l.Apart(l) }

// Apart is String with as many digits as tell the parameters from those of another level, where they differ.
func (l Parameters) Apart(o Parameters) string {
	eps, delta := table.Apart(float64(l.Epsilon), float64(o.Epsilon)), table.Apart(l.Delta, o.Delta)
	order, rho := table.Apart(l.Order, o.Order), table.Apart(l.Rho, o.Rho)
	switch l.Notion {
	case Pure:
		return eps + "-DP"
	case Approximate:
		return fmt.Sprintf("(%s, %s)-DP", eps, delta)
	case Renyi:
		return fmt.Sprintf("(%s, %s)-RDP", order, eps)
	case Concentrated:
		return rho + "-zCDP"
	case TruncatedConcentrated:
		return fmt.Sprintf("(%s, %s)-tCDP", rho, order)
	case None:
		return "not private: " + safetext.Line(l.Reason)
	default:
		return "no notion of privacy: " + safetext.Short(string(l.Notion))
	}
}

// Valid returns a *ParameterError naming the first parameter outside its domain: ε in (0, ∞), δ in (0, 1), λ in (1, ∞),
// ρ in (0, ∞), and 0, or no reason, for what the notion does not use.
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
			return domain.Refuse("dp", p.name, p.value, fmt.Sprintf("none under the notion %.40q", string(n)))
		}
	}
	if l.Reason != "" && n != None {
		return domain.Refuse("dp", "reason", fmt.Sprintf("%.40q", l.Reason),
			fmt.Sprintf("none under the notion %.40q", string(n)))
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
