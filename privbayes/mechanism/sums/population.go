package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// PopulationMean is an interval for the mean of the population that the rows are an independent sample of, from the
// released integers of a plan for Mean or MeanSD with public n. It assumes no model: the error of the noisy mean is
//
//	N(0, v/n) + the noise's own law, over n,
//
// whose quantile is taken. v is the variance of the released second moment, raised by 1.3 standard deviations of its
// noise, and at most (1 − m)(1 + m) for values in [−1, 1] of mean m, the greatest there is; of Mean, which releases no
// second moment, it is that greatest one. The population is that of values moved to the public bounds: what the bounds
// cut off is not in its mean. Measured coverage at 95 %: .93 to .99 for lognormal, beta and uniform values, n = 50 to
// 5000, ε = .1 to 5 (theory/numbers.md §2). Errors: *mechanism.UnsupportedError, *dp.ParameterError.
func PopulationMean(plan *mechanism.Plan, raw []int64, level float64) (lower, upper float64, err error) {
	if plan == nil || plan.Mechanism() != kind {
		return 0, 0, domain.Refuse("sums", "plan", "of another mechanism", "a plan of NoisySums for Mean or MeanSD")
	}
	if !(level > 0 && level < 1) {
		return 0, 0, domain.Refuse("sums", "level", level, "a level of intervals above 0 and below 1")
	}
	p, err := New().prepare(context.Background(), plan.Shape(), plan.Target())
	if err != nil {
		return 0, 0, err
	}
	var q params
	if err := cert.Decode(plan.Params(), &q); err != nil {
		return 0, 0, err
	}
	z, err := p.noise(q)
	if err != nil {
		return 0, 0, err
	}
	averages, one := p.shape.Model().(model.MeansModel)
	_, spread := p.shape.Model().(model.MeanSDModel)
	if !(one && p.Kind == oneSum || spread) || p.n < 1 || len(raw) != p.dims() {
		return 0, 0, mechanism.Unsupported(fmt.Sprintf("%s, released as %s", averages, p.Kind), "Mean or MeanSD of a public "+
			"number of rows")
	}
	// in units of the half-range: u in [−1, 1]
	n, half := float64(p.n), float64(p.Steps)/2
	mean, second := float64(raw[0])/(n*half)-1, math.Inf(1)
	scale := math.Sqrt(z.variance(0)) / (n * half)
	if spread {
		m, _ := p.half()
		full := float64(m)
		mean, scale = float64(raw[0])/(n*full), math.Sqrt(z.variance(0))/(n*full)
		second = float64(raw[1])/(n*full*full) + 1.3*math.Sqrt(z.variance(1))/(n*full*full)
	}
	m := math.Min(math.Max(mean, -1), 1)
	near := math.Max(math.Abs(m)-scale, 0) // the greatest variance of what the mean may be
	v := math.Min(math.Max(second-m*m, 0), 1-near*near)
	t := quantileOf(z.law, scale, math.Sqrt(v/n), level)
	l := p.shape.Lattice()
	at := func(u float64) float64 { return l.Value(0, (math.Min(math.Max(u, -1), 1)+1)*half) }
	return at(mean - t), at(mean + t), nil
}

// quantileOf is the t with P(|X + Z| ≤ t) = level, X normal with the given sd and Z noise of the given sd, in the limit
// of fine lattices: normal, Laplace, staircase (taken as Laplace, which has the longer tails) or the marginal law of
// K-norm noise on two moments.
func quantileOf(law string, noise, sd, level float64) float64 {
	density := func(z float64) float64 { return math.Exp(-math.Sqrt2 * math.Abs(z)) } // of sd 1, up to a constant
	switch law {
	case gaussianLaw:
		density = func(z float64) float64 { return math.Exp(-z * z / 2) }
	case parabolaLaw:
		unit := math.Sqrt(parabolaFirst)
		density = func(z float64) float64 { return parabolaMarginal(unit * math.Abs(z)) }
	}
	const reach, panels = 30.0, 500
	weights, total := make([]float64, panels+1), 0.0
	for i := range weights {
		weights[i] = density(reach * float64(i) / panels)
		if i == 0 {
			weights[i] /= 2
		}
		total += 2 * weights[i]
	}
	inside := func(t float64) float64 {
		sum := 0.0
		for i, w := range weights {
			z := noise * reach * float64(i) / panels
			p := 0.0
			switch {
			case sd > 0:
				p = (math.Erf((t-z)/(sd*math.Sqrt2)) + math.Erf((t+z)/(sd*math.Sqrt2))) / 2
			case z <= t:
				p = 1
			}
			sum += 2 * w * p
		}
		return sum / total
	}
	lo, hi := 0.0, 30*(noise+sd)
	for range 36 {
		if mid := (lo + hi) / 2; inside(mid) < level {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// parabolaMarginal is ∫e^{−‖(x, y)‖}dy up to a constant, in units of M and M²: e^{−y} for y ≥ x, else e^{−x²/(2x−y)}.
func parabolaMarginal(x float64) float64 {
	const panels = 24
	sum := 0.0
	for i := 0; i <= panels && x > 0; i++ {
		w := 2.0
		switch {
		case i == 0 || i == panels:
			w = 1
		case i%2 == 1:
			w = 4
		}
		y := x * float64(i) / panels
		sum += w * math.Exp(-x*x/(2*x-y))
	}
	return math.Exp(-x) + sum*x/panels/3
}
