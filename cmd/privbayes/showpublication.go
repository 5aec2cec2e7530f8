package main

import (
	"context"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// opened is the publication of a file, or a release: that of a file, or of an item of a publication.
func opened(ctx context.Context, path, item string) (p *publication.Publication, r *release.Release, err error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() { // a pipe can be read once
		b, err := release.ReadFile(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		if publication.IsFile(b) {
			if p, err = publication.Parse(ctx, b); err != nil {
				return nil, nil, release.InFile(path, err)
			}
			if item == "" {
				return p, nil, nil
			}
			r, err = p.Item(item)
			return p, r, err
		}
	}
	if item != "" {
		return nil, nil, wrongFlag("item", item, "a publication, such as the command publish saves")
	}
	r, err = release.Load(ctx, path)
	return nil, r, err
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
