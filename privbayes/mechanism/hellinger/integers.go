package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// coins are the exponents of permute-and-flip's coins in units of 2^-flipBits: candidate r comes up with exp(−coin).
func coins(s *space, x []int64, a float64) ([]uint64, error) {
	e, err := candidateExponents(s, x, a)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(e))
	for r, v := range e {
		out[r] = uint64(math.Round(math.Ldexp(v, flipBits)))
	}
	return out, nil
}

func candidateExponents(s *space, x []int64, a float64) ([]float64, error) {
	e := make([]float64, int(math.Round(s.Size())))
	return e, hellingersample.Exponents(s.alpha, x, a, e)
}

// Weights are the integers that the exponential mechanism draws the candidate of x from, where it enumerates: a single
// table of three cells or more. They are what a checker outside this module is given.
func (d *sampler) Weights(x []int64) (*sample.Weights, error) {
	if err := d.single(false); err != nil {
		return nil, err
	}
	s := d.spaces[0]
	e, err := candidateExponents(s, x, s.rate(d.tables[0].Kappa, x))
	if err != nil {
		return nil, err
	}
	return sample.NewWeights(e)
}

// Coins are the exponents of permute-and-flip's coins at x, and their denominator: a single table.
func (d *sampler) Coins(x []int64) (exponents []uint64, denominator uint64, err error) {
	if err := d.single(true); err != nil {
		return nil, 0, err
	}
	s := d.spaces[0]
	exponents, err = coins(s, x, s.rate(d.tables[0].Kappa, x))
	return exponents, 1 << flipBits, err
}

// single refuses what is not one table drawn in the given way.
func (d *sampler) single(flip bool) error {
	if len(d.spaces) != 1 || d.flip != flip || !flip && len(d.spaces[0].alpha) < 3 {
		return domain.Refuse("hellinger", "plan", "another law", "one table, and the mechanism that draws so")
	}
	return nil
}
