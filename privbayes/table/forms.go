package table

import (
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// cell is the text at column c of row r, empty where a row is short.
func cell(r []string, c int) string {
	if c < len(r) {
		return r[c]
	}
	return ""
}

// numeric tells, for each column, whether it has a number and nothing but numbers: such columns stand to the right.
func (t *Table) numeric() []bool {
	out := make([]bool, len(t.Columns))
	for c := range t.Columns {
		for _, r := range t.Rows {
			s := strings.TrimSuffix(strings.TrimSpace(cell(r, c)), "%")
			if s == "" {
				continue
			}
			if _, err := strconv.ParseFloat(s, 64); err != nil && s != "∞" && s != "-∞" {
				out[c] = false
				break
			}
			out[c] = true
		}
	}
	return out
}

// HTML is the table, text columns to the left and numbers to the right: by a style, since notebooks set cells to the
// right and reports to the left, and by the align attribute, since code hosts strip styles. All text is escaped,
// formulas too.
func (t *Table) HTML() string {
	var b strings.Builder
	b.WriteString("<table>")
	if t.Title != "" {
		b.WriteString("<caption>" + safetext.HTML(t.Title) + "</caption>")
	}
	right := t.numeric()
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for c := range t.Columns {
			side, style, text := "left", "", cell(cells, c)
			if right[c] {
				side = "right"
				if strings.Contains(text, "e-") && tag == "td" {
					style = ";white-space:nowrap" // a browser breaks a line after the hyphen of 1e-06
				}
			}
			b.WriteString("<" + tag + ` align="` + side + `" style="text-align:` + side + style + `">` + safetext.HTML(text) +
				"</" + tag + ">")
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
		b.WriteString("<p>" + safetext.HTML(n) + "</p>")
	}
	return b.String()
}

// Markdown is the table in pipe form, its title in bold above it, its notes below. Text makes no markup of its own.
func (t *Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + safetext.Markdown(t.Title) + "**\n\n")
	}
	row := func(cells []string) {
		b.WriteString("|")
		for c := range t.Columns {
			b.WriteString(" " + safetext.Markdown(cell(cells, c)) + " |")
		}
		b.WriteString("\n")
	}
	row(t.Columns)
	b.WriteString("|")
	for _, right := range t.numeric() {
		if right {
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
		b.WriteString("\n" + safetext.Markdown(n) + "\n")
	}
	return b.String()
}

// CSV is the header and the rows as RFC 4180 text with "\n" line ends; title and notes are left out, so that any reader
// takes it. Line feeds stay, in quotes; other control characters are escaped as in the other forms.
func (t *Table) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	line := func(cells []string) {
		row := make([]string, len(t.Columns))
		for c := range row {
			row[c] = safetext.Lines(cell(cells, c))
		}
		_ = w.Write(row) // a strings.Builder does not fail
	}
	line(t.Columns)
	for _, r := range t.Rows {
		line(r)
	}
	w.Flush()
	return b.String()
}
