package frame

import (
	"fmt"
	"io"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Frame is an immutable table of private rows under a public schema. Printing it, in any format, shows public facts
// only; it does not marshal. The slices that Codes, Values and Sequences return are its own memory: read, never write
// them.
type Frame struct {
	schema    *Schema
	n         int
	cols      []column
	privateBy string    // why the number of rows is private, "" where it is public
	who       *identity // whose rows these are, where a key says so or n is private; else steps choose by place
	slots     []int     // of each row in who, nil for all in order
	block     int       // with a key and public n: the rows of every unit, which stand together; else 0
	lineage   []RowStep // the steps that chose the rows
	source    *source   // what was read
	places    []uint32  // of the rows in it, where public and not all in order
	public    string    // why the rows are public, "" if they are private
	warned    warning.List
}

// Codes are the codes of one column: U8 where there are at most 256, else U16.
type Codes struct {
	U8     []uint8
	U16    []uint16
	Levels int // codes are 0, …, Levels−1
}

// At is the code of row i.
func (c Codes) At(i int) int {
	if c.U8 != nil {
		return int(c.U8[i])
	}
	return int(c.U16[i])
}

// Len is the number of rows.
func (c Codes) Len() int { return len(c.U8) + len(c.U16) }

// Len is the number of rows. It is private when PublicN says so.
func (f *Frame) Len() int { return f.n }

// Schema returns a copy of the public schema, defaults written out.
func (f *Frame) Schema() *Schema { return f.schema.Clone() }

// PublicN is the number of rows where it is public; ok is false after Where.
func (f *Frame) PublicN() (n int, ok bool) {
	if f.privateBy != "" {
		return 0, false
	}
	return f.n, true
}

// Lineage lists the steps that chose the rows from those that were read, such as "Split(0.7, 1), train". It is public.
func (f *Frame) Lineage() []RowStep { return slices.Clone(f.lineage) }

// PrivateNStep names the step that made the number of rows private, or is empty.
func (f *Frame) PrivateNStep() string { return f.privateBy }

// column finds a column for a step.
func (f *Frame) column(step, name string) (*column, *Column, error) {
	for i := range f.schema.Columns {
		if c := &f.schema.Columns[i]; c.Name == name {
			return &f.cols[i], c, nil
		}
	}
	return nil, nil, &ColumnError{Step: step, Column: name, Have: f.schema.Names()}
}

// coded finds a column that has one code per row.
func (f *Frame) coded(step, name string) (*column, *Column, error) {
	col, c, err := f.column(step, name)
	if err == nil && c.Kind == KindSequence {
		err = &ColumnError{Step: step, Column: name, Have: f.schema.Names(), Want: "a categorical, integer or real " +
			"column; this one is a sequence"}
	}
	return col, c, err
}

// Codes returns the codes of a categorical, integer or real column: *ColumnError otherwise.
func (f *Frame) Codes(name string) (Codes, error) {
	col, _, err := f.coded("Codes", name)
	if err != nil {
		return Codes{}, err
	}
	return col.codes, nil
}

// Values returns the values of an integer or real column, within its bounds, NaN where missing: *ColumnError otherwise.
func (f *Frame) Values(name string) ([]float64, error) {
	col, c, err := f.column("Values", name)
	if err != nil {
		return nil, err
	}
	if !c.Numeric() {
		return nil, &ColumnError{Step: "Values", Column: name, Have: f.schema.Names(), Want: "an integer or real " +
			"column; this one is " + string(c.Kind)}
	}
	return col.values.all(), nil
}

// Sequences returns the item codes of a sequence column: *ColumnError otherwise.
func (f *Frame) Sequences(name string) ([][]uint16, error) {
	col, c, err := f.column("Sequences", name)
	if err != nil {
		return nil, err
	}
	if c.Kind != KindSequence {
		return nil, &ColumnError{Step: "Sequences", Column: name, Have: f.schema.Names(), Want: "a sequence column; " +
			"this one is " + string(c.Kind)}
	}
	return col.seqs, nil
}

// Format prints public facts for every verb, so that no format shows rows.
func (f *Frame) Format(s fmt.State, _ rune) {
	if f == nil {
		_, _ = io.WriteString(s, "<nil>")
		return
	}
	_, _ = io.WriteString(s, f.String())
}

// MarshalJSON refuses with ErrSealed.
func (f *Frame) MarshalJSON() ([]byte, error) { return nil, ErrSealed }
