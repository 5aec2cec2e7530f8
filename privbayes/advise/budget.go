package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// stepsPerSecond is what a machine is assumed to do: a step is 4 ns of one core. Simulations use all cores, so that two
// take about half of the time, which is room for a machine that is slower. What a comparison can afford follows from
// estimated steps and this number, not from a clock, so that the same question has the same answer on every machine
// that is fast enough.
const stepsPerSecond = 2.5e8

// setting is how far a row is worked out: which of the choices are tried, on how many data sets at most.
type setting struct {
	choices []int
	sets    int
	steps   float64 // expected
}

// typical is the number of data sets at which most simulations end by themselves; leastSets is what a row needs.
const (
	typical   = 64
	leastSets = 4
)

// settings lists how a row may be worked out, the most thorough first. Choices are given up the dearest first.
func (a *Advice) settings(costs []mechanism.Cost) []setting {
	var order []int
	for i, c := range costs {
		if c.Bytes <= float64(a.options.Memory) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(costs[i].Plan+leastSets*costs[i].Draw, costs[j].Plan+leastSets*costs[j].Draw)
	})
	var out []setting
	for k := len(order); k > 0; k-- {
		kept := slices.Clone(order[:k])
		slices.Sort(kept)
		if a.sets.refused != nil { // by theory
			out = append(out, setting{kept, 0, a.steps(costs, kept, 0)})
			continue
		}
		last := 0
		for _, sets := range []int{a.options.Data, 128, fewest, pilot, leastSets} {
			if sets = min(sets, a.sets.most); sets == last {
				continue
			}
			last = sets
			out = append(out, setting{kept, sets, a.steps(costs, kept, sets)})
		}
	}
	if len(out) == 0 { // too large, whatever the time
		out = append(out, setting{steps: math.Inf(1)})
	}
	return out
}

// without says what a setting does not try.
func (f Family) without(s setting, sets, all int) string {
	var parts []string
	for i, c := range f.Choices {
		if !slices.Contains(s.choices, i) {
			parts = append(parts, c.Name+" not tried")
		}
	}
	switch {
	case sets == 0:
		parts = append(parts, "by theory: no data set could be afforded")
	case sets < min(all, typical):
		parts = append(parts, "at most "+table.Count(sets, "data set"))
	}
	return strings.Join(parts, ", ")
}

// steps is what a row is expected to take.
func (a *Advice) steps(costs []mechanism.Cost, choices []int, sets int) float64 {
	sum, draw := 0.0, 0.0
	for _, c := range choices {
		sum += costs[c].Plan + enumerationSteps
		draw = math.Max(draw, costs[c].Draw)
		if len(choices) > 1 {
			sum += float64(a.draws(min(pilot, sets))) * costs[c].Draw
		}
	}
	return sum + float64(a.draws(min(typical, sets)))*draw
}

// enumerationSteps is what summing over a short list of outputs takes in place of a simulation.
const enumerationSteps = 5e6

// draws is the number of draws for so many data sets: one each or, stratified, at least a few of each.
func (a *Advice) draws(sets int) int {
	if a.stratifies() {
		n, _ := a.shape.N()
		strata := min(n+1, strataAtMost)
		return max(strataDraws*strata, sets)
	}
	return sets
}

// strataAtMost is about the number of data sets of a stratified simulation.
const strataAtMost = 110

// known reports whether every choice of a family says what it costs, and what.
func (f Family) known(t dp.Request) (costs []mechanism.Cost, ok bool) {
	for _, c := range f.Choices {
		m, says := c.Mechanism.(mechanism.Costed)
		switch {
		case !says:
			return nil, false
		case c.Mechanism.Supports(f.shape) != nil: // refused at once
			costs = append(costs, mechanism.Cost{})
		default:
			costs = append(costs, m.Cost(f.shape, t))
		}
	}
	return costs, true
}

