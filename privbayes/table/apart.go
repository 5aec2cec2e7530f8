package table

import (
	"math"
	"strconv"
)

// Apart is Number with as many digits as tell x from the others, those that equal it apart: 1 against 1.0000001 is
// shown as 1, and the other one as 1.0000001.
func Apart(x float64, others ...float64) string {
	s := Number(x)
	for digits := 5; digits <= 17; digits++ {
		told := true
		for _, o := range others {
			told = told && (o == x || math.IsNaN(o) || shown(o, digits-1) != s)
		}
		if told {
			return s
		}
		s = shown(x, digits)
	}
	return s
}

// shown is Number with more digits than its four.
func shown(x float64, digits int) string {
	if digits <= 4 || math.IsNaN(x) || math.IsInf(x, 0) || x == math.Trunc(x) && math.Abs(x) < 1e7 {
		return Number(x)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
