package privbayes

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Frame is a private table under a public schema, in memory or in a [Source], with its budget. Every step returns a new
// one, and passes on the first error.
type Frame struct {
	f      *frame.Frame
	away   Source      // instead of f: rows that stay where they are
	size   source.Size // of away
	budget *budget.Budget
	again  func() (*frame.Violations, error) // reads the table once more, for Check
	err    error
}

// ErrNoSchema says that a table was read without a schema.
var ErrNoSchema = errors.New("no schema; want one from ParseSchema, a data package or code: " +
	"categories, bounds and bins are public inputs and are not inferred from data")

// LoadFrame reads a CSV or CSV.gz file under its schema. See frame.Load for the errors.
func LoadFrame(path string, s *Schema, opts ...frame.ReadOption) *Frame {
	if s == nil {
		return &Frame{err: step("LoadFrame", ErrNoSchema)}
	}
	return loadShards("LoadFrame", []string{path}, s, opts)
}

// ReadFrame reads CSV or CSV.gz from r under its schema; a Name() method of r names it in errors. It takes what the
// data package returns: ReadFrame(data.Votes()).
func ReadFrame(r io.Reader, s *Schema) *Frame {
	if s == nil {
		return &Frame{err: step("ReadFrame", ErrNoSchema)}
	}
	name := "input"
	if n, ok := r.(interface{ Name() string }); ok && !reflect.ValueOf(r).IsZero() {
		name = n.Name()
	}
	again := rereading(r, name, s)
	f, err := frame.Read(context.Background(), r, name, s)
	return &Frame{f: f, again: again, err: step("ReadFrame", err)}
}

// WrapFrame starts a chain from a frame made elsewhere, such as gotaframe.From or frame.FromColumns.
func WrapFrame(f *frame.Frame, err error) *Frame {
	if err == nil && f == nil {
		err = errNoFrame
	}
	return &Frame{f: f, err: step("WrapFrame", err)}
}

// ParseSchema reads a schema from JSON, written from the code book of a table. In code the same is a Schema with
// Columns made by frame.Categorical, frame.Integer and frame.Real. See frame.ParseSchema for the form and the errors,
// which name column, field and line.
func ParseSchema(b []byte) (*Schema, error) { return frame.ParseSchema(b) }

// Err is the first error of the chain so far.
func (f *Frame) Err() error {
	if f == nil || f.err == nil && f.f == nil && f.away == nil {
		return step("Frame", errNoFrame)
	}
	return f.err
}

// Data is the frame behind the chain, nil after an error or for a source. It is private.
func (f *Frame) Data() *frame.Frame {
	if f.Err() != nil {
		return nil
	}
	return f.f
}

// derive applies one step and keeps budget and first error.
func (f *Frame) derive(name string, do func(*frame.Frame) (*frame.Frame, error)) *Frame {
	if err := f.Err(); err != nil {
		return &Frame{err: err}
	}
	if err := f.needsRows(name); err != nil {
		return &Frame{err: step(name, err)}
	}
	g, err := do(f.f)
	if err != nil {
		return &Frame{err: step(name, err)}
	}
	return &Frame{f: g, budget: f.budget}
}

// Split divides the rows by a seed: about the fraction goes to train, the rest to test. Where n is public the parts
// have public n; where it is private every unit goes by its own hash. See frame.Frame.Split.
func (f *Frame) Split(fraction float64, seed uint64) (train, test *Frame) {
	return f.cut("Split", func(d *frame.Frame) (a, b *frame.Frame, err error) { return d.Split(fraction, seed) })
}

// Holdout sets k rows aside as test, chosen by a seed; n must be public.
func (f *Frame) Holdout(k int, seed uint64) (train, test *Frame) {
	return f.cut("Holdout", func(d *frame.Frame) (a, b *frame.Frame, err error) { return d.Holdout(k, seed) })
}

// cut applies a step that makes two frames of one.
func (f *Frame) cut(name string, do func(*frame.Frame) (a, b *frame.Frame, err error)) (train, test *Frame) {
	var other *frame.Frame
	train = f.derive(name, func(d *frame.Frame) (a *frame.Frame, err error) {
		a, other, err = do(d)
		return a, err
	})
	return train, train.derive(name, func(*frame.Frame) (*frame.Frame, error) { return other, nil })
}

// Select keeps the named columns.
func (f *Frame) Select(columns ...string) *Frame {
	return f.derive("Select", func(d *frame.Frame) (*frame.Frame, error) { return d.Select(columns...) })
}

// Head keeps the first n rows, of units with a key in the order of a hash of their keys.
func (f *Frame) Head(n int) *Frame {
	return f.derive("Head", func(d *frame.Frame) (*frame.Frame, error) { return d.Head(n) })
}

// Where keeps the rows whose value in a column passes. The result has no public n: only add-remove mechanisms accept
// it.
func (f *Frame) Where(column string, keep func(label string) bool) *Frame {
	return f.derive("Where", func(d *frame.Frame) (*frame.Frame, error) { return d.Where(column, keep) })
}

