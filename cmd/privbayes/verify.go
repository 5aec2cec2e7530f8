package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/totals"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const verifySynopsis = `verify RELEASE [flags]

Trusts no number of the file: it computes the guarantee of the plan again and runs every check. With --entry it also
says whether a record of a registry, as the command entry drafts it, belongs to this file. With --found it says whether
the categories or bounds of its schema are those that discover saved in a file, which is verified, too. The first and
the last line are the verdict. A failed check, or one that was not made as the work limit is too small, is exit code 4.`

var verifyExamples = []string{"privbayes verify survey.release.json",
	"privbayes verify --json --work 1000000 survey.release.json"}

func verifyCommand(args []string, out, errs io.Writer) error {
	flags, asJSON := newFlags("verify", verifySynopsis)
	detailed := details(flags)
	work := flags.Int64("work", cert.DefaultWorkLimit, "pairs × outputs that one enumeration may visit")
	record := flags.String("entry", "", "a `record` of a registry, a file: does it belong to the release?")
	var found []string
	flags.Var(repeated(func(path string) error { found = append(found, path); return nil }), "found",
		"a `file` of categories, or of a range, that discover saved: is it what the schema says? Several times for several")
	files, err := parse(flags, args)
	if err != nil {
		return err
	}
	ctx := cert.WithWorkLimit(context.Background(), *work)
	b, err := release.ReadFile(ctx, files[0]) // once: it may be a pipe
	var v *cert.Verification
	if err == nil {
		derive := publication.VerifyBytes
		if other := verifierOf(b); other != nil {
			derive = other
		}
		switch {
		case selection.IsFile(b):
			derive = selection.Verify
		case totals.IsFile(b):
			derive = totals.Verify
		}
		if v, err = derive(ctx, b); err != nil {
			err = release.InFile(files[0], err)
		}
	}
	if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(files[0]) {
		err = fmt.Errorf("%w%s", err, releasesHere())
	}
	var unmet *mechanism.UnmetTarget
	if errors.As(err, &unmet) || contradicts(err) { // the plan of the file does not have the guarantee that it states
		return &unverifiedError{err, unmet, files[0]}
	}
	var match *entry.Matching
	if err == nil {
		match, err = matchEntry(b, *record)
	}
	if err == nil && v.OK() {
		var notes []string
		notes, err = matchFound(ctx, b, found)
		v.Notes = append(v.Notes, notes...)
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
		err = showVerified(out, b, v, match, *detailed)
	}
	if err == nil && (!v.OK() || v.Unchecked() > 0 || match != nil && !match.OK()) {
		err = errUnverified
	}
	return err
}

// showVerified writes what verification says. The verdict, on the record too if there is one, is the first and the last
// line.
func showVerified(out io.Writer, file []byte, v *cert.Verification, match *entry.Matching, detailed bool) error {
	shown, text := v.Summary(), ""
	if detailed {
		shown = v.Table()
		shown.Notes = shown.Notes[:len(shown.Notes)-1] // the verdict
	}
	verdict := v.Verdict()
	switch {
	case match == nil || match.OK():
	case v.OK() && v.Unchecked() == 0:
		verdict = "NOT VERIFIED: the record and the release do not belong together, though the release verifies"
	default:
		verdict += "; and the record and the release do not belong together"
	}
	if verdict == "VERIFIED: "+v.Title {
		verdict = "VERIFIED: the release has the guarantee that it states."
		if v.Draw != "" {
			verdict = "VERIFIED: the plan has the guarantee that it states. These numbers have none (" + v.Draw + ")."
		}
	}
	shown.Title = verdict
	if r, err := release.Parse(context.Background(), file); err == nil && v.OK() && v.Unchecked() == 0 {
		text = "\n" + privacy(context.Background(), r.Plan(), r.Guarantee())
	}
	if match != nil {
		text += "\n" + fitted(out)(match.Table())
	}
	return tell(out, fmt.Sprintf("%s%s%s%s\n", fitted(out)(shown), text, fresh(v.Warnings()), verdict))
}

// releasesHere names the releases in this folder, for who named none or one that is not there.
func releasesHere() string {
	found, _ := filepath.Glob("*.release.json")
	if len(found) == 0 {
		return ""
	}
	return "; here are " + safetext.List(found, 6)
}

// contradicts reports whether a file can be read, and what it claims is not so: a check of its plan fails, its rows or
// columns do not go with its adjacency, or the guarantee that it states is not that of the plan.
func contradicts(err error) bool {
	var f *release.FileError
	return errors.As(err, &f) && (f.Field == "guarantee" || has[*mechanism.CheckError](err) ||
		has[*mechanism.RowsError](err))
}

// unverifiedError is a file whose plan cannot be certified.
type unverifiedError struct {
	err   error
	unmet *mechanism.UnmetTarget // nil where the error says more
	file  string
}

func (e *unverifiedError) Error() string {
	if e.unmet == nil {
		return "NOT VERIFIED: " + e.err.Error()
	}
	has, claims := e.unmet.Certified, e.unmet.Target
	return fmt.Sprintf("NOT VERIFIED: by what %s says of its noise, the privacy loss is %s. The file claims %s.",
		safetext.Clip(e.file, 200), has.Apart(claims), claims.Apart(has))
}

// Unwrap returns the cause.
func (e *unverifiedError) Unwrap() error { return e.err }

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
		Warnings: worded(v.Warnings())}
	for _, r := range v.Results {
		j.Checks = append(j.Checks, verifyItem{r.Check.Statement, r.Status, r.Check.Value, cert.Number(r.Derived),
			r.Check.Bound, r.Reason})
	}
	return j
}

const entrySynopsis = `entry RELEASE [--budget BUDGET] [flags]

