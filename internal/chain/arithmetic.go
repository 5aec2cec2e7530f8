package chain

import "math/big"

// arithmetic is how sums are formed: products and sums of numbers ≥ 0, each off by at most 2^{−digits()}, relative. The
// zero value of T is 0.
type arithmetic[T any] interface {
	times(a, b T) T
	plus(a, b T) T
	power(k int64) T // e^{−xk}, any sign of k, within 16 such errors
	big(a T) *big.Float
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
func newPowers[T any](x *big.Rat, most int64, prec uint, of func(*big.Float) T) *powers[T] {
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
func table[T any](a *big.Float, prec uint, of func(*big.Float) T) (all []T, next *big.Float) {
	at := new(big.Float).SetPrec(prec).SetMode(big.ToZero).SetInt64(1)
	for range 1 << digitBits {
		all = append(all, of(at))
		at = new(big.Float).SetPrec(prec).SetMode(big.ToZero).Mul(at, a)
	}
	return all, at
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

// exponential is e^{−x} and e^x for rational x > 0, each within 2^{−prec}, relative: the Taylor series of e^y at y =
// x·2^{−s} < 2^{−16}, whose terms are positive, squared s ≤ 48 times, in 64 more digits; e^{−x} is its inverse. The
// error of the series, some 200 units of the last digit, doubles with every square.
func exponential(x *big.Rat, prec uint) (down, up *big.Float) {
	work := prec + 64
	number := func() *big.Float { return new(big.Float).SetPrec(work).SetMode(big.ToZero) }
	y := number().SetRat(x)
	halvings := max(y.MantExp(nil)+16, 0)
	y.SetMantExp(y, -halvings)
	sum, term := number().SetInt64(1), number().SetInt64(1)
	for k := int64(1); ; k++ {
		term.Mul(term, y)
		term.Quo(term, number().SetInt64(k))
		if term.Sign() == 0 || term.MantExp(nil) < -int(work) {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return number().Quo(number().SetInt64(1), sum).SetPrec(prec), sum.SetPrec(prec)
}

// quick is arithmetic in 64 digits.
type quick struct{ *powers[scaled] }

func newQuick(x *big.Rat, most int64) quick { return quick{newPowers(x, most, 64, scaledOf)} }

func (quick) times(a, b scaled) scaled { return a.times(b) }
func (quick) plus(a, b scaled) scaled  { return a.plus(b) }
func (q quick) power(k int64) scaled   { return q.powers.power(k, scaled.times) }
func (quick) big(a scaled) *big.Float  { return a.big() }
func (quick) digits() int              { return 62 }

// careful is arithmetic in any number of digits.
type careful struct {
	*powers[*big.Float]
	prec uint
}

func newCareful(x *big.Rat, most int64, prec uint) careful {
	cut := func(a *big.Float) *big.Float { return new(big.Float).SetPrec(prec).SetMode(big.ToZero).Set(a) }
	return careful{newPowers(x, most, prec, cut), prec}
}

func (c careful) number() *big.Float { return new(big.Float).SetPrec(c.prec).SetMode(big.ToZero) }

func (c careful) times(a, b *big.Float) *big.Float {
	if a == nil || b == nil {
		return nil
	}
	return c.number().Mul(a, b)
}

func (c careful) plus(a, b *big.Float) *big.Float {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return c.number().Add(a, b)
}

func (c careful) power(k int64) *big.Float { return c.powers.power(k, c.times) }
func (careful) big(a *big.Float) *big.Float {
	if a == nil {
		return new(big.Float)
	}
	return a
}

func (c careful) digits() int { return int(c.prec) - 2 }
