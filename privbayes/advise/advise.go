// Package advise answers "which mechanism, at my n, my model, my ε?" before anything is spent. It plans every mechanism
// of the library at the same target, each with its best free post-processing, and finds the error that is to be
// expected on data from a public prior: by exact enumeration or quadrature where the output law is a short list, by
// simulation elsewhere; every row says which. It answers backwards too: which ε, or which n, reaches an error. It reads
// no data, and what it says may be published. See docs/choosing.md.
//
// Place: above the mechanisms and eval; the façade's Model.Advise and the command "privbayes plan --compare" are calls
// to it.
package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Error is a question that cannot be answered.
type Error struct{ What, Want string }

func (e *Error) Error() string { return fmt.Sprintf("advise: %s; want %s", e.What, e.Want) }

// Options refines the comparison. Zero values take the defaults in brackets.
type Options struct {
	// each as it is, a row of its own [every mechanism, each with its best free choice: see Families]
	Mechanisms []mechanism.Mechanism
	// most simulated data sets per row, one draw each; fewer once the standard error is below 2 %, or the row is
	// clearly not the best [400]
	Data int
	// models to compare a learned structure with, beside MaxEntropy, Tree and every column by itself: such as a public
	// Star, or a Network of the same columns; without Mechanisms
	AlsoCompare []model.Model
	Prior       float64 // a₀ of the public prior Dirichlet(a₀, …) on every conditional distribution [1]
	// pairs × outputs up to which mechanisms calibrate by enumeration, beyond by their proved bounds [200 000]
	Work int64
	Seed uint64
	// what all rows together may take, by estimated steps; by the clock, as a last resort, three times that [10 s]
	Time     time.Duration
	Memory   int64                   // bytes that a row may take [256 MiB]
	Progress func(done, total int64) // at least every second, in estimated steps; from one goroutine at a time
	// every row of target i (from 0) once it is worked out, in the order of Advice.Rows; on the goroutine that asked
	Row func(i int, r Row)

	steps float64 // in place of those that Time stands for, where it is not 0: tests and searches
}

// Advice is the comparison: public, a function of shape, targets and options.
type Advice struct {
	shape    *model.Shape
	targets  []dp.Request
	families []Family
	options  Options
	rows     [][]Row      // target × family
	arena    *model.Shape // whose tables are simulated: the shape's own, but for learned structures
	sets     *dataSets
	allowed  time.Duration // what the rows were given: Options.Time, or what the context's deadline left of it
}

// mostData bounds the simulated data sets.
const mostData = 1_000_000

// The defaults of Options.
const (
	defaultData  = 400
	defaultPrior = 1
	defaultWork  = 200_000 // exact calibrations inside a plan take a fraction of a second

	defaultTime   = 10 * time.Second
	defaultMemory = 256 << 20
)

// For compares mechanisms on a shape with public n, at one or more targets of one notion, δ, order and adjacency. A
// mechanism that does not fit the shape or refuses a target has a row that says why.
//
// Of a learned structure the rows are models, each with the best of its noises: the one asked about, MaxEntropy, Tree,
// every column by itself, and Options.AlsoCompare. All are drawn from the same simulated records, and their errors are
// of the same pairs of columns: those that the structure asked about may measure, or any pair where it is a star.
//
// It answers within Options.Time, or a little before the context's deadline. What it leaves out to do so follows from
// estimated steps and bytes, which are functions of the question, so that the answer is the same on every machine that
// does 2.5·10⁸ of them a second: first the data sets become fewer, then the free choices, the dearest first, and at
// last a mechanism is left out ([Row.LeftOut]). Where a machine is slower than that, or a mechanism does not say what
// it takes (mechanism.Costed), the clock decides, and the row says so.
//
// Errors: *Error, and the context's where it is cancelled.
func For(ctx context.Context, sh *model.Shape, targets []dp.Request, o Options) (*Advice, error) {
	if sh == nil {
		return nil, &Error{"no shape", "a shape: a schema, a model and a public n"}
	}
	n, public := sh.N()
	switch {
	case !public || n == 0:
		return nil, &Error{"private or zero n", "a public n > 0"}
	case len(targets) == 0:
		return nil, &Error{"no targets", "at least one"}
	case !(o.Prior >= 0) || math.IsInf(o.Prior, 1) || o.Data < 0 || o.Work < 0 || o.Time < 0 || o.Memory < 0:
		return nil, &Error{fmt.Sprintf("prior %v, %d data sets, work %d, time %v, memory %d", o.Prior, o.Data, o.Work,
			o.Time, o.Memory), "finite numbers ≥ 0"}
	case o.Data > mostData:
		return nil, &Error{fmt.Sprintf("%d data sets", o.Data), fmt.Sprintf("at most %d", mostData)}
	}
	for _, t := range targets {
		if err := t.Valid(); err != nil {
			return nil, err
		}
		if t.Notion != targets[0].Notion || t.Adjacency != targets[0].Adjacency || t.Delta != targets[0].Delta ||
			t.Order != targets[0].Order || t.NominalScale {
			return nil, &Error{"targets on different terms", "one notion, δ, order and adjacency and no nominal " +
				"scale, so that the levels compare"}
		}
	}
	o.Data, o.Prior, o.Work = cmp.Or(o.Data, defaultData), cmp.Or(o.Prior, defaultPrior), cmp.Or(o.Work, defaultWork)
	o.Time, o.Memory = cmp.Or(o.Time, defaultTime), cmp.Or(o.Memory, defaultMemory)
	if o.Progress == nil {
		o.Progress = cert.ProgressOf(ctx)
	}
	learns := sh.Learning() != nil
	if len(o.AlsoCompare) > 0 && (!learns || o.Mechanisms != nil) {
		return nil, &Error{table.Count(len(o.AlsoCompare), "model") + " beside " + sh.Model().String(),
			"a learned structure to compare with, such as MaxEntropy(), and no Mechanisms: a row is a model then"}
	}
	var families []Family
	switch {
	case o.Mechanisms != nil:
		families = alone(o.Mechanisms)
	case learns:
		var err error
		if families, err = models(sh, o.AlsoCompare, targets[0].Notion == dp.Pure); err != nil {
			return nil, err
		}
	default:
		families = Families(sh)
	}
	return forFamilies(ctx, sh, targets, families, o)
}

// Shape is what was asked about.
func (a *Advice) Shape() *model.Shape { return a.shape }

// Targets are the levels compared.
func (a *Advice) Targets() []dp.Request { return append([]dp.Request(nil), a.targets...) }

// Rows are the mechanisms at target i, in the order compared.
func (a *Advice) Rows(i int) []Row { return append([]Row(nil), a.rows[i]...) }
