// Package table holds small result tables that show themselves as text, HTML, Markdown, CSV and JSON.
//
// A table is built by chaining:
//
//	table.New("Shares", "party", "share").Add("democrat", 0.61379).Note("n = 435")
//
// Numbers are rounded when they are added, to the four significant digits that people read: saved results keep full
// precision elsewhere.
//
// Place: at the bottom, and imported by every room that shows something.
package table

import (
	"fmt"
	"math"
	"strconv"
)

// Table is a titled table with notes below it. Cells are text; numbers are formatted when they are added. The fields
// may be filled directly: a row shorter than Columns is shown with empty cells, and cells beyond Columns are not shown.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Notes   []string   `json:"notes,omitempty"`
}

// New makes an empty table.
func New(title string, columns ...string) *Table { return &Table{Title: title, Columns: columns} }

// Add appends a row and returns the table. A float64 or float32 is shown by [Number], nil as an empty cell, anything
// else (strings, integers, errors, fmt.Stringer) as fmt prints it; missing cells are empty and surplus cells are
// dropped.
func (t *Table) Add(cells ...any) *Table {
	row := make([]string, len(t.Columns))
	for i := range min(len(cells), len(row)) {
		switch c := cells[i].(type) {
		case float64:
			row[i] = Number(c)
		case float32:
			row[i] = Number(float64(c))
		case nil:
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
	return t
}

// Note appends a line below the table and returns the table.
func (t *Table) Note(text string) *Table {
	t.Notes = append(t.Notes, text)
	return t
}

// Count is a number of things in words: "1 draw", "2 draws".
func Count[N int | int64](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Number formats x for people: four significant digits (0.1235, 1e-06), whole numbers and integer parts below 10⁷ in
// full (12341), and NaN, ∞, -∞ by these names.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	case x == 0:
		return "0" // also for −0, which nobody wants to read
	case x == math.Trunc(x) && math.Abs(x) < 1e7:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case math.Abs(x) >= 1e4 && math.Abs(x) < 1e7:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
