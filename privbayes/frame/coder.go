package frame

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// Coder gives the texts, numbers and nulls of one column their codes and values, as reading a file does: for sources
// that bring a column by other ways than a file. Not safe for concurrent use: Clone it for every goroutine.
type Coder struct{ e *encoder }

// NewCoder is the coder of a column of a schema. The key keeps it inside this module: what a coder refuses depends on
// private data. Errors: ErrSealed without the key, *SchemaError, *ColumnError for no column, or a sequence.
func NewCoder(key seal.Key, s *Schema, column string) (*Coder, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	full := s.filled()
	c, _, err := full.Column(column)
	if err != nil {
		return nil, err
	}
	if c.Kind == KindSequence {
		return nil, &ColumnError{Step: "NewCoder", Column: column, Have: s.Names(),
			Want: "a categorical, integer or real column; this one is a sequence"}
	}
	return &Coder{newEncoder(*c)}, nil
}

// Clone is a coder of the same column with memory of its own.
func (c *Coder) Clone() *Coder { return &Coder{newEncoder(c.e.col)} }

// Text encodes a text as it would stand in a plain CSV file, unquoted. ok is false for a text that does not fit: see
// Refusal. value is 0 for a categorical column, NaN for a missing number.
func (c *Coder) Text(text []byte) (code int32, value float64, ok bool) {
	return c.last(c.e.add(text))
}

// Number encodes a number, or the day of a date since 1970-01-01, in a numeric column: a missing mark that is this
// number is missing. In a categorical column it is encoded by its shortest decimal text.
func (c *Coder) Number(x float64) (code int32, value float64, ok bool) {
	if !c.e.numeric {
		return c.Text([]byte(formatFloat(x)))
	}
	if c.e.markFirst {
		for _, mark := range c.e.col.Missing {
			if y, is := parseNumber([]byte(mark)); is && x == y {
				return c.last(c.e.addMissing(c.e.missing))
			}
		}
	}
	return c.last(c.e.addNumber(x))
}

// Null encodes a value that is not there: the missing category, where the schema has one, else like an empty field.
func (c *Coder) Null() (code int32, value float64, ok bool) {
	if c.e.missing < 0 {
		return c.Text(nil)
	}
	if c.e.numeric {
		return c.last(c.e.addMissing(c.e.missing))
	}
	c.e.push(c.e.missing)
	return c.last(true)
}

// last takes back what the encoder appended.
func (c *Coder) last(ok bool) (code int32, value float64, _ bool) {
	if !ok {
		return 0, 0, false
	}
	out := &c.e.out
	if n := len(out.codes.U8); n > 0 {
		code, out.codes.U8 = int32(out.codes.U8[n-1]), out.codes.U8[:0]
	} else {
		code, out.codes.U16 = int32(out.codes.U16[len(out.codes.U16)-1]), out.codes.U16[:0]
	}
	if n := len(out.values); n > 0 {
		value, out.values = out.values[n-1], out.values[:0]
	}
	return code, value, true
}

// Refusal says that some value of the column does not fit, and what would. It names no value: where the data lives in
// a database or on a cluster, errors pass through logs that are not the data holder's alone.
func (c *Coder) Refusal(source string) *OutOfDomainError {
	k, e := c.e.col, &OutOfDomainError{Source: source, Column: c.e.col.Name}
	switch {
	case !c.e.numeric:
		e.Want = "one of " + suggest.List(k.Categories, 12)
	case k.Date != "":
		e.Want = fmt.Sprintf("a date like %q from %s to %s", k.Date, k.edge(k.Min), k.edge(k.Max))
	case k.Kind == KindInteger:
		e.Want = fmt.Sprintf("a whole number from %s to %s", number(k.Min), number(k.Max))
	default:
		e.Want = fmt.Sprintf("a number from %s to %s", number(k.Min), number(k.Max))
	}
	if !k.HasMissing() {
		e.Want += `, and none missing ("on_missing": "category" allows that)`
	}
	return e
}

// OutOfDomainError says that a column of a source has a value outside its domain. Other than *ValueError it holds no
// value and no place: that there is one is all that it tells of the data.
type OutOfDomainError struct {
	Source string // the name of the source, "" if it has none
	Column string
	Want   string
}

func (e *OutOfDomainError) Error() string {
	s := ""
	if e.Source != "" {
		s = label.File(e.Source) + ": "
	}
	return s + "column " + label.Short(e.Column) + " has a value that does not fit; want " + e.Want
}
