package budget

import (
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// validStrata returns a *ParameterError for a charge under replace-one within strata that does not say which, and for
// strata under another adjacency.
func (c Charge) validStrata() error {
	if c.Strata == "" && c.Adjacency != dp.WithinStrata {
		return nil
	}
	if c.Adjacency != dp.WithinStrata {
		return &dp.ParameterError{Of: "budget", Parameter: "strata", Value: safetext.Short(c.Strata), Want: "none under " +
			c.Adjacency.String()}
	}
	if c.Strata == "" {
		return &dp.ParameterError{Of: "budget", Parameter: "strata", Value: "none", Want: "those of the release, as its " +
			"schema names them; of a release of another tool its level under replace-one, which implies it"}
	}
	return validText("strata", c.Strata, safetext.CheckTitle)
}

// sameStrata is a *MismatchError for a charge within other strata than an earlier one: a unit that stays in its stratum
// of the one may move in those of the other. Charges under replace-one are about every unit that is replaced.
func sameStrata(have []Charge, c Charge) error {
	for _, h := range have {
		if h.Strata != "" && c.Strata != "" && h.Strata != c.Strata {
			return &MismatchError{"strata", h.Strata, c.Strata}
		}
	}
	return nil
}
