package maxent

import "math"

// The exponential of a row, some three times as fast as math.Exp on each: e^x = 2^(k/64)·e^r with k = round(64x/ln 2)
// and |r| ≤ ln 2/128 = 0.0054, where the Taylor polynomial of degree 5 leaves a relative error of r^6/720 ≤ 4e-17.
// ln 2/64 is taken off in two parts, the first with 32 bits, so that k times it is exact. Everything is relative to the
// row's largest entry: arguments are ≤ 0, and results below 2^−1000, which no sum would notice, are 0.
const (
	parts    = 64
	perUnit  = parts / math.Ln2
	unitHigh = 0x1.62e42fee00000p-7 // ln 2/64, its leading 32 bits
	unitLow  = 0x1.a39ef35793c76p-39
	rounding = 0x1.8p52 // added and taken off, it leaves the nearest integer
	smallest = -690.0
)

// powers are 2^(j/64).
var powers = func() (p [parts]uint64) {
	for j := range p {
		p[j] = math.Float64bits(math.Exp2(float64(j) / parts))
	}
	return p
}()

// expRow replaces every x by e^(x − top) and returns their sum. top is at least every x.
func expRow(row []float64, top float64) float64 {
	sum := 0.0
	for i, x := range row {
		x -= top
		if !(x > smallest) {
			row[i] = 0
			continue
		}
		shifted := x*perUnit + rounding
		k := math.Float64bits(shifted) // its last bits
		shifted -= rounding
		r := (x - shifted*unitHigh) - shifted*unitLow
		e := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120)))))
		e *= math.Float64frombits(powers[k%parts] + k/parts<<52)
		row[i] = e
		sum += e
	}
	return sum
}
