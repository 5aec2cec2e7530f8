// Package source connects tables that stay where they are with private releases. A [Source] yields the sealed
// statistics of a shape. It may be a frame in memory, files that are scanned, a database or a cluster.
//
// A release needs count tables and sums only, never rows. A source therefore reads its rows where they are, gives each
// value its public code, adds the rows up in a model.Tally, and seals the result; noise is drawn from it in one
// process, by the same code and from the same stream as for a frame. Since tallies are exact and do not depend on the
// order of rows, the same seed gives the same release, byte for byte, from every source of the same table.
//
// # Writing a source
//
// A source is a type with the methods of Source in a module of the library: the key of package access, which Sealed
// takes and tallies ask for, cannot be had elsewhere. It keeps these rules.
//
//   - One snapshot. Size, and all tables of one call of Statistics, are of the same rows: one statement or one
//     transaction of a database, files pinned by size and time. A tally refuses what does not add up to a public size.
//   - What the rows are is public: a name, a part. A filter by values makes the number of rows private.
//   - An error names what is public: the source, a column, what was expected. No value of a row, and no text of a
//     driver or an engine, which may quote one: see Failure and frame.Coder.Refusal. So do logs of workers.
//   - The schema's unit key and rows per unit are enforced, by the rule of package frame, or the schema is refused.
//   - No noise is drawn where the rows are.
package source

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Source is a private table that yields sealed statistics. It is sealed: the packages of this library have them all.
// All methods may be called from several goroutines.
type Source interface {
	// Schema is the public schema that the rows are read under.
	Schema() *frame.Schema
	// Size is the number of rows, where it is public, or why it is not. It may have to read the table. Errors: those of
	// Statistics.
	Size(ctx context.Context) (Size, error)
	// Rows says publicly which rows of which table these are.
	Rows() frame.Selection
	// Statistics counts the rows once. Errors: *model.MismatchError for a shape of another schema,
	// *frame.OutOfDomainError for a value that does not fit, *frame.FileError for a file that is no table,
	// *model.ChangedError, *Failure, those of the context.
	Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error)
	// Sealed does nothing. Its argument keeps the type inside this library.
	Sealed(key access.Key)
}

// Size is a number of rows, public or not.
type Size struct {
	N         int    // 0 where it is private
	PrivateBy string // what made it private, such as "rows_per_unit" or "SplitByKey"; "" where it is public
}

// Public is the size where it is public.
func (s Size) Public() (n int, ok bool) { return s.N, s.PrivateBy == "" }

// Shape is the shape of a model on a source, which must have said its size.
func Shape(s Source, size Size, m model.Model) (*model.Shape, error) {
	n, public := size.Public()
	sh, err := model.NewShape(s.Schema(), m, n, public, size.PrivateBy)
	if err != nil {
		return nil, err
	}
	return sh.OfRows(s.Rows().Steps()...), nil
}

// Fits checks that a shape is of the columns of a source. Error: *model.MismatchError.
func Fits(s Source, sh *model.Shape) error { return sh.AcceptsSchema(s.Schema()) }

// Failure says that a source could not be read, in public words: what it is, what it was doing. The text of a driver or
// an engine may quote rows; it is kept out, and Unwrap does not give it.
type Failure struct {
	Source string // its public name
	Doing  string // "connecting", "counting", "reading row groups"
	Want   string // what to look at
}

func (e *Failure) Error() string {
	s := "source " + safetext.File(e.Source) + ": " + e.Doing + " failed"
	if e.Want != "" {
		s += "; want " + e.Want
	}
	return s
}

// NeedsRowsError says that a step needs the rows themselves, which a source does not hand out.
type NeedsRowsError struct {
	Step string
	Want string // what to do instead
}

func (e *NeedsRowsError) Error() string {
	return e.Step + " needs the rows, and a source gives statistics only; want " + e.Want
}

// ofFrame is a table in memory as a source.
type ofFrame struct{ f *frame.Frame }

// OfFrame is a frame as a source.
func OfFrame(f *frame.Frame) Source { return ofFrame{f} }

func (s ofFrame) Schema() *frame.Schema { return s.f.Schema() }

func (s ofFrame) Size(context.Context) (Size, error) {
	n, public := s.f.PublicN()
	if !public {
		return Size{PrivateBy: s.f.PrivateNStep()}, nil
	}
	return Size{N: n}, nil
}

func (s ofFrame) Rows() frame.Selection { return s.f.Selection() }

func (s ofFrame) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return model.Count(sh, s.f)
}

func (ofFrame) Sealed(access.Key) {}
