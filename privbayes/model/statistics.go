package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Statistics are the private counts, or sums, of a model on a frame. They are sealed: they print nothing, do not
// marshal, and only code of this module can open them.
type Statistics struct {
	shape    *Shape
	tables   [][]int64
	sums     []float64
	whole    []int64      // integer sums, of models with a lattice
	moments  []num.Int128 // exact, of regressions that were counted
	rows     int          // of models of sums
	atBounds []int        // of models of sums
	chosen   frame.Selection
	frame    *frame.Frame // of learned structures, for tables that are counted when they are chosen
	drawn    *drawnRows   // in its place where they are simulated
}

// Count makes the statistics of a shape's model on a frame. The frame must have the shape's schema columns:
// *MismatchError.
func Count(sh *Shape, f *frame.Frame) (*Statistics, error) {
	if err := sh.Accepts(f); err != nil {
		return nil, err
	}
	t, err := newTally(sh)
	if err != nil {
		return nil, err
	}
	codes, values := make([]frame.Codes, len(sh.columns)), make([][]float64, len(sh.columns))
	for i, c := range sh.columns {
		if t.Values(i) {
			values[i], err = f.Values(c.Name)
		} else {
			codes[i], err = f.Codes(c.Name)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := t.Block(f.Len(), codes, values); err != nil {
		return nil, err
	}
	st, err := t.Statistics(f.Selection())
	if _, learns := sh.model.(LearnedModel); learns && err == nil {
		st.frame = f
	}
	return st, err
}

// FromCounts makes statistics from count tables laid out as sh.Tables: for data that never was a frame, and for tests.
// Every table must have its number of cells, no negative count, and, where n is public, the total n.
func FromCounts(sh *Shape, tables [][]int64) (*Statistics, error) {
	if len(tables) != len(sh.tables) {
		return nil, wrong(sh.model, "", fmt.Sprintf("%d tables", len(tables)), fmt.Sprintf("%d", len(sh.tables)))
	}
	st := &Statistics{shape: sh}
	for i, t := range sh.tables {
		if len(tables[i]) != t.Cells() {
			return nil, wrong(sh.model, t.Name, fmt.Sprintf("%d cells", len(tables[i])), fmt.Sprintf("%d", t.Cells()))
		}
		var total int64
		for _, c := range tables[i] {
			if c < 0 {
				return nil, wrong(sh.model, t.Name, "a negative count", "counts ≥ 0")
			}
			total += c
		}
		if sh.publicN && total != int64(sh.n) {
			return nil,
				wrong(sh.model, t.Name, "counts that do not add up to n", fmt.Sprintf("the public total n = %d", sh.n))
		}
		st.tables = append(st.tables, append([]int64(nil), tables[i]...))
	}
	return st, nil
}

// Open reads the counts; the key keeps it inside this module, and without it there are none.
func (s *Statistics) Open(key access.Key) [][]int64 {
	if !key.Opens() {
		return nil
	}
	return s.tables
}

// OpenMargin counts the table of some columns of the rows that were counted, the last running fastest; the key keeps it
// inside this module. Errors: ErrSealed without it, *Error where there are no rows in memory.
func (s *Statistics) OpenMargin(key access.Key, columns ...string) ([]int64, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if !s.HasRows() {
		return nil, wrong(s.shape.model, strings.Join(columns, " × "), "no rows to count", "rows in memory")
	}
	if s.drawn != nil {
		return s.drawn.count(context.Background(), columns...)
	}
	return s.frame.CountPrivate(columns...)
}

// HasRows reports whether OpenMargin can count: statistics of a source, or made of counts, have no rows.
func (s *Statistics) HasRows() bool { return s.frame != nil || s.drawn != nil }

// FromSums makes statistics of a model without count tables from sums laid out as sh.Sums, over the given number of
// rows: for data that never was a frame, and for tests.
func FromSums(sh *Shape, rows int, sums []float64) (*Statistics, error) {
	if len(sums) != len(sh.sums) || len(sums) == 0 {
		return nil, wrong(sh.model, "", fmt.Sprintf("%d sums", len(sums)), fmt.Sprintf("%d", len(sh.sums)))
	}
	if sh.publicN && rows != sh.n {
		return nil, wrong(sh.model, "", "another number of rows", fmt.Sprintf("the public n = %d", sh.n))
	}
	return &Statistics{shape: sh, sums: append([]float64(nil), sums...), rows: rows}, nil
}

// Rows is the number of rows summed; the key keeps it inside this module, since n may be private: 0 without it.
func (s *Statistics) Rows(key access.Key) int {
	if !key.Opens() {
		return 0
	}
	return s.rows
}

// Selection says which rows were counted, as far as that is public; of statistics that never were a frame it is a
// source of its own.
func (s *Statistics) Selection() frame.Selection { return s.chosen }

// OpenSums reads the sums, in the order of the shape's; the key keeps it inside this module, and without it there are
// none.
func (s *Statistics) OpenSums(key access.Key) []float64 {
	if !key.Opens() {
		return nil
	}
	return s.sums
}

// Shape is the public shape of the statistics.
func (s *Statistics) Shape() *Shape { return s.shape }

// String names the statistics and shows no number.
func (s *Statistics) String() string {
	return "private statistics of " + s.shape.model.String() + " (sealed)"
}

// GoString shows no number either, so that %#v leaks nothing.
func (s *Statistics) GoString() string { return s.String() }

// ErrSealed says that private statistics can be neither written out nor opened from outside.
var ErrSealed = errors.New("model: private statistics are sealed; publish a release instead")

// MarshalJSON refuses.
func (s *Statistics) MarshalJSON() ([]byte, error) { return nil, ErrSealed }

// MismatchError says that a frame's schema is not the one a model was shaped with.
type MismatchError struct{ Column, Have, Want string }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("model: column %s of the frame is %s; want %s, as in the schema of the model",
		safetext.Short(e.Column), e.Have, e.Want)
}

// Accepts checks that every column of the shape is declared the same way in the frame's schema. Errors: *Error without
// a frame, *MismatchError.
func (s *Shape) Accepts(f *frame.Frame) error {
	if f == nil {
		return wrong(s.model, "", "no data", "a frame with the columns of the model")
	}
	return s.acceptsAll(f.Schema(), s.columns)
}

// AcceptsSchema is Accepts for a schema: that of a table which is not a frame.
func (s *Shape) AcceptsSchema(schema *frame.Schema) error {
	if schema == nil {
		return wrong(s.model, "", "no schema", "a schema with the columns of the model")
	}
	return s.acceptsAll(schema, s.columns)
}

// acceptsFeatures is Accepts for predictions: the target may be absent, since its values are not used.
func (s *Shape) acceptsFeatures(f *frame.Frame) error {
	if f != nil {
		if _, _, err := f.Schema().Column(s.columns[0].Name); err != nil {
			return s.acceptsAll(f.Schema(), s.columns[1:])
		}
	}
	return s.Accepts(f)
}

func (s *Shape) acceptsAll(schema *frame.Schema, columns []frame.Column) error {
	for _, want := range columns {
		have, _, err := schema.Column(want.Name)
		if err != nil {
			return &MismatchError{want.Name, "missing", describe(want)}
		}
		if !sameLevels(*have, want) || !s.Tabulated() && (have.Min != want.Min || have.Max != want.Max) {
			return &MismatchError{want.Name, describe(*have), describe(want)}
		}
	}
	return nil
}

func describe(c frame.Column) string { return fmt.Sprintf("%s with levels %.12q", c.Kind, c.Labels()) }

func sameLevels(a, b frame.Column) bool {
	la, lb := a.Labels(), b.Labels()
	if a.Kind != b.Kind || len(la) != len(lb) {
		return false
	}
	for i := range la {
		if la[i] != lb[i] {
			return false
		}
	}
	return true
}
