package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Coder gives the texts, numbers and nulls of one column their codes and values, as reading a file does: for sources
// that bring a column by other ways than a file. Not safe for concurrent use: Clone it for every goroutine.
type Coder struct{ e *encoder }

// NewCoder is the coder of a column of a schema. The key keeps it inside this module: what a coder refuses depends on
// private data. Errors: ErrSealed without the key, *SchemaError, *ColumnError for no column, or a sequence.
func NewCoder(key access.Key, s *Schema, column string) (*Coder, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	full := s.filled()
	c, _, err := full.Column(column)
	if err != nil {
		return nil, err
	}
	if c.Kind == KindSequence {
		return nil, &ColumnError{Step: "NewCoder", Column: column, Have: s.Names(),
			Want: "a categorical, integer or real column; this one is a sequence"}
	}
	return &Coder{full.encoder(*c)}, nil
}

// Clone is a coder of the same column with memory of its own.
func (c *Coder) Clone() *Coder { return &Coder{c.e.probe()} }

// Text encodes a text as it would stand in a plain CSV file, unquoted. ok is false for a text that does not fit: see
// Refusal. value is 0 for a categorical column, NaN for a missing number.
func (c *Coder) Text(text []byte) (code int32, value float64, ok bool) {
	return c.last(c.e.add(text))
}

// Number encodes a number: see number. In a categorical column, and by the layout of a column of dates, it is read by
// its shortest decimal text.
func (c *Coder) Number(x float64) (code int32, value float64, ok bool) {
	if c.e.col.Date != "" && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return c.Text([]byte(formatFloat(x + 0)))
	}
	return c.last(c.e.number(x))
}

// Single encodes a number of 32 bits as its shortest decimal text, which is how people write it: 0.1 is the number 0.1,
// and not the one of 32 bits next to it.
func (c *Coder) Single(x float32) (code int32, value float64, ok bool) {
	y, err := strconv.ParseFloat(formatSingle(x), 64)
	if err != nil {
		return 0, 0, false
	}
	return c.Number(y)
}

// Whole encodes a whole number with all its digits, in a column of dates by the layout: 20240131 may be a day.
func (c *Coder) Whole(v int64) (code int32, value float64, ok bool) {
	if c.e.col.Date != "" {
		return c.Text(strconv.AppendInt(nil, v, 10))
	}
	return c.last(c.e.whole64(v))
}

// Unsigned is Whole for numbers of 64 bits without a sign.
func (c *Coder) Unsigned(v uint64) (code int32, value float64, ok bool) {
	if v <= math.MaxInt64 {
		return c.Whole(int64(v))
	}
	return c.Text(strconv.AppendUint(nil, v, 10))
}

// Truth encodes a truth value by its text, see TruthText.
func (c *Coder) Truth(v bool) (code int32, value float64, ok bool) {
	return c.Text([]byte(c.TruthText(v)))
}

// TruthText is the first of true, True, TRUE, 1, or of false, False, FALSE, 0, that the column reads; the first of all
// if it reads none. A nil coder, of a column that has none, reads none.
func (c *Coder) TruthText(v bool) string {
	if c == nil {
		return truths[v][0]
	}
	return c.e.truth(v)
}

// Time encodes a time without a zone in a column of dates: the day, where the column's layout has a time of day, which
// is dropped, or the time is midnight. ok is false for other times, and in other columns.
func (c *Coder) Time(t time.Time) (code int32, value float64, ok bool) {
	days, ok := c.e.dayOf(t)
	if !ok {
		return 0, 0, false
	}
	return c.last(c.e.number(days))
}

// Null encodes a value that is not there: the missing category, where the schema has one, else like an empty field.
func (c *Coder) Null() (code int32, value float64, ok bool) { return c.last(c.e.null()) }

// NullText is the text that means the same as a value that is not there: the empty one, or else the first mark that
// does. It is nil where none does, though null is missing.
func (c *Coder) NullText() []byte {
	code, _, ok := c.Null()
	if !ok {
		return []byte{}
	}
	for _, mark := range append([]string{""}, c.e.col.Missing...) {
		if k, _, fits := c.Text([]byte(mark)); fits && k == code {
			return append([]byte{}, mark...)
		}
	}
	return nil
}

// ReadsEmpty reports whether the column takes an empty field, or refuses it as missing. In a file of such a column
// alone an empty line is a row.
func (c *Coder) ReadsEmpty() bool { return c.e.readsEmpty() }

// last takes back what the encoder appended.
func (c *Coder) last(ok bool) (code int32, value float64, _ bool) {
	if !ok {
		return 0, 0, false
	}
	out := &c.e.out
	if n := len(out.codes.U8); n > 0 {
		code, out.codes.U8 = int32(out.codes.U8[n-1]), out.codes.U8[:0]
	} else {
		code, out.codes.U16 = int32(out.codes.U16[len(out.codes.U16)-1]), out.codes.U16[:0]
	}
	if n := len(out.values); n > 0 {
		value, out.values = out.values[n-1], out.values[:0]
	}
	return code, value, true
}

// Refusal says that some value of the column does not fit, and what would. It names no value: where the data lives in
// a database or on a cluster, errors pass through logs that are not the data holder's alone.
func (c *Coder) Refusal(source string) *OutOfDomainError {
	k, e := c.e.col, &OutOfDomainError{Source: source, Column: c.e.col.Name}
	switch {
	case !c.e.numeric:
		e.Want = "one of " + safetext.List(k.Categories, 12)
	case k.Date != "":
		e.Want = fmt.Sprintf("a date like %q from %s to %s", k.Date, k.edge(k.Min), k.edge(k.Max))
	case k.Kind == KindInteger:
		e.Want = fmt.Sprintf("a whole number from %s to %s", number(k.Min), number(k.Max))
	default:
		e.Want = fmt.Sprintf("a number from %s to %s", number(k.Min), number(k.Max))
	}
	switch {
	case k.OnMissing != "":
	case k.weight:
		e.Want += `, and none missing ("missing" in "weight" allows that)`
	default:
		e.Want += `, and none missing ("on_missing": "category"` + k.forNumbers() + ` allows that)`
	}
	return e
}

// OutOfDomainError says that a column of a source has a value outside its domain, or that a row has another form. Other
// than *ValueError it holds no value and no place: that there is one is all that it tells of the data.
type OutOfDomainError struct {
	Source string // the name of the source, "" if it has none
	Column string // "" of a row
	Want   string
}

func (e *OutOfDomainError) Error() string {
	s := ""
	if e.Source != "" {
		s = safetext.File(e.Source) + ": "
	}
	if e.Column == "" {
		return s + "a row does not fit; want " + e.Want
	}
	return s + "column " + safetext.Short(e.Column) + " has a value that does not fit; want " + e.Want
}

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
	f, err := fromColumns(s, cols)
	if err != nil {
		return nil, err
	}
	return f.cappedColumns(cols)
}

// fromColumns has all rows of all units.
func fromColumns(s *Schema, cols map[string]any) (*Frame, error) {
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
	return f, nil
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
			return 0, e.refused("", i+1, m.text(i))
		}
	}
	return m.n, err
}
