package chain

import (
	"math/big"
	"math/bits"
)

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
