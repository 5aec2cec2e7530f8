package dp

import "github.com/privbayes/privbayes-go/privbayes/warning"

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
