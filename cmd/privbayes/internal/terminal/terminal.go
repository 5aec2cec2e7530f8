// Package terminal shows values as text that is as wide as a terminal.
package terminal

import (
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Text is what v shows in lines of at most so many characters, in other words: these are replaced before cells are laid
// out, which breaks them. A table whose words do not fit becomes several. Title and notes are a line each.
func Text(v table.Shown, width int, words func(string) string) string {
	list := []*table.Table{v.Table()}
	if p, ok := v.(interface{ Parts() []*table.Table }); ok {
		list = append(list, p.Parts()...)
	}
	var texts []string
	for _, t := range list {
		for _, part := range split(worded(t, words), width) {
			texts = append(texts, part.Within(width))
		}
	}
	return strings.Join(texts, "\n")
}

// Wrapped breaks lines of more than a number of characters at blanks; a longer word stays whole. It is for what people
// read: terminals break lines within words.
func Wrapped(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		for {
			head := []rune(strings.TrimSuffix(line, "\n"))
			if len(head) <= width {
				break
			}
			cut := strings.LastIndexByte(string(head[:width+1]), ' ')
			if cut <= 0 {
				cut = strings.IndexByte(line, ' ')
			}
			if cut <= 0 {
				break
			}
			b.WriteString(strings.TrimRight(line[:cut], " ") + "\n")
			line = line[cut+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// Tables are shown one below the other.
type Tables []*table.Table

// Table is the first.
func (t Tables) Table() *table.Table { return t[0] }

// Parts are the others.
func (t Tables) Parts() []*table.Table { return t[1:] }

// split is a table as it fits. One that is too wide, however its cells are broken, becomes several, which begin with
// its first column; its notes are below the last.
func split(t *table.Table, width int) (list []*table.Table) {
	if fits(t, width) {
		return []*table.Table{t}
	}
	for from := 1; from < len(t.Columns); {
		to := from + 1
		for to < len(t.Columns) && fits(columns(t, from, to+1), width*3/4) { // a quarter is for what cells need
			to++
		}
		list, from = append(list, columns(t, from, to)), to
	}
	list[0].Title, list[len(list)-1].Notes = t.Title, t.Notes
	return list
}

// fits reports whether the rows of a table need no more than a width.
func fits(t *table.Table, width int) bool {
	if len(t.Columns) < 3 {
		return true
	}
	rows := &table.Table{Columns: t.Columns, Rows: t.Rows}
	for line := range strings.SplitSeq(rows.Within(width), "\n") {
		if utf8.RuneCountInString(line) > width {
			return false
		}
	}
	return true
}

// columns are the first column of a table and some of the others, without title and notes.
func columns(t *table.Table, from, to int) *table.Table {
	pick := func(row []string) []string {
		row = append(slices.Clone(row), make([]string, len(t.Columns))...) // a row may be short
		return append([]string{row[0]}, row[from:to]...)
	}
	c := &table.Table{Columns: pick(t.Columns)}
	for _, row := range t.Rows {
		c.Rows = append(c.Rows, pick(row))
	}
	return c
}

// worded is a table in other words.
func worded(t *table.Table, words func(string) string) *table.Table {
	c := *t
	c.Title, c.Notes, c.Rows = words(t.Title), slices.Clone(t.Notes), slices.Clone(t.Rows)
	for i, note := range c.Notes {
		c.Notes[i] = words(note)
	}
	for i, row := range c.Rows {
		c.Rows[i] = slices.Clone(row)
		for k, cell := range row {
			c.Rows[i][k] = words(cell)
		}
	}
	return &c
}

// The width of what is shown, in characters: usualColumns where it does not go to a terminal.
const (
	usualColumns = 80
	fewest, most = 40, 400
)

// Columns is how wide a table may be on out: what COLUMNS says, else the width of the terminal.
func Columns(out io.Writer) int {
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f, ok := out.(*os.File); ok && (err != nil || n <= 0) {
		n = sizeOf(f)
	}
	if n <= 0 {
		return usualColumns
	}
	return min(max(n, fewest), most)
}
