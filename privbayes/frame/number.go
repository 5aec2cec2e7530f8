package frame

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// pow10 holds the powers of ten that float64 represents exactly.
var pow10 = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
	1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a decimal number, correctly rounded: sign, digits, point, exponent. Blanks, hexadecimal, "NaN" and
// "Inf" are not numbers here. A number too large for float64 gives an infinity.
func parseNumber(b []byte) (x float64, ok bool) {
	x, _, ok = parseDecimal(b)
	return x, ok
}

// parseDecimal is parseNumber; exact tells that x is whole only if the number of the text is. That is so up to 2^53 in
// digits: their quotient by a power of ten is a whole number, or differs from it by more than rounding does.
func parseDecimal(b []byte) (x float64, exact, ok bool) {
	i, neg := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
	}
	if mant, frac, ok := parseShort(b[i:]); ok {
		x = float64(mant)
		if frac > 0 {
			x /= pow10[frac]
		}
		if neg {
			x = 0 - x // never −0
		}
		return x, true, true
	}
	var mant uint64
	digits, frac, point := 0, 0, false
	for ; i < len(b); i++ {
		c := b[i]
		if d := c - '0'; d <= 9 {
			mant = mant*10 + uint64(d)
			digits++
			if point {
				frac++
			}
		} else if c == '.' && !point {
			point = true
		} else {
			x, ok = parseSlow(b)
			return x, false, ok
		}
	}
	// With a mantissa below 2^53 and an exact power of ten the one division rounds correctly.
	if digits == 0 {
		return 0, false, false
	}
	if digits > 18 || mant > 1<<53 || frac > 22 {
		x, ok = parseSlow(b)
		return x, false, ok
	}
	x = float64(mant)
	if frac > 0 {
		x /= pow10[frac]
	}
	if neg && x != 0 {
		x = -x
	}
	return x, true, true
}

// Words of eight zeros and of eight points.
const (
	zeros  = 0x3030303030303030
	points = 0x2e2e2e2e2e2e2e2e
)

// parseShort reads one to eight digits, with or without a point among them, where the buffer goes on behind the field:
// all bytes at once, with no loop whose length would have to be guessed. It refuses what it cannot do.
func parseShort(b []byte) (mant uint64, frac int, ok bool) {
	n := len(b)
	if n == 0 || n > 8 || cap(b) < 8 {
		return 0, 0, false
	}
	// The last byte of the field goes to the top of the word, zeros stand in front.
	w := binary.LittleEndian.Uint64(b[:8])<<(8*(8-n)) | zeros>>(8*n)
	x := w ^ points
	if m := ^((x&lowBits + lowBits) | x) & highBits; m != 0 { // close the gap of the first point
		at := bits.TrailingZeros64(m) &^ 7
		frac = 7 - at/8
		before := uint64(1)<<at - 1
		w = w&^(before<<8|0xff) | (w&before)<<8 | '0'
		if n == 1 {
			return 0, 0, false
		}
	}
	// Digits are 0x30 … 0x39: the upper half is 3, and still is with 6 added.
	const upper = 0xf0f0f0f0f0f0f0f0
	if w&upper != zeros || (w+0x0606060606060606)&upper != zeros {
		return 0, 0, false
	}
	w &^= upper
	w = (w * (10<<8 + 1)) >> 8 & 0x00ff00ff00ff00ff    // pairs
	w = (w * (100<<16 + 1)) >> 16 & 0x0000ffff0000ffff // fours
	return (w * (10000<<32 + 1)) >> 32, frac, true
}

func parseSlow(b []byte) (float64, bool) {
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	x, err := strconv.ParseFloat(string(b), 64)
	if e, ok := err.(*strconv.NumError); err != nil && (!ok || e.Err != strconv.ErrRange) {
		return 0, false
	}
	return x + 0, true
}

// A missing mark of a numeric column is compared as a value of the column's kind where it is one: 999 is also 999.0,
// +999 and 9.99e2, and 1900-01-01 is a day. A mark that is no value of the kind, such as "NA", is compared as text, and
// so are the marks of categories.

// mark is a missing mark that is a value of a numeric column.
type mark struct {
	value float64
	exact decimal // of a column of whole numbers
	at    int     // in Missing
}

// readMarks finds the marks that are values: dates in the column's layout, numbers as the schema's format writes them,
// which the schema itself is written in.
func (e *encoder) readMarks(f *Format) {
	e.values, e.special = nil, e.col.Date != ""
	for at, text := range e.col.Missing {
		if !e.numeric {
			continue
		}
		x, plain, _, ok := e.parseAs([]byte(text), f.comma(), f.grouping())
		e.special = e.special || ok
		if !ok || math.IsInf(x, 0) {
			continue
		}
		m := mark{value: x, at: at}
		if e.exactly() {
			m.exact = decimalOf(plain)
		}
		e.values = append(e.values, m)
	}
}

// exactly reports whether numbers are whole, so that two which differ beyond the digits of float64 are two.
func (e *encoder) exactly() bool { return e.integer && e.col.Date == "" }

