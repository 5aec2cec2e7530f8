package table

import (
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// cell is the text at column c of row r, empty where a row is short.
func cell(r []string, c int) string {
	if c < len(r) {
		return r[c]
	}
	return ""
}

// notNumber tells what is neither a number, nor a bound of one, nor infinite.
func notNumber(s string) bool {
	_, err := strconv.ParseFloat(strings.TrimPrefix(strings.TrimPrefix(s, "< "), "> "), 64)
	return err != nil && s != "∞" && s != "-∞"
}

// numeric tells, for each column, whether it has a number, or an interval of two, and nothing else: such columns stand
// to the right.
func (t *Table) numeric() []bool {
	out := make([]bool, len(t.Columns))
	for c := range t.Columns {
		for _, r := range t.Rows {
			s := strings.TrimSuffix(strings.TrimSpace(cell(r, c)), "%")
			if s == "" {
				continue
			}
			if out[c] = !slices.ContainsFunc(strings.Split(s, " – "), notNumber); !out[c] {
				break
			}
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

const (
	gap  = "  " // between columns
	hang = "  " // before the second and later lines of a cell
)

// String is Within(120), wherever the text goes.
func (t *Table) String() string { return t.Within(120) }

// Within is the table as aligned text of at most so many characters a line, numbers to the right. A table that fits has
// one line a row. In a wider one long cells are broken between words, not inside double quotes, and stacked, later
// lines indented, until it fits or only long words are left; a column is not made narrower than 2/15 of the width for
// that. An interval is not broken: where not all stand side by side, columns go on below, with the first one again.
// Title and notes are a line each, whatever their length.
func (t *Table) Within(most int) string {
	lines := make([][]string, 0, len(t.Rows)+1)
	width, word := make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for i := range len(t.Rows) + 1 {
		r := t.Columns
		if i > 0 {
			r = t.Rows[i-1]
		}
		cells := make([]string, len(t.Columns))
		for c := range t.Columns {
			cells[c] = safetext.Line(cell(r, c))
			width[c] = max(width[c], utf8.RuneCountInString(cells[c]))
			for _, w := range words(cells[c]) {
				word[c] = max(word[c], utf8.RuneCountInString(w)+len(hang))
			}
		}
		lines = append(lines, cells)
	}
	fit(width, word, most)
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(safetext.Line(t.Title) + "\n")
	}
	if len(t.Columns) == 0 { // notes only
		lines = nil
	}
	for k, columns := range panels(lines, width, most) {
		if k > 0 {
			b.WriteString("\n")
		}
		t.writePanel(&b, lines, columns, width)
	}
	for _, n := range t.Notes {
		b.WriteString(safetext.Lines(n) + "\n")
	}
	return b.String()
}

// panels are the columns that stand side by side: all of them, but where two or more have intervals, or numbers with
// ±, and would go beyond the width.
func panels(lines [][]string, width []int, most int) (out [][]int) {
	all, total, intervals := []int{}, -len(gap), 0
	for c, w := range width {
		all, total = append(all, c), total+len(gap)+w
		if slices.ContainsFunc(lines, func(cells []string) bool {
			return strings.Contains(cells[c], " – ") || strings.Contains(cells[c], " ± ")
		}) {
			intervals++
		}
	}
	if total <= most || intervals < 2 {
		return [][]int{all}
	}
	out, total = [][]int{{0}}, width[0]
	for c := 1; c < len(width); c++ {
		last := &out[len(out)-1]
		if total += len(gap) + width[c]; total > most && len(*last) > 1 {
			out, total = append(out, []int{0, c}), width[0]+len(gap)+width[c]
			continue
		}
		*last = append(*last, c)
	}
	return out
}

// writePanel writes some columns: the head, a rule, and the rows.
func (t *Table) writePanel(b *strings.Builder, lines [][]string, columns, width []int) {
	right, own := t.numeric(), make([]int, len(columns))
	side, rule := make([]bool, len(columns)), make([]string, len(columns))
	for k, c := range columns {
		own[k], side[k], rule[k] = width[c], right[c], strings.Repeat("-", width[c])
	}
	for i, cells := range lines {
		row := make([]string, len(columns))
		for k, c := range columns {
			row[k] = cells[c]
		}
		if writeRow(b, row, own, side); i == 0 {
			writeRow(b, rule, own, side)
		}
	}
}

// fit narrows the widest columns until all fit into most; word holds what a column needs for its longest word.
func fit(width, word []int, most int) {
	limited := func(c, limit int) int { return min(width[c], max(limit, word[c])) }
	limit := most
	for ; limit > most*2/15; limit-- {
		total := len(gap) * (len(width) - 1)
		for c := range width {
			total += limited(c, limit)
		}
		if total <= most {
			break
		}
	}
	for c := range width {
		width[c] = limited(c, limit)
	}
}

// writeRow writes the cells of a row, on as many lines as its longest cell needs.
func writeRow(b *strings.Builder, cells []string, width []int, right []bool) {
	stacks, height := make([][]string, len(cells)), 1
	for c, s := range cells {
		stacks[c] = stack(s, width[c])
		height = max(height, len(stacks[c]))
	}
	for i := range height {
		var l strings.Builder
		for c := range cells {
			s := cell(stacks[c], i)
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(s))
			if c > 0 {
				l.WriteString(gap)
			}
			if right[c] {
				l.WriteString(pad + s)
			} else {
				l.WriteString(s + pad)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
}

// stack breaks a cell between words into lines of at most width.
func stack(s string, width int) []string {
	if utf8.RuneCountInString(s) <= width {
		return []string{s}
	}
	var out []string
	line := ""
	for _, w := range words(s) {
		switch {
		case line == "":
			line = w
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(w) <= width:
			line += " " + w
		default:
			out, line = append(out, line), hang+w
		}
	}
	return append(out, line)
}

// opened reports whether a text ends with the beginning of the label of a bin, such as "[800,".
func opened(s string) bool {
	s, comma := strings.CutSuffix(s, ",")
	at := strings.LastIndexByte(s, '[')
	return comma && at >= 0 && at < len(s)-1 && !strings.ContainsFunc(s[at:], unicode.IsSpace) &&
		strings.IndexByte(s[at:], ',') < 0
}

// within reports whether a blank stands before or behind the dash of an interval of numbers, before the percent sign of
// one, or in the label of a bin.
func within(before, behind string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, size := utf8.DecodeRuneInString(behind)
	digit := func(s string) bool {
		return s != "" && strings.IndexByte("0123456789-.", s[0]) >= 0 || strings.HasPrefix(s, "−")
	}
	return unicode.IsDigit(last) && (next == '%' ||
		next == '–' && size < len(behind) && digit(strings.TrimSpace(behind[size:]))) ||
		(last == '–' || opened(before)) && digit(behind)
}

// words cuts a cell at its blanks. What stands between two double quotes is one word: a name whose end alone stood on a
// line would be read as the table's own. So are the ends of an interval and its dash, those of a bin, and a number with
// its percent sign.
func words(s string) (out []string) {
	start, quoted := 0, false
	for i, r := range s {
		switch {
		case r == '"':
			quoted = !quoted && strings.IndexByte(s[i+1:], '"') >= 0
		case !quoted && unicode.IsSpace(r) && !within(s[:i], s[i+utf8.RuneLen(r):]):
			if start < i {
				out = append(out, s[start:i])
			}
			start = i + utf8.RuneLen(r)
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// Escape is a text for one line of a terminal or a cell: line ends, control characters, bidirectional controls and
// invisible characters are shown as \n, \x1b, \u202e and the like. Tables show all their text so; what is printed
// beside them, such as an error, needs it too.
func Escape(text string) string { return safetext.Line(text) }
