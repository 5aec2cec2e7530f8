// Package table holds small result tables that show themselves as text, HTML, Markdown, CSV and JSON.
package table

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is a titled table with notes below it. Cells are text; numbers are formatted when they are added.
type Table struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Notes   []string   `json:"notes,omitempty"`
}

// New makes an empty table.
func New(title string, columns ...string) *Table { return &Table{Title: title, Columns: columns} }

// Add appends a row and returns the table. A float64 is shown with four significant digits, anything else as fmt prints it;
// missing cells are empty and surplus cells are dropped.
func (t *Table) Add(cells ...any) *Table {
	row := make([]string, len(t.Columns))
	for i := range min(len(cells), len(row)) {
		switch c := cells[i].(type) {
		case float64:
			row[i] = Number(c)
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

// Number formats x with four significant digits.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "∞"
	case math.IsInf(x, -1):
		return "-∞"
	case x == math.Trunc(x) && math.Abs(x) < 1e7:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case math.Abs(x) >= 1e4 && math.Abs(x) < 1e7:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// numeric reports whether every non-empty cell of column c looks like a number.
func (t *Table) numeric(c int) bool {
	some := false
	for _, r := range t.Rows {
		s := strings.TrimSuffix(strings.TrimSpace(r[c]), "%")
		if s == "" {
			continue
		}
		if _, err := strconv.ParseFloat(s, 64); err != nil && s != "∞" && s != "-∞" {
			return false
		}
		some = true
	}
	return some
}

// String is the table as aligned text, numbers to the right.
func (t *Table) String() string {
	width := make([]int, len(t.Columns))
	for c, name := range t.Columns {
		width[c] = utf8.RuneCountInString(name)
		for _, r := range t.Rows {
			width[c] = max(width[c], utf8.RuneCountInString(r[c]))
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	line := func(cells []string) {
		var l strings.Builder
		for c, s := range cells {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(s))
			if t.numeric(c) {
				s = pad + s
			} else {
				s += pad
			}
			if c > 0 {
				l.WriteString("  ")
			}
			l.WriteString(s)
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	line(t.Columns)
	rule := make([]string, len(t.Columns))
	for c := range rule {
		rule[c] = strings.Repeat("-", width[c])
	}
	b.WriteString(strings.Join(rule, "  ") + "\n")
	for _, r := range t.Rows {
		line(r)
	}
	for _, n := range t.Notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}

// HTML is the table without style attributes, which code hosts strip.
func (t *Table) HTML() string {
	var b strings.Builder
	b.WriteString("<table>")
	if t.Title != "" {
		b.WriteString("<caption>" + html.EscapeString(t.Title) + "</caption>")
	}
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for _, c := range cells {
			b.WriteString("<" + tag + ">" + html.EscapeString(c) + "</" + tag + ">")
		}
		b.WriteString("</tr>")
	}
	b.WriteString("<thead>")
	row("th", t.Columns)
	b.WriteString("</thead><tbody>")
	for _, r := range t.Rows {
		row("td", r)
	}
	b.WriteString("</tbody></table>")
	for _, n := range t.Notes {
		b.WriteString("<p>" + html.EscapeString(n) + "</p>")
	}
	return b.String()
}

// Markdown is the table in pipe form, its title in bold above it.
func (t *Table) Markdown() string {
	esc := strings.NewReplacer("|", "\\|", "\n", " ")
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + esc.Replace(t.Title) + "**\n\n")
	}
	row := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			b.WriteString(" " + esc.Replace(c) + " |")
		}
		b.WriteString("\n")
	}
	row(t.Columns)
	b.WriteString("|")
	for c := range t.Columns {
		if t.numeric(c) {
			b.WriteString("---:|")
		} else {
			b.WriteString("---|")
		}
	}
	b.WriteString("\n")
	for _, r := range t.Rows {
		row(r)
	}
	for _, n := range t.Notes {
		b.WriteString("\n" + esc.Replace(n) + "\n")
	}
	return b.String()
}
