package budget

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// NotionError is a charge of a notion that the limit cannot count, such as (ε, δ) under a pure ε. Nothing was charged.
type NotionError struct {
	Limit, Charge dp.Parameters
	Err           error // *dp.ConversionError
}

func (e *NotionError) Error() string {
	s := fmt.Sprintf("budget: the limit %s cannot count %s", e.Limit, e.Charge)
	switch {
	case e.Charge.Notion == dp.None:
		return s + "; nothing was charged"
	case e.Limit.Notion == dp.Pure && e.Charge.Notion == dp.Approximate:
		s += ", as it has no δ"
	}
	return s +
		"; want a budget opened with ApproxDP(ε, δ), which counts every notion, or a charge in the notion of the " +
		"limit; nothing was charged"
}

// Unwrap returns the cause.
func (e *NotionError) Unwrap() error { return e.Err }
