package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/coqexport"
	"github.com/privbayes/privbayes-go/internal/document"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

const proveSynopsis = `prove PLAN --out DIR [flags]

Writes the numbers of a plan as files that the proof assistant Coq checks: an auditor who compiles them can reject a
number without trusting this program. PLAN is a release file, or what plan --json wrote. Nothing is drawn or charged.`

var proveExamples = []string{
	"privbayes plan --data votes --target Class --epsilon 1 --json > votes.plan.json\n" +
		"privbayes prove votes.plan.json --out votes.proof\nsh votes.proof/check.sh",
	"privbayes prove survey.release.json --out survey.proof",
}

func proveCommand(args []string, out, errs io.Writer) error {
	flags, asJSON := newFlags("prove", proveSynopsis)
	dir := flags.String("out", "", "the new `folder` to write")
	files, err := parse(flags, args, 1)
	if err != nil {
		return err
	}
	if len(files) == 0 || *dir == "" {
		return &usageError{"prove: want a plan and a folder to write, such as votes.plan.json --out votes.proof"}
	}
	plan, err := planIn(context.Background(), files[0])
	if err != nil {
		return err
	}
	folder, err := coqexport.Plan(context.Background(), plan)
	if err != nil {
		return err
	}
	if err := folder.Write(*dir); err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(out, folder)
	}
	_, err = fmt.Fprint(out, folder)
	return err
}

// planIn reads the plan of a release file or of a written plan, and certifies it anew.
func planIn(ctx context.Context, path string) (*mechanism.Plan, error) {
	b, err := readWithin(path, cert.DefaultMemoryLimit)
	if err != nil {
		return nil, err
	}
	var file struct {
		Plan json.RawMessage `json:"plan"`
	}
	if err := document.Shallow(b); err != nil {
		return nil, &planFileError{path, err}
	}
	if err := json.Unmarshal(b, &file); err != nil || len(file.Plan) == 0 {
		return nil, &planFileError{path, err}
	}
	plan, err := mechanism.ParsePlan(ctx, file.Plan)
	if err != nil {
		return nil, &planFileError{path, err}
	}
	return plan, nil
}

// planFileError is a file without a plan that can be certified.
type planFileError struct {
	path string
	err  error
}

func (e *planFileError) Error() string {
	s := fmt.Sprintf("prove: %s: want a release, or what plan --json wrote", label.File(e.path))
	if e.err != nil {
		s += ": " + label.Cause(e.err, 500)
	}
	return s
}

// Unwrap returns the cause.
func (e *planFileError) Unwrap() error { return e.err }
