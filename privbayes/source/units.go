package source

import (
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Units caps the rows of units on their way into a tally, for sources of a schema with a unit key that bring every row
// with its key; see frame.UnitCap for the rule. It holds one encoded row for every entry: rows of one unit that agree.
// Where the rows of a unit stand together, have one Units for each unit, or add them to a tally of their own. Not safe
// for concurrent use: have one for every goroutine, and Merge.
type Units struct {
	schema *frame.Schema
	shape  *model.Shape
	cap    *frame.UnitCap
	coders []*frame.Coder // of the shape's columns
	at     []int          // their places in the schema
	codes  []int32        // of every entry, one for each of the shape's columns
	values []float64
}

// NewUnits is empty. The key keeps it inside this module. Errors: those of frame.NewCoder and frame.NewUnitCap.
func NewUnits(key access.Key, s *frame.Schema, sh *model.Shape) (*Units, error) {
	u := &Units{schema: s, shape: sh}
	var err error
	if u.cap, err = frame.NewUnitCap(key, max(s.RowsPerUnit, 1)); err != nil {
		return nil, err
	}
	for _, c := range sh.Columns() {
		_, at, err := s.Column(c.Name)
		if err != nil {
			return nil, err
		}
		coder, err := frame.NewCoder(key, s, c.Name)
		if err != nil {
			return nil, err
		}
		u.at, u.coders = append(u.at, at), append(u.coders, coder)
	}
	return u, nil
}

// Row adds a row by its key and the texts of all columns of the schema, in their order, as they would stand in a plain
// CSV file. name stands for the source in errors: *frame.OutOfDomainError for a value that does not fit, or no key.
func (u *Units) Row(name string, key []byte, texts ...[]byte) error {
	if len(key) == 0 {
		return noUnit(name, u.schema)
	}
	if _, isNew := u.cap.Add(key, texts...); !isNew {
		return nil
	}
	for i, c := range u.coders {
		code, value, ok := c.Text(texts[u.at[i]])
		if !ok {
			return c.Refusal(name)
		}
		u.codes, u.values = append(u.codes, code), append(u.values, value)
	}
	return nil
}

// noUnit refuses a row without a key.
func noUnit(name string, s *frame.Schema) error {
	return &frame.OutOfDomainError{Source: name, Column: s.UnitKey,
		Want: "the unit of every row; a row without one could belong to any"}
}

// Merge adds the rows of another of the same schema and shape.
func (u *Units) Merge(o *Units) {
	w := len(u.coders)
	for i, e := range u.cap.Merge(o.cap) {
		if e*w == len(u.codes) { // new here, and numbered as it comes
			u.codes = append(u.codes, o.codes[i*w:(i+1)*w]...)
			u.values = append(u.values, o.values[i*w:(i+1)*w]...)
		}
	}
}

// AddTo adds the rows that stay to a tally of the shape, and those that pad the units. Errors: those of
// model.Tally.Group.
func (u *Units) AddTo(t *model.Tally) error {
	w, rows := len(u.coders), int64(0)
	for e, copies := range u.cap.Kept() {
		if err := t.Group(u.codes[e*w:(e+1)*w], u.values[e*w:(e+1)*w], int64(copies)); err != nil {
			return err
		}
		rows += int64(copies)
	}
	if !u.schema.PadUnits {
		return nil
	}
	return Pad(access.Mine(), u.schema, t, int64(u.schema.RowsPerUnit)*int64(u.cap.Units())-rows)
}

// Size is the size of the table after capping.
func (u *Units) Size() Size { return SizeOf(u.schema, 0, u.cap.Units()) }

// Pad adds rows of the columns' Pad to a tally: what pads units where a database has capped them. The key keeps it
// inside this module. Errors: *frame.SchemaError for a column without a pad, those of model.Tally.Group.
func Pad(key access.Key, s *frame.Schema, t *model.Tally, rows int64) error {
	var codes []int32
	var values []float64
	for _, c := range t.Columns() {
		coder, err := frame.NewCoder(key, s, c.Name)
		if err != nil {
			return err
		}
		own, _, err := s.Column(c.Name)
		if err != nil {
			return err
		}
		code, value, ok := coder.Text([]byte(own.Pad))
		if !ok {
			return &frame.SchemaError{Column: c.Name, Field: "pad", Value: "no value of the column",
				Want: coder.Refusal("").Want}
		}
		codes, values = append(codes, code), append(values, value)
	}
	return t.Group(codes, values, rows)
}

// SizeOf is the public side of the size of a table read under a schema: its rows where none are capped; rows per unit
// times the units where every unit then has that many; else nothing.
func SizeOf(s *frame.Schema, rows, units int) Size {
	switch capped, public := s.CapsRows(); {
	case !capped:
		return Size{N: rows}
	case public:
		return Size{N: max(s.RowsPerUnit, 1) * units}
	}
	return Size{PrivateBy: frame.RowsPerUnit}
}

// texts are the columns whose texts a source must bring of every row to cap units: the key first, then those of the
// schema in their order.
func texts(s *frame.Schema) []string { return slices.Concat([]string{s.UnitKey}, s.Names()) }
