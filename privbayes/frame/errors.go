package frame

import (
	"errors"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

var (
	// ErrPrivateN is matched by *PrivateNError.
	ErrPrivateN = errors.New("the number of rows is private")
	// ErrSealed is returned when private rows would be marshalled.
	ErrSealed = errors.New("private rows do not marshal; publish a release instead")
)

// SchemaError says which field of a schema is not valid. It depends on public inputs only.
type SchemaError struct {
	Column string // "" for the schema itself
	Field  string // JSON name of the field: "edges", "categories", …
	Value  string
	Want   string
}

func (e *SchemaError) Error() string {
	where := "schema"
	if e.Column != "" {
		where = "schema column " + label.Short(e.Column)
	}
	return fmt.Sprintf("%s: %s is %s; want %s", where, e.Field, e.Value, e.Want)
}

// ValueError says which value of the data does not fit the schema. It is the one refusal that depends on private data,
// and its text quotes the value: show it to the data holder only.
type ValueError struct {
	File   string // "" for columns made in code
	Line   int    // line where the record starts, from 1; the row, from 1, for columns made in code
	Column string // "" when the record as a whole is malformed
	Value  string
	Want   string
}

func (e *ValueError) Error() string {
	var b strings.Builder
	if e.File != "" {
		fmt.Fprintf(&b, "%s line %d", label.File(e.File), e.Line)
	} else {
		fmt.Fprintf(&b, "row %d", e.Line)
	}
	if e.Column != "" {
		b.WriteString(", column " + label.Short(e.Column))
	}
	b.WriteString(": found " + label.Short(e.Value) + "; want " + e.Want)
	return b.String()
}

// ColumnError says that a column does not exist, or, when Want is set, that it is not what a step needs.
type ColumnError struct {
	Step   string // "Select", "Codes", …; "" in Schema.Column
	Column string
	Have   []string // the columns there are
	Want   string
}

func (e *ColumnError) Error() string {
	prefix := ""
	if e.Step != "" {
		prefix = e.Step + ": "
	}
	if e.Want != "" {
		return fmt.Sprintf("%scolumn %s: want %s", prefix, label.Short(e.Column), e.Want)
	}
	s := fmt.Sprintf("%sno column %s; have %s", prefix, label.Short(e.Column), suggest.List(e.Have, 12))
	if near := suggest.Closest(e.Column, e.Have); near != "" {
		s += fmt.Sprintf("; did you mean %s?", label.Quote(near))
	}
	return s
}

// FileError says that a file is missing, empty, damaged, or not a table.
type FileError struct {
	File  string
	Found string // what the file is instead, "" if nothing that has a name
	Want  string
	Err   error // the cause, if another package found it
}

func (e *FileError) Error() string {
	if e.Found != "" {
		return fmt.Sprintf("%s: it is %s; want %s", label.File(e.File), e.Found, e.Want)
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: %s; want %s", label.File(e.File), label.Cause(e.Err, 1000), e.Want)
	}
	return fmt.Sprintf("%s: want %s", label.File(e.File), e.Want)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// PrivateNError says that a step needs a public number of rows, and which earlier step made it private.
type PrivateNError struct{ Step, PrivateBy string }

func (e *PrivateNError) Error() string {
	return fmt.Sprintf("%s needs a public number of rows, and %s made it private; use Split, which needs none", e.Step,
		e.PrivateBy)
}

// Is reports whether target is ErrPrivateN.
func (e *PrivateNError) Is(target error) bool { return target == ErrPrivateN }

// PrivateRowsError says that a step would show or copy out private rows.
type PrivateRowsError struct{ Step string }

func (e *PrivateRowsError) Error() string {
	return e.Step + ": the rows are private; want synthetic records, or rows that are published elsewhere and " +
		"declared so by AsPublic"
}

// TogetherError says why two frames do not go together in a step. It depends on public inputs only.
type TogetherError struct{ Step, Why, Want string }

func (e *TogetherError) Error() string { return e.Step + ": " + e.Why + "; want " + e.Want }
