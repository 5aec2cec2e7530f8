package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// dataWords is the flag --data of commands that read the table.
const dataWords = "the table: a CSV or CSV.gz `file`, or the name of an embedded data set"

// readSchemaFile reads a schema file.
func readSchemaFile(path string) (*frame.Schema, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, err := frame.ParseSchema(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// readTable reads a CSV file, or the embedded data set of that name where there is no such file, under a schema; an
// embedded set has its own.
func readTable(path string, s *frame.Schema) *privbayes.Frame {
	if _, err := os.Stat(path); err != nil && slices.Contains(data.Names(), path) {
		r, own, err := data.Open(path)
		if err != nil {
			return privbayes.WrapFrame(nil, err)
		}
		return privbayes.ReadFrame(r, cmp.Or(s, own))
	}
	return privbayes.LoadFrame(path, s)
}

// tableAndSchema reads what --schema and --data name.
func tableAndSchema(schema, path string) (*privbayes.Frame, error) {
	switch {
	case path == "":
		return nil, &usageError{"--data: want " + strings.ReplaceAll(dataWords, "`", "")}
	case schema == "" && !slices.Contains(data.Names(), path):
		return nil, &usageError{fmt.Sprintf("--schema: want the schema of %s; or --data with an embedded set: %s%s", path,
			strings.Join(data.Names(), ", "), meant(path, data.Names()))}
	case schema == "":
		f := readTable(path, nil)
		return f, f.Err()
	}
	s, err := readSchemaFile(schema)
	if err != nil {
		return nil, err
	}
	f := readTable(path, s)
	return f, f.Err()
}

// newRows reads rows to predict, under the columns of a release's model: other columns are ignored, and the target may
// be absent.
func newRows(path string, sh *model.Shape) (*frame.Frame, error) {
	s := sh.Schema().Clone()
	s.Columns, s.ExtraColumns = sh.Columns(), true
	f, err := readNew(path, s)
	var absent *frame.ColumnError
	if errors.As(err, &absent) && absent.Column == s.Columns[0].Name && len(s.Columns) > 1 {
		s.Columns = s.Columns[1:]
		f, err = readNew(path, s)
	}
	return f, err
}

func readNew(path string, s *frame.Schema) (*frame.Frame, error) {
	f := readTable(path, s)
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
