package quantiles

import (
	"context"
	"math/big"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ranks are the quantiles asked for: a_1/b < … < a_m/b, all in (0, 1).
type ranks struct {
	a []int64
	b int64
}

// ranksOf are those of a shape; none where its model is not one of quantiles.
func ranksOf(sh *model.Shape) ranks {
	if r := sh.Ranks(); r != nil {
		return ranks{r.A, r.B}
	}
	return ranks{}
}

// gaps are a_1, a_2 − a_1, …, b − a_m.
func (r ranks) gaps() []int64 {
	out := make([]int64, len(r.a)+1)
	last := int64(0)
	for i, a := range r.a {
		out[i], last = a-last, a
	}
	out[len(r.a)] = r.b - last
	return out
}

// sensitivity is what one row changes D of the i-th quantile by at most, and of all together for the joint cost.
func (r ranks) sensitivity(i int, adj dp.Adjacency) int64 {
	if adj == dp.AddRemove {
		return max(r.a[i], r.b-r.a[i])
	}
	return r.b
}

func (r ranks) jointSensitivity(adj dp.Adjacency) int64 {
	if adj == dp.AddRemove {
		return 2 * (r.b - slices.Min(r.gaps()))
	}
	return 2 * r.b
}

// costs fills out with D(v) of the i-th quantile for all points, by the counts of records at each, and gives the
// least.
func (r ranks) costs(i int, counts []int64, out []int64) (least int64) {
	n := int64(0)
	for _, c := range counts {
		n += c
	}
	want, below := r.a[i]*n, int64(0)
	for v, c := range counts {
		at := below + c
		out[v] = max(0, r.b*below-want, want-r.b*at)
		below = at
	}
	return slices.Min(out)
}

// placed divides every point into cells, places each of its records in one of them, and gives the records below each
// candidate: cells + 1 of them for every point, before, between and after its cells.
func placed(ctx context.Context, counts []int64, cells int, cell func(n uint64) uint64) (below []int64, n int64) {
	below = make([]int64, 0, len(counts)*(cells+1))
	in := make([]int64, cells)
	for _, c := range counts {
		clear(in)
		for k := range c {
			if k&(1<<20-1) == 1<<20-1 && ctx.Err() != nil {
				return nil, 0
			}
			in[cell(uint64(cells))]++
		}
		below = append(below, n)
		for _, k := range in {
			n += k
			below = append(below, n)
		}
	}
	return below, n
}

// exponent is x = rate/s, as a rational number: rates are dyadic.
func exponent(rate float64, s int64) *big.Rat {
	x := new(big.Rat).SetFloat64(rate)
	return x.Quo(x, new(big.Rat).SetInt64(s))
}
