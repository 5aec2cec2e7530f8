// Package table holds small result tables that show themselves as text, HTML, Markdown, CSV and JSON.
//
// A table is built by chaining:
//
//	table.New("Shares", "party", "share").Add("democrat", 0.61379).Note("n = 435")
//
// Numbers are rounded when they are added, to the four significant digits that people read: saved results keep full
// precision elsewhere.
package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/warning"
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

// Number formats x for people: four significant digits (0.1235, 1e-6), whole numbers and integer parts below 10⁷ in
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
	return significant(x, 4)
}

// significant formats x with so many significant digits, and an exponent without zeros and plus: 1e-6, 1.5e9.
func significant(x float64, digits int) string {
	return exponents.Replace(strconv.FormatFloat(x, 'g', digits, 64))
}

var exponents = strings.NewReplacer("e-0", "e-", "e+0", "e", "e+", "e")

// Decimals is how many decimals an estimate with standard deviation sd deserves, and others like it: two significant
// digits of sd, so that 603.73 ± 1.005 is 603.7 ± 1.0; at most 12, and none without a positive, finite sd.
func Decimals(sd float64) int {
	if !(sd > 0) || math.IsInf(sd, 1) {
		return 0
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(sd, 'e', 1, 64), 64) // .0996 has those of .10
	return min(max(1-int(math.Floor(math.Log10(rounded)+1e-9)), 0), 12)
}

// Fixed formats x with so many decimals; NaN, ∞ and -∞ by these names, and −0 as 0.
func Fixed(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Number(x)
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// Apart is Number with as many digits as tell x from the others, those that equal it apart: 1 against 1.0000001 is
// shown as 1, and the other one as 1.0000001.
func Apart(x float64, others ...float64) string {
	s := Number(x)
	for digits := 5; digits <= 17; digits++ {
		told := true
		for _, o := range others {
			told = told && (o == x || math.IsNaN(o) || shown(o, digits-1) != s)
		}
		if told {
			return s
		}
		s = shown(x, digits)
	}
	return s
}

// shown is Number with more digits than its four.
func shown(x float64, digits int) string {
	if digits <= 4 || math.IsNaN(x) || math.IsInf(x, 0) || x == math.Trunc(x) && math.Abs(x) < 1e7 {
		return Number(x)
	}
	return significant(x, digits)
}

// Shown is a value that people may look at: it gives a table, and [Text], [HTML] and [Markdown] do the rest, in
// notebooks, too. They look for more methods:
//
//	Parts() []*Table         further tables, shown below the first, such as the numbers of a release
//	Warnings() warning.List   what is dangerous about it, shown below the table
//	Err() error               the first error of a chain, shown in place of both; Table is then not called
type Shown interface{ Table() *Table }

// Text is what v shows on a terminal.
func Text(v Shown) string {
	if err := failed(v); err != nil {
		return err.Error() + "\n"
	}
	out := v.Table().String()
	for _, t := range parts(v) {
		out += "\n" + t.String()
	}
	return out + warnings(v).String()
}

// HTML is what v shows on a page. All text is escaped.
func HTML(v Shown) string {
	if err := failed(v); err != nil {
		return "<p><b>Error:</b> " + safetext.HTML(err.Error()) + "</p>"
	}
	out := v.Table().HTML()
	for _, t := range parts(v) {
		out += t.HTML()
	}
	return out + warnings(v).HTML()
}

// Markdown is what v shows in a document.
func Markdown(v Shown) string {
	if err := failed(v); err != nil {
		return "**Error:** " + safetext.Markdown(err.Error()) + "\n"
	}
	out := v.Table().Markdown()
	for _, t := range parts(v) {
		out += "\n" + t.Markdown()
	}
	return out + warnings(v).Markdown()
}

func failed(v Shown) error {
	if c, ok := v.(interface{ Err() error }); ok {
		return c.Err()
	}
	return nil
}

func parts(v Shown) []*Table {
	if p, ok := v.(interface{ Parts() []*Table }); ok {
		return p.Parts()
	}
	return nil
}

func warnings(v Shown) warning.List {
	if w, ok := v.(interface{ Warnings() warning.List }); ok {
		return w.Warnings()
	}
	return nil
}
