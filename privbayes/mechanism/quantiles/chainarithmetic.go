package quantiles

import (
	"math/big"
	"math/bits"
)

// arithmetic is how sums are formed: products and sums of numbers ≥ 0, each off by at most 2^{−digits()}, relative. The
// zero value of T is 0.
type arithmetic[T any] interface {
	times(a, b T) T
	plus(a, b T) T
	power(k int64) T // e^{−xk}, any sign of k, within 16 such errors
	wide(a T) wide
	digits() int
}

// digitBits is the size of the digits of an exponent, each of which has a table of powers.
const (
	digitBits = 8
	places    = 8 // 64 bits in all
)

// powers holds e^{−x·d·2^{8j}} and its inverse for every digit d of eight bits.
type powers[T any] struct {
	down, up [places][]T
}

// newPowers fills the tables as far as exponents up to most need, from the two exponentials at prec + 96 digits.
func newPowers[T any](x *big.Rat, most int64, prec uint, of func(wide) T) *powers[T] {
	p := &powers[T]{}
	prec += 96
	down, up := exponential(x, prec)
	for j := 0; j < places && (j == 0 || most>>(digitBits*j) > 0); j++ {
		p.down[j], down = table(down, prec, of)
		p.up[j], up = table(up, prec, of)
	}
	return p
}

// table is 1, a, …, a^255, and a^256.
func table[T any](a wide, prec uint, of func(wide) T) (all []T, next wide) {
	next = wideOf(cutting(prec).SetInt64(1), 0)
	for range 1 << digitBits {
		all = append(all, of(next))
		next = next.times(a, prec)
	}
	return all, next
}

// power is e^{−xk}, a product of at most eight entries.
func (p *powers[T]) power(k int64, times func(a, b T) T) T {
	all := &p.down
	if k < 0 {
		k, all = -k, &p.up
	}
	out := all[0][k&(1<<digitBits-1)]
	for j := 1; k >= 1<<digitBits; j++ {
		k >>= digitBits
		if d := k & (1<<digitBits - 1); d > 0 {
			out = times(out, all[j][d])
		}
	}
	return out
}

// exponential is e^{−x} and e^x for rational 0 < x ≤ 2^16, each within 2^{−prec}, relative: the Taylor series of e^y at
// y = x·2^{−s} < 2^{−16}, whose terms are positive, squared s ≤ 33 times, in 64 more digits; e^{−x} is its inverse. The
// error of the series, some 200 units of the last digit, doubles with every square.
func exponential(x *big.Rat, prec uint) (down, up wide) {
	work := prec + 64
	y := cutting(work).SetRat(x)
	halvings := max(y.MantExp(nil)+16, 0)
	y.SetMantExp(y, -halvings)
	sum, term := cutting(work).SetInt64(1), cutting(work).SetInt64(1)
	for k := int64(1); ; k++ {
		term.Mul(term, y)
		term.Quo(term, cutting(work).SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < -int(work) {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	inverse := cutting(work).Quo(cutting(work).SetInt64(1), sum)
	return wideOf(inverse, 0).cut(prec), wideOf(sum, 0).cut(prec)
}

// quick is arithmetic in 64 digits.
type quick struct{ *powers[scaled] }

func newQuick(x *big.Rat, most int64) quick { return quick{newPowers(x, most, 64, wide.scaled)} }

func (quick) times(a, b scaled) scaled { return a.times(b) }
func (quick) plus(a, b scaled) scaled  { return a.plus(b) }
func (q quick) power(k int64) scaled   { return q.powers.power(k, scaled.times) }
func (quick) wide(a scaled) wide       { return a.wide() }
func (quick) digits() int              { return 62 }

// careful is arithmetic in any number of digits.
type careful struct {
	*powers[wide]
	prec uint
}

func newCareful(x *big.Rat, most int64, prec uint) careful {
	return careful{newPowers(x, most, prec, func(a wide) wide { return a.cut(prec) }), prec}
}

func (c careful) times(a, b wide) wide { return a.times(b, c.prec) }
func (c careful) plus(a, b wide) wide  { return a.plus(b, c.prec) }
func (c careful) power(k int64) wide   { return c.powers.power(k, c.times) }
func (careful) wide(a wide) wide       { return a }
func (c careful) digits() int          { return int(c.prec) - 2 }

// scaled is a number m·2^e with 2^63 ≤ m < 2^64, or zero. Its operations cut off: results are lower bounds within one
// unit of the last of 64 digits.
type scaled struct {
	m uint64
	e int64
}

func (a scaled) times(b scaled) scaled {
	hi, lo := bits.Mul64(a.m, b.m)
	if hi == 0 {
		return scaled{}
	}
	shift := uint(hi>>63 ^ 1)
	return scaled{hi<<shift | lo>>63&uint64(shift), a.e + b.e + 64 - int64(shift)}
}

func (a scaled) plus(b scaled) scaled {
	if a.m == 0 || b.m != 0 && b.e > a.e {
		a, b = b, a
	}
	if b.m == 0 || a.e-b.e > 63 {
		return a
	}
	sum, carry := bits.Add64(a.m, b.m>>uint(a.e-b.e), 0)
	if carry == 1 {
		return scaled{sum>>1 | 1<<63, a.e + 1}
	}
	return scaled{sum, a.e}
}

// wide is the number itself.
func (a scaled) wide() wide {
	if a.m == 0 {
		return wide{}
	}
	return wideOf(new(big.Float).SetPrec(64).SetUint64(a.m), a.e)
}

// wide is a number m·2^e with ½ ≤ m < 1 in as many digits as it was made with, or zero where m is nil: a big.Float
// whose exponent has 64 bits.
type wide struct {
	m *big.Float
	e int64
}

// wideOf takes m over.
func wideOf(m *big.Float, e int64) wide {
	if m.Sign() == 0 {
		return wide{}
	}
	return wide{m, e + int64(m.MantExp(m))}
}

func (a wide) times(b wide, prec uint) wide {
	if a.m == nil || b.m == nil {
		return wide{}
	}
	return wideOf(cutting(prec).Mul(a.m, b.m), a.e+b.e)
}

func (a wide) plus(b wide, prec uint) wide {
	if a.m == nil || b.m != nil && b.e > a.e {
		a, b = b, a
	}
	if b.m == nil || a.e-b.e > int64(prec) {
		return a
	}
	shifted := new(big.Float).SetMantExp(b.m, int(b.e-a.e))
	return wideOf(cutting(prec).Add(a.m, shifted), a.e)
}

// cut leaves prec digits.
func (a wide) cut(prec uint) wide {
	if a.m == nil {
		return a
	}
	return wideOf(cutting(prec).Set(a.m), a.e)
}

// scaled leaves 64 digits.
func (a wide) scaled() scaled {
	if a.m == nil {
		return scaled{}
	}
	m, _ := new(big.Float).SetMantExp(a.m, 64).Uint64() // cuts off
	return scaled{m, a.e - 64}
}

// over is a/b in floats of prec digits, 0 where a is too far below b to matter.
func (a wide) over(b wide, prec uint) *big.Float {
	if a.m == nil || b.e-a.e > 1<<30 {
		return new(big.Float).SetPrec(prec)
	}
	q := new(big.Float).SetPrec(prec).Quo(a.m, b.m)
	return q.SetMantExp(q, int(a.e-b.e))
}

// cutting is a number of prec digits whose operations cut off.
func cutting(prec uint) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToZero) }
