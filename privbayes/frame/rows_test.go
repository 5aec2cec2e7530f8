package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Rows that are public are shown and written, and read back as the same rows; private ones are not.
func TestPublicRowsAreShownAndWritten(t *testing.T) {
	text := "city,income,vote,age,trip\n" + strings.Repeat("Ulm,1,y,17,a\nBern,4321,n,77,b>c\n", 8)
	f := mustRead(t, text, people())
	var refused *PrivateRowsError
	if err := f.WriteCSV(new(bytes.Buffer)); !errors.As(err, &refused) || f.Parts() != nil {
		t.Fatal(err)
	}
	if strings.Contains(table.HTML(f), "4321") {
		t.Error("a private frame shows a row")
	}
	open, err := f.AsPublic("made up")
	if err != nil {
		t.Fatal(err)
	}
	if s := open.String(); !strings.Contains(s, "4321") || !strings.Contains(s, "public frame under") ||
		!strings.Contains(s, "16 rows in all") {
		t.Error(s)
	}
	var b bytes.Buffer
	if err := open.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	again := mustRead(t, b.String(), people())
	for _, c := range people().Columns {
		if c.Kind == KindSequence {
			continue
		}
		x, err := f.Codes(c.Name)
		y, again := again.Codes(c.Name)
		if err != nil || again != nil || x.Len() != y.Len() {
			t.Fatal(err, again)
		}
		for i := range x.Len() {
			if x.At(i) != y.At(i) {
				t.Fatalf("%s of row %d is %d, was %d", c.Name, i, y.At(i), x.At(i))
			}
		}
	}
	if !strings.Contains(b.String(), "b>c") {
		t.Error(b.String())
	}
}

// What is written reads back under the same schema in every format, with decimal marks, and with fields that are empty
// and alone.
func TestWrittenRowsReadBackInTheirFormat(t *testing.T) {
	x := Column{Name: "größe", Kind: KindReal, Edges: []float64{0, 1.5, 3}, Missing: []string{"?"},
		OnMissing: MissingAsCategory}
	city := Column{Name: "city", Kind: KindCategorical, Categories: []string{"Köln;Süd", "a b", "c,d"}}
	lone := Column{Name: "answer", Kind: KindCategorical, Categories: []string{"y", "n"}, Missing: []string{""},
		OnMissing: MissingAsCategory}
	trip := Column{Name: "trip", Kind: KindSequence, Categories: []string{"a", "b"}, Separator: ">", MaxLength: 3}
	for _, format := range []*Format{nil, {Separator: ";", Decimal: ","}, {Decimal: ","},
		{Separator: " ", Encoding: Latin1}, {Separator: "\t", Encoding: Windows1252}, {Encoding: UTF16}} {
		for name, c := range map[string]struct {
			columns []Column
			rows    []any
		}{
			"two":      {[]Column{x, city}, []any{[]string{"0.25", "?", "2"}, []string{"c,d", "a b", "Köln;Süd"}}},
			"category": {[]Column{lone}, []any{[]string{"y", "", "n"}}},
			"sequence": {[]Column{trip}, []any{[]string{"a>b", "", "b"}}},
		} {
			s := &Schema{Dataset: "made", Columns: c.columns, Format: format}
			values := map[string]any{}
			for i, col := range c.columns {
				values[col.Name] = c.rows[i]
			}
			f, err := FromColumns(s, values)
			if err != nil {
				t.Fatal(err)
			}
			open, err := f.AsPublic("made up")
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := open.WriteCSV(&b); err != nil {
				t.Fatal(err)
			}
			again, err := Read(context.Background(), &b, "made.csv", s)
			if err != nil {
				t.Errorf("%+v, %s: %v", format, name, err)
				continue
			}
			if again, err = again.AsPublic("made up"); err != nil {
				t.Fatal(err)
			}
			want, err1 := open.Records()
			have, err2 := again.Records()
			if err1 != nil || err2 != nil || !slices.EqualFunc(want, have, slices.Equal[[]string]) || len(have) != 4 {
				t.Errorf("%+v, %s: %q, want %q", format, name, have, want)
			}
		}
	}
}

// Where a mark between quotes is a value, what is written reads back all the same: values that look like a mark stand
// between quotes, and missing values do not, also when they are alone in a line.
func TestQuotedMarksReadBack(t *testing.T) {
	missing := []string{"", "NA", "n,a", " -", "-9", "9"}
	rapid.Check(t, func(rt *rapid.T) {
		s := &Schema{Dataset: "made"}
		if rapid.Bool().Draw(rt, "semicolons") {
			s.Format = &Format{Separator: ";"}
		}
		width := rapid.IntRange(1, 3).Draw(rt, "columns")
		for k := range width {
			c := Column{Name: fmt.Sprint("c", k), QuotedMissing: QuotedIsValue, OnMissing: MissingAsCategory,
				Missing: rapid.Permutation(missing).Draw(rt, "marks")[:rapid.IntRange(1, 4).Draw(rt, "many")]}
			if c.Kind = KindInteger; rapid.Bool().Draw(rt, "kind") {
				c.Kind, c.Categories = KindCategorical, []string{"a", "b,;", `"`, "c d"}
			} else {
				c.Edges = []float64{-9, 0, 9}
			}
			s.Columns = append(s.Columns, c)
		}
		bare := func(mark string) bool { return (mark != "" || width > 1) && !strings.ContainsAny(mark, ",") }
		var b strings.Builder
		sep := string(s.Format.separator())
		b.WriteString(strings.Join(s.Names(), sep))
		for range rapid.IntRange(1, 5).Draw(rt, "rows") {
			for k, c := range s.Columns {
				b.WriteString(map[bool]string{true: "\n", false: sep}[k == 0])
				i := slices.IndexFunc(c.Missing, bare)
				if i >= 0 && rapid.Bool().Draw(rt, "missing") {
					b.WriteString(c.Missing[i])
					continue
				}
				value := fmt.Sprint(rapid.SampledFrom([]int{-9, 0, 9}).Draw(rt, "value"))
				if c.Kind == KindCategorical {
					value = rapid.SampledFrom(c.Categories).Draw(rt, "category")
				}
				b.WriteString(`"` + strings.ReplaceAll(value, `"`, `""`) + `"`)
			}
		}
		f := mustRead(t, b.String()+"\n", s)
		open, err := f.AsPublic("made up")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := open.WriteCSV(&out); err != nil {
			if !errors.As(err, new(*ColumnError)) {
				rt.Fatal(err)
			}
			for _, c := range s.Columns { // only a mark with a space in front can be read and not written
				if slices.ContainsFunc(c.Missing, func(m string) bool { return bare(m) && m != " -" }) {
					continue
				}
				return
			}
			rt.Fatal(err)
		}
		text := out.String()
		again, err := Read(t.Context(), &out, "made.csv", s)
		if err != nil || !sameFrame(f, again) {
			rt.Errorf("%q was read and %q written: %v", b.String(), text, err)
		}
	})
	lone := &Schema{Dataset: "made", Columns: []Column{{Name: "a", Kind: KindCategorical, Categories: []string{"x"},
		Missing: []string{""}, OnMissing: MissingAsCategory, QuotedMissing: QuotedIsValue}}}
	f, err := FromColumns(lone, map[string]any{"a": []string{"", "x"}})
	if err == nil {
		f, err = f.AsPublic("made up")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteCSV(&bytes.Buffer{}); !errors.As(err, new(*ColumnError)) || !strings.Contains(err.Error(), `"NA"`) {
		t.Errorf("a line without anything is no record: %v", err)
	}
}
