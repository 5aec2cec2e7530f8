package arrow

import (
	"math"
	"strconv"
	"time"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

const msPerDay = int64(24 * time.Hour / time.Millisecond)

// cells reads the values of one array as a CSV file would hold them.
type cells struct {
	text   func(b []byte, i int) ([]byte, bool) // appended to b; false for what no such file can hold
	number func(i int) (x float64, ok bool)     // where the column takes values by number; nil elsewhere
	isNaN  func(i int) bool                     // nil where there is none
}

// readable reports whether a column of the schema can be read from arrays of a type; a nil column is a key's.
func readable(dt apache.DataType, col *frame.Column) bool {
	switch dt := dt.(type) {
	case *apache.DictionaryType:
		_, nested := dt.ValueType.(*apache.DictionaryType)
		return !nested && readable(dt.ValueType, col)
	case *apache.StringType, *apache.LargeStringType, *apache.StringViewType, *apache.BooleanType,
		*apache.Int8Type, *apache.Int16Type, *apache.Int32Type, *apache.Int64Type,
		*apache.Uint8Type, *apache.Uint16Type, *apache.Uint32Type, *apache.Uint64Type:
		return true
	case *apache.Float32Type, *apache.Float64Type:
		return true
	case *apache.Decimal128Type:
		return dt.Scale >= 0 && dt.Scale <= 38
	case *apache.Date32Type, *apache.Date64Type:
		return col == nil || col.Date != "" || !col.Numeric()
	case *apache.TimestampType:
		return col != nil && col.Date != ""
	}
	return false
}

// newCells reads an array; ok is false if it is of no type that readable accepts. known reports whether the column has
// a text.
func newCells(arr apache.Array, col *frame.Column, known func(text []byte) bool) (c cells, ok bool) {
	if arr == nil || !readable(arr.DataType(), col) {
		return c, false
	}
	byNumber := col != nil && col.Numeric() && col.Date == ""
	switch a := arr.(type) {
	case array.StringLike:
		c.text = func(b []byte, i int) ([]byte, bool) { return append(b, a.Value(i)...), true }
	case *array.Boolean:
		var texts [2]string // the first of the usual ones that the schema knows
		for k, usual := range [2][]string{{"0", "FALSE", "False", "false"}, {"1", "TRUE", "True", "true"}} {
			for _, t := range usual {
				if known([]byte(t)) || texts[k] == "" {
					texts[k] = t
				}
			}
			if !known([]byte(texts[k])) {
				texts[k] = usual[len(usual)-1]
			}
		}
		c.text = func(b []byte, i int) ([]byte, bool) {
			if a.Value(i) {
				return append(b, texts[1]...), true
			}
			return append(b, texts[0]...), true
		}
	case *array.Int8:
		c.whole(byNumber, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int16:
		c.whole(byNumber, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int32:
		c.whole(byNumber, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int64:
		c.whole(byNumber, a.Value)
	case *array.Uint8:
		c.whole(byNumber, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint16:
		c.whole(byNumber, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint32:
		c.whole(byNumber, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint64:
		c.text = func(b []byte, i int) ([]byte, bool) { return strconv.AppendUint(b, a.Value(i), 10), true }
		if byNumber {
			c.number = func(i int) (float64, bool) { return float64(a.Value(i)), true }
		}
	case *array.Float32:
		c.real(false, 32, func(i int) float64 { return float64(a.Value(i)) })
		if byNumber { // 0.7 is the number that people write so, not the one of 32 bits next to it
			text := c.text
			c.number = func(i int) (float64, bool) {
				b, ok := text(nil, i)
				x, err := strconv.ParseFloat(string(b), 64)
				return x + 0, ok && err == nil
			}
		}
	case *array.Float64:
		c.real(byNumber, 64, a.Value)
	case *array.Decimal128:
		scale := a.DataType().(*apache.Decimal128Type).Scale
		c.text = func(b []byte, i int) ([]byte, bool) { return append(b, a.Value(i).ToString(scale)...), true }
	case *array.Date32:
		c.day(col, func(i int) (int64, bool) { return int64(a.Value(i)), true })
	case *array.Date64:
		c.day(col, func(i int) (int64, bool) { return whole(int64(a.Value(i)), msPerDay) })
	case *array.Timestamp:
		perDay := int64(24*time.Hour) / int64(a.DataType().(*apache.TimestampType).Unit.Multiplier())
		c.day(col, func(i int) (int64, bool) { return whole(int64(a.Value(i)), perDay) })
	default:
		return c, false
	}
	return c, true
}

// whole divides what must be a multiple.
func whole(x, by int64) (int64, bool) { return x / by, x%by == 0 }

func (c *cells) whole(byNumber bool, at func(int) int64) {
	c.text = func(b []byte, i int) ([]byte, bool) { return strconv.AppendInt(b, at(i), 10), true }
	if byNumber {
		c.number = func(i int) (float64, bool) { return float64(at(i)), true }
	}
}

// real reads numbers; one that is none is missing, and an infinite one stands in no file.
func (c *cells) real(byNumber bool, bits int, at func(int) float64) {
	c.isNaN = func(i int) bool { return math.IsNaN(at(i)) }
	c.text = func(b []byte, i int) ([]byte, bool) {
		x := at(i) + 0 // no minus before a zero
		return strconv.AppendFloat(b, x, 'f', -1, bits), !math.IsInf(x, 0)
	}
	if byNumber {
		c.number = func(i int) (float64, bool) { x := at(i) + 0; return x, !math.IsInf(x, 0) }
	}
}

// day reads days since 1970-01-01: in a column of dates by their number or in the column's own
// form, else as 2006-01-02.
func (c *cells) day(col *frame.Column, at func(int) (int64, bool)) {
	form := time.DateOnly
	if col != nil && col.Date != "" {
		form = col.Date
		c.number = func(i int) (float64, bool) { d, ok := at(i); return float64(d), ok }
	}
	c.text = func(b []byte, i int) ([]byte, bool) {
		d, ok := at(i)
		if !ok || d < -1e6 || d > 1e7 {
			return b, false
		}
		t := time.Unix(d*86400, 0).UTC()
		n := len(b)
		b = t.AppendFormat(b, form)
		back, err := time.Parse(form, string(b[n:])) // a form that drops the day would change the value
		return b, err == nil && back.Equal(t)
	}
}
