package sample

import (
	"math/bits"
	"math/rand/v2"
)

// wide is the unsigned 192-bit integer hi·2^128 + mid·2^64 + lo. Arithmetic is modulo 2^192; its callers state why
// nothing is lost.
type wide struct{ hi, mid, lo uint64 }

func (x wide) isWord() bool { return x.hi|x.mid == 0 }

func (x wide) less(y wide) bool {
	switch {
	case x.hi != y.hi:
		return x.hi < y.hi
	case x.mid != y.mid:
		return x.mid < y.mid
	}
	return x.lo < y.lo
}

func (x wide) plus(y wide) wide {
	lo, c := bits.Add64(x.lo, y.lo, 0)
	mid, c := bits.Add64(x.mid, y.mid, c)
	return wide{x.hi + y.hi + c, mid, lo}
}

func (x wide) minus(y wide) wide {
	lo, b := bits.Sub64(x.lo, y.lo, 0)
	mid, b := bits.Sub64(x.mid, y.mid, b)
	return wide{x.hi - y.hi - b, mid, lo}
}

// squared128 is (hi·2^64 + lo)², exact for hi < 2^31:
//
//	lo² + 2·hi·lo·2^64 + hi²·2^128.
func squared128(hi, lo uint64) wide {
	h0, l0 := bits.Mul64(lo, lo)
	h1, l1 := bits.Mul64(2*hi, lo)
	mid, c := bits.Add64(h0, l1, 0)
	return wide{hi*hi + h1 + c, mid, l0}
}

// appended is x·2^s + the s top bits of w, 1 ≤ s ≤ 64. A Go shift by 64 gives 0, so s = 64 needs no case of its own.
func (x wide) appended(w uint64, s int) wide {
	left, right := uint(s), uint(64-s)
	return wide{x.hi<<left | x.mid>>right, x.mid<<left | x.lo>>right, x.lo<<left | w>>right}
}

func (x wide) bitLen() int {
	switch {
	case x.hi != 0:
		return 128 + bits.Len64(x.hi)
	case x.mid != 0:
		return 64 + bits.Len64(x.mid)
	}
	return bits.Len64(x.lo)
}

// uniformWide is uniform on {0, …, n−1}, exactly, for n ≥ 2^64: as many random bits as n−1 has, most significant word
// first, drawn again when they are not below n (with probability under one half).
func uniformWide(src rand.Source, n wide) wide {
	length := n.minus(wide{lo: 1}).bitLen()
	for {
		var x wide
		for left := length; left > 0; left -= 64 {
			x = x.appended(src.Uint64(), min(left, 64))
		}
		if x.less(n) {
			return x
		}
	}
}
