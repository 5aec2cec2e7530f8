package lipschitz

import (
	"fmt"
	"math"
)

// ParameterError is a public parameter outside its domain. Nothing was computed.
type ParameterError struct {
	Family, Parameter string
	Value             any
	Want              string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("lipschitz: %s: %s = %v; want %s", e.Family, e.Parameter, e.Value, e.Want)
}

// GroupError refuses to turn an (ε, δ) guarantee between neighbours, ε, δ > 0, into one under a pseudo-metric: the product δ·ρ of
// Definition 2 does not follow from the edges. Source: theory/sampling.md §1.
type GroupError struct{ Epsilon, Delta float64 }

func (e *GroupError) Error() string {
	return fmt.Sprintf("lipschitz: (ε, δ) = (%v, %v) between neighbours does not give (ερ, δρ) between data sets ρ apart; want ε = 0 or δ = 0, "+
		"or quote GroupDelta: δ(e^{kε} − 1)/(e^ε − 1) at distance k", e.Epsilon, e.Delta)
}

// UnavailableError says that a family has no such quantity, and why.
type UnavailableError struct{ Family, Quantity, Reason string }

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("lipschitz: %s has no %s: %s", e.Family, e.Quantity, e.Reason)
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// need collects the first failed requirement of a constructor.
type need struct {
	family string
	err    error
}

func (c *need) that(ok bool, parameter string, value any, want string) {
	if !ok && c.err == nil {
		c.err = &ParameterError{c.family, parameter, value, want}
	}
}

// maxRecords bounds the number of records: up to there rounding stays far below the inflation of the bounds.
const maxRecords = 10_000_000

// Limits of a rate's prior, for the same reason.
const (
	maxExponent = 1e9  // of λ·c2
	maxRatio    = 1e12 // of c2/c1
)

func (c *need) records(n int) { c.that(n >= 1 && n <= maxRecords, "n", n, "1 to 10,000,000 records") }
func (c *need) positive(name string, v float64) {
	c.that(v > 0 && finite(v), name, v, "a finite number > 0")
}
