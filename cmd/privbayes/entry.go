package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/privbayes/privbayes-go/internal/draft"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

const entrySynopsis = `entry FILE [flags]

Drafts the record of a release for the registry of deployments of the OpenDP project, as YAML: what follows from the
release is filled in, what only people know is a question. A seeded release is refused. The record names the digest of
the file; "privbayes verify FILE --entry RECORD" says whether the two belong together.`

var entryExamples = []string{
	"privbayes entry survey.release.json --ledger survey.budget --out survey.yaml",
	"privbayes entry survey.release.json --tier 1",
}

func entryCommand(args []string, out, _ io.Writer) error {
	flags, asJSON := newFlags("entry", entrySynopsis)
	ledger := flags.String("ledger", "", "the budget `file` that paid for the release: it says how releases add up")
	tier := flags.Int("tier", 3, "how much to tell: 1 about the product, 2 with the guarantee, 3 with everything")
	to := flags.String("out", "", "a new `file` to write")
	files, err := parse(flags, args, 1)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return &usageError{"entry: want a release file, such as survey.release.json" + releasesHere()}
	}
	file, err := readWithin(files[0], cert.DefaultMemoryLimit)
	if err != nil {
		return err
	}
	options := []entry.Option{entry.Tier(*tier)}
	if *ledger != "" {
		b, err := budget.Existing(*ledger)
		if err != nil {
			return err
		}
		options = append(options, entry.Ledger(b))
	}
	e, err := entry.Draft(context.Background(), file, options...)
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
	if err := draft.WriteNew(draft.OS, *to, text); errors.Is(err, fs.ErrExist) {
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
