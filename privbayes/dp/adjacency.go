package dp

import (
	"fmt"
	"strings"
)

// Adjacency is the relation between neighbouring data sets. It is part of every guarantee: guarantees under different adjacencies
// do not compose. Values are comparable; the zero value is ReplaceOne.
type Adjacency struct{ name string }

// The record-level adjacencies.
var (
	// ReplaceOne: one unit's rows are replaced by other rows; the number of rows n is public.
	ReplaceOne = Adjacency{}
	// AddRemove: one unit's rows are added or removed; n is private and never released.
	AddRemove = Adjacency{"add-remove"}
	// ReplaceValue: one feature value (not the class) of each of one unit's rows is replaced; n is public. Weaker than ReplaceOne.
	ReplaceValue = Adjacency{"replace-value"}
)

// UnderMetric is adjacency under a pseudo-metric ρ on data sets: losses are bounded by ε·ρ(x, y).
func UnderMetric(name string) Adjacency { return Adjacency{"metric:" + name} }

// String names the adjacency, such as "replace-one".
func (a Adjacency) String() string {
	if a.name == "" {
		return "replace-one"
	}
	return a.name
}

// PublicN reports whether the number of rows is the same in all neighbouring data sets, and so public.
func (a Adjacency) PublicN() bool { return a != AddRemove }

// MarshalText implements encoding.TextMarshaler.
func (a Adjacency) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Adjacency) UnmarshalText(b []byte) error {
	switch s := string(b); {
	case s == "replace-one":
		*a = ReplaceOne
	case s == AddRemove.name, s == ReplaceValue.name, strings.HasPrefix(s, "metric:") && len(s) > len("metric:"):
		*a = Adjacency{s}
	default:
		return &ParameterError{Parameter: "adjacency", Value: s, Want: "replace-one, add-remove, replace-value or metric:NAME"}
	}
	return nil
}

// ParameterError is a privacy parameter outside its domain.
type ParameterError struct {
	Parameter string // "epsilon", "delta", …
	Value     any
	Want      string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("dp: %s = %v; want %s", e.Parameter, e.Value, e.Want)
}
