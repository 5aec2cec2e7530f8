package table

import (
	"encoding/csv"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
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

// oneLine keeps a cell from breaking the rows of text and Markdown.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// String is the table as aligned text, numbers to the right, one line a row; widths count runes.
func (t *Table) String() string {
	rows := make([][]string, 0, len(t.Rows)+2)
	rows = append(rows, t.Columns, make([]string, len(t.Columns)))
	rows = append(rows, t.Rows...)
	lines := make([][]string, len(rows))
	width := make([]int, len(t.Columns))
	for i, r := range rows {
		lines[i] = make([]string, len(t.Columns))
		for c := range t.Columns {
			lines[i][c] = oneLine.Replace(cell(r, c))
			width[c] = max(width[c], utf8.RuneCountInString(lines[i][c]))
		}
	}
	for c := range t.Columns {
		lines[1][c] = strings.Repeat("-", width[c])
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	right := t.numeric()
	for _, cells := range lines {
		var l strings.Builder
		for c, s := range cells {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(s))
			if right[c] {
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
	for _, n := range t.Notes {
		b.WriteString(n + "\n")
	}
	return b.String()
}

// HTML is the table without style attributes, which code hosts strip. All text is escaped.
func (t *Table) HTML() string {
	var b strings.Builder
	b.WriteString("<table>")
	if t.Title != "" {
		b.WriteString("<caption>" + html.EscapeString(t.Title) + "</caption>")
	}
	row := func(tag string, cells []string) {
		b.WriteString("<tr>")
		for c := range t.Columns {
			b.WriteString("<" + tag + ">" + html.EscapeString(cell(cells, c)) + "</" + tag + ">")
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

// markdown escapes what would end a cell or begin HTML: labels come from schemas and files.
var markdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "&", "&amp;", "<", "&lt;", "\r\n", " ", "\n", " ", "\r", " ")

// Markdown is the table in pipe form, its title in bold above it, its notes below.
func (t *Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + markdown.Replace(t.Title) + "**\n\n")
	}
	row := func(cells []string) {
		b.WriteString("|")
		for c := range t.Columns {
			b.WriteString(" " + markdown.Replace(cell(cells, c)) + " |")
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
		b.WriteString("\n" + markdown.Replace(n) + "\n")
	}
	return b.String()
}

// CSV is the header and the rows as RFC 4180 text with "\n" line ends; title and notes are left out, so that any reader takes it.
func (t *Table) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(t.Columns) // a strings.Builder does not fail
	for _, r := range t.Rows {
		row := make([]string, len(t.Columns))
		copy(row, r)
		_ = w.Write(row)
	}
	w.Flush()
	return b.String()
}
