package mcmc

import (
	"context"
	"fmt"
	"math"
	"sync"
)

// Chain is a Markov chain with a source of chance of its own.
type Chain interface {
	Sweep(warmUp bool)
	// Quantities are what is kept of its state, in one order.
	Quantities() []float64
}

// Limit says how well chains must know a quantity: R-hat below RHat, effective sample size at least ESS, of bulk and
// tails; 0 asks for none. The zero value asks nothing.
type Limit struct{ RHat, ESS float64 }

// Runs says how chains are run.
type Runs struct {
	WarmUp int // sweeps that are dropped
	Kept   int // draws of a chain; longer chains are thinned to as many
	Most   int // sweeps of a chain in all
	Limits []Limit
	// Between is told what chains that do not agree have drawn, before it is dropped and they run twice as long; nil:
	// nothing changes.
	Between func(drawn Traces)
}

// Traces are the draws of every chain, of every quantity.
type Traces [][][]float64

// ApartError says that chains did not come to agree within the limit, and about which quantity least.
type ApartError struct {
	Quantity  int
	RHat, ESS float64
	Sweeps    int // of each chain
}

// Error names figures.
func (e *ApartError) Error() string {
	return fmt.Sprintf("mcmc: after %d sweeps of each chain quantity %d has R-hat %.4g and effective sample size %.4g",
		e.Sweeps, e.Quantity, e.RHat, e.ESS)
}

type progressKey struct{}

// WithProgress is a context in which Draw tells f how many of its sweeps are made; nil is told nothing. The number of
// all sweeps grows when chains that do not agree run on. f is called by one goroutine at a time.
func WithProgress(ctx context.Context, f func(done, total int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// Draw runs the chains, each in a goroutine of its own, until they agree: R.Kept sweeps after the warm-up, twice as
// many, and so on. What was drawn before a doubling is dropped. The draws are a function of the chains. Errors:
// *ApartError, ctx's.
func (r Runs) Draw(ctx context.Context, chains ...Chain) (drawn Traces, sweeps int, err error) {
	drawn = make(Traces, len(chains))
	progress, _ := ctx.Value(progressKey{}).(func(done, total int64))
	run := func(n, every int, keep bool) error {
		var wait sync.WaitGroup
		for k, c := range chains {
			wait.Go(func() {
				for i := range n {
					if i%16 == 0 && ctx.Err() != nil {
						return
					}
					if i%16 == 0 && k == 0 && progress != nil {
						progress(int64(sweeps+i), int64(max(sweeps+n, r.WarmUp+r.Kept)))
					}
					if c.Sweep(!keep); keep && (i+1)%every == 0 {
						drawn[k] = appended(drawn[k], c.Quantities())
					}
				}
			})
		}
		wait.Wait()
		return ctx.Err()
	}
	if err := run(r.WarmUp, 1, false); err != nil {
		return nil, 0, err
	}
	sweeps = r.WarmUp
	for every := 1; ; every *= 2 {
		for _, quantities := range drawn {
			for q := range quantities {
				quantities[q] = quantities[q][:0]
			}
		}
		length := every * r.Kept
		if err := run(length, every, true); err != nil {
			return nil, 0, err
		}
		sweeps += length
		worst := drawn.apart(r.Limits)
		if worst == nil {
			return drawn, sweeps, nil
		}
		if worst.Sweeps = sweeps; sweeps+2*length > r.Most {
			return nil, sweeps, worst
		}
		if r.Between != nil {
			r.Between(drawn)
		}
	}
}

// appended adds a draw of every quantity.
func appended(to [][]float64, draw []float64) [][]float64 {
	if to == nil {
		to = make([][]float64, len(draw))
	}
	for q, v := range draw {
		to[q] = append(to[q], v)
	}
	return to
}

// apart is nil where the chains agree, and else the quantity furthest from it.
func (t Traces) apart(limits []Limit) (worst *ApartError) {
	bad := 1.
	for q, limit := range limits {
		if limit == (Limit{}) {
			continue
		}
		var x [][]float64
		for _, chain := range t {
			x = append(x, chain[q])
		}
		d := Diagnosis{RHat: math.Inf(1), Bulk: math.Inf(1), Tail: math.Inf(1)}
		if limit.ESS > 0 {
			d = Diagnose(x)
		} else {
			d.RHat = RHat(x)
		}
		ess := math.Min(d.Bulk, d.Tail)
		b := math.Max((d.RHat-1)/(limit.RHat-1), limit.ESS/math.Max(ess, 1e-9))
		if !(b < bad) && (worst == nil || b > bad) {
			worst, bad = &ApartError{Quantity: q, RHat: d.RHat, ESS: ess}, b
		}
	}
	return worst
}

// Rows are the draws of all chains, chain by chain, of the first so many quantities.
func (t Traces) Rows(quantities int) (out [][]float64) {
	for _, chain := range t {
		for k := range chain[0] {
			row := make([]float64, quantities)
			for q := range row {
				row[q] = chain[q][k]
			}
			out = append(out, row)
		}
	}
	return out
}

// Pooled are mean and covariance, row by row, of the first so many quantities over all chains.
func (t Traces) Pooled(quantities int) (mean, covariance []float64) {
	rows := t.Rows(quantities)
	mean, covariance = make([]float64, quantities), make([]float64, quantities*quantities)
	for n, w := range rows {
		for j, v := range w {
			mean[j] += (v - mean[j]) / float64(n+1)
		}
	}
	for _, w := range rows {
		for i, v := range w {
			for j, u := range w {
				covariance[i*quantities+j] += (v - mean[i]) * (u - mean[j]) / math.Max(float64(len(rows)-1), 1)
			}
		}
	}
	return mean, covariance
}
