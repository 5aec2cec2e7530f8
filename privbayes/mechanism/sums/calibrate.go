package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// staircaseFrom is the least ε of one sum at which steps are taken in place of geometric noise: below, they save less
// than a tenth of the variance.
const staircaseFrom = 2

// laws are the laws of noise to choose from for the problem.
func (p *problem) laws() (out []string) {
	pure := map[string]string{columns: cubeLaw, columnsCount: cubeLaw, moments: parabolaLaw}[p.Kind]
	switch {
	case pure == "" || p.Kind == columns && p.target.Adjacency == dp.ReplaceValue:
		pure = geometricLaw
	case p.m.law == geometricLaw && p.Kind != moments:
		pure = geometricLaw
	}
	if p.m.law == "" || p.m.law == pure {
		out = append(out, pure)
	}
	rate := p.shape.OneParameter() != nil
	if p.m.law == "" && p.Kind == oneSum && !rate && p.target.Notion == dp.Pure &&
		float64(p.target.Epsilon) >= staircaseFrom {
		out = append(out, staircaseLaw)
	}
	// the posterior of a rate with a private n is known under geometric noise
	gaussian := p.target.Notion != dp.Pure && !(rate && p.Kind == halves)
	if gaussian && (p.m.law == "" || p.m.law == gaussianLaw) {
		out = append(out, gaussianLaw)
	}
	return out
}

// calibrate finds the parameters that spend the target for every law, and takes the one with the least error.
func calibrate(ctx context.Context, p *problem) (best params, err error) {
	least := math.Inf(1)
	for _, law := range p.laws() {
		var q params
		if law == gaussianLaw {
			q, err = p.calibrateGaussian(ctx)
		} else {
			q, err = p.calibratePure(ctx, law)
		}
		if err != nil {
			continue // the other law may do; the last error stands if none does
		}
		z, err := p.noise(q)
		if err != nil {
			return params{}, err
		}
		if v := p.score(z); v < least {
			best, least = q, v
		}
	}
	if best.Law != "" {
		return best, ctx.Err()
	}
	return best, err
}

// score is the sum of the noises' variances, those of moments in units of M and M².
func (p *problem) score(z onSums) float64 {
	sum := 0.0
	for i := range p.dims() {
		v := z.variance(i)
		if m, _ := p.half(); p.Kind == moments && i == 1 {
			v /= float64(m) * float64(m)
		}
		sum += v
	}
	return sum
}

// denominator is the largest power of two that ε of a law may have below it: rates fit the integer samplers then.
func (p *problem) denominator(law string) int {
	c, r := p.changeOf(p.target.Adjacency), int64(p.rows)
	per := float64(c.l1 * r)
	switch law {
	case cubeLaw:
		per = float64(c.most * r)
	case parabolaLaw:
		m, _ := p.half()
		per = 9 * float64(m) * float64(m) * float64(r)
	case staircaseLaw:
		per = 1
	}
	return int(math.Min(32, math.Floor(math.Log2(samplerDen/per))))
}

// calibratePure finds the greatest ε of a law whose pair meets the target.
func (p *problem) calibratePure(ctx context.Context, law string) (params, error) {
	want, bits := p.target.Parameters, p.denominator(law)
	search := noise.Search{Low: 1e-9, High: 1e4, Bits: 64, Den: 1 << max(bits, 0), Pair: func(eps float64) loss.Pair {
		return p.pairAt(law, eps, p.target.Adjacency, p.rows, want.Notion)
	}}
	if want.Notion == dp.Pure {
		search.High = 1 << 20
	}
	switch {
	case want.Notion == dp.Pure && want.Epsilon >= 1<<20:
		return params{}, mechanism.Unsupported(want.String(), "an ε below 2^20, which promises nothing already")
	case bits < 0:
		return params{}, p.unsampled()
	}
	eps, met, err := search.Least(ctx, want)
	if err != nil {
		return params{}, err
	}
	if !met && want.Notion != dp.Pure && !loss.Meets(loss.Until(ctx, search.Pair(search.Low)), want) {
		return params{}, p.unmet(ctx, params{Law: law, Epsilon: &eps}, "a weaker target")
	}
	if !met {
		return params{}, p.unsampled()
	}
	q := params{Law: law, Epsilon: &eps}
	if law == staircaseLaw {
		period := uint64(p.changeOf(p.target.Adjacency).l1) * uint64(p.rows)
		q.Low = sample.BestLow(period, eps.Float())
	}
	if _, err := p.noise(q); err != nil {
		return params{}, p.unsampled()
	}
	return q, nil
}

// unsampled says that no parameters are in the range of the integer samplers.
func (p *problem) unsampled() error {
	return mechanism.Unsupported(fmt.Sprintf("%s on a lattice of K = %d steps and units of %d rows", p.target.Parameters, p.Steps,
		p.rows), "WithResolution(K) with a smaller K, or a larger ε")
}

func (p *problem) unmet(ctx context.Context, q params, reachable string) error {
	return mechanism.Unmet(ctx, p.target.Parameters, p.pair(q, p.target.Adjacency, p.rows, p.target.Notion),
		reachable)
}

// maxSigma2 keeps σ² of the second moment in the sampler's range, too.
const maxSigma2 = 1 << 56

// calibrateGaussian finds the least σ² whose pair meets the target.
func (p *problem) calibrateGaussian(ctx context.Context) (params, error) {
	c := p.changeOf(p.target.Adjacency)
	search := noise.GaussianFamily.Search
	search.High = maxSigma2
	search.Start = math.Max(1.0/64, float64(c.cells)*math.Pow(float64(c.shift)*float64(p.rows), 2)*1e-6)
	search.Pair = func(sigma2 float64) loss.Pair {
		return p.pairAt(gaussianLaw, sigma2, p.target.Adjacency, p.rows, p.target.Notion)
	}
	sigma2, met, err := search.Least(ctx, p.target.Parameters)
	if err != nil {
		return params{}, err
	}
	q := params{Law: gaussianLaw, Sigma2: &sigma2}
	if !met || sigma2.Num >= 1<<53 {
		return params{}, p.unsampled() // a coarser lattice has room for it
	}
	if _, err := p.noise(q); err != nil {
		return params{}, p.unsampled()
	}
	return q, nil
}
