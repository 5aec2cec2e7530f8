package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

const checkSynopsis = `check --schema FILE --data FILE [flags]

Reads the whole table and lists, counted, every value that does not fit the schema, where the other commands stop at
the first. The list quotes private rows: it is for the owner of the data, do not publish it. Mend the table by it, or
look into the code book again; a schema that is changed because of it lets the data choose the domain. Nothing is drawn
or charged. What does not fit is exit code 3.`

var checkExamples = []string{
	"privbayes check --schema survey.schema.json --data survey.csv",
	`privbayes check --schema survey.schema.json --data "survey-*.csv" --separator ";" --decimal , --encoding latin-1`,
}

// errUnfit ends the program with exitInput after its output was written.
var errUnfit = errors.New("the table does not fit its schema")

func checkCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("check", checkSynopsis)
	schema := f.String("schema", "", "schema `file`, JSON")
	var t tableFlags
	t.add(f, "")
	if _, err := parse(f, args, 0); err != nil {
		return err
	}
	ctx, end := interruptible(errs, "prepared")
	defer end()
	s, err := t.schemaOf(*schema)
	if err == nil {
		err = f.unread()
	}
	if err != nil {
		return err
	}
	var v *frame.Violations
	if name, ok := t.embedded(); ok {
		r, _, err := data.Open(name)
		if err != nil {
			return err
		}
		v, err = frame.Check(ctx, r, name, s)
		if err != nil {
			return err
		}
	} else if v, err = frame.CheckFiles(ctx, t.data, s, t.options(s)...); err != nil {
		return err
	}
	if *asJSON {
		err = writeJSON(out, checkJSON{"do not publish", v.Rows, v.Count(), v.Stopped, v.List(), v.Marks()})
	} else {
		_, err = fmt.Fprint(out, v)
	}
	if err == nil && v.Count() > 0 {
		err = errUnfit
	}
	return err
}

// checkJSON is what check writes with --json.
type checkJSON struct {
	Private    string            `json:"private"`
	Rows       int               `json:"rows"`
	Count      int               `json:"violations"`
	Stopped    bool              `json:"stopped,omitempty"` // behind the last nobody can tell fields apart
	Violations []frame.Violation `json:"list,omitempty"`
	Marks      []frame.MarkCount `json:"missing,omitempty"`
}
