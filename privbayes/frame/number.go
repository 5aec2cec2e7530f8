package frame

import (
	"encoding/binary"
	"math/bits"
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