Drafts the record of a release, or of running totals, for the registry of deployments of the OpenDP project, as YAML:
what follows from the file is filled in, what only people know is a question. A seeded release is refused. The record
names the digest of the file; "privbayes verify RELEASE --entry RECORD" says whether the two belong together.`

var entryExamples = []string{
	"privbayes entry survey.release.json --budget survey.budget --out survey.yaml",
	"privbayes entry survey.release.json --tier 1",
}

func entryCommand(args []string, out, _ io.Writer) error {
	flags, asJSON := newFlags("entry", entrySynopsis)
	paid := flags.String("budget", "", budgetWords+": it says how releases add up")
	tier := flags.Int("tier", 3, "how much to tell: 1 about the product, 2 with the guarantee, 3 with everything")
	to := flags.String("out", "", "a new `file` to write")
	files, err := parse(flags, args)
	if err != nil {
		return err
	}
	file, err := readWithin(files[0], cert.DefaultMemoryLimit)
	if err != nil {
		return err
	}
	options := []entry.Option{entry.Tier(*tier)}
	if *paid != "" {
		b, err := budget.Existing(*paid)
		if err != nil {
			return err
		}
		options = append(options, entry.Ledger(b))
	}
	e, err := entry.Draft(context.Background(), file, options...)
	if _, ok := err.(*release.FileError); ok {
		return release.InFile(files[0], err)
	}
	if err != nil {
		return err
	}
	text := e.YAML()
	if *asJSON {
		if text, err = e.JSON(); err != nil {
			return err
		}
	}
	if *to == "" {
		_, err = out.Write(text)
		return err
	}
	if err := journal.WriteNew(journal.OS, *to, text, 0o644); errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "entry: writing", Path: *to, Err: fs.ErrExist}
	} else if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s: %d questions are open\n", *to, len(e.Questions()))
	return err
}

// readWithin reads a file of at most so many bytes.
func readWithin(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil {
		err = cert.Within("reading "+path, float64(len(b)), "bytes", float64(most), "")
	}
	return b, err
}

// matchEntry says whether an entry belongs to the release; nil where none is asked about.
func matchEntry(file []byte, record string) (*entry.Matching, error) {
	if record == "" {
		return nil, nil
	}
	text, err := readWithin(record, entry.MaxRecord)
	if err != nil {
		return nil, err
	}
	if err := alike(text); err != nil {
		return nil, err
	}
	return entry.Match(context.Background(), file, text)
}

// planFileError is a file without a plan that can be certified.
type planFileError struct {
	path string
	err  error
}

func (e *planFileError) Error() string {
	s := fmt.Sprintf("prove: %s: want a release, or what plan --json wrote", safetext.File(e.path))
	if e.err != nil {
		s += ": " + safetext.Cause(e.err, 500)
	}
	return s
}

// Unwrap returns the cause.
func (e *planFileError) Unwrap() error { return e.err }
