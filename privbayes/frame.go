package privbayes

import (
	"context"
	"errors"
	"io"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Frame is a private table under a public schema, with the budget it is bound to. It is immutable: every step returns a new one.
// After an error it stays empty, keeps the first error, and passes it on.
type Frame struct {
	f      *frame.Frame
	budget *budget.Budget
	err    error
}

// ErrNoSchema says that a table was read without a schema.
var ErrNoSchema = errors.New("no schema; want one from ParseSchema, a data package or code: categories, bounds and bins are public inputs and are not inferred from data")

// LoadFrame reads a CSV or CSV.gz file under its schema. See frame.Load for the errors.
func LoadFrame(path string, s *Schema, opts ...frame.ReadOption) *Frame {
	if s == nil {
		return &Frame{err: step("LoadFrame", ErrNoSchema)}
	}
	f, err := frame.Load(context.Background(), path, s, opts...)
	return &Frame{f: f, err: step("LoadFrame", err)}
}

// ReadFrame reads CSV or CSV.gz from r under its schema; a Name() method of r names it in errors. It takes what the data package
// returns: ReadFrame(data.Votes()).
func ReadFrame(r io.Reader, s *Schema) *Frame {
	if s == nil {
		return &Frame{err: step("ReadFrame", ErrNoSchema)}
	}
	name := "input"
	if n, ok := r.(interface{ Name() string }); ok {
		name = n.Name()
	}
	f, err := frame.Read(context.Background(), r, name, s)
	return &Frame{f: f, err: step("ReadFrame", err)}
}

// WrapFrame starts a chain from a frame made elsewhere, such as gotaframe.From or frame.FromColumns.
func WrapFrame(f *frame.Frame, err error) *Frame {
	if err == nil && f == nil {
		err = ErrNoFrame
	}
	return &Frame{f: f, err: step("WrapFrame", err)}
}

// ParseSchema reads a schema from JSON, written from the code book of a table:
//
//	{"dataset": "survey", "unit": "person", "columns": [
//	  {"name": "answer", "kind": "categorical", "categories": ["yes", "no"], "missing": ["", "NA"], "on_missing": "category"},
//	  {"name": "age", "kind": "integer", "edges": [18, 40, 65, 120], "on_out_of_domain": "clamp"}]}
//
// In code the same is a Schema with Columns made by frame.Categorical, frame.Integer and frame.Real. See frame.Column for all fields, and
// frame.ParseSchema for the errors, which name column, field and line.
func ParseSchema(b []byte) (*Schema, error) { return frame.ParseSchema(b) }

// Err is the first error of the chain so far.
func (f *Frame) Err() error {
	if f == nil || f.err == nil && f.f == nil {
		return step("Frame", ErrNoFrame)
	}
	return f.err
}

// Data is the frame behind the chain, nil after an error. It is private.
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
	g, err := do(f.f)
	if err != nil {
		return &Frame{err: step(name, err)}
	}
	return &Frame{f: g, budget: f.budget}
}

// Split shuffles the rows with a seed and gives the first round(fraction·n) as train, the others as test. Both keep public n.
func (f *Frame) Split(fraction float64, seed uint64) (train, test *Frame) {
	var other *frame.Frame
	train = f.derive("Split", func(d *frame.Frame) (*frame.Frame, error) {
		a, b, err := d.Split(fraction, seed)
		other = b
		return a, err
	})
	test = train.derive("Split", func(*frame.Frame) (*frame.Frame, error) { return other, nil })
	return train, test
}

// Holdout shuffles the rows with a seed and sets k of them aside as test.
func (f *Frame) Holdout(k int, seed uint64) (train, test *Frame) {
	var other *frame.Frame
	train = f.derive("Holdout", func(d *frame.Frame) (*frame.Frame, error) {
		a, b, err := d.Holdout(k, seed)
		other = b
		return a, err
	})
	test = train.derive("Holdout", func(*frame.Frame) (*frame.Frame, error) { return other, nil })
	return train, test
}

// Select keeps the named columns.
func (f *Frame) Select(columns ...string) *Frame {
	return f.derive("Select", func(d *frame.Frame) (*frame.Frame, error) { return d.Select(columns...) })
}

// Head keeps the first n rows.
func (f *Frame) Head(n int) *Frame {
	return f.derive("Head", func(d *frame.Frame) (*frame.Frame, error) { return d.Head(n) })
}

// Where keeps the rows whose value in a column passes. How many pass is private, so the result has no public n and only
// add-remove mechanisms accept it.
func (f *Frame) Where(column string, keep func(label string) bool) *Frame {
	return f.derive("Where", func(d *frame.Frame) (*frame.Frame, error) { return d.Where(column, keep) })
}

// WithBudget binds the frame, and everything derived from it, to a budget of the same data set: *budget.MismatchError otherwise.
func (f *Frame) WithBudget(b *Budget) *Frame {
	g := f.derive("WithBudget", func(d *frame.Frame) (*frame.Frame, error) {
		switch {
		case b == nil:
			return nil, errors.New("no budget; want one from OpenBudget")
		case b.Dataset() != d.Schema().Dataset:
			return nil, &budget.MismatchError{Field: "data set", Have: label.Quote(b.Dataset()), Want: label.Quote(d.Schema().Dataset)}
		}
		return d, nil
	})
	if g.err == nil {
		g.budget = b
	}
	return g
}

// OpenBudget opens or creates a ledger file for a data set. The options, [ConvertAtOrder] and [ConvertWithDelta], are for new ledgers with an
// (ε, δ) limit; they stand in the file, and an existing one keeps its own. See budget.Open.
func OpenBudget(path, dataset string, limit Target, options ...BudgetOption) (*Budget, error) {
	b, err := budget.Open(path, dataset, limit, options...)
	return b, step("OpenBudget", err)
}

// ConvertAtOrder fixes the order at which a budget with an (ε, δ) limit adds zCDP, tCDP and Rényi charges. See budget.ConvertAtOrder.
func ConvertAtOrder(lambda float64) BudgetOption { return budget.ConvertAtOrder(lambda) }

// ConvertWithDelta fixes the share of δ that such a budget converts with, half of it by default. See budget.ConvertWithDelta.
func ConvertWithDelta(delta float64) BudgetOption { return budget.ConvertWithDelta(delta) }

// String shows public facts only: schema, and n where it is public.
func (f *Frame) String() string {
	if err := f.Err(); err != nil {
		return err.Error() + "\n"
	}
	return f.f.String()
}

// HTML shows what String shows.
func (f *Frame) HTML() string {
	if err := f.Err(); err != nil {
		return table.HTML(&Model{err: err})
	}
	return f.f.HTML()
}

// Model says what is inferred from the frame; the first error of the chain, or one that says what does not fit, sticks.
func (f *Frame) Model(m ModelSpec) *Model {
	if err := f.Err(); err != nil {
		return &Model{err: err}
	}
	n, public := f.f.PublicN()
	sh, err := model.NewShape(f.f.Schema(), m, n, public, f.f.PrivateNStep())
	if err != nil {
		return &Model{err: step("Model", err)}
	}
	return &Model{frame: f, shape: sh.OfRows(f.f.Lineage()...)}
}
