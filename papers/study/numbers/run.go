package numbers

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
)

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
		a, b, err := sums.PopulationMean(plan, d.Raw[0], simulate.Level)
		return []float64{a}, []float64{b}, err
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
