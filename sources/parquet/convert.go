package parquet

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// converter gives the values of one column of a file their codes, each as the text that a CSV file would have for it:
// numbers and days by their value, which is the same and faster.
type converter struct {
	coder   *frame.Coder
	size    int // bytes of a value in plain encoding; 0 of byte arrays and truth values
	kind    int32
	one     func(raw []byte) (code int32, value float64, ok bool)
	text    func(b, raw []byte) (out []byte, is meaning) // appended to b
	scratch []byte
}

// meaning is what a value is under no schema.
type meaning int

const (
	isText  meaning = iota
	isNull          // a number that is not one
	isNoCSV         // what no CSV file can hold
)

// newConverter fails with what the schema's column cannot be read from. Without a coder there are texts only.
func newConverter(col frame.Column, of leaf, coder *frame.Coder) (*converter, error) {
	c := &converter{coder: coder, kind: of.kind}
	l, bits := of.logical, 0
	switch of.kind {
	case typeBoolean:
		c.one, c.text = c.truth, func(b, raw []byte) ([]byte, meaning) { return append(b, c.truthText(raw)...), isText }
	case typeInt32, typeFloat:
		c.size, bits = 4, 32
	case typeInt64, typeDouble:
		c.size, bits = 8, 64
	case typeFixed:
		c.size = int(of.length)
	}
	signed := !(l.id == logicalInteger && !l.signed) &&
		!(l.id == 0 && of.converted >= convertedUint8 && of.converted <= convertedUint64)
	day := l.id == logicalDate || l.id == 0 && of.converted == convertedDate
	unit := timeUnit(of)
	decimal := l.id == logicalDecimal || l.id == 0 && of.converted == convertedDecimal
	scale := l.scale
	if l.id == 0 {
		scale = of.scale
	}
	switch {
	case of.kind == typeBoolean:
	case decimal && scale >= 0 && scale <= 38 && of.kind != typeFloat && of.kind != typeDouble &&
		(of.kind != typeFixed || of.length <= 16):
		c.one = c.byText
		c.text = func(b, raw []byte) ([]byte, meaning) { return c.decimal(b, raw, int(scale)) }
	case day && of.kind == typeInt32 && (col.Date != "" || !col.Numeric()):
		c.one = func(raw []byte) (int32, float64, bool) { return c.day(int64(int32(le32(raw))), col.Date != "") }
		c.text = func(b, raw []byte) ([]byte, meaning) { return dayText(b, int64(int32(le32(raw))), col.Date) }
	case unit != 0 && of.kind == typeInt64 && col.Date != "" && !l.moment:
		c.one = func(raw []byte) (int32, float64, bool) { return c.coder.Time(timeOf(int64(le64(raw)), unit)) }
		c.text = func(b, raw []byte) ([]byte, meaning) {
			t := timeOf(int64(le64(raw)), unit)
			if _, _, ok := c.coder.Time(t); !ok {
				return b, isNoCSV
			}
			return t.AppendFormat(b, col.Date), isText
		}
	case (of.kind == typeInt32 || of.kind == typeInt64) && unit == 0 && !day && !decimal && l.id != logicalTime:
		c.one = func(raw []byte) (int32, float64, bool) { return c.whole(raw, bits, signed) }
		c.text = func(b, raw []byte) ([]byte, meaning) { return wholeText(b, raw, bits, signed), isText }
	case of.kind == typeFloat:
		c.one = func(raw []byte) (int32, float64, bool) { return c.coder.Single(math.Float32frombits(le32(raw))) }
		c.text = func(b, raw []byte) ([]byte, meaning) {
			return floatText(b, float64(math.Float32frombits(le32(raw))), 32)
		}
	case of.kind == typeDouble:
		c.one = func(raw []byte) (int32, float64, bool) { return c.coder.Number(math.Float64frombits(le64(raw))) }
		c.text = func(b, raw []byte) ([]byte, meaning) { return floatText(b, math.Float64frombits(le64(raw)), 64) }
	case of.kind == typeByteArray && holdsText(of):
		c.one, c.text = coder.Text, func(b, raw []byte) ([]byte, meaning) { return append(b, raw...), isText }
	default:
		return nil, &frame.ColumnError{Step: "parquet.Open", Column: col.Name, Want: "text, numbers, decimals, " +
			"truth values, dates or, for a column of dates, timestamps without a zone; the file has " + describe(of)}
	}
	return c, nil
}

func holdsText(of leaf) bool {
	switch of.logical.id {
	case 0, logicalString, logicalEnum, logicalJSON:
		return of.converted != convertedDecimal
	}
	return false
}

// timeUnit is the length of a timestamp's unit in nanoseconds, 0 if the column is none.
func timeUnit(of leaf) int64 {
	switch {
	case of.logical.id == logicalTimestamp && of.logical.unit >= 1 && of.logical.unit <= 3:
		return []int64{1e6, 1e3, 1}[of.logical.unit-1]
	case of.logical.id == 0 && of.converted == convertedMillis:
		return 1e6
	case of.logical.id == 0 && of.converted == convertedMicros:
		return 1e3
	}
	return 0
}

