package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
)

// tableForms are those of the estimates of a release.
var tableForms = []string{"csv", "records", "arrow", "parquet"}

// estimatesLevel is that of the intervals of tables, as of those that are shown.
const estimatesLevel = .95

// exportedItem is an item of a publication, with the file or the numbers that were written of it.
type exportedItem struct {
	publication.Line
	File      string            `json:"file,omitempty"`
	Estimates *export.Estimates `json:"estimates,omitempty"`
}

// exportedPublication is publication.json: what the tables belong to.
type exportedPublication struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Guarantee dp.Guarantee   `json:"guarantee"` // of all items together
	Items     []exportedItem `json:"items"`
}

// writeEstimates writes the estimates of one release, or of the item of a publication, by its name.
func writeEstimates(ctx context.Context, r *release.Release, of *publication.Publication, item, form, to string,
	asJSON bool, out io.Writer) error {
	e, err := export.EstimatesOf(ctx, r, estimatesLevel)
	if err == nil && of != nil {
		err = addRecords(ctx, of, item, e)
	}
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(out, e)
	}
	return writeForm(e, form, to, out)
}

func writeForm(e *export.Estimates, form, to string, out io.Writer) error {
	switch form {
	case "arrow":
		return writeArrow(out, to, e.Columns, e.Rows)
	case "parquet":
		return writeParquet(out, to, e.Columns, e.Rows)
	case "records":
		text, err := json.MarshalIndent(e, "", " ")
		if err != nil {
			return err
		}
		return writeText(out, to, append(text, '\n'), 0o644)
	}
	return writeText(out, to, []byte(e.CSV()), 0o644)
}

// unfit is what a file name had better not have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// endings are those of the files of tables.
var endings = map[string]string{"csv": ".csv", "records": ".json", "arrow": ".arrow", "parquet": ".parquet"}

// writeItems writes those of all items of a publication into a new folder, numbered in their order, and what they
// belong to.
func writeItems(ctx context.Context, p *publication.Publication, form, to string, asJSON bool, out io.Writer) error {
	if to == "" && !asJSON {
		return wrongFlag("out", nil, "the new folder for the tables of the items, or --item with the name of one")
	}
	index := exportedPublication{ID: p.ID(), Name: p.Plan().Name(), Guarantee: p.Guarantee()}
	for i, l := range p.Plan().Lines() {
		r, err := p.Item(l.Name)
		if err != nil {
			return err
		}
		e, err := export.EstimatesOf(ctx, r, estimatesLevel)
		if err == nil {
			err = addRecords(ctx, p, l.Name, e)
		}
		if err != nil {
			return err
		}
		name := unfit.ReplaceAllString(l.Name, "_")
		index.Items = append(index.Items, exportedItem{l, fmt.Sprintf("%02d_%.40s%s", i+1, name, endings[form]), e})
	}
	if asJSON {
		for i := range index.Items {
			index.Items[i].File = ""
		}
		return writeJSON(out, index)
	}
	err := os.MkdirAll(to, 0o755)
	for i, item := range index.Items {
		if err == nil {
			err = writeForm(item.Estimates, form, filepath.Join(to, item.File), out)
		}
		index.Items[i].Estimates = nil
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(index, "", " ")
	if err != nil {
		return err
	}
	return writeText(out, filepath.Join(to, "publication.json"), append(text, '\n'), 0o644)
}
