package stratified

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// params are what a release file keeps: the rate of the noise on counts, or on Σk, and on Σc²; or σ² of Gaussian noise
// on counts, or on Σk.
type params struct {
	Rate    noise.Rational  `json:"rate,omitzero"`
	Squares *noise.Rational `json:"squares,omitempty"`
	Sigma2  *noise.Rational `json:"sigma2,omitempty"`
}

// Valid checks parameters of a file: *dp.ParameterError.
func (q params) Valid() error {
	if q.Sigma2 != nil {
		if q.Rate != (noise.Rational{}) || q.Squares != nil {
			return domain.Refuse("stratified", "noise", "two distributions", "rate or sigma2")
		}
		return q.Sigma2.Valid()
	}
	if err := q.Rate.Valid(); err != nil || q.Squares == nil {
		return err
	}
	return q.Squares.Valid()
}

// noise are the distributions of the numbers of a stratum: all are one, or the second has its own.
func (q params) noise(r rule) (out []noise.Distribution, err error) {
	if q.Sigma2 != nil {
		return q.gaussian(r)
	}
	if (q.Squares == nil) != (r.Levels > 0) {
		return nil, domain.Refuse("stratified", "squares", fmt.Sprint(q.Squares), "a rate for squares of a column in "+
			"[0, 1], and none for levels")
	}
	for i := range r.each() {
		rate := q.Rate
		if i == 1 && q.Squares != nil {
			rate = *q.Squares
		}
		g, err := noise.NewGeometric(rate)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// gaussian are the distributions of the numbers of a stratum under Gaussian noise.
func (q params) gaussian(r rule) (out []noise.Distribution, err error) {
	for i := range r.each() {
		sigma2 := *q.Sigma2
		if i == 1 && r.Levels == 0 {
			if sigma2, err = q.squares(r); err != nil {
				return nil, err
			}
		}
		g, err := noise.NewGaussian(sigma2)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// squares is the variance on Σc² that is free next to σ² on Σk: 16J⁴σ²/(11K²), rounded up to a whole number.
func (q params) squares(r rule) (noise.Rational, error) {
	up, down := big.NewInt(16*r.Coarse*r.Coarse), big.NewInt(gaussianFree*r.Steps)
	up.Mul(up, big.NewInt(r.Coarse*r.Coarse)).Mul(up, new(big.Int).SetUint64(q.Sigma2.Num))
	down.Mul(down, big.NewInt(r.Steps)).Mul(down, new(big.Int).SetUint64(q.Sigma2.Den))
	up.Add(up.Quo(up, down), big.NewInt(1))
	if up.Cmp(big.NewInt(mostVariance)) > 0 {
		return noise.Rational{}, domain.Refuse("stratified", "sigma2", q.Sigma2, "variances of at most 2^58")
	}
	return noise.Rational{Num: up.Uint64(), Den: 1}, nil
}

// mostVariance bounds the variances of Gaussian noise.
const mostVariance = 1 << 58

// pair dominates the change of a unit.
func (q params) pair(r rule) loss.Pair {
	if q.Sigma2 == nil {
		return loss.PurePair{Epsilon: q.epsilon(r)}
	}
	sigma2 := q.Sigma2.Float()
	if r.Levels > 0 {
		return loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: int(r.changed()), Shift: 1}
	}
	j, k := float64(r.Coarse), float64(r.Steps)
	return loss.LatticePair{DiscreteGaussianPair: loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: 1,
		Shift: int(r.shift())}, Least: sigma2 * math.Min(1, 16*j*j*j*j/(gaussianFree*k*k)*(1-1e-12))}
}

// sd is that of the Gaussian noise of a share's count, or of half the sum of u, in one stratum.
func (q params) sd(r rule) float64 {
	sd := math.Sqrt(q.Sigma2.Float())
	switch {
	case r.Levels > 2: // projected on n_h
		return sd * math.Sqrt(1-1/float64(r.Levels))
	case r.Levels == 2:
		return sd
	}
	return sd / float64(r.Steps)
}

// shown is the noise of box, or sd, as package survey takes it.
func (q params) shown(r rule) survey.Noise {
	if q.Sigma2 != nil {
		return survey.Gaussian(q.sd(r))
	}
	return survey.Laplace(q.box(r))
}

// epsilon bounds the loss of a unit.
func (q params) epsilon(r rule) float64 {
	if r.Levels > 0 {
		return float64(r.changed()) * q.Rate.Float()
	}
	j := float64(r.Coarse)
	return r.room() * math.Max(q.Rate.Float()*float64(r.Steps), q.Squares.Float()*4*j*j)
}

// box is the rate of the noise of a share's count, or of half the sum of u, in one stratum: what is projected on n_h
// has less noise.
func (q params) box(r rule) float64 {
	switch {
	case r.Levels > 2:
		return q.Rate.Float() / math.Sqrt(1-1/float64(r.Levels))
	case r.Levels == 2:
		return q.Rate.Float()
	}
	return q.Rate.Float() * float64(r.Steps)
}

// calibrate takes the greatest rates for ε, and for levels that are not of ε the least σ².
func calibrate(ctx context.Context, p *problem) (q params, err error) {
	if p.target.Notion != dp.Pure && p.target.Notion != dp.Approximate {
		return p.leastVariance(ctx)
	}
	r, epsilon := p.rule, float64(p.target.Epsilon)
	if r.Levels > 0 {
		of := func(rate float64) float64 { return params{Rate: dyadic(rate)}.epsilon(r) }
		q.Rate = below(epsilon/float64(r.changed()), of, epsilon)
	} else {
		j := float64(r.Coarse)
		one := func(rate float64) float64 { return r.room() * dyadic(rate).Float() * float64(r.Steps) }
		two := func(rate float64) float64 { return r.room() * dyadic(rate).Float() * 4 * j * j }
		q.Rate = below(epsilon/r.room()/float64(r.Steps), one, epsilon)
		squares := below(epsilon/r.room()/(4*j*j), two, epsilon)
		q.Squares = &squares
	}
	if _, err := q.noise(r); err != nil || q.epsilon(r) > epsilon {
		return q, mechanism.Unsupported(p.target.Parameters.String(), "a larger ε, or WithResolution(K) with fewer steps")
	}
	return q, nil
}

// leastVariance is the least σ² that meets the target.
func (p *problem) leastVariance(ctx context.Context) (q params, err error) {
	search := noise.GaussianFamily.Search
	search.High = mostVariance
	if p.rule.Levels == 0 {
		search.Start = float64(p.rule.shift()) * float64(p.rule.shift()) / 2
	}
	search.Pair = func(sigma2 float64) loss.Pair {
		pair := params{Sigma2: &noise.Rational{Num: 1, Den: 1}}.pair(p.rule)
		switch pair := pair.(type) {
		case loss.DiscreteGaussianPair:
			pair.Sigma2 = sigma2
			return pair
		case loss.LatticePair:
			pair.Sigma2, pair.Least = sigma2, pair.Least*sigma2
			return pair
		}
		return pair
	}
	sigma2, met, err := search.Least(ctx, p.target.Parameters)
	if q.Sigma2 = &sigma2; err != nil {
		return q, err
	}
	if _, err := q.noise(p.rule); err != nil || !met {
		return q, mechanism.Unsupported(p.target.Parameters.String(), "a larger ρ or ε, or WithResolution(K) with fewer "+
			"steps")
	}
	return q, nil
}

func dyadic(rate float64) noise.Rational { return noise.Dyadic(rate, 32, false) }

// below is a rate, or a billionth less of it, whose ε is at most what was asked for in floating point, too.
func below(rate float64, of func(rate float64) float64, epsilon float64) noise.Rational {
	if of(rate) > epsilon {
		rate *= 1 - 1e-9
	}
	return dyadic(rate).Reduced()
}