// timeOf is a time in units since 1970-01-01.
func timeOf(t, unit int64) time.Time {
	perDay := int64(24*time.Hour) / unit
	days, rest := t/perDay, t%perDay
	if rest < 0 {
		days, rest = days-1, rest+perDay
	}
	return time.Unix(days*86400, rest*unit).UTC()
}

// describe names a column's type for a refusal.
func describe(of leaf) string {
	s := typeNames[of.kind]
	switch id := of.logical.id; {
	case of.kind == typeInt96:
		s += ", an older kind of timestamp: write INT64 timestamps without a zone, or dates"
	case id == logicalTimestamp && of.logical.moment:
		s += " of TIMESTAMP adjusted to UTC, moments whose day depends on the zone: write dates, or timestamps without one"
	case id > 0 && id < len(logicalNames):
		s += " of " + logicalNames[id]
	case id > 0:
		s += fmt.Sprintf(" of a logical type that is not known, %d", id)
	case of.converted >= 0 && int(of.converted) < len(convertedNames):
		s += " of " + convertedNames[of.converted]
	}
	return s
}

// logicalNames are those of logical types, by their fields in the format.
var logicalNames = []string{"", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "", "INTEGER",
	"UNKNOWN, nulls alone", "JSON", "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY"}

// convertedNames are those of the older annotations.
var convertedNames = []string{"UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS",
	"TIME_MICROS", "TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16",
	"INT_32", "INT_64", "JSON", "BSON", "INTERVAL"}

// typeNames are those of the physical types.
var typeNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// byText encodes a value by its text.
func (c *converter) byText(raw []byte) (code int32, value float64, ok bool) {
	is := isText
	if c.scratch, is = c.text(c.scratch[:0], raw); is != isText {
		return 0, 0, false
	}
	return c.coder.Text(c.scratch)
}

// truthText is the text of a byte that is 0 or 1.
func (c *converter) truthText(raw []byte) string { return c.coder.TruthText(raw[0]&1 == 1) }

// truth encodes a byte that is 0 or 1.
func (c *converter) truth(raw []byte) (code int32, value float64, ok bool) {
	return c.coder.Truth(raw[0]&1 == 1)
}

// wholeBits is a whole number of 32 or 64 bits, as one of 64.
func wholeBits(raw []byte, bits int, signed bool) uint64 {
	switch {
	case bits == 64:
		return le64(raw)
	case signed:
		return uint64(int64(int32(le32(raw))))
	}
	return uint64(le32(raw))
}

func (c *converter) whole(raw []byte, bits int, signed bool) (int32, float64, bool) {
	if u := wholeBits(raw, bits, signed); !signed {
		return c.coder.Unsigned(u)
	} else {
		return c.coder.Whole(int64(u))
	}
}

func wholeText(b, raw []byte, bits int, signed bool) []byte {
	u := wholeBits(raw, bits, signed)
	if signed {
		return strconv.AppendInt(b, int64(u), 10)
	}
	return strconv.AppendUint(b, u, 10)
}

// floatText is the shortest decimal text of a number, without a minus before a zero: people write 0.7 for 32 bits, too.
func floatText(b []byte, x float64, bits int) ([]byte, meaning) {
	switch {
	case math.IsNaN(x):
		return b, isNull
	case math.IsInf(x, 0):
		return b, isNoCSV
	}
	return strconv.AppendFloat(b, x+0, 'f', -1, bits), isText
}

// day encodes a day since 1970-01-01, of a date by its number and else as a text.
func (c *converter) day(days int64, date bool) (int32, float64, bool) {
	if date {
		return c.coder.Time(time.Unix(days*86400, 0).UTC())
	}
	c.scratch = time.Unix(days*86400, 0).UTC().AppendFormat(c.scratch[:0], time.DateOnly)
	return c.coder.Text(c.scratch)
}

// dayText writes a day since 1970-01-01 in a form that names it, or as 2006-01-02.
func dayText(b []byte, days int64, form string) ([]byte, meaning) {
	if form == "" {
		form = time.DateOnly
	}
	if days < -1e6 || days > 1e7 {
		return b, isNoCSV
	}
	day, n := time.Unix(days*86400, 0).UTC(), len(b)
	b = day.AppendFormat(b, form)
	if back, err := time.Parse(form, string(b[n:])); err != nil || !back.Equal(day) {
		return b, isNoCSV
	}
	return b, isText
}

// decimal writes a whole number of units of 10^−scale.
func (c *converter) decimal(b, raw []byte, scale int) ([]byte, meaning) {
	n := new(big.Int)
	switch c.kind {
	case typeInt32:
		n.SetInt64(int64(int32(le32(raw))))
	case typeInt64:
		n.SetInt64(int64(le64(raw)))
	default: // two's complement, the highest byte first
		if len(raw) > 16 {
			return b, isNoCSV
		}
		if n.SetBytes(raw); len(raw) > 0 && raw[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
		}
	}
	digits := new(big.Int).Abs(n).String()
	for len(digits) <= scale {
		digits = "0" + digits
	}
	if n.Sign() < 0 {
		b = append(b, '-')
	}
	b = append(b, digits[:len(digits)-scale]...)
	if scale > 0 {
		b = append(append(b, '.'), digits[len(digits)-scale:]...)
	}
	return b, isText
}
