package release

import (
	"encoding/json"
	"strconv"
	"strings"
)

// sameParams reports whether two texts state the same parameters: one JSON value, the order of keys and the spelling of
// numbers apart, no key twice. Whole numbers are compared digit by digit, as a float64 cannot tell 2^53 from the next;
// others to a relative 1e-9, as two machines may compute them.
func sameParams(a, b json.RawMessage) bool {
	x, err := readDocument(a)
	if err != nil {
		return false
	}
	y, err := readDocument(b)
	return err == nil && sameJSON(x, y)
}

func sameJSON(a, b any) bool {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			if w, in := y[k]; !in || !sameJSON(v, w) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !sameJSON(x[i], y[i]) {
				return false
			}
		}
		return true
	case json.Number:
		y, ok := b.(json.Number)
		return ok && sameNumber(x.String(), y.String())
	}
	return a == b // strings, truth values, null
}

func sameNumber(a, b string) bool {
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	switch {
	case !okX || !okY:
		return a == b
	case x == y:
		return true
	case x.exponent >= 0 && y.exponent >= 0: // whole numbers
		return false
	}
	v, errX := strconv.ParseFloat(a, 64)
	w, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && close(v, w)
}

// decimal is a number as ±digits·10^exponent, without zeros at either end of the digits; none at all for 0.
type decimal struct {
	minus    bool
	digits   string
	exponent int
}

// decimalOf takes a JSON number apart. It fails where the exponent is no int.
func decimalOf(s string) (decimal, bool) {
	d := decimal{minus: strings.HasPrefix(s, "-")}
	mantissa, exponent, scientific := strings.Cut(strings.ToLower(strings.TrimPrefix(s, "-")), "e")
	if scientific {
		e, err := strconv.Atoi(exponent)
		if err != nil {
			return d, false
		}
		d.exponent = e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	d.exponent -= len(fraction)
	d.digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(short)
	if d.digits = short; short == "" {
		return decimal{}, true
	}
	return d, true
}
