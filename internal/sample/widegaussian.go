package sample

import (
	"math/big"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

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
