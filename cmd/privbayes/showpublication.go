package main

import (
	"context"
	"io"
	"os"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// opened is what a file holds: a release, by itself or an item of a publication or accepted by a selection; of a
// publication without an item, of a selection that accepted none, and of running totals there is no release.
type opened struct {
	publication *publication.Publication // nil for others
	selection   *selection.Selection     // nil for others
	totals      *totals.Totals           // nil for others
	found       shower                   // nil for others
	release     *release.Release
}

// shower shows what a file holds.
type shower func(asJSON, details bool, out io.Writer) error

// open reads a file. What is no regular one, such as a pipe, is read once, as a release.
func open(ctx context.Context, path, item string) (o opened, err error) {
	var b []byte
	if info, e := os.Stat(path); e == nil && info.Mode().IsRegular() {
		if b, err = release.ReadFile(ctx, path); err != nil {
			return o, err
		}
	}
	if o.found, err = openFound(ctx, b); err != nil {
		return o, release.InFile(path, err)
	}
	isPublication := publication.IsFile(b)
	switch {
	case isPublication:
		o.publication, err = publication.Parse(ctx, b)
	case item != "":
		return o, wrongFlag("item", item, "a publication, such as the command publish saves")
	case o.found != nil:
	case selection.IsFile(b):
		if o.selection, err = selection.Parse(ctx, b); err == nil {
			o.release, _ = o.selection.Release() // it may have none
		}
	case totals.IsFile(b):
		o.totals, err = totals.Parse(ctx, b)
	default:
		o.release, err = release.Load(ctx, path)
		return o, err
	}
	if err != nil {
		return o, release.InFile(path, err)
	}
	if isPublication && item != "" {
		o.release, err = o.publication.Item(item)
	}
	return o, err
}

// releaseIn is the release of a file, or the one that a selection accepted: *selection.NoneAcceptedError where it did
// not.
func releaseIn(ctx context.Context, path string) (*release.Release, error) {
	o, err := open(ctx, path, "")
	if err != nil {
		return nil, err
	}
	return o.only(path)
}

// only is the release of the file: a publication has several.
func (o opened) only(path string) (*release.Release, error) {
	switch {
	case o.selection != nil:
		return o.selection.Release()
	case o.found != nil:
		return nil, &release.FileError{Path: path, Field: "format", Want: strconv.Quote(release.Format) + "; the file has " +
			"categories, or a range, of a column, which show --json writes with their intervals"}
	case o.totals != nil:
		return nil, &release.FileError{Path: path, Field: "format", Want: strconv.Quote(release.Format) + "; the file has " +
			"running totals, which show --json writes with their intervals"}
	case o.publication != nil:
		return nil, &release.FileError{Path: path, Field: "format", Want: strconv.Quote(release.Format) + "; the file is a " +
			"publication, whose items are releases: show --item NAME --out FILE takes one out of it"}
	}
	return o.release, nil
}

// publicationJSON is a publication for programs: all of it public.
type publicationJSON struct {
	ID         string             `json:"id"`
	Name       string             `json:"name"`
	Guarantee  dp.Guarantee       `json:"guarantee"`
	Randomness string             `json:"randomness"`
	Items      []publication.Line `json:"items"`
	Tables     []*table.Table     `json:"tables"` // of the items, then the estimates of each
	Warnings   warning.List       `json:"warnings,omitempty"`
	HTML       string             `json:"html"`
}

func publicationOutput(p *publication.Publication) publicationJSON {
	return publicationJSON{ID: p.ID(), Name: p.Plan().Name(), Guarantee: p.Guarantee(), Randomness: p.Randomness(),
		Items: p.Plan().Lines(), Tables: append([]*table.Table{p.Table()}, p.Parts()...), Warnings: worded(p.Warnings()),
		HTML: table.HTML(p)}
}

// publicationText shows a publication: its items, the estimates of each, the guarantee of all and what is dangerous.
func publicationText(ctx context.Context, p *publication.Publication, text func(*table.Table) string) string {
	all := text(p.Table()) + "\n"
	for _, t := range p.Parts() {
		all += text(t) + "\n"
	}
	return all + privacyOfAll(ctx, p) + fresh(p.Warnings()).String()
}
