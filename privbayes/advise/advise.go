// Package advise answers "which mechanism, at my n, my model, my ε?" before anything is spent. It plans every mechanism of the library at the
// same target, each with its best free post-processing, and finds the error that is to be expected on data from a public prior: by exact
// enumeration or quadrature where the output law is a short list, by simulation elsewhere; every row says which. It answers backwards too:
// which ε, or which n, reaches an error. It reads no data, and what it says may be published. See docs/choosing.md.
//
// Place: above the mechanisms and eval; the façade's Model.Advise and the command "privbayes plan --compare" are calls to it.
package advise

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Error is a question that cannot be answered.
type Error struct{ What, Want string }

func (e *Error) Error() string { return fmt.Sprintf("advise: %s; want %s", e.What, e.Want) }

// Options refines the comparison. Zero values take the defaults in brackets.
type Options struct {
	Mechanisms []mechanism.Mechanism // each as it is, a row of its own [every mechanism, each with its best free choice: see Families]
	Data       int                   // most simulated data sets per row, one draw each; fewer once the standard error is below 2 %, or the row is clearly not the best [400]
	Prior      float64               // a₀ of the public prior Dirichlet(a₀, …) on every conditional distribution [1]
	Work       int64                 // pairs × outputs up to which mechanisms calibrate by enumeration, beyond by their proved bounds [200 000]
	Seed       uint64
	Progress   func(done, total int64) // after every row
}

// Advice is the comparison: public, a function of shape, targets and options.
type Advice struct {
	shape    *model.Shape
	targets  []dp.Target
	families []Family
	options  Options
	rows     [][]Row // target × family
	sets     *dataSets
}

// The defaults of Options.
const (
	defaultData  = 400
	defaultPrior = 1
	defaultWork  = 200_000 // exact calibrations inside a plan take a fraction of a second
)

// For compares mechanisms on a shape with public n, at one or more targets of one notion, δ, order and adjacency. A mechanism that does not
// fit the shape or refuses a target has a row that says why. Errors: *Error, and the context's.
func For(ctx context.Context, sh *model.Shape, targets []dp.Target, o Options) (*Advice, error) {
	if sh == nil {
		return nil, &Error{"no shape", "a shape: a schema, a model and a public n"}
	}
	n, public := sh.N()
	switch {
	case !public || n == 0:
		return nil, &Error{"private or zero n", "a public n > 0"}
	case len(targets) == 0:
		return nil, &Error{"no targets", "at least one"}
	case !(o.Prior >= 0) || math.IsInf(o.Prior, 1) || o.Data < 0 || o.Work < 0:
		return nil, &Error{fmt.Sprintf("prior %v, %d data sets, work %d", o.Prior, o.Data, o.Work), "finite numbers ≥ 0"}
	}
	for _, t := range targets {
		if err := t.Valid(); err != nil {
			return nil, err
		}
		if t.Notion != targets[0].Notion || t.Adjacency != targets[0].Adjacency || t.Delta != targets[0].Delta || t.Order != targets[0].Order || t.NominalScale {
			return nil, &Error{"targets on different terms", "one notion, δ, order and adjacency and no nominal scale, so that the levels compare"}
		}
	}
	if o.Data == 0 {
		o.Data = defaultData
	}
	if o.Prior == 0 {
		o.Prior = defaultPrior
	}
	if o.Work == 0 {
		o.Work = defaultWork
	}
	families := Families(sh)
	if o.Mechanisms != nil {
		families = alone(o.Mechanisms)
	}
	return forFamilies(ctx, sh, targets, families, o)
}

// forFamilies compares, with everything checked and every default taken.
func forFamilies(ctx context.Context, sh *model.Shape, targets []dp.Target, families []Family, o Options) (*Advice, error) {
	a := &Advice{shape: sh, targets: targets, families: families, options: o, sets: newDataSets(sh, o)}
	planCtx := cert.WithWorkLimit(ctx, o.Work)
	total, done := int64(len(targets)*len(a.families)), int64(0)
	for _, t := range targets {
		var rows []Row
		least := math.Inf(1)
		for _, f := range a.families {
			row, err := a.row(planCtx, f, t, least)
			if err != nil {
				return nil, err
			}
			if row.Refused == "" {
				least = math.Min(least, row.Error)
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

// Shape is what was asked about.
func (a *Advice) Shape() *model.Shape { return a.shape }

// Targets are the levels compared.
func (a *Advice) Targets() []dp.Target { return append([]dp.Target(nil), a.targets...) }

// Rows are the mechanisms at target i, in the order compared.
func (a *Advice) Rows(i int) []Row { return append([]Row(nil), a.rows[i]...) }
