package sample

import (
	"math/big"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

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
