package num

import "math"

// Log is ln x over the positive part of x; −Inf where x reaches 0, NaN ends when no part is positive. Width about 1e-15
// of |ln x|.
func (x Interval) Log() Interval {
	if !(x.Hi > 0) {
		return nanInterval
	}
	return x.clampLo(0).increasing(logPoint)
}

// Log1p is ln(1 + x) over the part above −1, with a width of about 1e-15 of its size also near x = 0; NaN ends when no
// part is.
func (x Interval) Log1p() Interval {
	if !(x.Hi > -1) {
		return nanInterval
	}
	return x.clampLo(-1).increasing(log1pPoint)
}

// Exp is e^x. Width about 1e-15 of it.
func (x Interval) Exp() Interval {
	if x.isNaN() {
		return nanInterval
	}
	return x.increasing(expPoint)
}

// Expm1 is e^x − 1, with a width of about 1e-15 of its size also near x = 0.
func (x Interval) Expm1() Interval {
	if x.isNaN() {
		return nanInterval
	}
	return x.increasing(expm1Point)
}

// ln2High is ln 2 cut to 32 bits, so that its products with exponents are exact; ln2Low encloses what is left.
const ln2High = 0x1.62e42feep-1

var (
	ln2Low = Interval{0x1.a39ef35793c76p-33, 0x1.a39ef35793c77p-33}
	ln2    = Point(ln2High).Add(ln2Low)
	unit   = Point(1)
	twice  = Point(2)
)

// logPoint is ln x for x ≥ 0. With x = m·2^e and √½ ≤ m ≤ √2, about, ln m = 2 atanh((m − 1)/(m + 1)); for e ≠ 0 the two
// parts cancel no more than half of each other.
func logPoint(x float64) Interval {
	switch {
	case x == 0:
		return Interval{math.Inf(-1), math.Inf(-1)}
	case math.IsInf(x, 1):
		return Interval{logPoint(math.MaxFloat64).Lo, x}
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	l := twice.Mul(atanhSeries(Point(m - 1).Div(Point(m).Add(unit)))) // m − 1 is exact on [½, 2]
	if e == 0 {
		return l
	}
	return l.Add(Point(float64(e)).Mul(ln2))
}

// log1pPoint is ln(1 + x) for x ≥ −1, near 0 as 2 atanh(x/(2 + x)).
func log1pPoint(x float64) Interval {
	if math.Abs(x) <= 0.25 {
		return twice.Mul(atanhSeries(Point(x).Div(Point(x).Add(twice))))
	}
	return Point(x).Add(unit).Log()
}

// atanhTerms is the number of terms of atanhSeries; what is left is below 0.0325^14 ≈ 1.5e-21 of the sum.
const atanhTerms = 14

// atanhSeries is atanh s = s·Σ_{k≥0} u^k/(2k+1), u = s², for |s| ≤ 0.18. After K terms the rest of the sum is u^K times
// something in [0, 1/((2K+1)(1−u))].
func atanhSeries(s Interval) Interval {
	u := s.Mul(s).clampLo(0)
	p := Interval{0, unit.Div(Point(2*atanhTerms + 1).Mul(unit.Sub(u))).Hi}
	for k := atanhTerms - 1; k >= 0; k-- {
		p = p.Mul(u).Add(unit.Div(Point(float64(2*k + 1))))
	}
	return s.Mul(p)
}

// expPoint is e^x = 2^k·e^r with r = x − k ln 2, |r| ≤ 0.35.
func expPoint(x float64) Interval {
	switch {
	case x > 709.7: // e^709.7 > 1.6e308
		return Interval{1.6e308, math.Inf(1)}
	case x < -745.2: // below the smallest float64
		return Interval{0, math.SmallestNonzeroFloat64}
	case math.Abs(x) <= taylorUpTo:
		return unit.Add(taylor(Point(x)))
	}
	k := math.Round(x / math.Ln2) // any integer nearby would do
	r := Point(x).Sub(Point(k * ln2High)).Sub(Point(k).Mul(ln2Low))
	e := unit.Add(taylor(r))
	return outward(math.Ldexp(e.Lo, int(k)), math.Ldexp(e.Hi, int(k))).clampLo(0)
}

// expm1Point is e^x − 1.
func expm1Point(x float64) Interval {
	if math.Abs(x) <= taylorUpTo {
		return taylor(Point(x))
	}
	return expPoint(x).Sub(unit).clampLo(-1)
}

const (
	taylorUpTo  = 0.35
	taylorTerms = 14
)

// taylor is e^x − 1 for |x| ≤ 0.36 as x(1 + x/2(1 + x/3(… (1 + x/K·τ)))), where τ = 1 + x/(K+1) + x²/((K+1)(K+2)) + …
// differs from 1 by at most Σ_{j≥1} (0.36/15)^j < 0.03. Beyond that range, which no caller reaches, it says nothing.
func taylor(x Interval) Interval {
	if !(x.Lo >= -0.36 && x.Hi <= 0.36) {
		return wholeLine
	}
	p := Interval{0.97, 1.03}
	for k := taylorTerms; k >= 2; k-- {
		p = unit.Add(x.Div(Point(float64(k))).Mul(p))
	}
	return x.Mul(p)
}
