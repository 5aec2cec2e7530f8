package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// pageFlags say what the page for a data-protection officer may know besides the release.
type pageFlags struct{ budget, answers, sets string }

func (p *pageFlags) add(f *flagSet) {
	f.StringVar(&p.budget, "budget", "", "with --public: the budget `file` that paid for the release")
	f.StringVar(&p.answers, "answers", "", "with --public: a JSON `file` of what only people know; where there is none, "+
		"a new one with the questions is written")
	f.StringVar(&p.sets, "sets", "", "with --public: a `folder` of synthetic sets that were made from the release")
}

// write writes the page: to a file, or to out as Markdown or JSON. It names open questions and red lines on errs.
func (p *pageFlags) write(file, to string, asJSON bool, out, errs io.Writer) error {
	about := privacyreport.Options{Sets: p.sets}
	var err error
	if p.budget != "" {
		if about.Budget, err = budget.Existing(p.budget); err != nil {
			return err
		}
	}
	text, err := readWithin(p.answers, privacyreport.MaxAnswers)
	ask := p.answers != "" && errors.Is(err, fs.ErrNotExist)
	switch {
	case p.answers == "" || ask:
	case err != nil:
		return err
	default:
		if about.Answers, err = privacyreport.ParseAnswers(text); err != nil {
			return fmt.Errorf("%s: %w", safetext.File(p.answers), err)
		}
	}
	ctx, end := interruptible(errs, "prepared")
	defer end()
	page, err := privbayes.PrivacyReport(file, about, privbayes.WithContext(ctx))
	if err != nil {
		return err
	}
	if to != "" {
		if err := page.Save(to); err != nil {
			return err
		}
	}
	if ask {
		if err := journal.WriteNew(journal.OS, p.answers, privacyreport.Template(), 0o600); err != nil {
			return err
		}
		fmt.Fprintf(errs, "privbayes: note: %s is new: answer its questions and run this again\n", safetext.File(p.answers))
	}
	for _, a := range page.Alerts {
		fmt.Fprintf(errs, "privbayes: warning: %s\n", safetext.Line(a))
	}
	switch {
	case asJSON:
		return writeJSON(out, page)
	case to == "":
		_, err = io.WriteString(out, page.Markdown())
	default:
		_, err = fmt.Fprintf(out, "%s: %d answers are open. The page may be published.\n", safetext.File(to), len(page.Open))
	}
	return err
}
