package privbayes

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Model is a model on a frame, before anything is drawn.
type Model struct {
	frame *Frame
	shape *model.Shape
	err   error
}

// Err is the first error of the chain so far.
func (m *Model) Err() error {
	if m == nil || m.err == nil && m.shape == nil {
		return step("Model", ErrNoFrame)
	}
	return m.err
}

// Shape is the public side of the model: schema, model, n and tables.
func (m *Model) Shape() (*model.Shape, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	return m.shape, nil
}

// Plan calibrates and certifies a release without drawing it: it reads no data and costs nothing. Of the options only WithContext
// matters: it bounds long enumerations, and cert.WithWorkLimit and cert.WithProgress travel on it.
func (m *Model) Plan(mech Mechanism, t Target, opts ...Option) (*Plan, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	if mech == nil {
		return nil, step("Plan", errNoMechanism)
	}
	p, err := mech.Plan(refined(opts).ctx, m.shape, t)
	return p, step("Plan", err)
}

// Compare draws many releases from the frame and scores them on test rows: mechanisms × targets × splits × seeds. The result reads
// private data; it is a Diagnostic and says what publishing it would cost. See eval.Compare.
func (m *Model) Compare(ctx context.Context, o CompareOptions) (*Diagnostic, error) {
	if err := m.Err(); err != nil {
		return nil, err
	}
	d, err := eval.Compare(ctx, m.frame.f, m.shape.Model(), o)
	return d, step("Compare", err)
}

// Table shows the public shape of the model.
func (m *Model) Table() *table.Table {
	if sums := m.shape.Sums(); len(sums) > 0 {
		t := table.New("Model: "+m.shape.Model().String(), "sum over rows")
		for _, s := range sums {
			t.Add(s)
		}
		return t
	}
	t := table.New("Model: "+m.shape.Model().String(), "table", "columns", "cells")
	for _, s := range m.shape.Tables() {
		t.Add(s.Name, s.Columns, s.Cells())
	}
	return t
}

// String shows the public shape of the model.
func (m *Model) String() string { return table.Text(m) }
