package chain

import (
	"math/big"
	"math/rand/v2"
)

// uniform is a number in [0, 1) of which some bits are known; more can be added.
type uniform struct {
	src  rand.Source
	bits *big.Int
	n    uint
}

func newUniform(src rand.Source) *uniform {
	u := &uniform{src: src, bits: new(big.Int)}
	u.refine()
	return u
}

// refine adds 64 bits.
func (u *uniform) refine() {
	u.bits.Lsh(u.bits, 64)
	u.bits.Or(u.bits, new(big.Int).SetUint64(u.src.Uint64()))
	u.n += 64
}

// bounds are the ends of where the number lies.
func (u *uniform) bounds(prec uint) (low, high *big.Float) {
	place := func(k *big.Int, mode big.RoundingMode) *big.Float {
		x := new(big.Float).SetPrec(prec).SetMode(mode).SetInt(k)
		return x.SetMantExp(x, -int(u.n))
	}
	low = place(u.bits, big.ToNegativeInf)
	high = place(new(big.Int).Add(u.bits, big.NewInt(1)), big.ToPositiveInf)
	return low.SetMode(big.ToNearestEven), high.SetMode(big.ToNearestEven)
}

// Draw gives positions e_1 ≤ … ≤ e_m with exactly the law's probability. A Law is not safe for concurrent use.
func (l *Law) Draw(src rand.Source) []int {
	out := make([]int, l.Ranks())
	from := 0
	for i := range out {
		u := newUniform(src)
		for k := 0; ; k++ {
			if out[i] = l.level(k).locate(l, i, from, u); out[i] >= 0 {
				break
			}
			u.refine()
		}
		from = out[i]
	}
	return out
}

// level is the sums at 64·2^k digits.
func (l *Law) level(k int) level {
	for len(l.levels) <= k {
		if len(l.levels) == 0 {
			l.levels = append(l.levels, sumsOf(l, newQuick(l.x, l.most())))
			continue
		}
		l.levels = append(l.levels, sumsOf(l, newCareful(l.x, l.most(), 64<<len(l.levels))))
	}
	return l.levels[k]
}
