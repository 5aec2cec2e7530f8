package num

import (
	"math"
)

// halfRatioFraction holds the coefficients of halfRatioCoef as exact fractions, and one more for the bound of the rest.
var halfRatioFraction = [...][2]float64{
	{-1, 8}, {1, 192}, {-1, 640}, {17, 14336}, {-31, 18432}, {691, 180224}, {-5461, 425984}, {929569, 15728640},
}

// enclosureFrom is where LogGammaHalfRatioEnclosure starts its asymptotic series: the last term there is below 1e-17 of
// L.
const enclosureFrom = 16

// LogGammaHalfRatioEnclosure encloses [LogGammaHalfRatio],
//
//	L(t) = ln[Γ(t + ½)/(Γ(t)·√t)] = L(t + 1) − ½ ln(1 + 1/(4t(t + 1))),
//
// at the exact float64 t > 0, with a relative width of at most 1e-13 (2e-14 in tests). From 16 on it sums the
// asymptotic series. With L(t) = −½ ∫ e^{−ts} tanh(s/4)/s ds and tanh y = 8y Σ_k 1/((2k−1)²π² + 4y²), each term of
// which is a geometric series, the partial sums of the series lie alternately above and below L: the rest is between 0
// and the first term left out. L(0) = −Inf; NaN ends for t < 0 and NaN.
func LogGammaHalfRatioEnclosure(t float64) Interval {
	switch {
	case !(t >= 0):
		return nanInterval
	case t == 0:
		return Point(math.Inf(-1))
	case math.IsInf(t, 1):
		return Point(0)
	}
	at := Point(t)
	var s Interval // ½ ln of the product of the factors
	if t < 1e-8 {  // 4t(t + 1) would underflow: ln(1 + 1/(4t(t+1))) = 2 ln(t + ½) − ln t − ln(1 + t)
		s = at.Add(Point(0.5)).Log().Sub(at.Log().Add(at.Log1p()).Mul(Point(0.5)))
		at = at.Add(unit)
	}
	p := Point(0) // the product is 1 + p
	for at.Lo < enclosureFrom {
		next := at.Add(unit)
		x := Point(0.25).Div(at.Mul(next))
		p = p.Add(x).Add(p.Mul(x)).clampLo(0)
		at = next
	}
	l := halfRatioSeries(at)
	if p.Hi > 0 {
		s = s.Add(p.Log1p().Mul(Point(0.5)))
	}
	return l.Sub(s).clampHi(0)
}

// halfRatioSeries is L on t ≥ enclosureFrom: the sum of c_k t^{1−2k} up to the last but one, and the last as the bound
// of the rest.
func halfRatioSeries(t Interval) Interval {
	u := unit.Div(t)
	u2 := u.Mul(u).clampLo(0)
	last := len(halfRatioFraction) - 1
	rest := Point(halfRatioFraction[last][0]).Div(Point(halfRatioFraction[last][1]))
	p := Interval{math.Min(0, rest.Lo), math.Max(0, rest.Hi)}
	for k := last - 1; k >= 0; k-- {
		p = p.Mul(u2).Add(Point(halfRatioFraction[k][0]).Div(Point(halfRatioFraction[k][1])))
	}
	return p.Mul(u)
}

// HellingerEdgeEnclosure encloses the Hellinger distance of two Dirichlet posteriors whose data differ in one record
// moved from cell i to cell j, p = α_i + x_i − 1 and q = α_j + x_j,
//
//	edge(p, q) = √(1 − g(p)·g(q)),  g(t) = e^{L(t)} = Γ(t + ½)/(Γ(t)·√t),
//
// at the exact float64 p, q > 0, with a relative width of at most 1e-13. NaN ends outside the domain.
func HellingerEdgeEnclosure(p, q float64) Interval {
	return LogGammaHalfRatioEnclosure(p).Add(LogGammaHalfRatioEnclosure(q)).Expm1().Neg().Sqrt().clampHi(1)
}

