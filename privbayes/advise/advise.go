// Package advise compares mechanisms for your model, your n and your ε before any budget is used. It plans every
// mechanism of the library at the same requested privacy, each with its best post-processing. It finds the error to
// expect on data from a public prior, by enumeration, quadrature or simulation. Every row names the method. It also
// answers which ε, or which n, reaches an error. It reads no data, so its answers may be published. See
// docs/howto/choosing.md.
package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
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

// For compares mechanisms on a shape with public n, at one or more targets of one privacy definition, δ, order and
// adjacency. A mechanism that does not fit the shape or refuses a target has a row that says why.
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
			return nil, &Error{"targets on different terms", "one privacy definition, δ, order and adjacency and no nominal " +
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
		return nil, &Error{table.Count(len(o.AlsoCompare), "model") + " next to " + sh.Model().String(),
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

// await runs f and comes back when it is done or when ctx ends, whichever is first. Most of what is planned and drawn
// looks at its context; the rest (a post-processing of very many counts, a foreign mechanism) is left behind when the
// time is over, and its result is thrown away. What f shares with others must therefore bear that it goes on.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, err
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return zero, ctx.Err()
	}
}

// Measure names the error that is compared, such as "a probability".
func (a *Advice) Measure() string { return a.shape.Words().Error }

// equal is the share of an error within which mechanisms count as equally good.
const equal = .01

// tied reports whether a row is as good as another: within two standard errors of the difference or 1 %. Both are
// simulated on the same data sets, so the difference is taken on each.
func tied(r, least Row) bool {
	difference, se := r.Error-least.Error, math.Hypot(r.SE, least.SE)
	if m := min(len(r.losses), len(least.losses)); m > 1 {
		sum, squares := 0.0, 0.0
		for i := range m {
			d := r.losses[i] - least.losses[i]
			sum, squares = sum+d, squares+d*d
		}
		n := float64(m)
		difference = sum / n
		se = math.Sqrt(math.Max(0, squares/n-difference*difference) / (n - 1))
	}
	return difference <= math.Max(2*se, equal*least.Error)
}

// Best is the mechanism recommended at target i; ok is false where none applies. Of the mechanisms as good as the best
// (within two standard errors or 1 %) it is the first in the order compared whose arithmetic is exact, or else the
// first.
func (a *Advice) Best(i int) (best Row, ok bool) {
	least, ok := a.least(i, "")
	found := false
	for _, r := range a.rows[i] {
		if r.Refused != "" || !tied(r, least) {
			continue
		}
		if exact := r.Certified.Arithmetic == dp.Exact; !found || exact && best.Certified.Arithmetic != dp.Exact {
			best, found = r, true
		}
	}
	return best, ok
}

// least is the row of the smallest error at target i, other than one.
func (a *Advice) least(i int, but string) (least Row, ok bool) {
	for _, r := range a.rows[i] {
		if r.Refused == "" && r.Mechanism != but && (!ok || r.Error < least.Error) {
			least, ok = r, true
		}
	}
	return least, ok
}

