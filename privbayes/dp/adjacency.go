package dp

import (
	"errors"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
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

// MarshalText implements encoding.TextMarshaler.
func (a Adjacency) MarshalText() ([]byte, error) { return []byte(a.text()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Adjacency) UnmarshalText(b []byte) error {
	switch s := string(b); {
	case s == "replace-one":
		*a = ReplaceOne
	case s == AddRemove.name, s == ReplaceValue.name:
		*a = Adjacency{s}
	case strings.HasPrefix(s, metric):
		*a = Adjacency{s}
		return a.Valid()
	default:
		return domain.Refuse("dp", "adjacency", safetext.Short(s), "replace-one, add-remove, replace-value or metric:NAME")
	}
	return nil
}

// ParameterError is an argument outside its domain, of a call or of a file: the one type of this error in the library.
type ParameterError = domain.Error
