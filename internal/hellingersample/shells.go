package hellingersample

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Shelled draws for two cells by dyadic shells. t = |r_1 − x_1| lies in [2^j, 2^{j+1}) on either side; a shell has the
// constant envelope exp(−A·H) at its near end, since H grows with t. Shells are chosen by size times envelope, t
// uniformly in the shell, and kept with probability exp(−(e(t) − e(2^j))), e = A·H rounded to the grid 2^−40.
//
// Proposals: the envelope of shell j is at most the sum of the law over shell j−1's places and one more, so at most 2
// in the mean.
type Shelled struct {
	problem
	shells  []shell
	weights *sample.MultipleWeights
}

// shell is t ∈ [from, from+count) on one side.
type shell struct {
	side, from int64
	count, env uint64
}

// Shells takes about 2·log2 n evaluations of H, for any n up to [MaxTotal]. Errors: *[ParameterError].
func Shells(alpha [2]float64, x [2]int64, a float64) (*Shelled, error) {
	p, err := newProblem(alpha[:], x[:], a, a)
	if err != nil {
		return nil, err
	}
	return newShells(p)
}

func newShells(p problem) (*Shelled, error) {
	if p.dim() != 2 {
		return nil, domain.Refuse("hellingersample", "number of cells", p.dim(), "2")
	}
	s := &Shelled{problem: p, shells: []shell{{count: 1}}}
	for _, e := range [2][2]int64{{-1, p.x[0]}, {1, p.x[1]}} {
		for t := int64(1); t <= e[1]; t *= 2 {
			s.shells = append(s.shells, shell{e[0], t, uint64(min(t, e[1]-t+1)), floor53(s.at(e[0] * t))})
		}
	}
	exponents, counts := make([]float64, len(s.shells)), make([]uint64, len(s.shells))
	for i, h := range s.shells {
		exponents[i], counts[i] = float64(h.env)/grid, h.count
	}
	w, err := sample.NewMultipleWeights(exponents, counts)
	s.weights = w
	return s, err
}

// floor53 clears what a float64 cannot hold, so that an envelope is one exact number: as an exponent it only becomes
// safer.
func floor53(e uint64) uint64 {
	cut := max(bits.Len64(e)-53, 0)
	return e >> cut << cut
}

// at is A·H(x, (x_1+t, x_2−t)) on the grid.
func (s *Shelled) at(t int64) uint64 {
	return quantise(s.exponent(logBC(s.alpha[0], s.x[0], s.x[0]+t) + logBC(s.alpha[1], s.x[1], s.x[1]-t)))
}

// Draw is exact for the weights described at [Sampler]. Rounding could put e(t) below the envelope, though H is
// monotone; it is then the envelope, which is no further from the truth than e(t) and the near end are.
func (s *Shelled) Draw(src rand.Source) ([]int64, error) {
	for {
		h := s.shells[s.weights.Draw(src)]
		if h.side == 0 {
			return []int64{s.x[0], s.x[1]}, nil
		}
		t := h.side * (h.from + int64(sample.Uniform(src, h.count)))
		if sample.BernoulliExp(src, max(s.at(t), h.env)-h.env, grid) {
			return []int64{s.x[0] + t, s.x[1] - t}, nil
		}
	}
}

// Slack is the error of A·H, of the grid with the cut of the envelope, and of the dyadic weight.
func (s *Shelled) Slack() float64 {
	return s.exponentError() + gridError + s.bound*0x1p-52 + sample.RelativeError(s.bound)
}

// Name is the method.
func (s *Shelled) Name() string { return "dyadic shells" }

// Proposals is the bound 2.
func (s *Shelled) Proposals() float64 { return 2 }

// Envelope is the sum of the shells' sizes times envelopes, and their number: Envelope/Σ exp(−A·H) proposals are
// expected. A diagnostic.
func (s *Shelled) Envelope() (sum float64, shells int) {
	for _, h := range s.shells {
		sum += float64(h.count) * math.Exp(-float64(h.env)/grid)
	}
	return sum, len(s.shells)
}
