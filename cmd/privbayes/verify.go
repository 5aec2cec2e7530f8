package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/internal/suggest"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const verifySynopsis = `verify FILE [flags]

Trusts no number of the file: it certifies the plan anew and runs every check. With --entry it also says whether a
record of a registry, as the command entry drafts it, belongs to this file. The first and the last line are the verdict.
A failed check, or one that was not made as the work limit is too small, is exit code 4.`

var verifyExamples = []string{"privbayes verify survey.release.json",
	"privbayes verify --json --work 1000000 survey.release.json"}

func verifyCommand(args []string, out, errs io.Writer) error {
	flags, asJSON := newFlags("verify", verifySynopsis)
	work := flags.Int64("work", cert.DefaultWorkLimit, "pairs × outputs that one enumeration may visit")
	record := flags.String("entry", "", "a registry's record of the release, a `file`: does it belong to it?")
	files, err := parse(flags, args, 1)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return &usageError{"verify: want a release file, such as survey.release.json; release says where it keeps one" +
			releasesHere()}
	}
	v, err := release.Verify(cert.WithWorkLimit(context.Background(), *work), files[0])
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(files[0]) {
		here, _ := os.Getwd()
		err = fmt.Errorf("%w\nwant a path that starts here, in %s, or a whole one%s", err, here, releasesHere())
	}
	var unmet *mechanism.UnmetTarget
	if errors.As(err, &unmet) { // the plan of the file does not have the guarantee that it states
		return &unverifiedError{err}
	}
	var match *entry.Matching
	if err == nil {
		match, err = matchEntry(files[0], *record)
	}
	unread := errors.As(err, new(*release.FileError)) || errors.As(err, new(*entry.FileError))
	if unread && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("NOT VERIFIED: %w", err)
	}
	if err != nil {
		return err
	}
	if *asJSON {
		j := verifyOutput(v)
		if match != nil {
			j.OK, j.Entry = j.OK && match.OK(), match.Checks
		}
		err = writeJSON(out, j)
	} else {
		err = showVerified(out, v, match)
	}
	if err == nil && (!v.OK() || v.Unchecked() > 0 || match != nil && !match.OK()) {
		err = errUnverified
	}
	return err
}

// showVerified writes what verification says. The verdict, on the record too if there is one, is the first and the last
// line.
func showVerified(out io.Writer, v *cert.Verification, match *entry.Matching) error {
	if match == nil {
		_, err := fmt.Fprint(out, v)
		return err
	}
	verdict := ""
	if v.OK() && v.Unchecked() == 0 && !match.OK() {
		verdict = "NOT VERIFIED: the record and the release do not belong together, though the release verifies\n"
	} else if !match.OK() {
		verdict = v.Verdict() + "; and the record and the release do not belong together\n"
	} else {
		verdict = v.Verdict() + "\n"
	}
	first := verdict
	if match.OK() { // the first line of the table says so
		first = ""
	}
	_, err := fmt.Fprintf(out, "%s%v\n%v%s", first, v, match, verdict)
	return err
}

// releasesHere names the releases in this folder, for who named none or one that is not there.
func releasesHere() string {
	found, _ := filepath.Glob("*.release.json")
	if len(found) == 0 {
		return ""
	}
	return "; here are " + suggest.List(found, 6)
}

// unverifiedError is a file whose plan cannot be certified.
type unverifiedError struct{ err error }

func (e *unverifiedError) Error() string { return "NOT VERIFIED: " + e.err.Error() }

type verifyJSON struct {
	Title   string       `json:"title"`
	Verdict string       `json:"verdict"`
	OK      bool         `json:"ok"`
	Draw    string       `json:"draw,omitempty"` // why the draw has no guarantee although its plan verifies
	Checks  []verifyItem `json:"checks"`

	Entry []entry.Checked `json:"entry,omitempty"` // with --entry

	Notes    []string     `json:"notes,omitempty"`
	Warnings warning.List `json:"warnings,omitempty"`
}

type verifyItem struct {
	Statement string      `json:"statement"`
	Status    cert.Status `json:"status"`
	Stated    cert.Number `json:"stated"`
	Derived   cert.Number `json:"derived"`
	Bound     cert.Number `json:"bound"`
	Reason    string      `json:"reason,omitempty"`
}

func verifyOutput(v *cert.Verification) verifyJSON {
	j := verifyJSON{Title: v.Title, Verdict: v.Verdict(), OK: v.OK() && v.Unchecked() == 0, Draw: v.Draw, Notes: v.Notes,
		Warnings: v.Warnings()}
	for _, r := range v.Results {
		j.Checks = append(j.Checks, verifyItem{r.Check.Statement, r.Status, r.Check.Value, cert.Number(r.Derived),
			r.Check.Bound, r.Reason})
	}
	return j
}
