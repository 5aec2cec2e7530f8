package cert

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// LimitError refuses a computation before it begins, as it would take more than a limit. Figure and limit are functions of public inputs.
type LimitError struct {
	What   string  // what was to be computed: "the audit of parities"
	Figure float64 // what it would take
	Unit   string  // of both: "bytes", "cells", "steps"
	Limit  float64
	Use    string // what to do instead; may be empty
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("cert: %s takes %s %s; the limit is %s", e.What, table.Number(e.Figure), e.Unit, table.Number(e.Limit))
	if e.Use != "" {
		s += "; " + e.Use
	}
	return s
}

// Within returns a *LimitError when the figure is above the limit or not a number, and nil otherwise.
func Within(what string, figure float64, unit string, limit float64, use string) error {
	if figure <= limit {
		return nil
	}
	return &LimitError{what, figure, unit, limit, use}
}
