// Package gotaframe moves tables between gota data frames and private frames. A gota data frame is not private: it
// prints its rows.
package gotaframe

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// From encodes a gota data frame under a public schema. A missing element (NaN) is read as missing under the schema's
// rules; strings, numbers and booleans are read as they would stand in a file. The order of the columns is free.
//
// Errors: the data frame's own; *frame.SchemaError; *frame.ColumnError (a column of the schema is absent, or, without
// ExtraColumns, the data frame has another); *frame.ValueError (Line is the row, from 1).
func From(df dataframe.DataFrame, s *frame.Schema) (*frame.Frame, error) {
	if df.Err != nil {
		return nil, &frame.FileError{File: "gota data frame", Want: "a data frame without error", Err: df.Err}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.Clone() // with the weight among its columns
	cols := map[string]any{}
	for _, name := range df.Names() {
		c, _, err := s.Column(name)
		if err != nil {
			if cols[name] = []string(nil); name == s.UnitKey {
				cols[name] = df.Col(name).Records()
			}
			// frame.FromColumns decides about columns that the schema does not name
			continue
		}
		cols[name] = texts(df.Col(name), *c)
	}
	return frame.FromColumns(s, cols)
}

// texts writes a series as it would stand in a file.
func texts(col series.Series, c frame.Column) any {
	if c.Numeric() && (col.Type() == series.Float || col.Type() == series.Int) {
		return col.Float() // NaN where missing
	}
	// gota takes the text "NaN" for missing, so where it is a category it cannot mean missing.
	missing := "NaN"
	if len(c.Missing) > 0 && !slices.Contains(c.Categories, missing) {
		missing = c.Missing[0]
	}
	out := make([]string, col.Len())
	for i := range out {
		e := col.Elem(i)
		switch {
		case e.IsNA():
			out[i] = missing
		case e.Type() == series.Float:
			out[i] = strconv.FormatFloat(e.Float(), 'f', -1, 64)
		default:
			out[i] = e.String()
		}
	}
	return out
}

// Of writes rows that are public out, in the order of the schema's columns: categories, sequences and dates as strings,
// integer columns as Int, real columns as Float; missing values as NaN. Categories that stand for missing or other
// values stay what the schema made of them. From reads the result back to the same codes.
//
// Public are synthetic records of a release, records drawn from a known network, and what frame.Frame.AsPublic
// declares. Private rows are refused with *frame.PrivateRowsError: a gota data frame prints its rows. Other errors: the
// data frame's own, as *frame.FileError.
func Of(f *frame.Frame) (dataframe.DataFrame, error) {
	if f == nil {
		return dataframe.DataFrame{}, &frame.FileError{File: "frame", Want: "a frame; this one is nil"}
	}
	if _, ok := f.Public(); !ok {
		return dataframe.DataFrame{}, &frame.PrivateRowsError{Step: "gotaframe.Of"}
	}
	var cols []series.Series
	for _, c := range f.Schema().Columns {
		col, err := toSeries(f, c)
		if err != nil {
			return dataframe.DataFrame{}, err
		}
		cols = append(cols, col)
	}
	df := dataframe.New(cols...)
	if df.Err != nil {
		return df, &frame.FileError{File: "gota data frame", Want: "columns that gota accepts", Err: df.Err}
	}
	return df, nil
}

func toSeries(f *frame.Frame, c frame.Column) (series.Series, error) {
	switch c.Kind {
	case frame.KindSequence:
		seqs, err := f.Sequences(c.Name)
		out := make([]string, len(seqs))
		for i, seq := range seqs {
			items := make([]string, len(seq))
			for k, code := range seq {
				items[k] = c.Categories[code]
			}
			out[i] = strings.Join(items, c.Separator)
		}
		return series.New(out, series.String, c.Name), err
	case frame.KindInteger, frame.KindReal:
		values, err := f.Values(c.Name)
		if c.Date != "" {
			out := make([]string, len(values))
			for i, v := range values {
				out[i] = "NaN"
				if !math.IsNaN(v) {
					out[i] = c.Text(v)
				}
			}
			return series.New(out, series.String, c.Name), err
		}
		// An Int series made from a slice cannot hold missing values.
		if c.Kind == frame.KindReal || slices.ContainsFunc(values, math.IsNaN) {
			return series.New(values, series.Float, c.Name), err
		}
		ints := make([]int, len(values))
		for i, v := range values {
			ints[i] = int(v)
		}
		return series.New(ints, series.Int, c.Name), err
	}
	codes, err := f.Codes(c.Name)
	if err != nil {
		return series.Series{}, err
	}
	out := make([]string, codes.Len())
	for i := range out {
		out[i] = "NaN"
		if k := codes.At(i); k < len(c.Categories) {
			out[i] = c.Categories[k]
		}
	}
	return series.New(out, series.String, c.Name), nil
}

// Table writes what a release or a report shows as a table: one column of strings each, in its order. Numbers are as
// they are shown, rounded to four digits. A table that is marked private stays private as a data frame. Error: the data
// frame's own, as *frame.FileError.
func Table(t *table.Table) (dataframe.DataFrame, error) {
	if t == nil {
		return dataframe.DataFrame{}, &frame.FileError{File: "table", Want: "a table; this one is nil"}
	}
	var cols []series.Series
	for i, name := range t.Columns {
		cells := make([]string, len(t.Rows))
		for k, row := range t.Rows {
			if i < len(row) {
				cells[k] = row[i]
			}
		}
		cols = append(cols, series.New(cells, series.String, name))
	}
	df := dataframe.New(cols...)
	if df.Err != nil {
		return df, &frame.FileError{File: "gota data frame", Want: "columns that gota accepts", Err: df.Err}
	}
	return df, nil
}
