package sample

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Selection chooses one of a list of candidates with integer scores s, the higher ones more often, at the rational rate
// x = Num/Den:
//
//	P(i) ∝ e^{x·s_i}                                   the exponential mechanism;
//	P(i) = a_i ∫₀¹ Π_{j≠i} (1 − t·a_j) dt              with Flip: permute-and-flip (McKenna, Sheldon 2020),
//
// a_j = e^{−x(max s − s_j)}. The second is the law of the largest x·s_i + E_i with independent standard exponential
// E_i. Both are drawn by exact coins: no floating-point number enters.
type Selection struct {
	Num, Den uint64
	Flip     bool
}

// NewSelection is the law at the rate num/den, both ≥ 1. Errors: *[ParameterError].
func NewSelection(num, den uint64, flip bool) (Selection, error) {
	if num == 0 || den == 0 {
		return Selection{}, domain.Refuse("sample", "rate", float64(num)/float64(den), "num ≥ 1 and den ≥ 1")
	}
	return Selection{num, den, flip}, nil
}

// Rate is Num/Den.
func (s Selection) Rate() float64 { return float64(s.Num) / float64(s.Den) }

// Draw is the index of the chosen one of at least one candidate; −1 of none. The exponential mechanism takes a uniform
// candidate and keeps it with probability e^{−x(max − s)}, and begins anew otherwise: as many trials in the mean as
// there are candidates, at most. Permute-and-flip tosses the same coins along a permutation, once for each candidate;
// that of a best one never fails.
func (s Selection) Draw(src rand.Source, scores []int64) int {
	return s.DrawAmong(src, scores, func(int) bool { return true })
}

// DrawAmong chooses among the candidates that may be chosen, by the law that those alone have; −1 if there are none. It
// asks about few of them: those of the highest scores until one may be, and those whose coin has fallen. may must be a
// function of its argument.
func (s Selection) DrawAmong(src rand.Source, scores []int64, may func(i int) bool) int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	best := slices.IndexFunc(order, may)
	if best < 0 {
		return -1
	}
	among := order[best:]      // those before may not be
	top := scores[order[best]] // the highest of what may be
	slices.Sort(among)
	chosen := func(i int) bool { return s.keep(src, gap(top, scores[i])) && may(i) }
	if s.Flip {
		for _, k := range Permutation(src, len(among)) {
			if chosen(among[k]) {
				return among[k]
			}
		}
	}
	for {
		if i := among[Uniform(src, uint64(len(among)))]; chosen(i) {
			return i
		}
	}
}

// gap is top − v ≥ 0, which always fits.
func gap(top, v int64) uint64 { return uint64(top) - uint64(v) }

// keep is true with probability e^{−gap·num/den}: where the product leaves a word, by two coins of half the gap.
func (s Selection) keep(src rand.Source, gap uint64) bool {
	if over, product := bits.Mul64(gap, s.Num); over == 0 {
		return BernoulliExp(src, product, s.Den)
	}
	return s.keep(src, gap/2) && s.keep(src, gap-gap/2)
}

// nodes are those of Gauss–Legendre quadrature on [0, 1] of a size that was asked for before, with their weights.
var nodes sync.Map

type rule struct{ x, w []float64 }

func ruleOf(size int) rule {
	if r, ok := nodes.Load(size); ok {
		return r.(rule)
	}
	r := rule{make([]float64, size), make([]float64, size)}
	quad.Legendre{}.FixedLocations(r.x, r.w, 0, 1)
	nodes.Store(size, r)
	return r
}

// flipped are the integrals ∫₀¹ Π_{j≠i} (1 − t·e^{v_j}) dt of all i.
func flipped(v []float64) []float64 {
	weights, out, r := make([]float64, len(v)), make([]float64, len(v)), ruleOf(len(v)/2+1)
	for i := range v {
		weights[i] = math.Exp(v[i])
	}
	for i := range out {
		for k, t := range r.x {
			p := 1.0
			for j, a := range weights {
				if j != i {
					p *= 1 - t*a
				}
			}
			out[i] += r.w[k] * p
		}
	}
	return out
}

// LogProbs are the logarithms of the probabilities of all candidates, to about 1e-14. The integral of permute-and-flip,
// of a polynomial, is by Gauss–Legendre quadrature of a degree at which it is exact, all terms positive.
func (s Selection) LogProbs(scores []int64) []float64 {
	out := make([]float64, len(scores))
	if len(scores) == 0 {
		return out
	}
	top := scores[0]
	for _, v := range scores[1:] {
		top = max(top, v)
	}
	x := s.Rate()
	for i, v := range scores {
		out[i] = -x * float64(gap(top, v))
	}
	if !s.Flip {
		total := floats.LogSumExp(out)
		for i := range out {
			out[i] -= total
		}
		return out
	}
	for i, share := range flipped(out) {
		out[i] += math.Log(share)
	}
	return out
}