// afford finds how each of several families can be worked out with the steps that are left for all of them. As many as
// can be are worked out at least in their cheapest setting, the cheapest families first; what is then left is shared
// equally, and what one does not need goes to those that need more. nil: not at all. rest is what nobody needs.
func afford(families [][]setting, left float64) (out []*setting, rest float64) {
	out = make([]*setting, len(families))
	cheapest, order := make([]*setting, len(families)), make([]int, len(families))
	for f, list := range families {
		order[f] = f
		for s := range list {
			if cheapest[f] == nil || list[s].steps <= cheapest[f].steps {
				cheapest[f] = &list[s]
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(cheapest[i].steps, cheapest[j].steps) })
	var kept []int
	for _, f := range order {
		if cheapest[f].steps > left {
			break
		}
		left -= cheapest[f].steps
		out[f] = cheapest[f]
		kept = append(kept, f)
	}
	slices.SortStableFunc(kept, func(i, j int) int { return cmp.Compare(families[i][0].steps, families[j][0].steps) })
	for k, f := range kept {
		share := out[f].steps + left/float64(len(kept)-k)
		for s := range families[f] {
			if better := &families[f][s]; better.steps <= share {
				left -= better.steps - out[f].steps
				out[f] = better
				break
			}
		}
	}
	return out, left
}

// tooMuch says why a row is left out, in steps.
func tooMuch(list []setting, share float64, allowed time.Duration) string {
	least := math.Inf(1)
	for _, s := range list {
		least = math.Min(least, s.steps)
	}
	return fmt.Sprintf("it would take about %s; of the %v for all, %s are left for it", steps(least), allowed,
		steps(share))
}

// steps is a number of steps with the time it stands for.
func steps(x float64) string {
	d := time.Duration(math.Min(x/stepsPerSecond, 1e9) * float64(time.Second))
	switch {
	case d > time.Minute:
		d = d.Round(time.Second)
	case d > time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Millisecond)
	}
	return fmt.Sprintf("%s steps (%v)", table.Number(x), d)
}

// limited reports whether a plan was refused for its size rather than for its terms.
func limited(err error) bool {
	var l *cert.LimitError
	return errors.As(err, &l)
}

// deadline is when the time is over: Options.Time from now, or a little before the caller's deadline, so that the rows
// so far can be given.
func deadline(ctx context.Context, o Options) (end time.Time, allowed time.Duration) {
	now := time.Now()
	patience := clockFactor * min(o.Time, math.MaxInt64/clockFactor)
	end, allowed = now.Add(patience), o.Time
	if d, ok := ctx.Deadline(); ok {
		left := d.Sub(now)
		left -= min(left/20, 200*time.Millisecond)
		if left < patience {
			end = now.Add(left)
		}
		if left < allowed {
			allowed = roundedDown(left)
		}
	}
	return end, allowed
}

// clockFactor is how many times its time a comparison may take by the clock: a busy machine then shows the same rows.
const clockFactor = 3

// roundedDown keeps the first digit of a time, in halves below 5, so that what is left out under a context's deadline
// does not depend on the microseconds that went by since it was set.
func roundedDown(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	unit := time.Duration(math.Pow(10, math.Floor(math.Log10(float64(d)))))
	half := unit / 2
	if half == 0 {
		return d
	}
	return d / half * half
}

// Bound is a public bound for a column whose law has one parameter, with what it costs.
type Bound struct {
	Upper    float64 // upper bound of the column
	Relative float64 // expected relative error of the parameter, sd: sampling, clipping and noise
	Sampling float64 // the same without privacy or bounds
}

// String says it in the column's words.
func (b Bound) String() string {
	return fmt.Sprintf("upper bound %.3g: relative error %.3g, of which sampling alone makes %.3g", b.Upper, b.Relative,
		b.Sampling)
}

// boundCells are the steps of the lattice that a bound is tried on, as those of a rate are by default.
const boundCells = 256

