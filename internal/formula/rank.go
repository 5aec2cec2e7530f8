package formula

import (
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/gram"
)

// prime is 2^61 − 1.
const prime = 1<<61 - 1

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, prime) // hi < 2^58
	return r
}

func power(a uint64, k int) uint64 {
	out := uint64(1)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			out = times(out, a)
		}
		a = times(a, a)
	}
	return out
}

func inverse(a uint64) uint64 { return power(a, prime-2) }

// dependent is the first column that is a combination of those before it, whatever the data; −1 where none is.
//
// Columns are polynomials in the numbers and affine in the indicators of every factor, whose sum is 1. Such a function
// is 0 at all records if and only if it is 0 at all numbers and all vectors of sum 1. So columns are compared at random
// ones, modulo 2^61 − 1: a combination that is not 0 is 0 at one of them with probability below 2^−50. More points than
// columns show the rank.
func (d *Design) dependent() int {
	src := rand.New(rand.NewPCG(1, 2))
	points := len(d.Columns) + 4
	values := make([][]uint64, len(d.Columns))
	for range points {
		u, levels := make([]uint64, len(d.Numbers)), make([][]uint64, len(d.Factors))
		for j := range u {
			u[j] = src.Uint64N(prime)
		}
		for k, f := range d.Factors {
			rest := uint64(1)
			for range len(f.Levels) - 1 {
				t := src.Uint64N(prime)
				levels[k], rest = append(levels[k], t), (rest+prime-t)%prime
			}
			levels[k] = append(levels[k], rest)
		}
		for i, c := range d.Columns {
			values[i] = append(values[i], modular(c, u, levels))
		}
	}
	var basis [][]uint64 // with 1 in a place of their own
	var pivots []int
	for i, v := range values {
		for k, b := range basis {
			if factor := v[pivots[k]]; factor > 0 {
				for r := range v {
					v[r] = (v[r] + times(prime-factor, b[r])) % prime
				}
			}
		}
		pivot := -1
		for r, x := range v {
			if x > 0 {
				pivot = r
				break
			}
		}
		if pivot < 0 {
			return i
		}
		scale := inverse(v[pivot])
		for r := range v {
			v[r] = times(v[r], scale)
		}
		basis, pivots = append(basis, v), append(pivots, pivot)
	}
	return -1
}

// modular is a column at numbers and vectors of indicators, modulo 2^61 − 1.
func modular(c gram.Column, u []uint64, levels [][]uint64) uint64 {
	out := uint64(1)
	for _, p := range c.Powers {
		x := u[p.Of]
		square := times(x, x)
		switch p.Legendre {
		case 2:
			x = times(times(3, square)+prime-1, inverse(2))
		case 3:
			x = times(x, times(times(5, square)+prime-3, inverse(2)))
		case 4:
			x = times(times(square, times(35, square)+prime-30)+3, inverse(8))
		}
		out = times(out, power(x, p.Degree))
	}
	for _, l := range c.Levels {
		out = times(out, levels[l.Of][l.Level])
	}
	return out
}
