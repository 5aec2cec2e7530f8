// Package numbers measures how often the intervals of noisy sums contain the true value, and how far a rate is off.
//
// Parameters are drawn from a model's own prior, records from its distribution, noise by the mechanism: then a 95 %
// credible interval of the right posterior contains the true value in 95 % of all cases. Records are drawn as values,
// moved to the bounds and rounded as those of a table are. Intervals for a population's mean assume no distribution;
// there the true value is that of a fixed population, and .93 to .99 is what theory/numbers.md §2 found. [Run] counts
// over 50, 500 and 5000 records at ε = 0.1, 1 and 5; [Committed] is the outcome of the full run, and [Result.Wrong]
// says which of its figures are not what they should be.
package numbers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// problem is a model with the law that its records are drawn from.
type problem struct {
	name      string
	kind      kind
	column    frame.Column
	model     model.Model
	adjacency dp.Adjacency
	// draw is a truth and a source of values
	draw func(src *dp.Stream) (truth []float64, value func() float64)
}

// kind says what is to be expected of a problem's coverage.
type kind int

const (
	oneParameter kind = iota // .95 but for chance
	twoMoments               // .92 to .98: the sums are taken for normal
	modelFree                // .93 to .99
)

// problems are those of theory/numbers.md §2, with the two other laws of one parameter.
func problems() []problem {
	between := func(src *dp.Stream, low, high float64) float64 { return low + sample.Float64(src)*(high-low) }
	// a rate with prior Exp(1) on [.1, 3]
	rate := func(src *dp.Stream) float64 {
		return -math.Log(math.Exp(-.1) + sample.Float64(src)*(math.Exp(-3)-math.Exp(-.1)))
	}
	exponential := func(src *dp.Stream) ([]float64, func() float64) {
		theta := rate(src)
		return []float64{theta}, func() float64 { return math.Exp(sample.LogGamma(src, 1)) / theta }
	}
	poisson := func(src *dp.Stream) ([]float64, func() float64) {
		lambda := between(src, .2, 15)
		return []float64{lambda}, func() float64 {
			x := 0.0
			for t := math.Exp(sample.LogGamma(src, 1)); t < lambda; t += math.Exp(sample.LogGamma(src, 1)) {
				x++
			}
			return x
		}
	}
	laplace := func(src *dp.Stream) ([]float64, func() float64) {
		theta := rate(src)
		return []float64{theta}, func() float64 {
			return math.Copysign(math.Exp(sample.LogGamma(src, 1))/theta, sample.Float64(src)-.5)
		}
	}
	precision := func(src *dp.Stream) ([]float64, func() float64) {
		theta := rate(src)
		return []float64{theta}, func() float64 { return sample.Normal(src) / math.Sqrt(theta) }
	}
	normal := func(src *dp.Stream) ([]float64, func() float64) {
		mu, sigma := between(src, -3, 3), 6/500.0*math.Pow(500, sample.Float64(src))
		return []float64{mu, sigma}, func() float64 { return mu + sigma*sample.Normal(src) }
	}
	free := func(name string, mean float64, value func(src *dp.Stream) float64) problem {
		return problem{"population mean, " + name, modelFree, frame.Real("x", 0, 1), model.MeanSD("x"), dp.ReplaceOne,
			func(src *dp.Stream) ([]float64, func() float64) {
				return []float64{mean}, func() float64 { return value(src) }
			}}
	}
	return []problem{
		{"exponential rate", oneParameter, frame.Real("x", 0, 10), model.Exponential("x").WithRange(.1, 3), dp.ReplaceOne,
			exponential},
		{"Poisson mean", oneParameter, frame.Integer("x", 0, 20), model.Poisson("x").WithRange(.2, 15), dp.ReplaceOne,
			poisson},
		{"Laplace scale", oneParameter, frame.Real("x", -6, 6), model.LaplaceScale("x", 0).WithRange(.1, 3),
			dp.ReplaceOne, laplace},
		{"normal precision", oneParameter, frame.Real("x", -4, 4), model.NormalPrecision("x", 0).WithRange(.1, 3),
			dp.ReplaceOne, precision},
		{"exponential rate, n private", oneParameter, frame.Real("x", 0, 10), model.Exponential("x").WithRange(.1, 3),
			dp.AddRemove, exponential},
		{"Poisson mean, n private", oneParameter, frame.Integer("x", 0, 20), model.Poisson("x").WithRange(.2, 15),
			dp.AddRemove, poisson},
		{"normal mean and sd", twoMoments, frame.Real("x", -3, 3), model.MeanSD("x").Latent(), dp.ReplaceOne, normal},
		free("lognormal", cutLognormal(-2, .7), func(src *dp.Stream) float64 { return math.Exp(.7*sample.Normal(src) - 2) }),
		free("beta", 2.0/7, func(src *dp.Stream) float64 {
			a, b := sample.LogGamma(src, 2), sample.LogGamma(src, 5)
			return 1 / (1 + math.Exp(b-a))
		}),
		free("uniform", .5, func(src *dp.Stream) float64 { return sample.Float64(src) }),
	}
}

