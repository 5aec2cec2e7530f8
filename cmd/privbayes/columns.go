package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/input"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// tableForm is how a table is written, by its first bytes.
type tableForm int

const (
	textForm tableForm = iota // CSV, or gzip of it
	arrowForm
	parquetForm
)

// formOf reads the mark that a table begins with.
func formOf(start []byte) tableForm {
	switch {
	case bytes.HasPrefix(start, []byte("ARROW1")), bytes.HasPrefix(start, []byte("\xff\xff\xff\xff")):
		return arrowForm
	case bytes.HasPrefix(start, []byte("PAR1")):
		return parquetForm
	}
	return textForm
}

// inputName is what errors call standard input.
const inputName = "standard input"

// maxInput is the size of the largest table that is read from standard input, in bytes: it is held in memory.
const maxInput = 2 << 30

// inputMark is the line that ends a table of text on standard input. A writer that dies closes its pipe, and half of a
// table then looks like a whole one. So a program that writes tables sets PRIVBAYES_PIPE=marked, and without the mark
// the table is refused. Arrow has a mark of its own.
const inputMark = "\x04\n"

// cutError is a table on standard input without its end.
type cutError struct{ err error }

func (e *cutError) Error() string {
	return inputName + ": the table does not end with its mark: its writer did not finish. Nothing was drawn or charged"
}

// Unwrap returns the cause, if there is one.
func (e *cutError) Unwrap() error { return e.err }

// fromInput reports whether the table is on standard input.
func (t *tableFlags) fromInput() bool { return slices.Contains(t.data, "-") }

// input is the whole table on standard input, without its mark. It is read once, and kept: a command may need it twice.
func (t *tableFlags) input() ([]byte, error) {
	if t.piped != nil {
		return t.piped, nil
	}
	b, err := input.Read(os.Stdin, maxInput+1)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, &cutError{err}
	case len(b) > maxInput:
		return nil, wrongFlag("data", "-", "at most 2 GiB on standard input; give the file")
	case formOf(b) == textForm:
		var whole []byte
		whole, t.marked = bytes.CutSuffix(b, []byte(inputMark))
		if !t.marked && os.Getenv("PRIVBAYES_PIPE") == "marked" {
			return nil, &cutError{}
		}
		b = whole
	}
	t.piped = append([]byte{}, b...)
	return t.piped, nil
}

// formOfFile is that of a file; where there is none its reader says so. A pipe is text, since what is looked at there
// is gone.
func formOfFile(path string) tableForm {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return textForm
	}
	f, err := os.Open(path)
	if err != nil {
		return textForm
	}
	defer func() { _ = f.Close() }()
	start := make([]byte, 8)
	n, _ := io.ReadFull(f, start)
	return formOf(start[:n])
}

// form is how the table is written; of several files, the first. Flags about CSV are refused for another.
func (t *tableFlags) form() (form tableForm, err error) {
	if t.fromInput() {
		b, err := t.input()
		if err != nil {
			return textForm, err
		}
		form = formOf(b)
	} else {
		form = formOfFile(t.data[0])
	}
	for _, name := range written {
		if form != textForm && t.flags.given(name) {
			return form, &usageError{flag: "--" + name, text: fmt.Sprintf("%s: --%s is for CSV, and %s is not; leave it out",
				commandOf(t.flags), name, t.name())}
		}
	}
	return form, nil
}

// read reads the table: files, standard input or the embedded data set, which has a schema and a form of its own. Of
// files of columns statistics are taken where they stand, unless rows are needed.
func (t *tableFlags) read(ctx context.Context, s *frame.Schema) *privbayes.Frame {
	if err := t.data.expand(); err != nil {
		return privbayes.WrapFrame(nil, err)
	}
	if name, ok := t.embedded(); ok {
		r, own, err := data.Open(name)
		if err != nil {
			return privbayes.WrapFrame(nil, err)
		}
		if s == nil {
			s = own
		}
		return privbayes.ReadFrame(r, s)
	}
	form, err := t.form()
	switch {
	case err != nil:
	case s != nil && len(s.Tables) > 0:
		return privbayes.WrapFrame(t.loadTables(ctx, s))
	case form == textForm && t.counted(s):
		return t.once(ctx, s)
	case form == textForm && !t.fromInput() && len(t.data) == 1:
		return privbayes.LoadFrame(t.data[0], s, t.options(s)...)
	case form == textForm && !t.fromInput():
		return privbayes.LoadShards(t.data, s, t.options(s)...)
	case form == parquetForm && !t.rows && !t.fromInput(), form == arrowForm && !t.rows:
		return t.columns(ctx, s, form)
	default:
		var f *frame.Frame
		text, options, err := t.text(ctx, s)
		if err == nil {
			f, err = frame.Read(ctx, text, t.name(), s, options...)
		}
		return privbayes.WrapFrame(f, t.quiet(err))
	}
	return privbayes.WrapFrame(nil, err)
}

