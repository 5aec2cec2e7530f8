package gridmap

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// pair is the composed pair by the bound: a replaced record leaves one row of a conditional and enters another, or
// moves within one; both change the scores by at most twice the log range, from candidate to candidate. With the
// posterior score one probability moves by at most tanh(L/2) in either direction.
func (p *problem) pair(rate float64) loss.Pair {
	var parts []loss.Repeat
	for _, g := range p.grids {
		w := 2 * rate * g.logRange()
		if p.m.posterior {
			w = 2 * rate * math.Tanh(g.logRange()/2)
		}
		w = w*(1+1e-9) + g.rounding(rate, float64(p.n), p.priorMass(g)) + p.logError(rate, g)
		if p.m.base { // one sum more, and the logarithms of the base
			w += g.rounding(math.Max(rate, 1), float64(p.n), 2*p.priorMass(g))
		}
		parts = append(parts, loss.Repeat{Pair: loss.RangePair{Range: w, Pure: w}, Times: 1})
	}
	if len(parts) == 1 {
		return parts[0].Pair
	}
	d, err := loss.DeclareByCurve(parts...)
	if err != nil {
		return loss.RangePair{Range: math.Inf(1), Pure: math.Inf(1)}
	}
	return d
}

func (p *problem) priorMass(g *grid) float64 {
	sum := 0.0
	for l := range g.levels {
		sum += math.Abs(p.prior(l) - 1)
	}
	return sum
}

// calibrationWork is the most pairs × candidates that one step of an exact calibration visits.
const calibrationWork = 1e6

// enumerable reports whether a plan's exact loss is found by visiting all data: one row, and few enough data sets.
func (p *problem) enumerable() bool {
	if len(p.grids) != 1 {
		return false
	}
	return p.space().Pairs()*float64(len(p.grids[0].points)) <= calibrationWork
}

func (p *problem) space() finite.Space {
	return finite.Space{Cells: p.grids[0].levels, N: p.n, Adjacency: dp.ReplaceOne}
}

// calibrate finds the largest rate that meets the target: by enumeration where that is possible, else by the bound.
func (p *problem) calibrate(ctx context.Context) (float64, error) {
	if p.target.NominalScale {
		return float64(p.target.Epsilon) / (2 * math.Sqrt(p.grids[0].logRange())), nil
	}
	level := p.target.Parameters
	bound := func(inverse float64) bool {
		return ctx.Err() != nil || loss.Meets(loss.Until(ctx, p.pair(1/inverse)), level)
	}
	if !bound(1e12) {
		return 0, mechanism.Unmet(ctx, level, p.pair(1e-12), "a weaker target, or fewer records and "+
			"columns")
	}
	rate := 1 / noise.Least(1e-9, 1e12, bound)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !p.enumerable() {
		return rate, nil
	}
	var failure error
	meets := func(inverse float64) bool {
		pair, err := p.exact(ctx, 1/inverse)
		if err != nil {
			failure = err
			return true
		}
		return loss.Meets(pair, level)
	}
	hi := rate
	for range 64 {
		if !meets(1 / (2 * hi)) {
			break
		}
		hi *= 2
	}
	// the loss stays below the target however sharp the draw: n = 0, or one candidate best for all data
	if hi >= rate*math.Exp2(63) {
		return rate, failure
	}
	lo := hi // the greatest known to meet
	hi *= 2
	for hi-lo > 1e-6*lo {
		if mid := (lo + hi) / 2; meets(1 / mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, failure
}

// logError bounds the rounding of two differences of computed log-probabilities.
func (p *problem) logError(rate float64, g *grid) float64 {
	weight := rate * (float64(p.n) + p.priorMass(g))
	if p.m.base {
		weight += p.priorMass(g)
	}
	largest := math.Min(sample.MaxExponent, weight*math.Log(float64(g.steps)/float64(g.floor)))
	return 0x1p-50 * (1 + largest)
}

// exact is the pair of one row by enumeration of the shipped law over all data of n records.
func (p *problem) exact(ctx context.Context, rate float64) (loss.RangePair, error) {
	res, err := finite.Audit(cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit)),
		gridLaw{p, rate}, p.space(), nil, nil)
	if err != nil {
		return loss.RangePair{}, err
	}
	slack := p.logError(rate, p.grids[0])
	return loss.RangePair{Range: res.Range*(1+1e-10) + slack, Pure: res.Epsilon*(1+1e-10) + slack}, nil
}