// Interval is a closed interval [Lo, Hi] of real numbers that surely holds the exact result of the operations that made
// it: every end is moved outward by one float64 after it was rounded to nearest. Ends may be infinite. An operation
// outside its domain gives NaN ends, one without information the whole line.
//
// Only +, −, ×, ÷, √ (correctly rounded by IEEE 754) and exponent manipulation are trusted: logarithm and exponential
// are summed here, with bounds for the terms left out.
type Interval struct{ Lo, Hi float64 }

// Point is [x, x].
func Point(x float64) Interval { return Interval{x, x} }

// Contains reports whether Lo ≤ v ≤ Hi.
func (x Interval) Contains(v float64) bool { return x.Lo <= v && v <= x.Hi }

// Width is Hi − Lo, rounded up.
func (x Interval) Width() float64 { return Up(x.Hi - x.Lo) }

// Neg is −x, exactly.
func (x Interval) Neg() Interval { return Interval{-x.Hi, -x.Lo} }

// Add is x + y.
func (x Interval) Add(y Interval) Interval {
	if x.isNaN() || y.isNaN() {
		return nanInterval
	}
	return outward(x.Lo+y.Lo, x.Hi+y.Hi)
}

// Sub is x − y, for independent x and y.
func (x Interval) Sub(y Interval) Interval { return x.Add(y.Neg()) }

// Mul is x·y, for independent x and y; 0 times an infinite end is 0.
func (x Interval) Mul(y Interval) Interval {
	if x.isNaN() || y.isNaN() {
		return nanInterval
	}
	a, b, c, d := times(x.Lo, y.Lo), times(x.Lo, y.Hi), times(x.Hi, y.Lo), times(x.Hi, y.Hi)
	return outward(min(a, b, c, d), max(a, b, c, d))
}

// Div is x/y, for independent x and y; the whole line when y holds 0.
func (x Interval) Div(y Interval) Interval {
	if x.isNaN() || y.isNaN() {
		return nanInterval
	}
	if y.Contains(0) {
		return wholeLine
	}
	a, b, c, d := x.Lo/y.Lo, x.Lo/y.Hi, x.Hi/y.Lo, x.Hi/y.Hi
	return outward(min(a, b, c, d), max(a, b, c, d))
}

// Sqrt is √x over the part of x that is not negative; NaN ends when there is none.
func (x Interval) Sqrt() Interval {
	if !(x.Hi >= 0) {
		return nanInterval
	}
	return Interval{math.Max(0, Down(math.Sqrt(math.Max(0, x.Lo)))), Up(math.Sqrt(x.Hi))}
}

var (
	nanInterval = Interval{math.NaN(), math.NaN()}
	wholeLine   = Interval{math.Inf(-1), math.Inf(1)}
)

func (x Interval) isNaN() bool { return math.IsNaN(x.Lo) || math.IsNaN(x.Hi) }

// outward moves two ends that were rounded to nearest outward. An end that is NaN, as of ∞ − ∞, says nothing.
func outward(lo, hi float64) Interval {
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return wholeLine
	}
	return Interval{Down(lo), Up(hi)}
}

// times is a·b with 0·∞ = 0, the limit that the ends of an interval need.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// clampLo raises the lower end to a bound that is known for other reasons.
func (x Interval) clampLo(bound float64) Interval { return Interval{math.Max(x.Lo, bound), x.Hi} }

// clampHi lowers the upper end likewise.
func (x Interval) clampHi(bound float64) Interval { return Interval{x.Lo, math.Min(x.Hi, bound)} }

// increasing is f of an interval for an increasing f, given enclosures at points.
func (x Interval) increasing(f func(float64) Interval) Interval {
	if x.Lo == x.Hi {
		return f(x.Lo)
	}
	return Interval{f(x.Lo).Lo, f(x.Hi).Hi}
}

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
