package advise

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// The work of an enumeration: data sets × outputs up to which all data sets are visited; beyond, between fewestNodes
// and mostNodes quantiles of the prior, about quadrature data sets × outputs.
const (
	enumerated  = 70_000
	quadrature  = 40_000
	fewestNodes = 48
	mostNodes   = 200
)

// enumerate sums the loss over outputs and data sets of one distribution with two levels: k records of n in the first,
// k beta-binomial, which is what p ~ Beta(a₀, a₀) gives. ok is false where there are more distributions or levels, or
// the output law is not a short list.
func (a *Advice) enumerate(ctx context.Context, p *mechanism.Plan) (r result, ok bool, err error) {
	conds := a.shape.Conditionals()
	if len(conds) != 1 || conds[0].Rows != 1 || conds[0].Levels != 2 {
		return r, false, nil
	}
	n, _ := a.shape.N()
	outputs := 0
	if !p.OutputLaw([][]int64{{int64(n / 2), int64(n - n/2)}}, func([][]int64, float64) { outputs++ }) {
		return r, false, nil
	}
	counts, weights := a.dataSetsOf(n, outputs)
	r.how, r.sets = Enumeration, len(counts)
	if len(counts) != n+1 {
		r.how = Quadrature
	}
	released := map[int64]float64{} // the estimate of each output
	for i, k := range counts {
		if ctx.Err() != nil {
			return r, false, ctx.Err()
		}
		prior := a.shape.Model().Prior()
		plain := (float64(k) + prior.At(0)) / (float64(n) + prior.At(0) + prior.At(1))
		p.OutputLaw([][]int64{{k, int64(n) - k}}, func(raw [][]int64, q float64) {
			y, known := released[raw[0][0]]
			if !known && err == nil {
				y, err = estimated(ctx, p, raw)
				released[raw[0][0]] = y
			}
			r.absolute += weights[i] * q * math.Abs(y-plain)
			r.kl += weights[i] * q * (part(plain, y) + part(1-plain, 1-y))
		})
		if err != nil {
			return r, false, err
		}
	}
	return r, true, nil
}

// part is a term of a divergence.
func part(x, y float64) float64 {
	if x <= 0 {
		return 0
	}
	return x * math.Log(x/math.Max(y, 1e-300))
}

// estimated is the released probability of the first level.
func estimated(ctx context.Context, p *mechanism.Plan, raw [][]int64) (float64, error) {
	e, err := p.Estimate(ctx, &mechanism.Drawn{
		Output: mechanism.Output{Raw: [][]int64{append([]int64(nil), raw[0]...)}}})
	if err != nil {
		return 0, err
	}
	out, err := estimates(p.Shape(), e)
	if err != nil {
		return 0, err
	}
	return out[0][0], nil
}

// dataSetsOf are the counts of the first level that are summed over, with their weights.
func (a *Advice) dataSetsOf(n, outputs int) (counts []int64, weights []float64) {
	a0 := a.options.Prior
	if float64(n+1)*float64(outputs) <= enumerated {
		whole := num.LogBeta(a0, a0)
		for k := 0; k <= n; k++ {
			x, y := float64(k), float64(n-k)
			choose := -num.LogBeta(x+1, y+1) - math.Log(float64(n)+1)
			counts, weights = append(counts, int64(k)), append(weights, math.Exp(choose+num.LogBeta(a0+x, a0+y)-whole))
		}
		return counts, weights
	}
	nodes := min(max(quadrature/outputs, fewestNodes), mostNodes, n+1)
	prior := distuv.Beta{Alpha: a0, Beta: a0}
	for j := range nodes {
		q := (float64(j) + .5) / float64(nodes)
		counts = append(counts, int64(math.Round(prior.Quantile(q)*float64(n))))
	}
	for k := int64(1); k < counts[0]; k *= 2 { // a law may be wide where one level is rare: doubling toward both ends
		counts = append(counts, k, int64(n)-k)
	}
	counts = append(counts, 0, int64(n))
	slices.Sort(counts)
	counts = slices.Compact(counts)
	below := 0.0
	for i, k := range counts { // each stands for what is nearer to it than to another
		upTo := 1.0
		if i+1 < len(counts) {
			upTo = prior.CDF((float64(k+counts[i+1])/2 + .5) / float64(n+1))
		}
		weights = append(weights, upTo-below)
		below = upTo
	}
	return counts, weights
}
