package arrow

import (
	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// entry is a value under the schema.
type entry struct {
	code  int32
	value float64
	ok    bool
}

// column reads one column of the table, batch by batch. Not safe for concurrent use.
type column struct {
	name  string
	col   *frame.Column // nil of a key that the schema does not have as a column
	coder *frame.Coder  // likewise
	null  entry
	empty []byte // the text that is missing under the schema, nil if there is none

	arr   apache.Array // of the batch
	cells              // its values, or those of its dictionary
	index func(i int) int
	dict  apache.ArrayData // the dictionary that table is of
	table []entry

	bytes  []byte
	codes8 []uint8
	codes  []uint16
	values []float64
}

// newColumn reads a column of the schema, or a key.
func newColumn(s *frame.Schema, name string) (*column, error) {
	c := &column{name: name}
	col, _, err := s.Column(name)
	if err != nil || col.Kind == frame.KindSequence { // a key is read as a text
		return c, nil
	}
	c.col = col
	if c.coder, err = frame.NewCoder(access.Mine(), s, name); err != nil {
		return nil, err
	}
	c.null.code, c.null.value, c.null.ok = c.coder.Null()
	c.empty = c.coder.NullText()
	return c, nil
}

// set begins a batch. ok is false for an array that is not as its type says, or of a type that is not read.
func (c *column) set(arr apache.Array, rows int) (ok bool) {
	if arr == nil || arr.Len() != rows {
		return false
	}
	c.arr, c.index = arr, nil
	d, is := arr.(*array.Dictionary)
	if !is {
		c.cells, ok = newCells(arr, c.col, c.coder)
		return ok
	}
	if c.index = indices(d.Indices()); c.index == nil {
		return false
	}
	values := d.Dictionary()
	if c.cells, ok = newCells(values, c.col, c.coder); !ok {
		return false
	}
	if c.dict == values.Data() && c.dict != nil {
		return true // the same as in the batch before, and encoded
	}
	c.dict, c.table = values.Data(), c.table[:0]
	for k := range values.Len() {
		e := entry{}
		switch {
		case c.coder == nil:
		case values.IsNull(k):
			e = c.null
		default:
			e = c.encode(k)
		}
		c.table = append(c.table, e)
	}
	return true
}

// encode gives a value its code.
func (c *column) encode(i int) (e entry) {
	switch {
	case c.isNaN != nil && c.isNaN(i):
		return c.null
	case c.code != nil:
		return c.code(i)
	}
	var ok bool
	if c.bytes, ok = c.text(c.bytes[:0], i); ok {
		e.code, e.value, e.ok = c.coder.Text(c.bytes)
	}
	return e
}

// at is the value of a row. An index that the dictionary does not have panics, as damaged arrays do.
func (c *column) at(i int) entry {
	switch {
	case c.arr.IsNull(i):
		return c.null
	case c.index != nil:
		return c.table[c.index(i)]
	}
	return c.encode(i)
}

// cell is the text of a row as a CSV file would hold it, valid until the next one; null where there is no value.
func (c *column) cell(i int) (text []byte, null, ok bool) {
	null = c.arr.IsNull(i)
	if !null && c.index != nil {
		i = c.index(i)
		null = c.arr.(*array.Dictionary).Dictionary().IsNull(i)
	}
	if null || c.isNaN != nil && c.isNaN(i) {
		return c.empty, true, c.coder == nil || c.empty != nil
	}
	c.bytes, ok = c.text(c.bytes[:0], i)
	return c.bytes, false, ok
}

// block encodes some rows into the column's own memory.
func (c *column) block(rows []int, levels int, byValue bool) (codes frame.Codes, values []float64, ok bool) {
	codes.Levels = levels
	switch {
	case byValue:
		c.values = grown(c.values, len(rows))
		for k, i := range rows {
			e := c.at(i)
			if !e.ok {
				return codes, nil, false
			}
			c.values[k] = e.value
		}
		return codes, c.values, true
	case levels <= 256:
		c.codes8 = grown(c.codes8, len(rows))
		codes.U8 = c.codes8
		return codes, nil, fill(c, rows, codes.U8)
	}
	c.codes = grown(c.codes, len(rows))
	codes.U16 = c.codes
	return codes, nil, fill(c, rows, codes.U16)
}

func fill[C uint8 | uint16](c *column, rows []int, to []C) bool {
	for k, i := range rows {
		e := c.at(i)
		if !e.ok {
			return false
		}
		to[k] = C(e.code)
	}
	return true
}

// indices reads the indices of a dictionary array; nil if they are no whole numbers.
func indices(arr apache.Array) func(i int) int {
	switch a := arr.(type) {
	case *array.Int8:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Int16:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Int32:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Int64:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Uint8:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Uint16:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Uint32:
		return func(i int) int { return int(a.Value(i)) }
	case *array.Uint64:
		return func(i int) int { return int(a.Value(i)) }
	}
	return nil
}

// grown is a slice of n elements in the memory of s if it is large enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, blockRows))
	}
	return s[:n]
}
