package frame

import "strconv"

// pow10 holds the powers of ten that float64 represents exactly.
var pow10 = [23]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a decimal number, correctly rounded: sign, digits, point, exponent. Blanks, hexadecimal, "NaN" and "Inf" are not
// numbers here. A number too large for float64 gives an infinity.
func parseNumber(b []byte) (x float64, ok bool) {
	i, neg := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg = b[0] == '-'
		i = 1
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
			return parseSlow(b)
		}
	}
	// With a mantissa below 2^53 and an exact power of ten the one division rounds correctly.
	if digits == 0 {
		return 0, false
	}
	if digits > 18 || mant > 1<<53 || frac > 22 {
		return parseSlow(b)
	}
	x = float64(mant)
	if frac > 0 {
		x /= pow10[frac]
	}
	if neg && x != 0 {
		x = -x
	}
	return x, true
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
