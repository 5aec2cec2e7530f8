package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// cellsFlags ask for what the cells of a weighted release say of a population of public sizes, or of clusters.
type cellsFlags struct {
	sizes, strata string
	totals        bool
}

func cellsFlagsOf(f *flagSet) *cellsFlags {
	c := &cellsFlags{}
	f.StringVar(&c.sizes, "calibrate", "", "of weighted group means or a weighted table: calibrate them to the public "+
		"sizes of a column's levels, by a JSON `file` such as "+
		`{"column": "region", "sizes": {"north": 120000, "south": 310000}}`)
	f.StringVar(&c.strata, "clusters", "", "of weighted group means or a weighted table: take a column's levels for the "+
		"clusters of the sample, by a JSON `file` that names the stratum of each, such as "+
		`{"column": "area", "strata": {"12": "city", "13": "city", "14": "land"}}`)
	f.BoolVar(&c.totals, "totals", false, "of a weighted table: list how many of the population are in each category")
	return c
}

// asked reports whether one of the flags is given.
func (c *cellsFlags) asked() bool { return c.totals || c.sizes+c.strata != "" }

// write shows what a release says by its cells.
func (c *cellsFlags) write(r *release.Release, asJSON bool, out io.Writer) error {
	found, err := c.found(r)
	if err != nil {
		return err
	}
	if !asJSON {
		return display(out, found)
	}
	list := rowsOfRelease(r, found.List, "")
	list.Notes = found.Table().Notes
	list.Release, list.Level = r.ID(), estimatesLevel
	return writeIntervals(out, list, found.Table())
}

// found is what a release says by its cells.
func (c *cellsFlags) found(r *release.Release) (*release.Calibrated, error) {
	if c.totals {
		return r.Totals()
	}
	var asked struct {
		Column string            `json:"column"`
		Sizes  map[string]int64  `json:"sizes,omitempty"`
		Strata map[string]string `json:"strata,omitempty"`
	}
	file, flag, form := c.sizes, "calibrate", `{"column": "region", "sizes": {"north": 120000, "south": 310000}}`
	if file == "" {
		file, flag, form = c.strata, "clusters", `{"column": "area", "strata": {"12": "city", "13": "city", "14": "land"}}`
	}
	text, err := readWithin(file, maxDocument)
	if err != nil {
		return nil, err
	}
	switch err := cmp.Or(strictjson.Unique(text), cert.Decode(text, &asked)); {
	case has[*json.UnmarshalTypeError](err) || errors.Is(err, io.EOF) || err == nil && asked.Column == "":
		return nil, wrongFlag(flag, file, "a JSON file of the form %s", form)
	case err != nil:
		return nil, &fileError{file, err}
	}
	if c.sizes != "" {
		if asked.Strata != nil {
			return nil, wrongFlag(flag, file, `"sizes", and no "strata"`)
		}
		return r.Calibrate(asked.Column, asked.Sizes)
	}
	if asked.Sizes != nil {
		return nil, wrongFlag(flag, file, `"strata", and no "sizes"`)
	}
	return r.Clustered(asked.Column, asked.Strata)
}

// writeIntervals writes rows of intervals as JSON, with the table that shows them.
func writeIntervals(out io.Writer, list *intervals, shown *table.Table) error {
	return writeJSON(out, struct {
		*intervals
		HTML string `json:"html"`
	}{list, shown.HTML()})
}