// BestBound finds the upper bound c of a column of exponential values at which a noisy sum at ε-DP, one record
// replaced, tells the rate θ best, from a guess of θ that is public knowledge: a narrow bound cuts off what tells of θ,
// a wide one costs noise. By the information of one clipped value, rounded to a lattice of 256 steps, with m its mean,
// v its variance and σ² = 2K²/ε² the variance of the noise,
//
//	relative error² = (v + σ²/n)/n / (dm/d log θ)²,
//
// minimised over c; for nε² = 10, 10², …, 10⁵ at c·θ = 2.1, 3.0, 4.7, 6.6 and 8.7. From nε² = 1000 on the optimum is
// flat: err on the wide side then. Errors: *Error for a guess or ε that is not positive, or no records. Source:
// theory/numbers.md §2.
func BestBound(guess float64, n int, epsilon float64) (Bound, error) {
	if !(guess > 0) || math.IsInf(guess, 1) || n < 1 || !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return Bound{}, &Error{fmt.Sprintf("a rate of %v, %d records, ε = %v", guess, n, epsilon), "positive numbers"}
	}
	at := func(cTheta float64) float64 { return relativeError(cTheta, float64(n), epsilon) }
	best, least := 0.0, math.Inf(1)
	for c := .5; c < 40; c *= 1.01 {
		if e := at(c); e < least {
			best, least = c, e
		}
	}
	return Bound{Upper: best / guess, Relative: least, Sampling: 1 / math.Sqrt(float64(n))}, nil
}

// relativeError is that of BestBound at c·θ = u, by the law of the model itself at θ = 1.
func relativeError(u, n, epsilon float64) float64 {
	s := &frame.Schema{Dataset: "guess", Columns: []frame.Column{frame.Real("x", 0, u)}}
	sh, err := model.NewShape(s, model.Exponential("x").WithRange(.5, 2).WithResolution(boundCells), int(n), true, "")
	if err != nil {
		return math.Inf(1)
	}
	law := sh.OneParameter().Record
	p := make([]float64, boundCells+1)
	moments := func(theta float64) (m, v float64) {
		law(theta, p)
		for k, w := range p {
			m += float64(k) * w
		}
		for k, w := range p {
			v += (float64(k) - m) * (float64(k) - m) * w
		}
		return m, v
	}
	const h = 1e-3
	_, v := moments(1)
	low, _ := moments(1 - h)
	high, _ := moments(1 + h)
	rate := epsilon / boundCells
	noise := 1 / (2 * math.Pow(math.Sinh(rate/2), 2)) // of two-sided geometric noise
	return math.Sqrt((v+noise/n)/n) / math.Abs((high-low)/(2*h))
}

// Predict is the error that theory predicts for a plan, in the unit of [mechanism.Plan.PredictUnit], and how: the
// mechanism's own prediction ([mechanism.Plan.Predict]), else, of a mechanism with a short list of outputs, the sum
// over it at equal counts. Where there is no formula (the Hellinger mechanism on tables with too many candidates to
// sum), it is NaN.
func Predict(p *mechanism.Plan) (value float64, how string) {
	if value, how = p.Predict(); how != "" {
		return value, how
	}
	n, public := p.Shape().N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	return predictBalanced(p, n)
}

// predictBalanced sums over the outputs of one table at equal counts.
func predictBalanced(p *mechanism.Plan, n int) (float64, string) {
	conds := p.Shape().Conditionals()
	if len(conds) != 1 || conds[0].Rows != 1 {
		return math.NaN(), ""
	}
	levels := conds[0].Levels
	x, plain := make([]int64, levels), make([]float64, levels)
	total, prior := float64(n), p.Shape().Model().Prior()
	for i := range x {
		total += prior.At(i)
	}
	for i := range x {
		x[i] = int64(n / levels)
		if i < n%levels {
			x[i]++
		}
		plain[i] = (float64(x[i]) + prior.At(i)) / total
	}
	sum, failed := 0.0, error(nil)
	ok := p.OutputLaw([][]int64{x}, func(raw [][]int64, q float64) {
		if failed != nil {
			return
		}
		var e model.Estimate
		e, failed = p.Estimate(context.Background(), &mechanism.Drawn{Output: mechanism.Output{Raw: raw}})
		if failed != nil {
			return
		}
		var out [][]float64
		if out, failed = estimates(p.Shape(), e); failed != nil {
			return
		}
		for i := range plain {
			sum += q * math.Abs(out[0][i]-plain[i]) / float64(levels)
		}
	})
	if !ok || failed != nil {
		return math.NaN(), ""
	}
	return sum, "sum over all candidates, at balanced data"
}

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
