//go:build !browser

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/coqexport"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

const proveSynopsis = `prove RELEASE --out FOLDER [flags]

Writes the numbers of a plan as files that the proof assistant Coq checks: an auditor who compiles them can reject a
number without trusting this program. A file that plan --json wrote may stand for
RELEASE. Nothing is drawn or charged.`

var proveExamples = []string{
	"privbayes plan --data votes --target Class --epsilon 1 --json > votes.plan.json\n" +
		"privbayes prove votes.plan.json --out votes.proof\nsh votes.proof/check.sh",
	"privbayes prove survey.release.json --out survey.proof",
}

func proveCommand(args []string, out, errs io.Writer) error {
	flags, asJSON := newFlags("prove", proveSynopsis)
	dir := flags.String("out", "", "the new `folder` to write")
	files, err := parse(flags, args)
	if err != nil {
		return err
	}
	if *dir == "" {
		return wrongFlag("out", nil, "a new folder, such as votes.proof")
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
	return display(out, folder)
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
	if err := strictjson.Shallow(b); err != nil {
		return nil, &planFileError{path, err}
	}
	if publication.IsFile(b) {
		return nil, &planFileError{path,
			errors.New("it is a publication: show --item NAME --out FILE takes an item out of it")}
	}
	if selection.IsFile(b) {
		return nil, &planFileError{path, errors.New("it is a selection, whose level is no level of one plan: the command " +
			"verify derives it")}
	}
	if discovery.IsFile(b) || discovery.IsRange(b) {
		return nil, &planFileError{path, errors.New("it has categories, or a range, of a column, whose level " +
			"the command verify derives")}
	}
	if totals.IsFile(b) {
		return nil, &planFileError{path, errors.New("it has running totals, whose level is of all periods: the command " +
			"verify derives it")}
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

// unprovable reports whether an error is that of a plan without numbers to prove.
func unprovable(err error) bool { return has[*coqexport.NothingError](err) }