// cutLognormal is E min(e^{μ + σN}, 1).
func cutLognormal(mu, sigma float64) float64 {
	below := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	return math.Exp(mu+sigma*sigma/2)*below(-mu/sigma-sigma) + below(mu/sigma)
}

func (p problem) shape(n int) (*model.Shape, error) {
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{p.column}}
	sh, err := model.NewShape(s, p.model, n, true, "")
	if err == nil && p.adjacency == dp.AddRemove {
		sh = sh.WithoutN()
	}
	return sh, err
}

// statistics are those of n simulated records.
func (p problem) statistics(sh *model.Shape, n int, value func() float64) (*model.Statistics, error) {
	l := sh.Lattice()
	statistic := func(x float64) float64 { return x }
	if r := sh.Rate(); r != nil {
		statistic = func(x float64) float64 { return r.Statistic(math.Min(math.Max(x, p.column.Min), p.column.Max)) }
	}
	whole, place := make([]int64, l.Len()), []int64{0}
	for range n {
		place[0] = l.At(0, statistic(value()))
		l.Add(whole, place, 0)
	}
	return model.FromWhole(sh, n, whole)
}

// Options says what is run. Zero values take those in brackets.
type Options struct {
	Problems []string  // names of curves [all]
	Sizes    []int     // [50, 500, 5000]
	Epsilons []float64 // of ε-DP releases [0.1, 1, 5]
	Runs     int       // draws of parameters, records and noise a cell [500]
	Seed     uint64
	// Overstated estimates as if ε had been this many times what it was [1]: any value but 1 is a wrong posterior.
	Overstated float64
	Progress   func(done, total int64)
}

func (o Options) chosen() (list []problem, filled Options, err error) {
	all := problems()
	var names []string
	for _, p := range all {
		names = append(names, p.name)
	}
	if len(o.Problems) == 0 {
		o.Problems = names
	}
	for _, name := range o.Problems {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, o, domain.Refuse("numbers", "Problems", name, "one of "+strings.Join(names, ", "))
		}
		list = append(list, all[i])
	}
	if len(o.Sizes) == 0 {
		o.Sizes = []int{50, 500, 5000}
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{.1, 1, 5}
	}
	if o.Runs == 0 {
		o.Runs = 500
	}
	if o.Overstated == 0 {
		o.Overstated = 1
	}
	switch {
	case o.Runs < 1:
		err = domain.Refuse("numbers", "Runs", o.Runs, "at least 1")
	case slices.Min(o.Sizes) < 1:
		err = domain.Refuse("numbers", "Sizes", o.Sizes, "at least one record")
	case !(o.Overstated > 0) || math.IsInf(o.Overstated, 1):
		err = domain.Refuse("numbers", "Overstated", o.Overstated, "a finite number above 0")
	}
	return list, o, err
}

// Run simulates every problem at every size and ε. A cell's draws depend on the seed and the cell alone, in whatever
// order they are made. Errors: *dp.ParameterError, those of planning, and ctx's.
func Run(ctx context.Context, o Options) (*Result, error) {
	list, o, err := o.chosen()
	if err != nil {
		return nil, err
	}
	out := &Result{Seed: o.Seed, Rounds: 1}
	type job struct {
		p     problem
		n     int
		eps   float64
		first int // of its curves
		at    int // of its cell
	}
	var jobs []job
	total, done := int64(0), int64(0)
	for _, p := range list {
		first := len(out.Curves)
		for _, name := range p.parameters() {
			out.Curves = append(out.Curves, Curve{Name: name, Kind: p.kind.String(),
				Cells: make([]Cell, len(o.Sizes)*len(o.Epsilons))})
		}
		for _, n := range o.Sizes {
			for _, eps := range o.Epsilons {
				jobs = append(jobs, job{p, n, eps, first, len(jobs) % (len(o.Sizes) * len(o.Epsilons))})
				total += int64(o.Runs)
			}
		}
	}
	var mu sync.Mutex
	err = simulate.Each(ctx, len(jobs), func(ctx context.Context, i int) error {
		j := jobs[i]
		cells, err := o.cell(ctx, j.p, j.n, j.eps, func() {
			mu.Lock()
			defer mu.Unlock()
			if done++; o.Progress != nil {
				o.Progress(done, total)
			}
		})
		if err != nil {
			return fmt.Errorf("%s, n = %d, ε = %v: %w", j.p.name, j.n, j.eps, err)
		}
		for i, c := range cells {
			out.Curves[j.first+i].Cells[j.at] = c // no other job's
		}
		return nil
	})
	return out, err
}

