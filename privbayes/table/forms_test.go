package table_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

func TestAddTakesAnything(t *testing.T) {
	tb := table.New("", "a", "b", "c", "d", "e", "f").
		Add(float32(0.25), 7, errors.New("no luck"), 90*time.Second, nil, true).
		Add("surplus is dropped", 1, 2, 3, 4, 5, 6, 7)
	if got := fmt.Sprintf("%q", tb.Rows[0]); got != `["0.25" "7" "no luck" "1m30s" "" "true"]` {
		t.Error(got)
	}
	if len(tb.Rows[1]) != 6 {
		t.Error(tb.Rows[1])
	}
}

// Rows filled by hand may be short or long: every form shows what fits.
func TestRaggedRowsAreShown(t *testing.T) {
	tb := &table.Table{Columns: []string{"a", "b"}, Rows: [][]string{{"x"}, nil, {"1", "2", "3"}}}
	for name, s := range map[string]string{"text": tb.String(), "HTML": tb.HTML(), "Markdown": tb.Markdown(),
		"CSV": tb.CSV()} {
		if !strings.Contains(s, "x") || !strings.Contains(s, "2") || strings.Contains(s, "3") {
			t.Errorf("%s:\n%s", name, s)
		}
	}
	empty := &table.Table{}
	_ = empty.String() + empty.HTML() + empty.Markdown() + empty.CSV()
}

// No text of a table is markup, a link, an image or a formula in HTML or Markdown: a formula can be moved over the
// guarantee beside it.
func TestTextIsNoMarkup(t *testing.T) {
	for _, text := range []string{"![x](http://a.eu)", "**exact**", "`code`", "~~ideal~~", "_exact_",
		`$\kern-9em\text{0.1-DP}$`, `\(x\)`, "<b>"} {
		tb := table.New(text, text).Add(text).Note(text)
		html, md := tb.HTML(), tb.Markdown()
		if strings.Contains(html, text) && strings.ContainsAny(text, "<$\\") || strings.Contains(md, text) {
			t.Errorf("%s:\n%s\n%s", text, html, md)
		}
	}
}

func TestMarkdownKeepsCellsApart(t *testing.T) {
	md := table.New("t", "c").Add(`a\|b`).Add("<script>").Add("two\nlines").Markdown()
	for _, want := range []string{`a\\\|b`, "&lt;script>", `two\\nlines`} {
		if !strings.Contains(md, want) {
			t.Errorf("no %s in\n%s", want, md)
		}
	}
}

// Text stands to the left and numbers to the right, by the same rule as in text and Markdown.
func TestHTMLAlignsText(t *testing.T) {
	got := table.New("", "name", "n", "mixed").Add("a long <text>", 12, "435").Add("b", "7%", "0.1 ± 0.2").HTML()
	left, right := ` align="left" style="text-align:left">`, ` align="right" style="text-align:right">`
	want := "<table><thead><tr><th" + left + "name</th><th" + right + "n</th><th" + left + "mixed</th></tr></thead>" +
		"<tbody><tr><td" + left + "a long &lt;text&gt;</td><td" + right + "12</td><td" + left + "435</td></tr>" +
		"<tr><td" + left + "b</td><td" + right + "7%</td><td" + left + "0.1 ± 0.2</td></tr></tbody></table>"
	if got != want {
		t.Error(got)
	}
}

// A number with an exponent stays on its line, where a browser would break after the hyphen; text may break.
func TestHTMLKeepsExponents(t *testing.T) {
	got := table.New("", "δ-rate", "e-mail").Add(1e-6, "e-mail").Add(.5, "x").HTML()
	if want := `<td align="right" style="text-align:right;white-space:nowrap">1e-6</td>`; !strings.Contains(got, want) ||
		strings.Count(got, "nowrap") != 1 {
		t.Error(got)
	}
}

func TestNumberHasFourDigits(t *testing.T) {
	if got := table.Number(math.Copysign(0, -1)); got != "0" {
		t.Error(got)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1e12, 1e12).Draw(t, "x")
		back, err := strconv.ParseFloat(table.Number(x), 64)
		if err != nil || math.Abs(back-x) > 5.001e-4*math.Abs(x) {
			t.Fatalf("%v is shown as %s", x, table.Number(x))
		}
	})
}

func TestTextAndCSVHoldEveryCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.SliceOfN(rapid.StringMatching(`[a-zε]{1,6}`), 2, 4).Draw(t, "columns")
		tb := table.New("title", columns...)
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			row := make([]any, len(columns))
			for c := range row {
				row[c] = rapid.SampledFrom([]any{"é, \"q\"", "a\nb", 1.5, math.Inf(1), 12, "", nil}).Draw(t, "cell")
			}
			tb.Add(row...)
		}
		records, err := csv.NewReader(strings.NewReader(tb.CSV())).ReadAll()
		if err != nil || len(records) != len(tb.Rows)+1 {
			t.Fatalf("%d records of %d rows, %v", len(records), len(tb.Rows), err)
		}
		for i, r := range tb.Rows {
			for c := range r {
				if records[i+1][c] != r[c] {
					t.Fatalf("CSV changed %q to %q", r[c], records[i+1][c])
				}
			}
		}
		lines := strings.Split(tb.String(), "\n")
		if len(lines) != len(tb.Rows)+4 { // title, header, rule, and the empty string after the last line end
			t.Fatalf("%d lines:\n%s", len(lines), tb)
		}
		for _, l := range lines[3:] {
			if utf8.RuneCountInString(l) > utf8.RuneCountInString(lines[2]) {
				t.Fatalf("a line is wider than the rule:\n%s", tb)
			}
		}
	})
}

func ExampleTable_CSV() {
	fmt.Print(table.New("Shares", "party", "share").Add("democrat, or not", 0.61379).CSV())
	// Output:
	// party,share
	// "democrat, or not",0.6138
}

func ExampleTable_Markdown() {
	fmt.Print(table.New("Shares", "party", "share").Add("democrat", 0.61379).Note("n = 435").Markdown())
	// Output:
	// **Shares**
	//
	// | party | share |
	// |---|---:|
	// | democrat | 0.6138 |
	//
	// n = 435
}

func ExampleNumber() {
	fmt.Println(table.Number(0.123456), table.Number(1e-6), table.Number(435), table.Number(12340.6))
	// Output:
	// 0.1235 1e-6 435 12341
}

func BenchmarkTable_String(b *testing.B) {
	tb := table.New("t", "series", "x", "y")
	for i := range 400 {
		tb.Add("released", float64(i)/400, math.Sqrt(float64(i)))
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = tb.String()
	}
}

// Nor are labels of bins broken; other texts in brackets are.
func TestBinsAreNotBroken(t *testing.T) {
	text := table.New("Shares", "", "estimate", "what").Add("[800, 1000)", .12, "some [words, and others]").
		Add("wage in [−5, 2000]", .34, "more").Within(32)
	if !strings.Contains(text, "[800, 1000)") || !strings.Contains(text, "[−5, 2000]") ||
		strings.Contains(text, "[words, and") {
		t.Error(text)
	}
}

// Intervals are not broken at their dash: columns go on below, each once, with the first one again.
func TestIntervalsAreNotBroken(t *testing.T) {
	got := table.New("Shares", "", "estimate", "population: 95 %", "rows: 95 %", "rows, all at once").
		Add("below_100", 0.0313, "0.0293 – 0.0334", "-0.03 – 0.0315", "0.0307 – 0.0318").
		Add("below − to 200", 0.1225, "0.1187 – 0.1264", "0.1222 – 0.1228", "−0.1219 – −0.1231")
	for width := 34; width <= 100; width++ {
		text := got.Within(width)
		for _, line := range strings.Split(text, "\n") {
			if trimmed := strings.TrimSpace(line); strings.HasSuffix(trimmed, "–") || strings.HasPrefix(trimmed, "–") ||
				width > 40 && utf8.RuneCountInString(line) > width {
				t.Errorf("%d: %q", width, line)
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "population: 95") && !strings.Contains(line, "95 %") || strings.HasPrefix(
				strings.TrimSpace(line), "% ") {
				t.Errorf("%d: %q", width, line)
			}
		}
		for _, cell := range []string{"0.0293 – 0.0334", "-0.03 – 0.0315", "0.0307 – 0.0318", "−0.1219 – −0.1231"} {
			if strings.Count(text, cell) != 1 {
				t.Errorf("%d: %q in\n%s", width, cell, text)
			}
		}
	}
	if wide := got.Within(120); strings.Count(wide, "below_100") != 1 || strings.Count(got.Within(60), "below_100") < 2 {
		t.Errorf("%s", wide)
	}
}
