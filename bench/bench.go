// Package bench shows the committed measurements of the folder: the cost of reading a table, compared with other
// programs, and that every source gives the same release. bench/README.md says how they were made.
package bench

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

//go:embed sources/same.json
var same []byte

//go:embed sources/results.json
var results []byte

// Same is one table released from several sources with one seed.
type Same struct {
	Date    string `json:"date"`
	Rows    int    `json:"rows"`
	Sources []struct {
		Source   string  `json:"source"`
		SHA256   string  `json:"sha256"`     // of the release's file
		NSPerRow float64 `json:"ns_per_row"` // of the process's processors, size and statistics
	} `json:"sources"`
}

// SameReleases are the committed results of sources/compare.
func SameReleases() (*Same, error) {
	s := &Same{}
	return s, json.Unmarshal(same, s)
}

// Table has a row for every source: the release's SHA-256 and the cost of reading.
func (s *Same) Table() *table.Table {
	t := table.New("One table, one release", "source", "SHA-256 of the release", "ns a row, this process")
	for _, r := range s.Sources {
		t.Add(r.Source, r.SHA256[:16]+"…", r.NSPerRow)
	}
	return t.Note(fmt.Sprintf("%d rows; ε = 1, replace-one, seeded: not private; %s; size and statistics. The servers' "+
		"and workers' own time comes on top.", s.Rows, s.Date))
}

// String is the table.
func (s *Same) String() string { return s.Table().String() }

// Figure shows the costs.
func (s *Same) Figure() *figure.Figure {
	var names []string
	var costs []float64
	for _, r := range s.Sources {
		names, costs = append(names, r.Source), append(costs, r.NSPerRow)
	}
	return bars("Processor time to read a row, by source", names, costs,
		figure.Number(float64(s.Rows))+" rows, 7 tables; geometric release at ε = 1, replace-one")
}

// Reading is what it takes to make 13 tables from a CSV file, by program.
type Reading struct {
	Rows    int      `json:"rows"`
	Date    string   `json:"date"`
	Peers   []string `json:"peers"`
	Results map[string]struct {
		NSPerRow float64 `json:"ns_per_row"`
		PeakMB   float64 `json:"peak_mb"`
	} `json:"results"`
}

// ReadingCosts are the committed results of bench/sources.sh.
func ReadingCosts() (*Reading, error) {
	r := &Reading{}
	return r, json.Unmarshal(results, r)
}

// tables are the results that make the same tables, with the names that people see.
var tables = [][2]string{
	{"ours, tables", "privbayes, from the files"}, {"ours, loadtables", "privbayes, a frame in memory"},
	{"DuckDB, grouping sets", "DuckDB"}, {"data.table, tables", "data.table"}, {"Polars", "Polars"},
	{"pandas, categories and numpy bincount", "pandas, bincount"}, {"pandas, read_csv and crosstab", "pandas, crosstab"},
}

// Table has a row for every program: processor time and memory.
func (r *Reading) Table() *table.Table {
	t := table.New("From CSV to 13 tables", "program", "ns a row", "peak MB")
	for _, name := range tables {
		t.Add(name[1], r.Results[name[0]].NSPerRow, r.Results[name[0]].PeakMB)
	}
	return t.Note(fmt.Sprintf("%d rows of adult, 15 columns; processor time, %s.", r.Rows, r.Date))
}

// String is the table.
func (r *Reading) String() string { return r.Table().String() }

// Figure shows the processor times.
func (r *Reading) Figure() *figure.Figure {
	var names []string
	var costs []float64
	for _, name := range tables {
		names, costs = append(names, name[1]), append(costs, r.Results[name[0]].NSPerRow)
	}
	return bars("From CSV to 13 tables", names, costs,
		figure.Number(float64(r.Rows))+" rows, 15 columns, no release: counting alone")
}

func bars(title string, names []string, costs []float64, caption string) *figure.Figure {
	x, order := make([]float64, len(costs)), make([]int, len(costs))
	for i := range x {
		x[i], order[i] = float64(i), i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(costs[i], costs[j]) })
	ticks, sorted := make([]string, len(names)), make([]float64, len(costs))
	for k, i := range order {
		ticks[k], sorted[k] = names[i], costs[i]
	}
	return &figure.Figure{Title: title, YLabel: "ns of processor time a row", Caption: caption,
		XTicks: ticks, Series: []figure.Series{{Name: "ns a row", Kind: figure.Bars, X: x, Y: sorted}}}
}
