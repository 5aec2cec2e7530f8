package advise

import (
	"context"
	"math"
	"runtime"
	"sync"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Seeds of the noise, apart from those of the data sets and from each other.
const (
	pilotNoise = 1 << 40
	finalNoise = 1 << 41
)

// Simulation ends at a relative standard error of enough, or where the error is worse than that of a rival by a factor
// and four standard errors, from fewest data sets on, in steps of batch.
const (
	enough = .02
	worse  = 1.5
	fewest = 32
	batch  = 16
)

// simulate draws once from every data set, up to most, and averages the losses. The data sets are the same for every
// mechanism and target.
func (a *Advice) simulate(ctx context.Context, p *mechanism.Plan, on *model.Shape, noise uint64, most int,
	rival float64) (result, error) {
	if a.stratifies() {
		return a.stratified(ctx, p, on, noise, most)
	}
	var sum, squares, kl float64
	r := result{how: Simulation}
	for r.sets < most {
		size := min(batch, most-r.sets)
		errors, divergences, failed := make([]float64, size), make([]float64, size), make([]error, size)
		parallel(ctx, size, func(i int) {
			d, err := a.sets.at(r.sets + i)
			if err == nil {
				errors[i], divergences[i], err = a.loss(ctx, p, on, d, a.options.Seed+noise+uint64(r.sets+i))
			}
			failed[i] = err
		})
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		for i := range size {
			if failed[i] != nil {
				return r, failed[i]
			}
			sum, squares, kl = sum+errors[i], squares+errors[i]*errors[i], kl+divergences[i]
		}
		r.losses = append(r.losses, errors...)
		r.sets += size
		n := float64(r.sets)
		r.absolute, r.kl = sum/n, kl/n
		r.se = math.Sqrt(math.Max(0, squares/n-r.absolute*r.absolute) / math.Max(n-1, 1))
		if r.sets >= fewest && (r.se <= enough*r.absolute || r.absolute-4*r.se > worse*rival) {
			break
		}
	}
	return r, nil
}

// stratifies reports whether data sets are at quantiles of the prior: of one distribution with two levels.
func (a *Advice) stratifies() bool {
	conds := a.shape.Conditionals()
	return len(conds) == 1 && conds[0].Rows == 1 && conds[0].Levels == 2
}

// parallel runs f(0) … f(n−1) on all processors, none of them begun after ctx ended.
func parallel(ctx context.Context, n int, f func(i int)) {
	var wait sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), n)
	for w := range workers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := w; i < n && ctx.Err() == nil; i += workers {
				f(i)
			}
		}()
	}
	wait.Wait()
}

// loss draws once and compares the released with the non-private estimates.
func (a *Advice) loss(ctx context.Context, p *mechanism.Plan, on *model.Shape, d *dataSet, seed uint64) (absolute,
	kl float64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	st, err := d.under(ctx, on)
	if err != nil {
		return 0, 0, err
	}
	drawn, err := p.Draw(ctx, st, "simulated", dp.Seeded(seed))
	if err != nil {
		return 0, 0, err
	}
	estimate, err := p.Estimate(ctx, drawn)
	if err != nil {
		return 0, 0, err
	}
	var released [][]float64
	if a.arena.Learning() != nil {
		var f *model.Fitted
		if f, err = model.Fit(p.Shape(), estimate); err == nil {
			released, err = f.PairsUnder(ctx, a.arena)
		}
	} else {
		released, err = estimates(p.Shape(), estimate)
	}
	if err != nil {
		return 0, 0, err
	}
	absolute, kl = a.arena.Distance(d.plain, released)
	return absolute, kl, nil
}

// estimates are the numbers that are compared.
func estimates(sh *model.Shape, e model.Estimate) ([][]float64, error) {
	f, err := model.Fit(sh, e)
	if err != nil {
		return nil, err
	}
	return f.Means(), nil
}
