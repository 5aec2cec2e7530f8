package num

import (
	"math"
	"math/bits"
)

// Int128 is a signed sum of 128 bits, Hi·2^64 + Lo: sums of integers in it are exact, and so the same in every order,
// as long as they stay within ±2^127. The zero value is 0.
type Int128 struct {
	Hi int64
	Lo uint64
}

// Add is a + v.
func (a Int128) Add(v int64) Int128 {
	lo, carry := bits.Add64(a.Lo, uint64(v), 0)
	return Int128{a.Hi + v>>63 + int64(carry), lo}
}

// Plus is a + b.
func (a Int128) Plus(b Int128) Int128 {
	lo, carry := bits.Add64(a.Lo, b.Lo, 0)
	return Int128{a.Hi + b.Hi + int64(carry), lo}
}

// AddProduct is a + u·v.
func (a Int128) AddProduct(u, v int64) Int128 {
	hi, lo := bits.Mul64(uint64(u), uint64(v))
	// As unsigned words u is u + 2^64 where it is negative, which puts v too many into the upper word; so for v.
	return a.Plus(Int128{int64(hi) - u>>63&v - v>>63&u, lo})
}

// Shifted is a·2^n, n from 1 to 63.
func (a Int128) Shifted(n uint) Int128 { return Int128{a.Hi<<n | int64(a.Lo>>(64-n)), a.Lo << n} }

// Float is the float64 nearest to a·2^exp, ties to even: rounded once, where that is not subnormal.
func (a Int128) Float(exp int) float64 {
	negative := a.Hi < 0
	hi, lo := uint64(a.Hi), a.Lo
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	// The leading 64 bits, the last of them set where bits below it are lost: rounding to 53 is then right.
	zeros := bits.LeadingZeros64(hi)
	if hi == 0 {
		zeros = 64 + bits.LeadingZeros64(lo)
	}
	shift := max(0, 64-zeros)
	lead := lo
	if shift > 0 {
		lead = hi<<(64-shift) | lo>>shift
		if lo<<(64-shift) != 0 {
			lead |= 1
		}
	}
	x := math.Ldexp(float64(lead), shift+exp)
	if negative {
		return -x
	}
	return x
}

// Limbs are four numbers l with a = Σ l_i·2^{32i}: those of sums may be added one by one, up to 2^30 of them, and
// FromLimbs gives the sum.
func (a Int128) Limbs() [4]int64 {
	return [4]int64{int64(a.Lo & 0xffffffff), int64(a.Lo >> 32), a.Hi & 0xffffffff, a.Hi >> 32}
}

// FromLimbs is Σ l_i·2^{32i}.
func FromLimbs(l [4]int64) (a Int128) {
	for i := 3; i >= 0; i-- {
		a = Int128{a.Hi<<32 | int64(a.Lo>>32), a.Lo << 32}.Add(l[i])
	}
	return a
}

// LogSumExp is ln Σ e^{x_i} without overflow; −Inf for no terms, +Inf when one is +Inf, NaN when one is NaN. Unlike
// that of gonum it keeps the digits of terms far below the greatest, by ln(1 + x), and takes no terms at all.
func LogSumExp(x []float64) float64 {
	top, at := math.Inf(-1), -1
	for i, v := range x {
		if math.IsNaN(v) {
			return v
		}
		if v > top {
			top, at = v, i
		}
	}
	if math.IsInf(top, 0) {
		return top
	}
	rest := 0.0
	for i, v := range x {
		if i != at {
			rest += math.Exp(v - top)
		}
	}
	return top + math.Log1p(rest)
}
