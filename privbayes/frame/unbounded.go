package frame

import (
	"context"
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// BoundsUnknown is what a column of numbers says in "bounds" whose bounds nobody knows. A schema with such a column
// reads no table: bounds are released first, and values beyond them are moved to them then.
const BoundsUnknown = "unknown"

// limit stands for no bound: beyond it there is no number of the column's kind.
func (c *Column) limit() float64 {
	if c.Kind == KindInteger {
		return maxInteger
	}
	return math.MaxFloat64
}

// checkUnknown validates a column whose bounds are to be found.
func (c *Column) checkUnknown() *SchemaError {
	clean := len(c.Edges)+len(c.DateEdges) == 0 && c.Min == 0 && c.Max == 0 && c.Date == "" && c.Pad == "" &&
		c.Found == nil
	switch {
	case c.Bounds != BoundsUnknown:
		return bad("bounds", safetext.Short(c.Bounds), `"unknown", or none with "edges", or "min" and "max"`)
	case !c.Numeric():
		return bad("bounds", BoundsUnknown, "none for kind "+string(c.Kind))
	case !clean || c.OnMissing == MissingImputed || c.OnOutOfDomain != "" && c.OnOutOfDomain != DomainClamp:
		return bad("bounds", BoundsUnknown, `only name, "kind", "missing" with what it says, "on_out_of_domain": "clamp" `+
			`and "description": bounds are what is to be found; dates and "impute" need public ones`)
	}
	all := c.unbounded()
	return all.check()
}

// unbounded is the column with bounds beyond all numbers: each is read.
func (c *Column) unbounded() Column {
	all := c.clone()
	all.Bounds, all.OnOutOfDomain = "", DomainClamp
	all.Min, all.Max = -c.limit(), c.limit()
	all.Edges = []float64{all.Min, all.Max}
	return all
}

// BoundedAs is a column without known bounds with those that a release found. Values beyond are moved to them.
func (c Column) BoundedAs(low, high float64, by *Found) Column {
	c = c.clone()
	c.Bounds, c.OnOutOfDomain, c.Found = "", DomainClamp, by
	c.Min, c.Max, c.Edges = low, high, []float64{low, high}
	return c
}

// UnboundedColumn is a column without known bounds, of a schema that is valid but for such columns, with its defaults.
// Errors: *SchemaError, *ColumnError for a column with bounds.
func (s *Schema) UnboundedColumn(name string) (*Column, error) {
	return s.unknownColumn(name, func(c *Column) bool { return c.Bounds != "" })
}

// CountNumbers counts the units of a column without known bounds in each of several buckets, in one pass over a
// table. A number lies in the bucket of the given index, or in none where that is negative; a number of a text that is
// too large for float64 is given as the largest one. Missing values lie in none. Units are told apart as in
// [CountOpen], and a unit counts once: of the buckets of its rows that with the least
//
//	SHA-256(SHA-256(key), its first 16 bytes ‖ index in decimal)
//
// stays. No other column is read. Errors: ErrSealed, *SchemaError, *ColumnError, *ParameterError, and those of Load for
// the file, among them *ValueError for a text that is no number, "NaN" and "Inf" included.
func CountNumbers(ctx context.Context, key access.Key, in Input, s *Schema, column string, buckets int,
	bucket func(x float64) int) ([]int64, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	c, err := s.UnboundedColumn(column)
	if err != nil {
		return nil, err
	}
	if buckets < 1 || bucket == nil {
		return nil, domain.Refuse("CountNumbers", "buckets", buckets, "at least one, and which number lies where")
	}
	o := &opened{column: c, format: s.Format.plain(), key: s.UnitKey, most: 1, rows: make([]int64, buckets),
		units: map[unitID]int32{}}
	for i := range buckets {
		o.texts = append(o.texts, strconv.Itoa(i))
	}
	e := s.encoder(c.unbounded()).written(o.format)
	o.class = func(sc *scanner, at int, name string) (int32, error) {
		text := sc.field(at)
		_, x, ok := e.one(text, sc.marks && sc.quotes[at])
		if !ok {
			return -1, e.refused(name, sc.line, string(text))
		}
		if math.IsNaN(x) {
			return -1, nil
		}
		return int32(min(bucket(x), buckets-1)), nil
	}
	return o.rows, o.files(ctx, "CountNumbers", in)
}
