package sqlsource

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// cell takes the values of one column as a driver gives them, and encodes them as reading a file does. As a sql.Scanner
// it gets them before database/sql would put them into an error, and never returns one.
type cell struct {
	coder   *frame.Coder // nil of a key that is no column of the schema
	kind    kind
	date    *frame.Column // of a column of dates
	scratch []byte
	// of the last value
	code  int32
	value float64
	ok    bool // it fits the column
}

// Scan implements sql.Scanner.
func (c *cell) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		c.code, c.value, c.ok = c.coder.Null()
	case string:
		c.scratch = append(c.scratch[:0], v...)
		c.text(c.scratch)
	case []byte:
		c.scratch = append(c.scratch[:0], v...)
		c.text(c.scratch)
	case int64:
		c.code, c.value, c.ok = c.coder.Whole(v)
	case int32:
		c.code, c.value, c.ok = c.coder.Whole(int64(v))
	case int16:
		c.code, c.value, c.ok = c.coder.Whole(int64(v))
	case int8:
		c.code, c.value, c.ok = c.coder.Whole(int64(v))
	case float64:
		c.code, c.value, c.ok = c.coder.Number(v)
	case bool:
		c.code, c.value, c.ok = c.coder.Truth(v)
	default:
		c.ok = false
	}
	return nil
}

// text encodes the text that a database writes for a value.
func (c *cell) text(b []byte) {
	if c.kind == asText {
		c.code, c.value, c.ok = c.coder.Text(b)
		return
	}
	switch v := c.kind.value(b).(type) {
	case nil:
		c.code, c.value, c.ok = c.coder.Null()
	case float64:
		c.code, c.value, c.ok = c.coder.Number(v)
	case bool:
		c.code, c.value, c.ok = c.coder.Truth(v)
	case time.Time:
		if c.date != nil {
			c.code, c.value, c.ok = c.coder.Time(v)
			break
		}
		c.code, c.value, c.ok = c.coder.Text(b) // a day; times are refused before
	default:
		c.code, c.value, c.ok = c.coder.Text(b)
	}
}

// file is the text that a plain CSV file would have for a value, appended to b: what frame.UnitCap hashes. A key that
// is not there has none.
func (c *cell) file(b []byte, src any) []byte {
	switch v := src.(type) {
	case string:
		return c.file(b, []byte(v))
	case []byte:
		if src = c.kind.value(v); src == nil || c.kind.typed() {
			break
		}
		return append(b, v...)
	case int32:
		src = int64(v)
	case int16:
		src = int64(v)
	case int8:
		src = int64(v)
	}
	switch v := src.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		if !math.IsNaN(v) {
			return strconv.AppendFloat(b, v+0, 'f', -1, 64)
		}
	case bool:
		return append(b, c.coder.TruthText(v)...)
	case time.Time:
		if c.date != nil {
			return v.AppendFormat(b, c.date.Date)
		}
		return v.AppendFormat(b, time.DateOnly)
	}
	if c.coder == nil {
		return b
	}
	return append(b, c.coder.NullText()...)
}

// kind is what the text of a database's value stands for.
type kind int

const (
	asText  kind = iota
	asReal       // a number in floating point
	asExact      // a number with all its digits, which PostgreSQL lets be none
	asTruth
	asDay
	asTime  // without a zone
	asZoned // a moment
)

// kinds are those of types, as drivers name them. SQLite has values of a type and no columns of one.
var kinds = map[string]kind{
	"FLOAT4": asReal, "FLOAT8": asReal, "FLOAT": asReal, "DOUBLE": asReal, "REAL": asReal, "NUMERIC": asExact,
	"BOOL": asTruth, "BOOLEAN": asTruth, "DATE": asDay, "TIMESTAMP": asTime, "TIMESTAMP_S": asTime, "TIMESTAMP_MS": asTime,
	"TIMESTAMP_NS": asTime, "TIMESTAMPTZ": asZoned,
}

func (d Dialect) kind(typ string) kind {
	if d == SQLite {
		return asText
	}
	return kinds[typ]
}

// typed reports whether the text that a database writes is not always the one that a file would have.
func (k kind) typed() bool { return !slices.Contains([]kind{asText, asExact}, k) }

// value is what a text stands for: nil for a number that is none, a float64, a bool, a time.Time, or the text itself.
func (k kind) value(text []byte) any {
	switch k {
	case asReal, asExact:
		x, err := strconv.ParseFloat(string(text), 64)
		switch {
		case err == nil && math.IsNaN(x):
			return nil
		case err == nil && (k == asReal || math.IsInf(x, 0)):
			return x
		}
	case asTruth:
		return string(text) == "true"
	case asDay, asTime:
		layout := time.DateOnly
		if k == asTime {
			layout = time.DateTime
		}
		if t, err := time.Parse(layout, string(text)); err == nil {
			return t
		}
	}
	return text
}
