package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
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
	_, _, _, _, rate := p.shape.OneParameter()
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
func (p *problem) score(z noise) float64 {
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
	want := p.target.Level
	bits := p.denominator(law)
	at := func(num uint64) params {
		return params{Law: law, Epsilon: &mechanism.Rational{Num: num, Den: 1 << max(bits, 0)}}
	}
	pairAt := func(q params) loss.Pair { return p.pair(q, p.target.Adjacency, p.rows, want.Notion) }
	meets := func(eps float64) bool {
		e := mechanism.Dyadic(eps, 52, false)
		return ctx.Err() != nil || loss.Meets(loss.Until(ctx, pairAt(params{Law: law, Epsilon: &e})), want)
	}
	eps := float64(want.Epsilon)
	if want.Notion != dp.Pure {
		const least, most = 1e-9, 1e4
		if !meets(least) {
			return params{}, p.unmet(ctx, at(1), "a weaker target")
		}
		eps = 1 / mechanism.Least(1/most, 1/least, func(inv float64) bool { return meets(1 / inv) })
	}
	switch {
	case eps >= 1<<20:
		return params{}, p.m.unsupported(want.String(), "an ε below 2^20, which promises nothing already")
	case bits < 0:
		return params{}, p.unsampled()
	}
	num := uint64(math.Floor(math.Ldexp(eps, bits)))
	for ; num > 0 && !loss.Meets(loss.Until(ctx, pairAt(at(num))), want) && ctx.Err() == nil; num-- {
		// at most a step or two: the search stopped just below the greatest ε
	}
	if ctx.Err() != nil {
		return params{}, ctx.Err()
	}
	if num == 0 {
		return params{}, p.unsampled()
	}
	q := at(num)
	*q.Epsilon = q.Epsilon.Reduced()
	if law == staircaseLaw {
		period := uint64(p.changeOf(p.target.Adjacency).l1) * uint64(p.rows)
		q.Low = sample.BestLow(period, q.Epsilon.Float())
	}
	if _, err := p.noise(q); err != nil {
		return params{}, p.unsampled()
	}
	return q, nil
}

// unsampled says that no parameters are in the range of the integer samplers.
func (p *problem) unsampled() error {
	return p.m.unsupported(fmt.Sprintf("%s on a lattice of K = %d steps and units of %d rows", p.target.Level, p.Steps,
		p.rows), "WithResolution(K) with a smaller K, or a larger ε")
}

func (p *problem) unmet(ctx context.Context, q params, reachable string) error {
	return mechanism.Unmet(ctx, p.m.Title(), p.target.Level, p.pair(q, p.target.Adjacency, p.rows, p.target.Notion),
		reachable)
}

// gaussianBits of σ² lose 1e-6 of the budget and keep the sampler's exponent within 64-bit words where σ is small.
const gaussianBits = 20

// maxSigma2 keeps σ² of the second moment in the sampler's range, too.
const maxSigma2 = 1 << 56

// calibrateGaussian finds the least σ² whose pair meets the target.
func (p *problem) calibrateGaussian(ctx context.Context) (params, error) {
	want := p.target.Level
	at := func(sigma2 float64) params {
		r := mechanism.Dyadic(sigma2, gaussianBits, true)
		return params{Law: gaussianLaw, Sigma2: &r}
	}
	meets := func(q params) bool {
		return ctx.Err() != nil ||
			loss.Meets(loss.Until(ctx, p.pair(q, p.target.Adjacency, p.rows, want.Notion)), want)
	}
	if top := at(maxSigma2); !meets(top) {
		if ctx.Err() != nil {
			return params{}, ctx.Err()
		}
		return params{}, p.unsampled() // a coarser lattice has room for it
	}
	c := p.changeOf(p.target.Adjacency)
	start := math.Max(1.0/64, float64(c.cells)*math.Pow(float64(c.shift)*float64(p.rows), 2)*1e-6)
	hi := start
	for !meets(at(hi)) {
		hi *= 4
	}
	sigma2 := mechanism.Least(hi/4, hi, func(s float64) bool { return meets(at(s)) })
	q := at(sigma2)
	for ; !meets(q); q.Sigma2.Num++ {
	}
	*q.Sigma2 = q.Sigma2.Reduced()
	if ctx.Err() != nil {
		return params{}, ctx.Err()
	}
	if q.Sigma2.Num >= 1<<53 {
		return params{}, p.unsampled()
	}
	if _, err := p.noise(q); err != nil {
		return params{}, p.unsampled()
	}
	return q, nil
}