// Reason says why the best mechanism at target i is recommended.
func (a *Advice) Reason(i int) string {
	best, ok := a.Best(i)
	if !ok {
		if slices.ContainsFunc(a.rows[i], func(r Row) bool { return r.LeftOut }) {
			return fmt.Sprintf("At %s nothing was compared: what may apply is left out.", named(a.targets[i]))
		}
		if readers := a.readers(a.targets[i].Notion, ""); readers != "" {
			return fmt.Sprintf("At %s nothing was compared. %s", named(a.targets[i]), readers)
		}
		return fmt.Sprintf("At %s no %s applies; NotApplicable says why.", named(a.targets[i]), a.subject())
	}
	s := fmt.Sprintf("At %s: %s (%s), error %s of %s, sampling: %s.", named(a.targets[i]), best.Mechanism,
		best.Choice, best.rounded(), a.Measure(), best.Certified.Arithmetic)
	switch {
	case best.Go == "":
	case a.subject() == "model":
		s += fmt.Sprintf(" In Go: %s with %s.", model.Expression(best.Model), best.Go)
	default:
		s += " In Go: " + best.Go + "."
	}
	other, ok := a.least(i, best.Mechanism)
	switch {
	case !ok:
		s += " Nothing else applies."
		if slices.ContainsFunc(a.rows[i], func(r Row) bool { return r.LeftOut }) {
			s = strings.TrimSuffix(s, "applies.") + "was compared."
		}
		if readers := a.readers(a.targets[i].Notion, ", too,"); readers != "" {
			s = strings.TrimSuffix(s, "Nothing else applies.") + readers
		}
	case tied(other, best) && tied(best, other):
		within := ""
		if other.SE > 0 || best.SE > 0 {
			within = " within the simulation's error"
		}
		s += fmt.Sprintf(" %s is as good%s (%s)", other.Mechanism, within, other.rounded())
		switch {
		case best.Certified.Arithmetic == dp.Exact && other.Certified.Arithmetic != dp.Exact:
			s += ", sampled in floating point only."
		default:
			s += "; of equals the first in the list is named."
		}
	default:
		s += fmt.Sprintf(" Next: %s, %s, %.3g times as much.", other.Mechanism, other.rounded(),
			other.Error/best.Error)
	}
	return s
}

// readers names the mechanisms of a logistic or Poisson regression that have intervals: they read rows, and comparisons
// have none. also is "" where nothing else applies.
func (a *Advice) readers(want dp.Notion, also string) string {
	var names []string
	if want != dp.Pure && regression.FisherScoring().Supports(a.arena) == nil {
		names = append(names, "FisherScoring()")
	}
	if regression.ContingencyTable().Supports(a.arena) == nil {
		names = append(names, "ContingencyTable()")
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0] + " applies" + also + " and has intervals: it reads rows, and is not compared."
	}
	return strings.Join(names, " and ") + " apply" + also + " and have intervals: they read rows, and are not compared."
}

// Crossover is a level between two targets at which the best mechanism changes.
type Crossover struct {
	Level    float64 // in the scale of the targets: ε, or ρ
	From, To string
}

// scale is the number in which targets of one notion differ.
func scale(t dp.Request) float64 {
	if byRho(t) {
		return t.Rho
	}
	return float64(t.Epsilon)
}

func byRho(t dp.Request) bool {
	return t.Notion == dp.Concentrated || t.Notion == dp.TruncatedConcentrated
}

// symbol is the name of scale.
func symbol(t dp.Request) string {
	if byRho(t) {
		return "ρ"
	}
	return "ε"
}

// Crossovers are the changes of the recommended mechanism between consecutive targets, interpolated on logarithmic
// scales.
func (a *Advice) Crossovers() []Crossover {
	var out []Crossover
	for i := 1; i < len(a.targets); i++ {
		from, ok1 := a.Best(i - 1)
		to, ok2 := a.Best(i)
		if !ok1 || !ok2 || from.Mechanism == to.Mechanism {
			continue
		}
		d0, d1 := a.gap(i-1, from.Mechanism, to.Mechanism), a.gap(i, from.Mechanism, to.Mechanism)
		x0, x1 := math.Log(scale(a.targets[i-1])), math.Log(scale(a.targets[i]))
		at := (x0 + x1) / 2
		if d0 < 0 && d1 > 0 {
			at = x0 + (x1-x0)*d0/(d0-d1)
		}
		out = append(out, Crossover{math.Exp(at), from.Mechanism, to.Mechanism})
	}
	return out
}

// gap is ln error of one mechanism less that of another at target i; NaN where one does not apply.
func (a *Advice) gap(i int, one, other string) float64 {
	x, y := math.NaN(), math.NaN()
	for _, r := range a.rows[i] {
		if r.Mechanism == one {
			x = r.Error
		}
		if r.Mechanism == other {
			y = r.Error
		}
	}
	return math.Log(x) - math.Log(y)
}
