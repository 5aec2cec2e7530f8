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
	text  func(b []byte, i int) ([]byte, bool) // appended to b; false for what no such file can hold
	code  func(i int) entry                    // encodes a value otherwise than by its text; nil elsewhere
	isNaN func(i int) bool                     // nil where there is none
}

// readable reports whether a column of the schema can be read from arrays of a type; a nil column is a key's.
func readable(dt apache.DataType, col *frame.Column) bool {
	switch dt := dt.(type) {
	case *apache.DictionaryType:
		_, nested := dt.ValueType.(*apache.DictionaryType)
		return !nested && readable(dt.ValueType, col)
	case *apache.StringType, *apache.LargeStringType, *apache.StringViewType, *apache.BooleanType,
		*apache.Int8Type, *apache.Int16Type, *apache.Int32Type, *apache.Int64Type,
		*apache.Uint8Type, *apache.Uint16Type, *apache.Uint32Type, *apache.Uint64Type,
		*apache.Float32Type, *apache.Float64Type, *apache.NullType:
		return true
	case *apache.Decimal128Type:
		return dt.Scale >= 0 && dt.Scale <= 38
	case *apache.Date32Type, *apache.Date64Type:
		return col == nil || col.Date != "" || !col.Numeric()
	case *apache.TimestampType:
		return col != nil && col.Date != "" && dt.TimeZone == ""
	}
	return false
}

// newCells reads an array; ok is false if it is of no type that readable accepts. coder is nil of a key that is no
// column of the schema.
func newCells(arr apache.Array, col *frame.Column, coder *frame.Coder) (c cells, ok bool) {
	if arr == nil || !readable(arr.DataType(), col) {
		return c, false
	}
	switch a := arr.(type) {
	case *array.Null: // a column without a value, whose type a program left open
		c.isNaN = func(int) bool { return true }
	case array.StringLike:
		c.text = func(b []byte, i int) ([]byte, bool) { return append(b, a.Value(i)...), true }
	case *array.Boolean:
		c.text = func(b []byte, i int) ([]byte, bool) { return append(b, coder.TruthText(a.Value(i))...), true }
	case *array.Int8:
		c.whole(coder, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int16:
		c.whole(coder, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int32:
		c.whole(coder, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int64:
		c.whole(coder, a.Value)
	case *array.Uint8:
		c.whole(coder, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint16:
		c.whole(coder, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint32:
		c.whole(coder, func(i int) int64 { return int64(a.Value(i)) })
	case *array.Uint64:
		c.text = func(b []byte, i int) ([]byte, bool) { return strconv.AppendUint(b, a.Value(i), 10), true }
		c.code = func(i int) entry { return coded(coder.Unsigned(a.Value(i))) }
	case *array.Float32:
		c.real(32, func(i int) float64 { return float64(a.Value(i)) })
		c.code = func(i int) entry { return coded(coder.Single(a.Value(i))) }
	case *array.Float64:
		c.real(64, a.Value)
		c.code = func(i int) entry { return coded(coder.Number(a.Value(i))) }
	case *array.Decimal128:
		scale := a.DataType().(*apache.Decimal128Type).Scale
		c.text = func(b []byte, i int) ([]byte, bool) { return append(b, a.Value(i).ToString(scale)...), true }
	case *array.Date32:
		c.day(col, coder, func(i int) (time.Time, bool) { return time.Unix(int64(a.Value(i))*86400, 0).UTC(), true })
	case *array.Date64:
		c.day(col, coder, func(i int) (time.Time, bool) {
			return time.UnixMilli(int64(a.Value(i))).UTC(), int64(a.Value(i))%msPerDay == 0
		})
	case *array.Timestamp:
		perSecond := int64(time.Second) / int64(a.DataType().(*apache.TimestampType).Unit.Multiplier())
		c.day(col, coder, func(i int) (time.Time, bool) {
			t := int64(a.Value(i))
			return time.Unix(t/perSecond, t%perSecond*(int64(time.Second)/perSecond)).UTC(), true
		})
	default:
		return c, false
	}
	return c, true
}

func coded(code int32, value float64, ok bool) entry { return entry{code, value, ok} }

func (c *cells) whole(coder *frame.Coder, at func(int) int64) {
	c.text = func(b []byte, i int) ([]byte, bool) { return strconv.AppendInt(b, at(i), 10), true }
	c.code = func(i int) entry { return coded(coder.Whole(at(i))) }
}

// real writes numbers; one that is none is missing, and an infinite one stands in no file.
func (c *cells) real(bits int, at func(int) float64) {
	c.isNaN = func(i int) bool { return math.IsNaN(at(i)) }
	c.text = func(b []byte, i int) ([]byte, bool) {
		x := at(i) + 0 // no minus before a zero
		return strconv.AppendFloat(b, x, 'f', -1, bits), !math.IsInf(x, 0)
	}
}

// day reads days and times: in a column of dates by their number or in the column's own form, else as 2006-01-02.
func (c *cells) day(col *frame.Column, coder *frame.Coder, at func(int) (time.Time, bool)) {
	form, dates := time.DateOnly, col != nil && col.Date != ""
	if dates {
		form = col.Date
		c.code = func(i int) entry {
			if t, ok := at(i); ok {
				return coded(coder.Time(t))
			}
			return entry{}
		}
	}
	c.text = func(b []byte, i int) ([]byte, bool) {
		t, ok := at(i)
		if dates && ok {
			_, _, ok = coder.Time(t)
		}
		if !ok || t.Year() < 0 || t.Year() > 9999 {
			return b, false
		}
		return t.AppendFormat(b, form), true
	}
}
