package table

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// The widths of text. A table that is wider than textWidth gets narrower columns, whose cells are stacked; a column is
// not made narrower than leastColumn for that, nor than its longest word.
const (
	textWidth   = 120
	leastColumn = 16
	gap         = "  " // between columns
	hang        = "  " // before the second and later lines of a cell
)

// String is the table as aligned text, numbers to the right; widths count runes. A table of at most 120 columns has one
// line a row. In a wider one long cells are broken between words, not inside double quotes, and stacked, later lines
// indented, until it fits or only long words are left: where the text goes plays no part, so it is the same everywhere.
func (t *Table) String() string {
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
	fit(width, word)
	right := t.numeric()
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(safetext.Line(t.Title) + "\n")
	}
	for i, cells := range lines {
		writeRow(&b, cells, width, right)
		if i > 0 {
			continue
		}
		rule := make([]string, len(t.Columns))
		for c := range rule {
			rule[c] = strings.Repeat("-", width[c])
		}
		writeRow(&b, rule, width, right)
	}
	for _, n := range t.Notes {
		b.WriteString(safetext.Lines(n) + "\n")
	}
	return b.String()
}

// fit narrows the widest columns until all fit into textWidth; word holds what a column needs for its longest word.
func fit(width, word []int) {
	limited := func(c, limit int) int { return min(width[c], max(limit, word[c])) }
	limit := textWidth
	for ; limit > leastColumn; limit-- {
		total := len(gap) * (len(width) - 1)
		for c := range width {
			total += limited(c, limit)
		}
		if total <= textWidth {
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

// words cuts a cell at its blanks. What stands between two double quotes is one word: a name whose end alone stood on a
// line would be read as the table's own.
func words(s string) (out []string) {
	start, quoted := 0, false
	for i, r := range s {
		switch {
		case r == '"':
			quoted = !quoted && strings.IndexByte(s[i+1:], '"') >= 0
		case !quoted && unicode.IsSpace(r):
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
