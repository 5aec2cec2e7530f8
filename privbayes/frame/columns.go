package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// FromColumns makes a frame from columns in memory: []string (as in a plain file, whatever the schema's Format says),
// []int or []float64 by column name; dates as texts or as days since 1970-01-01. Numbers for a categorical column are
// written in decimal to find their category; NaN means missing. The rules of Read hold: every column of the schema must
// be there, others only with ExtraColumns. Unlike a file the columns may have no rows.
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
		e := newEncoder(c)
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

func (e *encoder) addAll(values any) (int, error) {
	refuse := func(row int, v string) error {
		return &ValueError{Line: row + 1, Column: e.col.Name, Value: v, Want: e.why(v)}
	}
	switch vs := values.(type) {
	case []string:
		for i, v := range vs {
			if !e.add([]byte(v)) {
				return 0, refuse(i, v)
			}
		}
		return len(vs), nil
	case []int:
		for i, v := range vs {
			if e.col.Date != "" && !e.addNumber(float64(v)) ||
				e.col.Date == "" && !e.add(strconv.AppendInt(nil, int64(v), 10)) {
				return 0, refuse(i, strconv.Itoa(v))
			}
		}
		return len(vs), nil
	case []float64:
		for i, v := range vs {
			if !e.addFloat(v) {
				return 0, refuse(i, formatFloat(v))
			}
		}
		return len(vs), nil
	}
	return 0, domain.Refuse("FromColumns", fmt.Sprintf("column %q", e.col.Name), fmt.Sprintf("%T", values),
		"[]string, []float64 or []int")
}

func (e *encoder) addFloat(x float64) bool {
	switch {
	case math.IsNaN(x):
		if e.missing < 0 {
			return false
		}
		if e.col.Numeric() {
			return e.addMissing(e.missing)
		}
		e.push(e.missing)
		return true
	case e.col.Numeric() && (!e.markFirst || e.col.Date != ""):
		return e.addNumber(x + 0)
	}
	return e.add([]byte(formatFloat(x)))
}
