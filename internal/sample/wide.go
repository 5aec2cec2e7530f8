package sample

import (
	"math/big"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// wide is the unsigned 192-bit integer hi·2^128 + mid·2^64 + lo. Arithmetic is modulo 2^192; its callers state why
// nothing is lost.
type wide struct{ hi, mid, lo uint64 }

func (x wide) isWord() bool { return x.hi == 0 && x.mid == 0 }

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
	left := uint(s)
	right := uint(64 - s)
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
	last := n.minus(wide{lo: 1})
	length := last.bitLen()
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

// WideGeometric is the law of TwoSidedGeometric for a rate γ = num/den of any size, in big integers. Values come from
// [NewWideGeometric].
type WideGeometric struct{ num, den *big.Int }

// NewWideGeometric checks 1 ≤ num, den < 2^512. Errors: *[ParameterError].
func NewWideGeometric(num, den *big.Int) (WideGeometric, error) {
	if num.Sign() <= 0 || num.BitLen() > maxWideBits {
		return WideGeometric{}, domain.Refuse("sample", "num", num.BitLen(), "1 ≤ num < 2^512")
	}
	if den.Sign() <= 0 || den.BitLen() > maxWideBits {
		return WideGeometric{}, domain.Refuse("sample", "den", den.BitLen(), "1 ≤ den < 2^512")
	}
	return WideGeometric{new(big.Int).Set(num), new(big.Int).Set(den)}, nil
}

// Draw is exact but for a cut of probability e^{−2^22}, as TwoSidedGeometric's.
func (g WideGeometric) Draw(src rand.Source) *big.Int {
	for {
		z := g.oneSided(src)
		if src.Uint64()>>63 == 0 {
			return z
		}
		if z.Sign() != 0 {
			return z.Neg(z)
		}
	}
}

// oneSided is geometric on 0, 1, …: P(X = x) ∝ e^{−γx}. U uniform on {0, …, den−1}, kept with probability exp(−U/den),
// plus den times V, geometric at e^{−1}, is geometric at e^{−1/den}; its quotient by num is geometric at e^{−γ}.
func (g WideGeometric) oneSided(src rand.Source) *big.Int {
	for {
		x := uniformBig(src, g.den)
		if !bernoulliExpBig(src, x, g.den) {
			continue
		}
		v := int64(0)
		for v < maxUnits && bernoulliExpUnit(src, 1, 1) {
			v++
		}
		x.Add(x, new(big.Int).Mul(g.den, big.NewInt(v)))
		return x.Quo(x, g.num)
	}
}

// WideCube is the law of Cube for a rate of any size, and any number of sums, in big integers: P(z) ∝ e^{−γ·max|z_i|}
// on Z^d. Values come from [NewWideCube].
type WideCube struct {
	dim  int
	rate WideGeometric
}

// NewWideCube checks d ≥ 1, and γ = num/den as NewWideGeometric. Errors: *[ParameterError].
func NewWideCube(d int, num, den *big.Int) (WideCube, error) {
	if d < 1 {
		return WideCube{}, domain.Refuse("sample", "d", d, "at least one sum")
	}
	g, err := NewWideGeometric(num, den)
	return WideCube{d, g}, err
}

// Draw is exact, by the layers of Cube.Draw. On coarse lattices of many sums it rejects most proposals; at γ below
// 1/d², hardly any.
func (c WideCube) Draw(src rand.Source) []*big.Int {
	for {
		m := new(big.Int)
		for range c.dim + 1 {
			m.Add(m, c.rate.oneSided(src))
		}
		m.Lsh(m, 1)
		odd, keep, below := new(big.Int).Add(m, big.NewInt(1)), true, new(big.Int)
		for i := int64(1); i <= int64(c.dim) && keep; i++ {
			keep = uniformBig(src, below.Add(m, big.NewInt(2*i))).Cmp(odd) < 0
		}
		if !keep {
			continue
		}
		out := make([]*big.Int, c.dim)
		m.Rsh(m, 1)
		for i := range out {
			out[i] = uniformBig(src, odd)
			out[i].Sub(out[i], m)
		}
		return out
	}
}

// WideGaussian is the law of DiscreteGaussian for a variance σ² = num/den of any size, in big integers: on lattices so
// fine that what they round costs nothing. Values come from [NewWideGaussian].
type WideGaussian struct{ num, den, scale *big.Int }

// maxWideBits bounds numerator and denominator, and with them the work of a draw.
const maxWideBits = 512

// NewWideGaussian checks 1 ≤ num, den < 2^512. Errors: *[ParameterError].
func NewWideGaussian(num, den *big.Int) (WideGaussian, error) {
	if num.Sign() <= 0 || num.BitLen() > maxWideBits {
		return WideGaussian{}, domain.Refuse("sample", "num", num.BitLen(), "1 ≤ num < 2^512")
	}
	if den.Sign() <= 0 || den.BitLen() > maxWideBits {
		return WideGaussian{}, domain.Refuse("sample", "den", den.BitLen(), "1 ≤ den < 2^512")
	}
	t := new(big.Int).Sqrt(new(big.Int).Quo(num, den))
	return WideGaussian{new(big.Int).Set(num), new(big.Int).Set(den), t.Add(t, big.NewInt(1))}, nil
}

// Draw is exact but for a cut of probability e^{−2^22} (Canonne, Kamath, Steinke 2020, Algorithm 3): a two-sided
// geometric proposal Y at rate 1/t, t = ⌊σ⌋ + 1, is kept with probability exp(−(|Y| − σ²/t)²/(2σ²)).
func (g WideGaussian) Draw(src rand.Source) *big.Int {
	t := g.scale
	for {
		y := uniformBig(src, t) // U, kept with probability exp(−U/t), plus t·V is geometric at e^{−1/t}
		if !bernoulliExpBig(src, y, t) {
			continue
		}
		v := int64(0)
		for v < maxUnits && bernoulliExpUnit(src, 1, 1) {
			v++
		}
		y.Add(y, new(big.Int).Mul(t, big.NewInt(v)))
		negative := src.Uint64()>>63 == 1
		if negative && y.Sign() == 0 {
			continue // 0 is not counted twice
		}
		// (y·t·b − a)²/(2·a·b·t²), σ² = a/b
		x := new(big.Int).Mul(y, t)
		x.Mul(x, g.den).Sub(x, g.num).Mul(x, x)
		under := new(big.Int).Mul(t, t)
		under.Mul(under, g.den).Mul(under, g.num).Lsh(under, 1)
		if !bernoulliExpBig(src, x, under) {
			continue
		}
		if negative {
			y.Neg(y)
		}
		return y
	}
}