// parameters names a problem's curves.
func (p problem) parameters() []string {
	if p.kind == twoMoments {
		return []string{p.name + ": mean", p.name + ": sd"}
	}
	return []string{p.name}
}

// cell counts at one size and ε.
func (o Options) cell(ctx context.Context, p problem, n int, eps float64, ran func()) ([]Cell, error) {
	src := dp.Seeded(o.Seed ^ uint64(n)<<20 ^ math.Float64bits(eps) ^ nameSeed(p.name))
	sh, err := p.shape(n)
	if err != nil {
		return nil, err
	}
	at := func(eps float64) dp.Request { return dp.PureDP(eps).Under(p.adjacency) }
	plan, reader, err := simulate.Plans(ctx, sums.New(), sh, at, eps, o.Overstated) // reader: what the posterior believes
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for range p.parameters() {
		cells = append(cells, Cell{N: n, Epsilon: eps, Runs: o.Runs})
	}
	for range o.Runs {
		truth, value := p.draw(src)
		st, err := p.statistics(sh, n, value)
		if err != nil {
			return nil, err
		}
		d, err := plan.Draw(ctx, st, "simulated", src)
		if err != nil {
			return nil, err
		}
		lower, upper, err := p.intervals(ctx, reader, d)
		if err != nil {
			return nil, err
		}
		for i, v := range truth {
			if lower[i] <= v && v <= upper[i] {
				cells[i].Held++
			}
			cells[i].Width += (upper[i] - lower[i]) / float64(o.Runs)
		}
		ran()
	}
	return cells, nil
}

// nameSeed tells problems apart, by the FNV-1a hash of their names.
func nameSeed(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// intervals are the 95 % intervals that a reader of the release sees.
func (p problem) intervals(ctx context.Context, plan *mechanism.Plan,
	d *mechanism.Drawn) (lower, upper []float64, err error) {
	if p.kind == modelFree {
		list, _, ok, err := plan.Intervals(ctx, d, simulate.Level)
		if err != nil || !ok {
			return nil, nil, cmp.Or(err, errors.New("numbers: a mean without an interval"))
		}
		return []float64{list[0].Population.Lower}, []float64{list[0].Population.Upper}, nil
	}
	e, err := plan.Estimate(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	for i := range e.Draws.Names {
		lower = append(lower, e.Draws.Quantile(i, (1-simulate.Level)/2))
		upper = append(upper, e.Draws.Quantile(i, (1+simulate.Level)/2))
	}
	return lower, upper, nil
}

// noteErrors are the relative errors of theory/numbers.md §2.
var noteErrors = []RateError{{N: 500, Epsilon: .1, Note: .241}, {N: 500, Epsilon: 1, Note: .049},
	{N: 500, Epsilon: 5, Note: .044}, {N: 5000, Epsilon: .1, Note: .0203}, {N: 5000, Epsilon: 1, Note: .0143}}

// Rates measures the relative error of an exponential rate ½ on [0, 10], whose prior is the problem's; ten times as
// often at ε = 0.1 and n = 500, where three releases in a thousand err by more than 100 %. Errors: those of planning,
// and ctx's.
func Rates(ctx context.Context, runs int, seed uint64) ([]RateError, error) {
	const theta = .5
	p := problems()[0]
	out := append([]RateError(nil), noteErrors...)
	for i, e := range out {
		runs := runs
		if e.Note > .1 {
			runs *= 10
		}
		src := dp.Seeded(seed ^ uint64(e.N)<<20 ^ math.Float64bits(e.Epsilon))
		sh, err := p.shape(e.N)
		if err != nil {
			return nil, err
		}
		plan, err := sums.New().Plan(ctx, sh, dp.PureDP(e.Epsilon))
		if err != nil {
			return nil, err
		}
		square := 0.0
		for range runs {
			st, err := p.statistics(sh, e.N, func() float64 { return math.Exp(sample.LogGamma(src, 1)) / theta })
			if err != nil {
				return nil, err
			}
			d, err := plan.Draw(ctx, st, "simulated", src)
			if err != nil {
				return nil, err
			}
			estimate, err := plan.Estimate(ctx, d)
			if err != nil {
				return nil, err
			}
			off := estimate.Draws.Mean()[0]/theta - 1
			square += off * off / float64(runs)
		}
		out[i].Runs, out[i].Error = runs, math.Sqrt(square)
	}
	return out, nil
}
