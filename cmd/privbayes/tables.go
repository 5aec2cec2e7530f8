package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// maxDocument is the length of the longest schema that is read, in bytes.
const maxDocument = 1 << 26

// readSchemaFile reads a schema file.
func readSchemaFile(path string) (*frame.Schema, error) {
	b, err := readWithin(path, maxDocument)
	if err != nil {
		return nil, err
	}
	s, err := frame.ParseSchema(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// exists reports whether there is a file of that name.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// newRows reads rows to predict, under the columns of a release's model: other columns are ignored, and the target may
// be absent.
func newRows(t *tableFlags, sh *model.Shape) (*frame.Frame, error) {
	s := sh.Schema().Clone()
	s.Columns, s.ExtraColumns = sh.Columns(), true
	f, err := readNew(t, s)
	var absent *frame.ColumnError
	if errors.As(err, &absent) && absent.Column == s.Columns[0].Name && len(s.Columns) > 1 {
		s.Columns = s.Columns[1:]
		f, err = readNew(t, s)
	}
	return f, err
}

func readNew(t *tableFlags, s *frame.Schema) (*frame.Frame, error) {
	f := t.read(s)
	return f.Data(), f.Err()
}

// writeTable writes records to a new file, or to out where path is empty.
func writeTable(out io.Writer, path string, records [][]string, mode os.FileMode) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return err
	}
	return writeText(out, path, b.Bytes(), mode)
}

func writeText(out io.Writer, path string, text []byte, mode os.FileMode) error {
	if path == "" {
		_, err := out.Write(text)
		return err
	}
	if err := writeNewAs(path, text, mode); err != nil {
		return fmt.Errorf("%w; want a new file: files are never overwritten", err)
	}
	_, err := fmt.Fprintln(out, path)
	return err
}
