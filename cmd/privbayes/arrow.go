package main

import (
	"bytes"
	"io"

	"github.com/privbayes/privbayes-go/sources/arrow"
)

// format is how a table is written.
type format struct {
	flags *flagSet
	name  *string
}

func formatFlag(f *flagSet) format {
	return format{f, f.String("format", "csv", "how the table is written: csv, or arrow, a stream of Arrow's IPC format")}
}

// check refuses another format, and one beside --json.
func (f format) check() error {
	if *f.name != "csv" && !f.arrow() {
		return wrongFlag("format", *f.name, "csv or arrow")
	}
	return f.flags.excludes("json", "format")
}

func (f format) arrow() bool { return *f.name == "arrow" }

// writeArrow writes a table to a new file, or to out.
func writeArrow(out io.Writer, to string, names []string, rows [][]any) error {
	var b bytes.Buffer
	if err := arrow.Write(&b, names, rows); err != nil {
		return err
	}
	return writeText(out, to, b.Bytes(), 0o644)
}
