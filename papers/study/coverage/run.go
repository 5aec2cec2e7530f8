package coverage

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// Options says what is run. Zero values take those in brackets.
type Options struct {
	Problems []Problem // [Problems()]
	Epsilons []float64 // of ε-DP releases [0.03, 0.1, 0.3, 1, 3, 10]
	Runs     int       // draws of parameters, data and noise per point [4000]
	Seed     uint64
	// Overstated computes posteriors as if ε had been this many times what it was [1]: √2 takes the noise for one of
	// half its variance (but for the lattice, when ε is large). Any value but 1 is a wrong posterior, for showing that
	// coverage tells.
	Overstated float64
	Progress   func(done, total int64)
}

func (o Options) withDefaults() (Options, error) {
	if len(o.Problems) == 0 {
		o.Problems = Problems()
	}
	if len(o.Epsilons) == 0 {
		o.Epsilons = []float64{0.03, 0.1, 0.3, 1, 3, 10}
	}
	if o.Runs == 0 {
		o.Runs = 4000
	}
	if o.Overstated == 0 {
		o.Overstated = 1
	}
	if o.Runs < 1 {
		return o, domain.Refuse("coverage", "Runs", o.Runs, "at least 1")
	}
	if !(o.Overstated > 0) || math.IsInf(o.Overstated, 1) {
		return o, domain.Refuse("coverage", "Overstated", o.Overstated, "a finite number above 0")
	}
	return o, nil
}

// Run simulates every problem at every ε. Errors: *dp.ParameterError, those of planning, and ctx's.
func Run(ctx context.Context, o Options) (*Result, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	out := &Result{Runs: o.Runs, Seed: o.Seed}
	done, total := int64(0), int64(len(o.Problems)*len(o.Epsilons)*o.Runs)
	for _, p := range o.Problems {
		sh, err := p.shape()
		if err != nil {
			return nil, err
		}
		first := len(out.Curves)
		for _, w := range p.watched() {
			out.Curves = append(out.Curves, Curve{Name: w.name, Mechanism: p.Mechanism.Title()})
		}
		for k, eps := range o.Epsilons {
			drawn, stated, err := simulate.Plans(ctx, p.Mechanism, sh, dp.PureDP, eps, o.Overstated)
			if err != nil {
				return nil, err
			}
			points, err := point(ctx, p, drawn, stated, dp.Seeded(o.Seed+uint64(k)), o.Runs, func() {
				if done++; o.Progress != nil && (done%100 == 0 || done == total) {
					o.Progress(done, total)
				}
			})
			if err != nil {
				return nil, err
			}
			for i, pt := range points {
				pt.Epsilon = eps
				out.Curves[first+i].Points = append(out.Curves[first+i].Points, pt)
			}
		}
	}
	return out, nil
}

// point counts over runs, one Point for every watched parameter.
func point(ctx context.Context, p Problem, drawn, stated *mechanism.Plan, src *dp.Stream, runs int,
	step func()) ([]Point, error) {
	watch := p.watched()
	out := make([]Point, len(watch))
	each := 1 / float64(runs)
	for range runs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		tables, truth, err := p.simulate(src)
		if err != nil {
			return nil, err
		}
		st, err := model.FromCounts(drawn.Shape(), tables)
		if err != nil {
			return nil, err
		}
		r, err := simulate.Release(ctx, drawn, stated, st, src)
		if err != nil {
			return nil, err
		}
		post, err := noiseaware.Of(r)
		if err != nil {
			return nil, err
		}
		params := post.Parameters()
		for i, w := range watch {
			q := params[w.index]
			l, u := q.Naive.CredibleInterval(simulate.Level)
			out[i].NaiveWidth += each * (u - l)
			out[i].Naive += each * simulate.Held(l, u, truth[i])
			l, u = q.Law().CredibleInterval(simulate.Level)
			out[i].AwareWidth += each * (u - l)
			out[i].Aware += each * simulate.Held(l, u, truth[i])
		}
		step()
	}
	return out, nil
}
