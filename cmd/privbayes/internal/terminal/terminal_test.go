package terminal

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// someWords are so many words of at most so many letters.
func someWords(r *rand.Rand, count, most int) (list []string) {
	for range count {
		list = append(list, strings.Repeat([]string{"a", "b", "ε"}[r.IntN(3)], 1+r.IntN(most)))
	}
	return list
}

// Long lines are broken at blanks and lose nothing else; a word that is too long stays whole.
func TestWrapped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"one two\n", "one two\n"}, {"one two three\n", "one two\nthree\n"}, {"éé εεε δδδδ", "éé εεε\nδδδδ"},
		{"abcdefghijk lm\n", "abcdefghijk\nlm\n"}, {"a  b\n\nc\n", "a  b\n\nc\n"}, {"", ""},
	} {
		if got := Wrapped(c.text, 8); got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
	}
}

// A table that is split has all its cells, and its first column in every part.
func TestSplitTablesKeepCells(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		columns := someWords(r, 1+r.IntN(12), 12)
		tb := table.New("title", columns...).Note("note")
		for range r.IntN(5) {
			var row []string // which may be short
			for range r.IntN(len(columns) + 1) {
				row = append(row, strings.Join(someWords(r, 1+r.IntN(4), 9), " "))
			}
			tb.Rows = append(tb.Rows, row)
		}
		parts := split(tb, 60)
		if parts[0].Title != "title" || !slices.Equal(parts[len(parts)-1].Notes, tb.Notes) {
			t.Fatal("title or note is lost")
		}
		var heads []string
		rows := make([][]string, len(tb.Rows))
		for k, p := range parts {
			from := min(k, 1)
			heads = append(heads, p.Columns[from:]...)
			for i, row := range p.Rows {
				rows[i] = append(rows[i], append(slices.Clone(row), make([]string, len(p.Columns)-len(row))...)[from:]...)
			}
			if p.Columns[0] != columns[0] {
				t.Fatal("a part begins with another column")
			}
		}
		if !slices.Equal(heads, columns) {
			t.Fatalf("%q became %q", columns, heads)
		}
		for i, row := range tb.Rows {
			if whole := append(slices.Clone(row), make([]string, len(columns)-len(row))...); !slices.Equal(rows[i], whole) {
				t.Fatalf("%q became %q", whole, rows[i])
			}
		}
	}
}

// What is no terminal has 80 columns, unless COLUMNS says how many.
func TestColumns(t *testing.T) {
	file := must.Get(os.CreateTemp(t.TempDir(), ""))(t)
	for columns, want := range map[string]int{"": 80, "x": 80, "-3": 80, "0": 80, "100": 100, "1": fewest, "99999": most} {
		t.Setenv("COLUMNS", columns)
		if a, b := Columns(&bytes.Buffer{}), Columns(file); a != want || b != want {
			t.Errorf("%q: %d and %d, want %d", columns, a, b, want)
		}
	}
}

// Title, cells and notes are in other words, and the table itself stays as it is.
func TestTextIsWorded(t *testing.T) {
	a := table.New("Old title", "x", "y", "z").Add("Old", 1, strings.Repeat("word ", 9)).Note("Old note")
	b := table.New("", "n")
	got := Text(Tables{a, b}, 30, strings.NewReplacer("Old", "New").Replace)
	want := `New title
x    y  z
---  -  ----------------------
New  1  word word word word
          word word word word
          word
New note

n
-
`
	if got != want || a.Title != "Old title" || a.Rows[0][0] != "Old" {
		t.Errorf("got\n%s", got)
	}
}
