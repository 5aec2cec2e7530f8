package dp

import (
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

func number(x float64) cert.Number { return cert.Number(x) }

// Request is what the user asks a mechanism for. Build one with PureDP, ApproxDP, RenyiDP, ZCDP, TCDP or AsPublished
// and refine it with Under and RequireExact; a parameter outside its domain is reported by Valid, and so by every plan.
type Request struct {
	Parameters
	Adjacency    Adjacency `json:"adjacency"`
	ExactOnly    bool      `json:"exact_only,omitempty"`    // refuse ideal arithmetic
	NominalScale bool      `json:"nominal_scale,omitempty"` // the paper's formula at this level; the plan shows what is true
}

// PureDP asks for ε-differential privacy, ε > 0.
func PureDP(epsilon float64) Request {
	return Request{Parameters: Parameters{Notion: Pure, Epsilon: number(epsilon)}}
}

// ApproxDP asks for (ε, δ)-differential privacy, ε > 0 and 0 < δ < 1.
func ApproxDP(epsilon, delta float64) Request {
	return Request{Parameters: Parameters{Notion: Approximate, Epsilon: number(epsilon), Delta: delta}}
}

// RenyiDP asks for (λ, ε)-Rényi differential privacy, λ > 1 and ε > 0.
func RenyiDP(lambda, epsilon float64) Request {
	return Request{Parameters: Parameters{Notion: Renyi, Order: lambda, Epsilon: number(epsilon)}}
}

// ZCDP asks for ρ-zero-concentrated differential privacy, ρ > 0.
func ZCDP(rho float64) Request {
	return Request{Parameters: Parameters{Notion: Concentrated, Rho: rho}}
}

// TCDP asks for (ρ, ω)-truncated concentrated differential privacy: Rényi divergence at most ρλ at every order 1 < λ ≤
// ω; ρ > 0, ω > 1. It is what mechanisms whose Rényi divergence is infinite at high orders can have in place of zCDP.
func TCDP(rho, omega float64) Request {
	return Request{Parameters: Parameters{Notion: TruncatedConcentrated, Rho: rho, Order: omega}}
}

// AsPublished asks for a paper's own mode at its own ε (and δ, if given). There is no target to meet: the plan
// certifies what is true, which may be more, less or nothing.
func AsPublished(epsilon float64, delta ...float64) Request {
	t := PureDP(epsilon)
	if len(delta) > 0 {
		t = ApproxDP(epsilon, delta[0])
	}
	t.NominalScale = true
	return t
}

// Under returns the target under another adjacency; the default is ReplaceOne.
func (t Request) Under(a Adjacency) Request { t.Adjacency = a; return t }

// RequireExact returns the target with ideal arithmetic refused.
func (t Request) RequireExact() Request { t.ExactOnly = true; return t }

// Valid checks the parameters: see [Parameters.Valid]. A target is never None.
func (t Request) Valid() error {
	if t.Notion == None {
		return domain.Refuse("dp", "notion", "none", "a privacy level to aim for: PureDP, ApproxDP, RenyiDP, ZCDP or "+
			"TCDP")
	}
	if err := t.Adjacency.Valid(); err != nil {
		return err
	}
	return t.Parameters.Valid()
}

// Arithmetic says for which arithmetic a guarantee is proved.
type Arithmetic string

// The arithmetics of a guarantee.
const (
	// integer sampler, parameters rounded toward privacy: the guarantee is that of the program
	Exact Arithmetic = "exact"
	Ideal Arithmetic = "ideal" // proved for real arithmetic, drawn in floating point
)

// String says how noise is sampled: exact, or in floating point.
func (a Arithmetic) String() string {
	switch a {
	case Exact:
		return "exact"
	case Ideal:
		return "floating point"
	}
	return "unknown, " + safetext.Short(string(a))
}

// Guarantee is a proved privacy level, between which data sets, about which unit, for which arithmetic.
type Guarantee struct {
	Parameters
	Adjacency   Adjacency  `json:"adjacency"`
	Arithmetic  Arithmetic `json:"arithmetic"`
	Unit        string     `json:"unit"`          // what one unit is: "person"
	RowsPerUnit int        `json:"rows_per_unit"` // rows one unit contributes at most
}

// quote is safetext.Quote; a test swaps it.
var quote = safetext.Quote

// String shows privacy parameters, adjacency, unit and sampling, such as
//
//	ε = 1, replace-one, unit: "person" of up to 10 rows, sampling: exact
//
// The unit is someone's text: it is quoted, and nothing in it can close the quotes. What stands outside quotes is the
// guarantee.
func (g Guarantee) String() string { return g.Apart(g.Parameters) }

// Unless is the guarantee, but where a draw has none: then it has no parameters, and the reason of the draw.
func (g Guarantee) Unless(draw Guarantee) Guarantee {
	if draw.Notion == None {
		g.Parameters = draw.Parameters
	}
	return g
}

// Apart is String with as many digits as tell the level from another one, where they differ.
func (g Guarantee) Apart(o Parameters) string {
	if g.Notion == None {
		return g.Parameters.String()
	}
	unit := safetext.Unit(g.Unit, quote)
	if g.RowsPerUnit > 1 {
		unit += " of up to " + strconv.Itoa(g.RowsPerUnit) + " rows"
	}
	return g.Parameters.Apart(o) + ", " + g.Adjacency.String() + ", unit: " + unit + ", sampling: " + g.Arithmetic.String()
}
