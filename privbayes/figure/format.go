package figure

import (
	"math"
	"strconv"
	"strings"
)

// thin is the blank between thousands, which is as narrow as a comma and breaks no line.
const thin = "\u202f"

// fixed is v with a number of decimals, thousands from 10 000 on apart, and a minus sign instead of a hyphen. Negative
// decimals round to tens, hundreds and so on.
func fixed(v float64, decimals int) string {
	if decimals < 0 {
		unit := math.Pow(10, float64(-decimals))
		v, decimals = math.Round(v/unit)*unit, 0
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(s, ".")
	if rest != "" {
		rest = "." + rest
	}
	if len(whole) > 4 {
		for k := len(whole) - 3; k > 0; k -= 3 {
			whole = whole[:k] + thin + whole[k:]
		}
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		whole = "−" + whole
	}
	return whole + rest
}

// power is v with a number of significant digits as a multiple of a power of ten: 2.0 × 10⁹.
func power(v float64, digits int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return special(v)
	}
	return strings.Replace(mantissa, "-", "−", 1) + " × 10" + raised(n)
}

// raised is a whole number as an exponent.
func raised(n int) string {
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return superscripts[r-'0']
	}, strconv.Itoa(n))
}

// superscripts are the raised digits, in order.
var superscripts = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")

// special are the values that have no digits.
func special(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "−∞"
	}
	return "–"
}

// magnitude is the power of ten of the first of a number of significant digits, once v is rounded to them.
func magnitude(v float64, digits int) int {
	if v == 0 {
		return 0
	}
	_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	n, _ := strconv.Atoi(exponent) // FormatFloat wrote it
	return n
}

// Digits is v with a number of significant digits ≥ 1: 0.2657 with two is 0.27. Below 10⁻⁴, and from 10⁹ on, it is a
// multiple of a power of ten; ∞ stays ∞, and NaN is a dash.
func Digits(v float64, digits int) string {
	if !finite(v) {
		return special(v)
	}
	n := magnitude(v, digits)
	if v != 0 && (n < -4 || n >= 9) {
		return power(v, digits)
	}
	return fixed(v, max(0, digits-1-n))
}

// Number is v with three significant digits; whole numbers below 10⁹ have all of theirs, and nothing ends in zeros
// after the point: 577, 1 126 200, 0.5.
func Number(v float64) string {
	if finite(v) && v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return fixed(v, 0)
	}
	s := Digits(v, 3)
	head, tail, scaled := strings.Cut(s, " ×")
	if strings.Contains(head, ".") {
		head = strings.TrimRight(strings.TrimRight(head, "0"), ".")
	}
	if scaled {
		head += " ×" + tail
	}
	return head
}

// decimals are those that a standard deviation lets a value have: two significant digits of the deviation. Negative
// ones are of tens. Without a positive finite deviation there are as many as three significant digits of the value
// need.
func decimals(v, sd float64) int {
	if !(sd > 0) || math.IsInf(sd, 1) {
		return max(0, 2-magnitude(v, 3))
	}
	return 1 - magnitude(sd, 2)
}

// Rounded is v as precise as its standard deviation lets it be: 603.7 where that is 1.005.
func Rounded(v, sd float64) string {
	d := decimals(v, sd)
	switch {
	case !finite(v):
		return special(v)
	case d > 6 || d < -8:
		return Digits(v, 2)
	}
	return fixed(v, d)
}

// Between is v as precise as its 95 % interval lets it be, for words beside the interval's ends: one unit of the last
// digit is at most a third of the standard deviation that the interval stands for: 655, of 637 to 672. Four digits are
// enough where the interval is ten units of the last one wide.
func Between(v, from, to float64) string {
	unit := (to - from) / 12
	if !(unit > 0) || math.IsInf(unit, 1) || !finite(v) {
		return Rounded(v, 0)
	}
	d := -int(math.Floor(math.Log10(unit)))
	if four := 3 - magnitude(math.Max(math.Abs(from), math.Abs(to)), 4); to-from >= 10*math.Pow(10, -float64(four)) {
		d = min(d, four)
	}
	if d <= 6 && d >= -8 {
		return fixed(v, d)
	}
	return Digits(v, 2)
}

// Estimate is v with its standard deviation, in the same decimals: 603.7 ± 1.0.
func Estimate(v, sd float64) string {
	if !(sd > 0) || !finite(v) {
		return Rounded(v, sd)
	}
	return Rounded(v, sd) + " ± " + Rounded(sd, sd)
}

// Share is a probability in per cent, with one decimal: 3.2 %. Below 0.1 % and above 99.9 %, where only exact 0 and 1
// are written as such, it says so: < 0.1 %.
func Share(p float64) string {
	switch {
	case math.IsNaN(p):
		return special(p)
	case p > 0 && p < .0005:
		return "< 0.1 %"
	case p < 1 && p >= .9995:
		return "> 99.9 %"
	case p == 0 || p == 1:
		return fixed(100*p, 0) + " %"
	}
	return fixed(100*p, 1) + " %"
}
