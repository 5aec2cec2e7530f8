package populations

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// quantileMechanisms release a quantile with the ends of its interval, or counts from which both follow.
var quantileMechanisms = []struct {
	name    string
	release mechanism.Mechanism
}{{"quantile-em", quantiles.EM().WithIntervals()}, {"joint-quantiles", quantiles.Joint().WithIntervals()},
	{"histogram-quantiles", quantiles.Histogram()}}

// quantileEpsilons are pure.
var quantileEpsilons = []float64{.3, 1, 3}

// quantileProblem is a share p of a population of values on [0, 100], which is what at says of a uniform share.
type quantileProblem struct {
	name string
	p    float64
	n    int
	at   func(u float64) float64
}

// quantileProblems are the median and the upper tail of two populations, flat and skewed.
func quantileProblems() (list []quantileProblem) {
	for _, w := range []struct {
		name string
		at   func(u float64) float64
	}{
		{"uniform", func(u float64) float64 { return 100 * u }},
		{"lognormal, σ = ½", func(u float64) float64 {
			return math.Min(math.Exp(3+.5*math.Sqrt2*math.Erfinv(2*u-1)), 100)
		}},
	} {
		for _, p := range []float64{.5, .9} {
			for _, n := range []int{300, 3000} {
				list = append(list, quantileProblem{w.name, p, n, w.at})
			}
		}
	}
	return list
}

// RunQuantiles simulates the problems for which wanted is true (nil: all), runs of each: the same data for every
// mechanism and ε. A row is of a quantile, its guarantee the mechanism. Errors: those of planning, and ctx's.
func RunQuantiles(ctx context.Context, runs int, seed uint64, wanted func(name string, p float64, n int) bool) (*Result,
	error) {
	out := &Result{Seed: seed}
	var chosen []quantileProblem
	for _, p := range quantileProblems() {
		if wanted == nil || wanted(p.name, p.p, p.n) {
			chosen = append(chosen, p)
		}
	}
	rows := make([][]Row, len(chosen))
	err := simulate.Each(ctx, len(chosen), func(ctx context.Context, i int) (err error) {
		rows[i], err = chosen[i].run(ctx, runs, seed)
		return err
	})
	for _, r := range rows {
		out.Rows = append(out.Rows, r...)
	}
	return out, err
}

func (q quantileProblem) run(ctx context.Context, runs int, seed uint64) (rows []Row, err error) {
	sh, err := shapeOf(model.Quantiles("x", q.p).WithResolution(63), q.n)
	if err != nil {
		return nil, err
	}
	var plans [][]*mechanism.Plan
	for _, m := range quantileMechanisms {
		at := make([]*mechanism.Plan, len(quantileEpsilons))
		for k, eps := range quantileEpsilons {
			if at[k], err = m.release.Plan(ctx, sh, dp.PureDP(eps)); err != nil {
				return nil, err
			}
		}
		plans = append(plans, at)
		rows = append(rows, Row{fmt.Sprintf("quantile %v", q.p), q.name, m.name, q.n, runs, make([]Cell, len(at))})
	}
	truth, point, l := q.at(q.p), fmt.Sprint("quantile", q.name, q.p, q.n), sh.Lattice()
	for run := range runs {
		src := simulate.Stream("populations", seed, point, run)
		counts := make([]int64, l.Len())
		for range q.n {
			counts[l.At(0, q.at(sample.Float64(src)))]++
		}
		st, err := model.FromWhole(sh, q.n, counts)
		if err != nil {
			return nil, err
		}
		for m := range plans {
			for k, plan := range plans[m] {
				c := &rows[m].Cells[k]
				c.Epsilon = quantileEpsilons[k]
				if err := c.add(ctx, plan, st, src, truth, runs); err != nil {
					return nil, err
				}
			}
		}
	}
	for m := range rows {
		for k := range rows[m].Cells {
			rows[m].Cells[k].round()
		}
	}
	return rows, nil
}

// add draws one of so many releases, and adds to the cell whether its first interval contains the true value.
func (c *Cell) add(ctx context.Context, plan *mechanism.Plan, st *model.Statistics, src *dp.Stream, truth float64,
	runs int) error {
	d, err := plan.Draw(ctx, st, "simulated", src)
	if err != nil {
		return err
	}
	found, _, _, err := plan.Intervals(ctx, d, simulate.Level)
	if err != nil {
		return err
	}
	i := found[0].Population
	c.Coverage += simulate.Held(i.Lower, i.Upper, truth) / float64(runs)
	c.Width += (i.Upper - i.Lower) / 100 / float64(runs)
	return nil
}

func (c *Cell) round() {
	c.Coverage, c.Width = math.Round(c.Coverage*1e5)/1e5, math.Round(c.Width*1e5)/1e5
}
