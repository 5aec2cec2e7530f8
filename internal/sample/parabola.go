package sample

import (
	"math/big"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Parabola is noise for (Σc, Σc²) of records c in {−M, …, M}, one of which is replaced:
//
//	P(d, e) ∝ e^{−ε‖(d, e)‖},  ε = Num/Den > 0,
//
// with the norm whose unit ball is the convex hull of the differences (c − c′, c² − c′²) of all c, c′ in [−M, M]: the
// K-norm mechanism (Hardt, Talwar 2010) of that set. See [ParabolaNorm]. Values come from [NewParabola] or satisfy what
// it checks.
type Parabola struct{ M, Num, Den uint64 }

// NewParabola checks 1 ≤ M ≤ 2^15, 1 ≤ Num < 2^40, and that the rates 4ε/(9M) and 4ε/(9M²) of the proposals fit the
// sampler of two-sided geometric noise. Errors: *[ParameterError].
func NewParabola(m, num, den uint64) (Parabola, error) {
	switch {
	case m == 0 || m > 1<<15:
		return Parabola{}, domain.Refuse("sample", "M", m, "1 ≤ M ≤ 2^15")
	case num == 0 || num >= 1<<40 || den == 0 || den > 1<<40/(9*m*m):
		return Parabola{}, domain.Refuse("sample", "ε", float64(num)/float64(den), "a numerator in [1, 2^40), a "+
			"denominator of at most 2^40/(9M²)")
	}
	_, err := NewTwoSidedGeometric(4*num, 9*m*m*den)
	return Parabola{m, num, den}, err
}

// ParabolaNorm is ‖(d, e)‖ as a fraction:
//
//	|e|/M²            where |e| ≥ M|d|,
//	d²/(2M|d| − |e|)  elsewhere.
//
// Differences of records lie in |e| ≤ |d|(2M − |d|), since e = d(c + c′) and |c + c′| ≤ 2M − |d|; that set is convex in
// |d| ≥ M only, and its hull adds the strips above and below |d| ≤ M. A point on the ray (d, e)/t of the curved part
// has |e|/t = (|d|/t)(2M − |d|/t), so that t = d²/(2M|d| − |e|). M ≤ 2^15 and |d|, |e| < 2^54 are assumed.
func ParabolaNorm(d, e int64, m uint64) (num, den *big.Int) {
	bd, be, bm := big.NewInt(max(d, -d)), big.NewInt(max(e, -e)), new(big.Int).SetUint64(m)
	reach := new(big.Int).Mul(bm, bd)
	if be.Cmp(reach) >= 0 {
		return be, bm.Mul(bm, bm)
	}
	return new(big.Int).Mul(bd, bd), reach.Sub(reach.Lsh(reach, 1), be)
}

// Draw is exact: independent two-sided geometric proposals at the rates a = 4ε/(9M) and b = 4ε/(9M²) are kept with
// probability e^{−(ε‖(d, e)‖ − a|d| − b|e|)}. The exponent is never negative, since 4|d|/(9M) + 4|e|/(9M²) ≤ ‖(d, e)‖:
// the hull's support function at (1, 1), in units of M and M², is max t(2 − t) + t = 9/4. About two in three are kept.
func (p Parabola) Draw(src rand.Source) (d, e int64) {
	first := TwoSidedGeometric{4 * p.Num, 9 * p.M * p.Den}
	second := TwoSidedGeometric{4 * p.Num, 9 * p.M * p.M * p.Den}
	for {
		d, e = first.Draw(src), second.Draw(src)
		if num, den := p.exponent(d, e); bernoulliExpBig(src, num, den) {
			return d, e
		}
	}
}

// exponent is ε(‖(d, e)‖ − 4|d|/(9M) − 4|e|/(9M²)) as a fraction.
func (p Parabola) exponent(d, e int64) (num, den *big.Int) {
	norm, under := ParabolaNorm(d, e, p.M)
	m := new(big.Int).SetUint64(p.M)
	square := new(big.Int).Mul(m, m)
	square.Mul(square, big.NewInt(9))
	less := m.Mul(m, big.NewInt(max(d, -d)))
	less.Add(less, big.NewInt(max(e, -e))).Lsh(less, 2) // 4M|d| + 4|e|, over 9M²
	if under.Sign() == 0 {                              // d = e = 0
		return new(big.Int), big.NewInt(1)
	}
	num = new(big.Int).Mul(norm, square)
	num.Sub(num, less.Mul(less, under)).Mul(num, new(big.Int).SetUint64(p.Num))
	return num, square.Mul(square, under).Mul(square, new(big.Int).SetUint64(p.Den))
}

// bernoulliExpBig is BernoulliExp for a fraction of big integers: with x = num/den ≤ 1 the k-th trial compares a
// uniform number below k·den with num.
func bernoulliExpBig(src rand.Source, num, den *big.Int) bool {
	rest := new(big.Int).Set(num)
	for ; rest.Cmp(den) > 0; rest.Sub(rest, den) {
		if !bernoulliExpUnit(src, 1, 1) {
			return false
		}
	}
	below := new(big.Int)
	for k := 1; ; k++ {
		if below.Add(below, den); uniformBig(src, below).Cmp(rest) >= 0 {
			return k%2 == 1
		}
	}
}

// uniformBig is uniform on {0, …, n−1}, exactly: as many random bits as n−1 has, drawn again when they are not below n.
func uniformBig(src rand.Source, n *big.Int) *big.Int {
	length := new(big.Int).Sub(n, big.NewInt(1)).BitLen()
	for {
		x, word := new(big.Int), new(big.Int)
		for left := length; left > 0; left -= 64 {
			s := min(left, 64)
			x.Lsh(x, uint(s)).Or(x, word.SetUint64(src.Uint64()>>(64-s)))
		}
		if x.Cmp(n) < 0 {
			return x
		}
	}
}
