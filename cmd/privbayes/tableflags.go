package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// dataWords is the flag --data of commands that read the table.
const dataWords = "the table: a CSV or CSV.gz `file`, or the name of an embedded data set; several files are one " +
	"table, each with its own header: give --data for each, or a pattern such as \"part-*.csv\" in quotes"

// paths are the values of a flag that may stand several times.
type paths []string

func (p *paths) String() string { return strings.Join(*p, " ") }

func (*paths) repeats() {}

// Set adds a file or a pattern.
func (p *paths) Set(text string) error {
	if text == "" {
		return errors.New("want the name of a file")
	}
	*p = append(*p, text)
	return nil
}

// expand puts the files of a pattern in its place, in the order of their names.
func (p *paths) expand() error {
	var out paths
	for _, path := range *p {
		if !strings.ContainsAny(path, "*?[") || exists(path) {
			out = append(out, path)
			continue
		}
		found, err := filepath.Glob(path)
		if err != nil || len(found) == 0 {
			return &usageError{fmt.Sprintf("--data %s: no file has a name like this", path)}
		}
		out = append(out, found...)
	}
	*p = out
	return nil
}

// tableFlags say which files a table is in, and how they are written.
type tableFlags struct {
	data  paths
	flags *flagSet
	formatFlags
}

func (t *tableFlags) add(f *flagSet, words string) {
	t.flags = f
	f.Var(&t.data, "data", dataWords+words)
	t.formatFlags.add(f, "; that of the schema if it is not given")
}

// written are the flags that say how files are written.
var written = []string{"separator", "decimal", "encoding", "thousands", "trim"}

// formatFlags say how files are written.
type formatFlags struct {
	separator, decimal, encoding, thousands string
	trim                                    bool
}

func (t *formatFlags) add(f *flagSet, unless string) {
	f.StringVar(&t.separator, "separator", "", "between fields: a comma, or such as \";\" or tab"+unless)
	f.StringVar(&t.decimal, "decimal", "", "the decimal mark: a point, or a comma"+unless)
	f.StringVar(&t.thousands, "thousands", "", "the mark between groups of three digits, such as a comma or space"+unless)
	f.BoolVar(&t.trim, "trim", false, "leave out blanks at the ends of names and fields; so does a schema that says it")
	f.StringVar(&t.encoding, "encoding", "", strings.Join(encodings, ", ")+unless)
}

// encodings are the values of --encoding.
var encodings = []string{string(frame.UTF8), string(frame.Latin1), string(frame.Windows1252), string(frame.UTF16)}

// format is what the flags say, and what the schema says where they do not.
func (t *formatFlags) format(of *frame.Format) frame.Format {
	var f frame.Format
	if of != nil {
		f = *of
	}
	f.Separator = cmp.Or(t.separator, f.Separator)
	if f.Separator == "tab" || f.Separator == `\t` {
		f.Separator = "\t"
	}
	f.Decimal = cmp.Or(t.decimal, f.Decimal)
	f.Thousands, f.Trim = cmp.Or(t.thousands, f.Thousands), t.trim || f.Trim
	f.Encoding = frame.Encoding(cmp.Or(t.encoding, string(f.Encoding)))
	return f
}

// options read files as the flags say.
func (t *formatFlags) options(s *frame.Schema) []frame.ReadOption {
	if *t == (formatFlags{}) {
		return nil
	}
	return []frame.ReadOption{frame.WithFormat(t.format(s.Format))}
}

// embedded is the data set of the library that --data names, where there is no such file.
func (t *tableFlags) embedded() (name string, ok bool) {
	if len(t.data) != 1 || exists(t.data[0]) || !slices.Contains(data.Names(), t.data[0]) {
		return "", false
	}
	return t.data[0], true
}

// find lists the files. An embedded data set is not written as flags say: only files are.
func (t *tableFlags) find() error {
	if err := t.data.expand(); err != nil {
		return err
	}
	t.flags.reads("data")
	if _, ok := t.embedded(); !ok {
		t.flags.reads(written...)
	}
	return nil
}

// read reads the files as one table, or the embedded data set, which has a schema and a form of its own.
func (t *tableFlags) read(s *frame.Schema) *privbayes.Frame {
	if err := t.data.expand(); err != nil {
		return privbayes.WrapFrame(nil, err)
	}
	if name, ok := t.embedded(); ok {
		r, own, err := data.Open(name)
		if err != nil {
			return privbayes.WrapFrame(nil, err)
		}
		return privbayes.ReadFrame(r, cmp.Or(s, own))
	}
	if len(t.data) == 1 {
		return privbayes.LoadFrame(t.data[0], s, t.options(s)...)
	}
	return privbayes.LoadShards(t.data, s, t.options(s)...)
}

// schemaOf is the schema of --schema, or that of the embedded data set.
func (t *tableFlags) schemaOf(schema string) (*frame.Schema, error) {
	if err := t.find(); err != nil {
		return nil, err
	}
	t.flags.reads("schema")
	_, embedded := t.embedded()
	switch {
	case len(t.data) == 0:
		return nil, &usageError{"--data: want the table: a CSV or CSV.gz file, or the name of an embedded data set: " +
			strings.Join(data.Names(), ", ")}
	case schema == "" && !embedded:
		return nil, &usageError{fmt.Sprintf("--schema: want the schema of %s; or --data with an embedded set: %s%s",
			t.data.String(), strings.Join(data.Names(), ", "), meant(t.data[0], data.Names()))}
	case schema == "":
		_, s, err := data.Open(t.data[0])
		return s, err
	}
	return readSchemaFile(schema)
}
