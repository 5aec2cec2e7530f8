package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Table is the shape of one count table: the product of its columns' levels, the last column running fastest.
type Table struct {
	Name    string
	Columns []string
	Levels  []int
	Labels  [][]string // of every column's levels
}

// Cells is the number of cells of the table.
func (t Table) Cells() int {
	n := 1
	for _, l := range t.Levels {
		n *= l
	}
	return n
}

// Shape is the public side of a model on data: schema, model and the number of rows, with the count tables they imply.
// It is a function of public inputs only. Shapes are immutable.
type Shape struct {
	schema  *frame.Schema
	model   Model
	n       int
	publicN bool
	nStep   string          // the step that made n private
	rows    []frame.RowStep // the steps that chose the rows
	columns []frame.Column
	tables  []Table
	sums    []string          // names of the sums over rows, for models without tables
	lattice *Lattice          // of models that round their records
	linear  *RegressionDesign // of regressions

	pass *steps.Point // of one more reading of the rows, at a public point: see Statistics.OpenPass

	// of networks only
	dag   *bayesnet.DAG
	sets  [][]int // nodes of every table
	holds [][]int // tables that hold every node's family

	// of learned structures only
	zeros    []Zeros
	weights  []int64  // of the pairs
	reserved [][2]int // of the pairs, as places of columns
	within   []int    // columns whose values are added up within bins
}

// maxCells bounds the memory of one model's tables: 2^27 cells are 1 GiB of counts.
const maxCells = 1 << 27

// maxSums bounds the second moments of a regression, which are named: some 2,900 columns.
const maxSums = 1 << 22