// Present keeps the rows that have a value in a column, in whose schema no value of it is missing then. The result has
// no public n: see Where. Other than "on_missing": "omit" it suits every model.
func (f *Frame) Present(column string) *Frame {
	return f.derive("Present", func(d *frame.Frame) (*frame.Frame, error) { return d.Present(column) })
}

// WithoutN takes the number of rows as private, for add-remove adjacency: take it before Split, which then sends every
// unit by its own hash.
func (f *Frame) WithoutN() *Frame {
	return f.derive("WithoutN", func(d *frame.Frame) (*frame.Frame, error) { return d.WithoutN(), nil })
}

// Part says that all rows are of one part of the data, such as Part("quarter", "2026-Q1"): releases of different parts
// share no unit, and a budget counts those of the part that has used most. Nobody checks that no unit is in two parts.
// See frame.Frame.Part.
func (f *Frame) Part(rule, name string) *Frame {
	return f.derive("Part", func(d *frame.Frame) (*frame.Frame, error) { return d.Part(rule, name) })
}

// WithBudget binds the frame, and everything derived from it, to a budget of the same data set and unit:
// *budget.MismatchError or *budget.UnitError otherwise.
func (f *Frame) WithBudget(b *Budget) *Frame {
	if err := f.Err(); err != nil {
		return &Frame{err: err}
	}
	if err := b.For(f.schema().Dataset, budget.UnitOf(f.schema())); err != nil {
		return &Frame{err: step("WithBudget", err)}
	}
	return &Frame{f: f.f, away: f.away, size: f.size, budget: b}
}

// OpenBudget opens or creates a ledger file for the data set and the unit that a schema names: the limit is for one
// such unit, and releases about another one are refused. The options, [ConvertAtOrder] and [ConvertWithDelta], are for
// new ledgers with an (ε, δ) limit; they stand in the file, and an existing one keeps its own. See budget.Open.
func OpenBudget(path string, s *Schema, limit Target, options ...BudgetOption) (*Budget, error) {
	if s == nil {
		return nil, step("OpenBudget", ErrNoSchema)
	}
	b, err := budget.Open(path, s.Dataset, budget.UnitOf(s), limit, options...)
	return b, step("OpenBudget", err)
}

// ConvertAtOrder fixes the order at which a budget with an (ε, δ) limit adds zCDP, tCDP and Rényi charges. See
// budget.ConvertAtOrder.
func ConvertAtOrder(lambda float64) BudgetOption { return budget.ConvertAtOrder(lambda) }

// ConvertWithDelta fixes the share of δ that such a budget converts with, half of it by default. See
// budget.ConvertWithDelta.
func ConvertWithDelta(delta float64) BudgetOption { return budget.ConvertWithDelta(delta) }

// Table shows public facts only: schema, and n where it is public.
func (f *Frame) Table() *table.Table {
	if err := f.Err(); err != nil {
		return table.New("no frame").Note(err.Error())
	}
	if f.away != nil {
		return f.awayTable()
	}
	return f.f.Table()
}

// Warnings are those of the schema.
func (f *Frame) Warnings() warning.List {
	if f.Err() != nil {
		return nil
	}
	return f.schema().Warnings()
}

// String shows what Table shows.
func (f *Frame) String() string { return table.Text(f) }

// Model says what is inferred from the frame; the first error of the chain, or one that says what does not fit, sticks.
func (f *Frame) Model(m ModelSpec) *Model {
	if err := f.Err(); err != nil {
		return &Model{err: err}
	}
	rows, size := f.away, f.size
	if rows == nil {
		rows = source.OfFrame(f.f)
		size, _ = rows.Size(context.Background())
	}
	sh, err := source.Shape(rows, size, m)
	if err != nil {
		return &Model{err: step("Model", err)}
	}
	return &Model{frame: f, shape: sh}
}

// Simulate draws a frame of records of a network whose tables are known: public data for tutorials. See model.Simulate.
func Simulate(dataset string, net *bayesnet.Net, records int, seed uint64) *Frame {
	if net == nil {
		return &Frame{err: step("Simulate", errNoFrame)}
	}
	f, err := model.Simulate(dataset, net, records, dp.Seeded(seed))
	return &Frame{f: f, err: step("Simulate", err)}
}

// StepError is the first error of a chain, with the step it happened in. Its cause is a typed error of the room that
// refused.
type StepError struct {
	Step string // "LoadFrame", "Split", "Model", "Privatize", "Evaluate", …
	Err  error
}

func (e *StepError) Error() string {
	return "privbayes: " + e.Step + ": " + strings.TrimPrefix(e.Err.Error(), e.Step+": ")
}

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// errNoFrame says that a step was called on a nil or zero value.
var errNoFrame = errors.New("no data; want a frame from LoadFrame or ReadFrame")

func step(name string, err error) error {
	var s *StepError
	if err == nil || errors.As(err, &s) {
		return err
	}
	return &StepError{name, err}
}
