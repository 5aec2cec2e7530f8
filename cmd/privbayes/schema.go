package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

const schemaSynopsis = `schema FILE [flags]

Writes a schema with the names of the columns, from the header line of a CSV file. Kinds, categories and bounds are
marked FILL IN: they come from the code book and not from the rows, of which none is read.

--inferred reads the rows and guesses everything. It is for looking around: the schema says so, and nothing that is made
under it is private.`

var schemaExamples = []string{"privbayes schema survey.csv --out survey.schema.json",
	`privbayes schema survey.csv --separator ";" --decimal , --encoding latin-1`}

func schemaCommand(args []string, out, _ io.Writer) error {
	flags, asJSON := newFlags("schema", schemaSynopsis)
	inferred := flags.Bool("inferred", false, "read the rows and guess; what is made under the schema is not private")
	dataset := flags.String("dataset", "", "the `name` that budgets are kept under; that of the file by default")
	to := flags.String("out", "", "write to this new `file`")
	var written formatFlags
	written.add(flags, "")
	paths, err := parse(flags, args, 1)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return &usageError{"schema: want the file of a table"}
	}
	if *dataset == "" {
		*dataset, _, _ = strings.Cut(filepath.Base(paths[0]), ".")
	}
	b, err := schemaOf(paths[0], *dataset, written.format(nil), *inferred)
	if err != nil {
		return err
	}
	if *to == "" {
		_, err = out.Write(b)
		return err
	}
	if err := writeNew(*to, b); err != nil {
		return fmt.Errorf("%w; want a new file: files are never overwritten", err)
	}
	if *asJSON {
		return writeJSON(out, map[string]string{"schema": *to})
	}
	_, err = fmt.Fprintln(out, *to)
	return err
}

// schemaOf is the skeleton of a file's header, or what its rows look like.
func schemaOf(path, dataset string, f frame.Format, inferred bool) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !inferred {
		b, err := frame.SchemaSkeleton(file, dataset, frame.WithFormat(f))
		return b, err
	}
	s, err := frame.InferSchema(file, dataset, frame.WithFormat(f))
	if err != nil {
		return nil, err
	}
	return append(s.JSON(), '\n'), nil
}
