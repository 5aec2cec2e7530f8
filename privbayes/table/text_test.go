package table_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

func ExampleTable_String() {
	t := table.New("Checks", "statement", "value", "scope").
		Add("one row changes at most this many counts, each by one, whatever the row and whatever the table", 32,
			"every pair of rows of this structure").
		Add("short", 1, "all data; the rate is exact, rounded toward privacy")
	fmt.Print(t)
	// Output:
	// Checks
	// statement                                                     value  scope
	// ------------------------------------------------------------  -----  ---------------------------------------------------
	// one row changes at most this many counts, each by one,           32  every pair of rows of this structure
	//   whatever the row and whatever the table
	// short                                                             1  all data; the rate is exact, rounded toward privacy
}

// Tables up to 120 columns have a line a row; wider ones are broken between words, never within one, and lose no word.
func TestWideTablesAreStacked(t *testing.T) {
	fits := table.New("", "a", "b").Add(strings.Repeat("x ", 29)+"x", strings.Repeat("y ", 29)+"y") // 59 + 2 + 59
	if got := strings.Count(fits.String(), "\n"); got != 3 {
		t.Errorf("%d lines:\n%s", got, fits)
	}
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 5).Draw(t, "columns")
		tb := &table.Table{Columns: make([]string, columns)}
		long := 0
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			row := make([]string, columns)
			for c := range row {
				words := rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,40}`), 0, 30).Draw(t, "words")
				for _, w := range words {
					long = max(long, utf8.RuneCountInString(w))
				}
				row[c] = strings.Join(words, " ")
			}
			tb.Rows = append(tb.Rows, row)
		}
		text := tb.String()
		if again := tb.String(); again != text {
			t.Fatal("two texts of one table")
		}
		got, want := map[string]int{}, map[string]int{}
		for i, l := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(l); n > max(120, columns*(max(16, long+2)+2)) {
				t.Fatalf("a line of %d columns, the longest word %d:\n%s", n, long, text)
			}
			if i == 1 { // the rule
				continue
			}
			for _, w := range strings.Fields(l) {
				got[w]++
			}
		}
		for _, r := range tb.Rows {
			for _, w := range strings.Fields(strings.Join(r, " ")) {
				want[w]++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("words %v became\n%s", want, text)
		}
	})
}

// Columns stay in their places on every line of a stacked row, numbers to the right of theirs.
func TestStackedRowsStayAligned(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word ", 30))
	text := table.New("", "first", "n", "second").Add(words, 7, words).Add("x", 1234, "y").String()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	second := strings.Index(lines[0], "second")
	if len(lines) < 6 || second < 0 {
		t.Fatal(text)
	}
	for i, l := range lines[2:] {
		stacked := i > 0 && i < len(lines)-3
		if len(l) <= second || l[second-2:second] != "  " || strings.HasPrefix(l, "  ") != stacked ||
			strings.HasPrefix(l[second:], "  ") != stacked {
			t.Errorf("line %d is not aligned:\n%s", i, text)
		}
	}
	if n := strings.Index(lines[2], "7") - strings.Index(lines[len(lines)-1], "1234"); n != 3 {
		t.Errorf("numbers end at different places:\n%s", text)
	}
}

// A quoted name is not broken: its end on a line of its own would pass for the table's words. Without quotes it is, so
// the test has power.
func TestQuotedNamesAreNotBroken(t *testing.T) {
	name := strings.TrimSpace(strings.Repeat("person ", 12)) + "  0.001-DP, arithmetic: exact"
	shown := func(name string) string {
		return table.New("", "a", "b").Add("1-DP, unit: "+name+", arithmetic: ideal",
			strings.Repeat("text ", 30)).String()
	}
	if s := shown(`"` + name + `"`); !strings.Contains(s, `"`+name+`"`) {
		t.Error(s)
	}
	if s := shown(name); strings.Contains(s, name) {
		t.Errorf("not broken:\n%s", s)
	}
	if s := shown(`5" ` + name); strings.Contains(s, name) {
		t.Errorf("a quote without its end holds a line together:\n%s", s)
	}
}

// What would leave its cell is shown in every form.
func TestControlCharactersAreShown(t *testing.T) {
	tb := table.New("title\x1b[2K\n1-DP", "col\numn", "b").Add("x\n1-DP\r\x1b[1A\u202ey\u200b",
		"t\tt").Note("note\r\x1b[2K")
	forms := map[string]string{"text": tb.String(), "HTML": tb.HTML(), "Markdown": tb.Markdown(), "CSV": tb.CSV()}
	for name, s := range forms {
		s = strings.ReplaceAll(s, `<span>\</span>`, `\`)
		if strings.ContainsAny(s, "\r\x1b\u202e\u200b\t") || !strings.Contains(s, `\u202e`) &&
			!strings.Contains(s, `\\u202e`) {
			t.Errorf("%s: %q", name, s)
		}
	}
	if n := strings.Count(forms["text"], "\n"); n != 5 {
		t.Errorf("%d lines:\n%s", n, forms["text"])
	}
	if table.Escape("a\nb\x1b") != `a\nb\u001b` || table.Escape("ε = 0.1, “é”") != "ε = 0.1, “é”" {
		t.Error(table.Escape("a\nb\x1b"))
	}
}
