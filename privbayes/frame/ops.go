package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// Select keeps the named columns in the given order; data set and unit stay. Errors: *ColumnError for an unknown or
// repeated name, *dp.ParameterError for none.
func (f *Frame) Select(names ...string) (*Frame, error) {
	if len(names) == 0 {
		return nil, domain.Refuse("Select", "names", "empty", "at least one of "+suggest.List(f.schema.Names(), 12))
	}
	s := *f.schema
	s.Columns = make([]Column, len(names))
	g := &Frame{schema: &s, n: f.n, cols: make([]column, len(names)), privateBy: f.privateBy, who: f.who, slots: f.slots,
		block: f.block, lineage: f.lineage, source: f.source, places: f.places, public: f.public}
	for i, name := range names {
		col, c, err := f.column("Select", name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(names[:i], name) {
			return nil, &ColumnError{Step: "Select", Column: name, Have: f.schema.Names(), Want: "each column once"}
		}
		g.cols[i], s.Columns[i] = *col, *c
	}
	return g, nil
}

// Where keeps the rows whose label in a column passes: a category, a bin such as "[0, 10)", or the missing category.
// How many pass is private, so the result has no public n. keep is asked once per label, never per row. Error:
// *ColumnError.
func (f *Frame) Where(name string, keep func(label string) bool) (*Frame, error) {
	col, c, err := f.coded("Where", name)
	if err != nil {
		return nil, err
	}
	if keep == nil {
		return nil, domain.Refuse("Where", "keep", "nil", "a function of the label")
	}
	var pass []bool
	by := RowStep{Name: stepWhere, Column: name, made: strings.Join(f.schema.Steps, "\n")}
	for _, text := range c.Labels() {
		pass = append(pass, keep(text))
		if pass[len(pass)-1] {
			by.Labels = append(by.Labels, text)
		}
	}
	var idx []int
	for i := range f.n {
		if pass[col.codes.At(i)] {
			idx = append(idx, i)
		}
	}
	return f.hidden(f.take(idx, by), fmt.Sprintf("Where(%s)", label.Quote(name))), nil
}

// take copies the rows at idx, chosen by a step.
func (f *Frame) take(idx []int, by RowStep) *Frame {
	g := f.pick(idx)
	g.lineage, g.places = append(slices.Clone(f.lineage), by), f.placed(idx)
	return g
}

// pick copies the rows at idx.
func (f *Frame) pick(idx []int) *Frame {
	if idx == nil {
		idx = []int{}
	}
	g := &Frame{schema: f.schema, n: len(idx), cols: make([]column, len(f.cols)), privateBy: f.privateBy, who: f.who,
		block: f.block, source: f.source, public: f.public}
	switch {
	case f.who != nil && f.slots == nil:
		g.slots = idx
	case f.who != nil:
		g.slots = pick(f.slots, idx)
	}
	for i, c := range f.cols {
		g.cols[i] = column{
			codes:  Codes{pick(c.codes.U8, idx), pick(c.codes.U16, idx), c.codes.Levels},
			values: c.values.pick(idx),
			seqs:   pick(c.seqs, idx),
		}
	}
	return g
}

func pick[T any](from []T, idx []int) []T {
	if from == nil {
		return nil
	}
	to := make([]T, len(idx))
	for k, i := range idx {
		to[k] = from[i]
	}
	return to
}
