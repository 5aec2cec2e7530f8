package families

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
)

// ParameterError is a public parameter outside its domain. Nothing was computed.
type ParameterError = domain.Error

// GroupError refuses to turn an (ε, δ) guarantee between neighbours, ε, δ > 0, into one under a pseudo-metric: the
// product δ·ρ of Definition 2 does not follow from the edges. Source: theory/sampling.md §1.
type GroupError struct{ Epsilon, Delta float64 }

func (e *GroupError) Error() string {
	return fmt.Sprintf("families: (ε, δ) = (%v, %v) between neighbours does not give (ερ, δρ) between data sets ρ "+
		"apart; want ε = 0 or δ = 0, "+
		"or quote GroupDelta: δ(e^{kε} − 1)/(e^ε − 1) at distance k", e.Epsilon, e.Delta)
}

// UnavailableError says that a family has no such quantity, and why.
type UnavailableError struct{ Family, Quantity, Reason string }

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("families: %s has no %s: %s", e.Family, e.Quantity, e.Reason)
}

// need collects the first failed requirement of a constructor.
type need struct {
	family string
	err    error
}

func (c *need) that(ok bool, parameter string, value any, want string) {
	c.check(domain.Arg(parameter, value, ok, want))
}

func (c *need) check(a domain.Argument) {
	if c.err == nil {
		c.err = domain.Check("families", c.family, a)
	}
}

func (c *need) records(n int)                   { c.check(logratio.Records(n)) }
func (c *need) positive(name string, v float64) { c.check(domain.Positive(name, v)) }
