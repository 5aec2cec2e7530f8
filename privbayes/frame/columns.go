package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// FromColumns makes a frame from columns in memory, by name: []string (as in a plain file, whatever the schema's Format
// says), []int, []int64, []int32, []float64, []float32 or []bool. Dates are texts, or days since 1970-01-01. Numbers
// for a categorical column are written in decimal to find their category. A []float32 holds the numbers that its values
// are written as in as few digits as tell them apart, so that float32(0.1) is 0.1. A truth value has the first of the
// texts true, True, TRUE, 1 (false, False, FALSE, 0) that the column reads. NaN is a value that is not there: missing,
// or refused as an empty field is; infinite numbers are refused. The unit's key may be of any of these types, and names
// no unit where it is NaN. The rules of Read hold: every column of the schema must be there, others only with
// ExtraColumns. Unlike a file the columns may have no rows.
//
// Errors: *SchemaError, *ColumnError, *dp.ParameterError (lengths differ), *ValueError (Line is the row, from 1).
func FromColumns(s *Schema, cols map[string]any) (*Frame, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	have := make([]string, 0, len(cols))
	for name := range cols {
		have = append(have, name)
	}
	slices.Sort(have)
	f := &Frame{schema: s, n: -1, cols: make([]column, len(s.Columns)), source: &source{}}
	for i, c := range s.Columns {
		values, ok := cols[c.Name]
		if !ok {
			return nil, &ColumnError{Step: "FromColumns", Column: c.Name, Have: have}
		}
		e := s.encoder(c)
		n, err := e.addAll(values)
		if err != nil {
			return nil, err
		}
		if f.n >= 0 && n != f.n {
			return nil, domain.Refuse("FromColumns", fmt.Sprintf("column %q", c.Name), count(n, "row"),
				count(f.n, "row")+", as the columns before")
		}
		f.n, f.cols[i] = n, e.out.column(c)
		if e.out.codes.Len() == 0 && c.Kind != KindSequence {
			f.cols[i].codes = Codes{U8: []uint8{}, Levels: c.Levels()}
		}
	}
	for _, name := range have {
		if _, _, err := s.Column(name); err != nil && !s.ExtraColumns && name != s.UnitKey {
			return nil, &ColumnError{Step: "FromColumns", Column: name, Have: s.Names(), Want: "a column of the " +
				"schema, or ExtraColumns to ignore others"}
		}
	}
	return f.cappedColumns(cols)
}

// memory is a column in memory.
type memory struct {
	n    int
	add  func(i int) bool   // encodes a value
	text func(i int) string // writes it as a plain file would
}

// listed is a column of values of one type.
func listed[T any](values []T, add func(T) bool, text func(T) string) memory {
	return memory{len(values), func(i int) bool { return add(values[i]) }, func(i int) string { return text(values[i]) }}
}

// memory reads a column's values. Error: *dp.ParameterError for a type that is none of a column.
func (e *encoder) memory(name string, values any) (memory, error) {
	none := ""
	if e.separator == nil {
		none = string((&Coder{e.probe()}).NullText())
	}
	number := func(v float64, text string) string {
		switch {
		case math.IsNaN(v):
			return none
		case e.col.Date != "":
			return e.col.Text(v)
		}
		return text
	}
	whole := func(v int64) string { return number(float64(v), strconv.FormatInt(v, 10)) }
	switch vs := values.(type) {
	case []string:
		return listed(vs, func(v string) bool { return e.add([]byte(v)) }, func(v string) string { return v }), nil
	case []int:
		return listed(vs, func(v int) bool { return e.whole64(int64(v)) },
			func(v int) string { return whole(int64(v)) }), nil
	case []int64:
		return listed(vs, e.whole64, whole), nil
	case []int32:
		return listed(vs, func(v int32) bool { return e.whole64(int64(v)) },
			func(v int32) string { return whole(int64(v)) }), nil
	case []float64:
		return listed(vs, e.number, func(v float64) string { return number(v, formatFloat(v+0)) }), nil
	case []float32:
		return listed(vs, e.single, func(v float32) string { return number(float64(v), formatSingle(v)) }), nil
	case []bool:
		return listed(vs, func(v bool) bool { return e.add([]byte(e.truth(v))) }, e.truth), nil
	}
	return memory{}, domain.Refuse("FromColumns", fmt.Sprintf("column %q", name), fmt.Sprintf("%T", values),
		"[]string, []float64, []float32, []int, []int64, []int32 or []bool")
}

// addAll encodes a column.
func (e *encoder) addAll(values any) (int, error) {
	m, err := e.memory(e.col.Name, values)
	for i := range m.n {
		if !m.add(i) {
			v := m.text(i)
			return 0, &ValueError{Line: i + 1, Column: e.col.Name, Value: v, Want: e.why(v)}
		}
	}
	return m.n, err
}
