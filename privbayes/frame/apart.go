//go:build !browser && !verifier

package frame

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// SplitTables makes the two linked tables of wide rows that are public, such as synthetic ones: LoadTables the other
// way round, under the schema of the tables. Every row is a parent, with a key from 1 on, and as many children as its
// column of their number says, in the order of their places. So keys are unique, and each child has a parent. The key
// is the first column of each table; columns of units that are made of children are left out.
//
// Errors: *PrivateRowsError for private rows; *SchemaError for a schema whose children have no places; *ColumnError
// where a column of parents or of a place is not among those of the rows, or has other categories; *ValueError for a
// row with a value where there is no child, or the other way: learned structures have none.
func SplitTables(wide *Frame, s *Schema) (parents, children *Frame, err error) {
	if wide.public == "" {
		return nil, nil, &PrivateRowsError{"SplitTables"}
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	s = s.filled()
	p, c, _, e := s.linked()
	if e == nil && !c.Places {
		e = bad("places", "none", `"places": true in the children's table, so that rows hold all that is known of a unit`)
	}
	if e != nil {
		return nil, nil, e
	}
	number, err := wide.like(c.number().Column)
	if err != nil {
		return nil, nil, err
	}
	parents = wide.keyed(s.table(p, 1))
	for _, col := range p.Columns {
		from, err := wide.like(col)
		if err != nil {
			return nil, nil, err
		}
		parents.cols = append(parents.cols, *from)
	}
	keys := make([]float64, 0, wide.n)
	for i := range wide.n {
		keys = append(keys, float64(i+1))
	}
	parents.key(keys)
	children, err = wide.children(s.table(c, c.AtMost), number.codes)
	return parents, children, err
}

// keyed is a frame of no columns yet under a schema whose first column is the key of as many units as there are rows.
func (f *Frame) keyed(s *Schema) *Frame {
	g := &Frame{n: f.n, public: f.public, warned: f.warned}
	g.schema = &Schema{Dataset: f.schema.Dataset, Unit: f.schema.Unit, Format: s.Format,
		Columns: slices.Concat([]Column{Integer(s.UnitKey, 1, float64(max(f.n, 1))+1)}, s.Columns)}
	g.schema = g.schema.filled()
	return g
}

// key puts the key before the columns.
func (f *Frame) key(values []float64) {
	e := newEncoder(f.schema.Columns[0])
	for _, x := range values {
		e.addNumber(x)
	}
	f.n, f.cols = len(values), slices.Insert(f.cols, 0, e.out.column(f.schema.Columns[0]))
}

// like is the column that has the name, the kind and the labels of another.
func (f *Frame) like(c Column) (*column, error) {
	col, has, err := f.column("SplitTables", c.Name)
	if err == nil && (has.Kind != c.Kind || !slices.Equal(has.Labels(), c.Labels())) {
		err = &ColumnError{Step: "SplitTables", Column: c.Name, Have: f.schema.Names(),
			Want: "it with the categories or bins that the tables of the schema give it"}
	}
	return col, err
}

// children are the rows of the children's table, unit by unit.
func (f *Frame) children(s *Schema, number Codes) (*Frame, error) {
	out := f.keyed(s)
	var keys []float64
	for i := range f.n {
		keys = append(keys, slices.Repeat([]float64{float64(i + 1)}, number.At(i))...)
	}
	for _, c := range s.Columns {
		var places []*column
		for k := range s.RowsPerUnit {
			from, err := f.like(c.place(k))
			if err != nil {
				return nil, err
			}
			places = append(places, from)
		}
		e, wide := newEncoder(c), c.place(0)
		for i := range f.n {
			for k, from := range places {
				none := from.codes.At(i) == wide.Levels()-1
				if here := k < number.At(i); none == here && !(none && c.HasMissing()) {
					return nil, &ValueError{Line: i + 1, Column: c.place(k).Name, Value: wide.Labels()[from.codes.At(i)],
						Want: fmt.Sprintf("%s in a row of %s: a learned structure keeps to it",
							map[bool]string{true: "a child's value", false: safetext.Quote(wide.MissingCategory)}[here],
							count(number.At(i), "child"))}
				} else if here {
					e.take(&wide, from, i)
				}
			}
		}
		out.cols = append(out.cols, e.out.column(c))
	}
	out.key(keys)
	return out, nil
}
