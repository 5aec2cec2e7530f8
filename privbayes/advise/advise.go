// Package advise answers "which mechanism, at my n, my model, my ε?" before anything is spent: it plans every applicable mechanism at the
// same target and simulates its error on data drawn from a public prior. It reads no data, and what it says may be published.
package advise

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Error is a question that cannot be answered.
type Error struct{ What, Want string }

func (e *Error) Error() string { return fmt.Sprintf("advise: %s; want %s", e.What, e.Want) }

// Options refines the simulation. Zero values take the defaults in brackets.
type Options struct {
	Mechanisms []mechanism.Mechanism // [every mechanism of the library, each with its best post-processing]
	Data       int                   // simulated data sets per mechanism and target, one draw each [200]
	Prior      float64               // a₀ of the public prior Dirichlet(a₀, …) on every conditional distribution [1]
	Seed       uint64
	Progress   func(done, total int64)
}

// Row is one mechanism at one target.
type Row struct {
	Mechanism string
	Target    dp.Target
	Certified dp.Guarantee
	Error     float64 // mean absolute error of a probability of the model, against the non-private estimate
	SE        float64 // standard error of Error over the simulated data
	KL        float64 // mean KL divergence of the model's distributions, non-private ‖ released, nats
	Expected  float64 // the plan's own prediction for one proportion; NaN where it has none
	Refused   string  // why the mechanism does not apply; Error is then NaN
}

// Advice is the comparison.
type Advice struct {
	shape   *model.Shape
	targets []dp.Target
	rows    [][]Row // target × mechanism
	data    int
	prior   float64
}

// All lists the mechanisms that are compared.
func All() []mechanism.Mechanism {
	return []mechanism.Mechanism{
		counts.KNorm(), counts.Geometric(), counts.DiscreteGaussian(), counts.Geometric().WithPostProcess(counts.Consistent), counts.BySize(), counts.Fourier(),
		hellinger.New(), dirichlet.New(), dirichlet.New().Raw(), gridmap.New(), counts.Laplace(),
	}
}

// enumeration keeps exact calibrations inside a plan to about a second; beyond, mechanisms take their proved bounds.
const enumeration = 4_000_000

// For compares mechanisms on a shape with public n made of count tables, at one or more targets of one notion and adjacency. A mechanism
// that refuses a target has a row that says why. Errors: *Error, and the context's.
func For(ctx context.Context, sh *model.Shape, targets []dp.Target, o Options) (*Advice, error) {
	n, public := sh.N()
	switch {
	case !sh.Model().Kind.Counts():
		return nil, &Error{sh.Model().String(), "a model made of count tables"}
	case !public || n == 0:
		return nil, &Error{"private or zero n", "a public n > 0"}
	case len(targets) == 0:
		return nil, &Error{"no targets", "at least one"}
	case o.Prior < 0 || o.Data < 0:
		return nil, &Error{fmt.Sprintf("prior %v, %d data sets", o.Prior, o.Data), "numbers ≥ 0"}
	}
	for _, t := range targets {
		if t.Notion != targets[0].Notion || t.Adjacency != targets[0].Adjacency || t.Delta != targets[0].Delta || t.Order != targets[0].Order {
			return nil, &Error{"targets of different notions", "one notion, δ, order and adjacency, so that the levels compare"}
		}
	}
	if o.Mechanisms == nil {
		o.Mechanisms = All()
	}
	if o.Data == 0 {
		o.Data = 200
	}
	if o.Prior == 0 {
		o.Prior = 1
	}
	a := &Advice{shape: sh, targets: targets, data: o.Data, prior: o.Prior}
	planCtx := cert.WithWorkLimit(ctx, enumeration)
	total, done := int64(len(targets)*len(o.Mechanisms)), int64(0)
	for _, t := range targets {
		var rows []Row
		for _, m := range o.Mechanisms {
			row, err := a.row(planCtx, m, t, o)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
			if done++; o.Progress != nil {
				o.Progress(done, total)
			}
		}
		a.rows = append(a.rows, rows)
	}
	return a, nil
}

// row plans one mechanism and simulates it. The same simulated data serve every mechanism and target.
func (a *Advice) row(ctx context.Context, m mechanism.Mechanism, t dp.Target, o Options) (Row, error) {
	row := Row{Mechanism: m.Title(), Target: t, Error: math.NaN(), KL: math.NaN(), Expected: math.NaN()}
	p, err := m.Plan(ctx, a.shape, t)
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil {
		row.Refused = err.Error()
		return row, nil
	}
	row.Certified = p.Certified()
	if e, ok := p.ExpectedError(); ok {
		row.Expected = e
	}
	var sum, squares, kl float64
	for i := range o.Data {
		st, err := simulate(a.shape, o.Prior, dp.Seeded(o.Seed+uint64(i)))
		if err != nil {
			return row, err
		}
		e, k, err := loss(ctx, p, st, o.Seed+uint64(i)+1<<32)
		if err != nil {
			return row, err
		}
		sum, squares, kl = sum+e, squares+e*e, kl+k
	}
	n := float64(o.Data)
	row.Error, row.KL = sum/n, kl/n
	row.SE = math.Sqrt(math.Max(0, squares/n-row.Error*row.Error) / math.Max(n-1, 1))
	return row, nil
}

// loss draws once and compares the released with the non-private estimates of every distribution of the model.
func loss(ctx context.Context, p *mechanism.Plan, st *model.Statistics, seed uint64) (absolute, kl float64, err error) {
	plain, err := model.FitPrivately(seal.Key{}, st) // of simulated data
	if err != nil {
		return 0, 0, err
	}
	drawn, err := p.Draw(ctx, st, "simulated", dp.Seeded(seed))
	if err != nil {
		return 0, 0, err
	}
	estimate, err := p.Estimate(drawn)
	if err != nil {
		return 0, 0, err
	}
	released, err := model.Fit(p.Shape(), estimate)
	if err != nil {
		return 0, 0, err
	}
	a, b := plain.Posteriors(), released.Posteriors()
	for i := range a {
		x, y := a[i].Mean(), b[i].Mean()
		for k := range x {
			absolute += math.Abs(x[k]-y[k]) / float64(len(x)*len(a))
			if x[k] > 0 {
				kl += x[k] * math.Log(x[k]/math.Max(y[k], 1e-300)) / float64(len(a))
			}
		}
	}
	return absolute, kl, nil
}