// gridLaw is the law that is drawn from, for enumeration: the sampler's own weights.
type gridLaw struct {
	*problem
	rate float64
}

// Outputs is the number of candidates.
func (l gridLaw) Outputs() int { return len(l.grids[0].points) }

// LogLaw fills out with log-probabilities.
func (l gridLaw) LogLaw(x []int, out []float64) {
	counts := make([]int64, len(x))
	for i, c := range x {
		counts[i] = int64(c)
	}
	w, err := l.weights(0, counts, l.rate)
	if err != nil {
		for i := range out {
			out[i] = math.NaN() // the audit refuses it
		}
		return
	}
	top, sum := math.Inf(-1), 0.0
	for i := range out {
		out[i] = w.LogWeight(i)
		top = math.Max(top, out[i])
	}
	for _, v := range out {
		sum += math.Exp(v - top)
	}
	norm := top + math.Log(sum)
	for i := range out {
		out[i] -= norm
	}
}

// weights is the law of one row of conditional k.
func (p *problem) weights(k int, counts []int64, rate float64) (*sample.Weights, error) {
	g := p.grids[k]
	e := make([]float64, len(g.points))
	g.score(counts, p.prior, e)
	if p.m.posterior {
		posteriorScores(e)
	}
	if p.m.base {
		based(e, p.logBase(g), rate)
	} else {
		exponents(e, rate)
	}
	return sample.NewWeights(e)
}

// spreadPoints are the distributions that spreadError averages over, spreadWork the candidates × levels of all laws up
// to which it does.
const (
	spreadPoints = 32
	spreadWork   = 300_000
)

// spreadError is the mean absolute error of a probability over levels and distributions, were the records shared
// equally among the rows of every distribution: each law summed over its grid, at points spread evenly over the simplex
// (at equal counts alone, a grid that has the uniform distribution would seem to make no error). ok is false beyond a
// fixed amount of work. Package advise predicts with it.
func (d *sampler) spreadError() (value float64, ok bool) {
	work := 0
	for k, c := range d.conds {
		if work += len(d.grids[k].points) * c.Levels; work > spreadWork || d.n == 0 {
			return 0, false
		}
	}
	type form struct{ levels, rows int }
	done := map[form]float64{} // distributions of one form have one law
	for k, c := range d.conds {
		v, known := done[form{c.Levels, c.Rows}]
		for j := 0; j < spreadPoints && !known; j++ {
			e, err := d.errorAt(k, spread(j, c.Levels), float64(d.n)/float64(c.Rows))
			if err != nil {
				return 0, false
			}
			v += e / spreadPoints
		}
		done[form{c.Levels, c.Rows}] = v
		value += v / float64(len(d.conds))
	}
	return value, true
}

// errorAt is the mean absolute error of a row of conditional k with n records that follow p.
func (d *sampler) errorAt(k int, p []float64, n float64) (float64, error) {
	g, counts := d.grids[k], make([]int64, len(p))
	for l, v := range p {
		counts[l] = int64(math.Round(n * v))
	}
	w, err := d.weights(k, counts, d.rate)
	if err != nil {
		return 0, err
	}
	sum, mass, top := 0.0, 0.0, math.Inf(-1)
	for i := range g.points {
		top = math.Max(top, w.LogWeight(i))
	}
	for i, r := range g.points {
		q := math.Exp(w.LogWeight(i) - top)
		mass += q
		for l, steps := range r {
			sum += q * math.Abs(float64(steps)/float64(g.steps)-p[l]) / float64(len(p))
		}
	}
	return sum / mass, nil
}

// spread is point j of a sequence that fills the simplex evenly: exponentials of the additive sequence of the root of
// x^{d+1} = x + 1.
func spread(j, levels int) []float64 {
	root := 2.0
	for range 60 {
		root = math.Pow(1+root, 1/float64(levels+1))
	}
	out, sum, step := make([]float64, levels), 0.0, 1.0
	for l := range out {
		step /= root
		_, u := math.Modf(.5 + step*float64(j+1))
		out[l] = -math.Log1p(-u)
		sum += out[l]
	}
	for l := range out {
		out[l] /= sum
	}
	return out
}
