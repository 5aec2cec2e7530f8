package chain

import "math/big"

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