// markOf is the place in Missing of the mark that a number is, or -1. text is the number with a decimal point, nil
// where it was no text.
func (e *encoder) markOf(x float64, text []byte) int {
	for _, m := range e.values {
		if m.value != x {
			continue
		}
		if e.exactly() {
			if text == nil {
				text = []byte(formatFloat(x))
			}
			if decimalOf(text) != m.exact {
				continue
			}
		}
		return m.at
	}
	return -1
}

// markAt is the place in Missing of the mark that a text is, or -1.
func (e *encoder) markAt(text []byte, quoted bool) int {
	if quoted && e.unmarked != nil {
		return -1
	}
	if e.trim {
		text = bytes.TrimSpace(text)
	}
	if at := slices.Index(e.col.Missing, string(text)); at >= 0 || len(e.values) == 0 {
		return at
	}
	x, plain, _, ok := e.parseAs(text, e.comma, e.thousands)
	if !ok {
		return -1
	}
	return e.markOf(x, plain)
}

// Marks lists the numbers of a numeric column, or days of a column of dates, that are missing marks, in order: no value
// of the column is one of them. Error: *ColumnError for no such column.
func (s *Schema) Marks(column string) ([]float64, error) {
	c, _, err := s.Column(column)
	if err != nil {
		return nil, err
	}
	var out []float64
	for _, m := range s.encoder(*c).values {
		out = append(out, m.value)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// encoder is a new one of a column, with the marks as the schema writes them.
func (s *Schema) encoder(c Column) *encoder {
	e := newEncoder(c)
	if s.Format.comma() || s.Format.grouping() != 0 {
		e.readMarks(s.Format)
	}
	return e
}

// parse reads a value as the table writes it.
func (e *encoder) parse(b []byte) (x float64, ok bool) {
	x, _, _, ok = e.parseAs(b, e.comma, e.thousands)
	return x, ok
}

// parseAs reads a value of the column: a date in its layout, or a number with a decimal comma or point and marks for
// thousands. plain is the number with a point; exact tells that no digit was lost.
func (e *encoder) parseAs(b []byte, comma bool, thousands byte) (x float64, plain []byte, exact, ok bool) {
	if e.col.Date != "" {
		x, ok = day(e.col.Date, string(b))
		return x, b, true, ok
	}
	if thousands != 0 {
		if b, ok = ungrouped(e.scratch, b, thousands, comma); !ok {
			return 0, nil, false, false
		}
	}
	if comma {
		if bytes.IndexByte(b, '.') >= 0 {
			return 0, nil, false, false
		}
		b = append(e.scratch[:0], b...)
		e.scratch = b
		for i, c := range b {
			if c == ',' {
				b[i] = '.'
			}
		}
	}
	x, exact, ok = parseDecimal(b)
	return x, b, exact, ok
}

// decimal is a number as its text writes it, with all digits: ±0.digits · 10^point, no zero at either end of digits.
type decimal struct {
	digits string
	point  int
	minus  bool
}

// decimalOf is the number of a text that parseNumber reads.
func decimalOf(text []byte) decimal {
	d, seen := decimal{}, false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		d.minus, text = text[0] == '-', text[1:]
	}
	digits := make([]byte, 0, len(text))
	for i, c := range text {
		switch {
		case c == 'e' || c == 'E':
			n, err := strconv.Atoi(string(text[i+1:]))
			if err != nil { // beyond every number of the other texts
				n = math.MaxInt32
				if bytes.IndexByte(text[i:], '-') >= 0 {
					n = -n
				}
			}
			d.point += n
			text = nil
		case c == '.':
			seen = true
		default:
			digits = append(digits, c)
			if !seen {
				d.point++
			}
		}
		if text == nil {
			break
		}
	}
	rest := bytes.TrimLeft(digits, "0")
	d.point -= len(digits) - len(rest)
	d.digits = string(bytes.TrimRight(rest, "0"))
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// whole is the number that a text of a column of whole numbers stands for, where x is the nearest float64: x itself, or
// one that is outside every column, or not whole, on the side where the text's own number is.
func whole(x float64, text []byte) float64 {
	const most = 1 << 53
	if x != math.Trunc(x) || math.Abs(x) > most {
		return x
	}
	d := decimalOf(text)
	near := decimalOf(strconv.AppendFloat(nil, x, 'f', -1, 64))
	side := d.compare(near)
	if side == 0 {
		return x
	}
	y := math.Nextafter(x, math.Inf(side))
	if y == math.Trunc(y) && math.Abs(y) <= most {
		return math.NaN() // between two whole numbers that float64 has nothing between
	}
	return y
}

// compare is -1, 0 or 1.
func (d decimal) compare(o decimal) int {
	sign := func(d decimal) int {
		switch {
		case d.digits == "":
			return 0
		case d.minus:
			return -1
		}
		return 1
	}
	a, b := sign(d), sign(o)
	if a != b || a == 0 {
		return min(max(a-b, -1), 1)
	}
	switch {
	case d.point != o.point && (d.point > o.point) == (a > 0):
		return 1
	case d.point != o.point:
		return -1
	}
	return a * bytes.Compare([]byte(d.digits), []byte(o.digits))
}