// counted reports whether CSV files are read once, for the counts of models alone, and no row is kept: the schema says
// how they are written, they can be read again, and no rows of units are capped.
func (t *tableFlags) counted(s *frame.Schema) bool {
	capped, _ := s.CapsRows()
	return len(t.counts) > 0 && !t.rows && !t.fromInput() && !capped && t.options(s) == nil &&
		!slices.ContainsFunc(t.data, func(path string) bool {
			info, err := os.Stat(path)
			return err != nil || !info.Mode().IsRegular()
		})
}

// once reads CSV files once. Where that fails it reads them as rows, and the error says where.
func (t *tableFlags) once(ctx context.Context, s *frame.Schema) *privbayes.Frame {
	models := t.counts
	t.counts = nil
	files, err := source.Files(s, t.data...)
	if err != nil {
		return t.read(ctx, s)
	}
	counted, err := source.Counted(ctx, files, models...)
	if misfit := (*model.Error)(nil); errors.As(err, &misfit) {
		return privbayes.From(ctx, files) // of which Model says so
	}
	switch {
	case err == nil:
		return privbayes.From(ctx, counted)
	case ctx.Err() != nil:
		return privbayes.WrapFrame(nil, err)
	}
	return t.read(ctx, s)
}

// text is the table as CSV, with the options to read it.
func (t *tableFlags) text(ctx context.Context, s *frame.Schema) (io.Reader, []frame.ReadOption, error) {
	form, err := t.form()
	switch {
	case err != nil:
		return nil, nil, err
	case form == textForm:
		b, err := t.input()
		options := t.options(s)
		if t.marked && options == nil { // a program wrote it, not in the form that the schema gives to files
			options = plainText
		}
		return bytes.NewReader(b), options, err
	}
	r, err := t.columnText(ctx, s, form)
	return r, plainText, err
}

// plainText reads commas, points and UTF-8, whatever the schema says about files.
var plainText = []frame.ReadOption{frame.WithFormat(frame.Format{})}

// fileFault is what errors about files say.
func fileFault(err error) (f fault) {
	switch e := err.(type) {
	case *fileError:
		f.File = e.path
	case *fs.PathError:
		f.File = e.Path
	case *synthetic.FolderError:
		f.File, f.Want = e.Path, e.Want
	default:
		f.File, f.Want = columnFault(err)
	}
	return f
}

// name is what errors call the table.
func (t *tableFlags) name() string {
	if t.fromInput() {
		return inputName
	}
	return t.data.String()
}

// quiet leaves values and places out of an error about standard input: a program wrote the table, and its log is no
// place for rows. The command check lists them.
func (t *tableFlags) quiet(err error) error {
	var v *frame.ValueError
	if t.fromInput() && errors.As(err, &v) {
		return &frame.OutOfDomainError{Source: inputName, Column: v.Column, Want: v.Want}
	}
	return err
}

// violations lists every value that does not fit.
func (t *tableFlags) violations(ctx context.Context, s *frame.Schema) (*frame.Violations, error) {
	if err := t.data.expand(); err != nil {
		return nil, err
	}
	if name, ok := t.embedded(); ok {
		r, _, err := data.Open(name)
		if err != nil {
			return nil, err
		}
		return frame.Check(ctx, r, name, s)
	}
	form, err := t.form()
	if err == nil && len(s.Tables) > 0 {
		return t.checkTables(ctx, s)
	}
	if err == nil && form == textForm && !t.fromInput() {
		return frame.CheckFiles(ctx, t.data, s, t.options(s)...)
	}
	text, options, err := t.text(ctx, s)
	if err != nil {
		return nil, err
	}
	return frame.Check(ctx, text, t.name(), s, options...)
}

// inputAlone refuses standard input next to other files, and for a second purpose.
func (t *tableFlags) inputAlone(arguments []string, other paths) error {
	piped := slices.Contains(other, "-")
	if t.fromInput() && (len(t.data) > 1 || piped || slices.Contains(arguments, standardInput)) {
		return wrongFlag("data", "-", "standard input for one table, and for nothing else")
	}
	if piped {
		return wrongFlag("test", "-", "a file; --data may be standard input")
	}
	return nil
}