// NewShape checks the model against the schema. n is the public number of rows, or, when publicN is false, ignored:
// nStep then says which step made it private. Errors: *Error, *frame.ColumnError, *frame.SchemaError, *cert.LimitError.
func NewShape(s *frame.Schema, m Model, n int, publicN bool, nStep string) (*Shape, error) {
	if m == nil {
		return nil, &Error{Model: "none", Value: "no model", Want: "one such as Categorical or NaiveBayes makes"}
	}
	if !sealed(m) {
		return nil, &Error{Model: fmt.Sprintf("%T", m), Value: "another type",
			Want: "the value that Categorical, NaiveBayes or another maker of this package returns"}
	}
	if s == nil {
		return nil, wrong(m, "", "no schema",
			"a schema: columns, categories and bounds are public inputs and are not inferred from data")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if s.Weighted() != nil {
		s = s.Clone()
	}
	m, err := weighted(s, m)
	if err == nil {
		m, err = stratified(s, m)
	}
	if err != nil {
		return nil, err
	}
	cols, err := m.columns(s)
	if err != nil {
		return nil, err
	}
	if publicN && (n < 0 || n > 1e15) {
		return nil, wrong(m, "", fmt.Sprintf("n = %d", n), "0 ≤ n ≤ 1e15")
	}
	if !publicN {
		n = 0
	}
	sh := &Shape{schema: s, model: m, n: n, publicN: publicN, nStep: nStep, columns: cols}
	if err := m.layOut(sh); err != nil {
		return nil, err
	}
	for i, c := range cols {
		if c.OnMissing == frame.MissingOmitted && (sh.Tabulated() || sh.grouping(i)) {
			return nil, refuseMissing(m, c, `"on_missing": "category" for a column that is counted, or none missing`)
		}
	}
	return sh, nil
}

// Schema is the public schema.
func (s *Shape) Schema() *frame.Schema { return s.schema }

// Model is the model's description.
func (s *Shape) Model() Model { return s.model }

// N is the public number of rows; ok is false when it is private.
func (s *Shape) N() (n int, ok bool) { return s.n, s.publicN }

// PrivateNStep names the step that made n private.
func (s *Shape) PrivateNStep() string { return s.nStep }

// Tables lists the count tables.
func (s *Shape) Tables() []Table { return append([]Table(nil), s.tables...) }

// Sums names the sums over rows that a model without count tables is made of.
func (s *Shape) Sums() []string { return append([]string(nil), s.sums...) }

// Columns lists the columns used, the target first.
func (s *Shape) Columns() []frame.Column { return append([]frame.Column(nil), s.columns...) }

// Unprotected is the column that replace-value adjacency does not protect: the class, or "" where every column is
// protected, as in contingency tables, in sums and where there is one column.
func (s *Shape) Unprotected() string {
	if len(s.columns) == 1 || s.Joint() || s.lattice != nil {
		return ""
	}
	return s.columns[0].Name
}

// Classes is the number of levels of the target; of a model without count tables it is that of its public bins.
func (s *Shape) Classes() int { return s.columns[0].Levels() }

// Cells is the number of cells of all tables.
func (s *Shape) Cells() int {
	n := 0
	for _, t := range s.tables {
		n += t.Cells()
	}
	return n
}

// WithoutN is the shape with n taken as private: what an add-remove release is planned and published with.
func (s *Shape) WithoutN() *Shape {
	c := *s
	c.n, c.publicN, c.nStep = 0, false, "add-remove adjacency"
	return &c
}

// OfRows is the shape with the steps that chose its rows, such as frame.Frame.Lineage lists: releases of the training
// part and of the test part of one table are then of different shapes.
func (s *Shape) OfRows(steps ...frame.RowStep) *Shape {
	c := *s
	c.rows = steps
	return &c
}

// Rows lists the steps that chose the rows; none if they are all that were read.
func (s *Shape) Rows() []frame.RowStep { return slices.Clone(s.rows) }

// Population is how many people the rows are a sample of, 0 where nobody says: of some of the rows alone, and of rows
// that were appended, the schema's number is not true.
func (s *Shape) Population() int64 {
	for _, r := range s.rows {
		if _, _, part := r.InPart(); !part && r.Name != "WithoutN" {
			return 0
		}
	}
	return s.schema.Population
}

// RowsText says in one line which steps chose the rows, "" if they are all that were read: see frame.RowStep.Shown.
func (s *Shape) RowsText() string {
	words := make([]string, len(s.rows))
	for i, r := range s.rows {
		words[i] = r.Shown()
	}
	return strings.Join(words, "; ")
}

// Missing says how missing values of the columns are read where the model has none, one sentence for a column: as a
// public number, or omitted with their rows.
func (s *Shape) Missing() (out []string) {
	for i, c := range s.columns {
		switch {
		case c.OnMissing == frame.MissingImputed:
			out = append(out, fmt.Sprintf("Missing values of %s are read as %s, a public number", safetext.Quote(c.Name),
				c.Text(*c.Impute)))
		case i == 0 && s.lattice != nil && s.lattice.Omits:
			out = append(out, fmt.Sprintf("Rows without a value of %s are omitted", safetext.Quote(c.Name)))
		}
	}
	return out
}

// Unit is what one record is, and how many rows it contributes at most.
func (s *Shape) Unit() (name string, rows int) {
	return s.schema.UnitName(), max(s.schema.RowsPerUnit, 1)
}

// Equal reports whether two shapes have the same public content.
func (s *Shape) Equal(o *Shape) bool {
	if s == o {
		return true
	}
	a, errA := json.Marshal(s)
	b, errB := json.Marshal(o)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// Digest is the SHA-256 of the shape's JSON, in hexadecimal.
func (s *Shape) Digest() string {
	b, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

type shapeJSON struct {
	Schema json.RawMessage `json:"schema"`
	Model  Description     `json:"model"`
	N      *int            `json:"n"` // null: private
	Rows   []frame.RowStep `json:"rows,omitempty"`
	Pass   *steps.Point    `json:"pass,omitempty"` // of what travels to workers; no plan has one
}

// MarshalJSON writes schema, model, public n and the steps that chose the rows.
func (s *Shape) MarshalJSON() ([]byte, error) {
	j := shapeJSON{Schema: s.schema.JSON(), Model: s.model.describe(), Rows: s.rows, Pass: s.pass}
	if s.publicN {
		j.N = &s.n
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON wrote and checks it like NewShape.
func (s *Shape) UnmarshalJSON(b []byte) error {
	var j shapeJSON
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return fmt.Errorf("model: shape: %w", err)
	}
	sc, err := frame.ParseSchema(j.Schema)
	if err != nil {
		return err
	}
	m, err := j.Model.Model()
	if err != nil {
		return err
	}
	for i, row := range j.Rows {
		var e *safetext.Error
		if errors.As(safetext.CheckLine(row.String()), &e) {
			return wrong(m, "", fmt.Sprintf("step %d that chose the rows is %s", i, e.Shown()), safetext.Want)
		}
	}
	n, public := 0, j.N != nil
	if public {
		n = *j.N
	}
	step := ""
	if !public {
		step = "add-remove adjacency"
	}
	sh, err := NewShape(sc, m, n, public, step)
	if err != nil {
		return err
	}
	if sh = sh.OfRows(j.Rows...); j.Pass != nil {
		if sh, err = sh.passing(*j.Pass); err != nil {
			return err
		}
	}
	*s = *sh
	return nil
}

// Table shows what is measured: the tables, or the sums over rows.
func (s *Shape) Table() *table.Table {
	if len(s.sums) > 0 {
		t := table.New("Model: "+s.model.String(), "sum over rows")
		for _, sum := range s.sums {
			t.Add(sum)
		}
		return t
	}
	t := table.New("Model: "+s.model.String(), "table", "columns", "cells")
	for _, c := range s.tables {
		t.Add(c.Name, c.Columns, c.Cells())
	}
	return t
}

// String shows what Table shows.
func (s *Shape) String() string { return table.Text(s) }

// Table shows what was learned of the target, as Summary does.
func (f *Fitted) Table() *table.Table { return f.Summary() }

// Parts are the conditional distributions, the first of many: Conditionals gives each.
func (f *Fitted) Parts() []*table.Table { return f.PartsWith(f.meanOf) }

// PartsWith is Parts with what is shown of every level of a distribution: of row j of those of a feature of naive Bayes
// or of a node of a network, by its place.
func (f *Fitted) PartsWith(cell func(of, j, level int) any) []*table.Table {
	if m, ok := f.shape.model.(counted); ok {
		return m.shown(f, cell)
	}
	return nil
}

// String shows what Table and Parts show.
func (f *Fitted) String() string { return table.Text(f) }

// plain is a name as safetext.Word shows it: a title must not be taken for a guarantee.
func plain(name string) string { return safetext.Word(name) }

func plains(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = plain(n)
	}
	return out
}

// What is shown of conditional distributions: rows of a naive Bayes model, nodes of a network.
const (
	shownRows  = 20
	shownNodes = 6
)

// shown is one table of all features, a row for each level.
func (ofCounts) shown(f *Fitted, cell cellOf) []*table.Table {
	if len(f.cond) == 0 {
		return nil
	}
	t := table.New("Probabilities given "+plain(f.class.Name),
		append([]string{"feature", "level"}, plains(f.class.Labels)...)...)
	for k, c := range f.shape.columns[1:] {
		for l, level := range c.Labels() {
			row := []any{plain(c.Name), plain(level)}
			for j := range f.cond[k] {
				row = append(row, cell(k, j, l))
			}
			t.Add(row...)
		}
	}
	if more := len(t.Rows) - shownRows; more > 0 {
		t.Rows = t.Rows[:shownRows]
		t.Note(fmt.Sprintf("%s more: Conditionals(feature) has them.", table.Count(more, "row")))
	}
	return []*table.Table{t}
}

// shown are the tables of the first nodes.
func (m NetworkModel) shown(f *Fitted, cell cellOf) (out []*table.Table) {
	for i := range min(f.shape.dag.Len(), shownNodes) {
		if t, err := m.conditionalTable(f, f.shape.dag.Node(i).Name, cell); err == nil {
			out = append(out, t)
		}
	}
	if more := f.shape.dag.Len() - shownNodes; more > 0 {
		out[len(out)-1].Note(fmt.Sprintf("%s more: Conditionals(node) has them.", table.Count(more, "node")))
	}
	return out
}
