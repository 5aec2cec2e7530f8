package frame

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Two tables that differ in every row look the same in every format.
func TestNothingPrivateIsShown(t *testing.T) {
	head := "city,income,vote,age,trip\n"
	a := mustRead(t, head+"Ulm,1,y,17,a\nUlm,2,y,3,a\n", people())
	b := mustRead(t, head+"Bern,4321,n,77,b>c\nOther,1234,?,NA,\n", people())
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q", "%f"} {
		if x, y := fmt.Sprintf(verb, a), fmt.Sprintf(verb, b); x != y || !strings.Contains(x, "n = 2 (public)") {
			t.Errorf("%s shows rows: %q, %q", verb, x, y)
		}
	}
	if a.String() != b.String() || table.HTML(a) != table.HTML(b) {
		t.Error("descriptions differ")
	}
	if _, err := json.Marshal(a); !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	w, err := a.Where("city", func(l string) bool { return l == "Ulm" })
	if err != nil || strings.Contains(w.String(), "n = ") ||
		!strings.Contains(w.String(), `n is private since Where("city")`) {
		t.Error(w.String(), err)
	}
	if fmt.Sprint((*Frame)(nil)) != "<nil>" {
		t.Error("nil frame")
	}
}

func TestHTMLEscapes(t *testing.T) {
	s := &Schema{Dataset: "<b>", Columns: []Column{Categorical("<i>", "&", "<script>")}}
	h := table.HTML(s)
	if !strings.Contains(h, `text-align:left">column</th>`) || !strings.Contains(h, `>&lt;i&gt;</td>`) {
		t.Error(h)
	}
	if strings.Contains(h, "<i>") || strings.Contains(h, "<script>") || strings.Contains(h, "<b>") {
		t.Error(h)
	}
}

// A list of names reads in one way: names with commas or quotes of their own are quoted, and long lists leave out names
// and not the last.
func TestDomainsReadInOneWay(t *testing.T) {
	for want, names := range map[string][]string{
		`No, Yes`:                       {"No", "Yes"},
		`"1st, Male", "1st, Female"`:    {"1st, Male", "1st, Female"},
		`a, "b, c", d`:                  {"a", "b, c", "d"},
		`"say \u0022a\u0022", b`:        {`say "a"`, "b"},
		`1, 2, 3, 4, 5, 6`:              {"1", "2", "3", "4", "5", "6"},
		`1, 2, "3, 4", 5, 6, …, "8, 9"`: {"1", "2", "3, 4", "5", "6", "7", "8, 9"},
	} {
		if got := few(names, 6); got != want {
			t.Errorf("%q reads %s, want %s", names, got, want)
		}
	}
}

// A frame says of every step what it did to n and to the unit.
func TestFrameSaysWhatStepsDid(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	do := func(g *Frame, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		f = g
	}
	want := func(notes ...string) {
		t.Helper()
		got := f.Table().Notes[1:]
		if len(got) != len(notes) {
			t.Fatalf("%q", got)
		}
		for i, n := range notes {
			if !strings.HasPrefix(got[i], "step ") || !strings.HasSuffix(got[i], n) {
				t.Errorf("%q; want %q", got[i], n)
			}
		}
	}
	want()
	do(f.Drop("trip"))
	want() // what is left stands in the table
	do(f.Collapse("city", "abroad", "Bern", "Other"))
	do(f.Append(f))
	want("n and the unit stay",
		"Append(all rows; twice): n adds up; the rows of a unit add up, to at most 2")
	do(f.Head(5))
	want("n and the unit stay", "to at most 2",
		"Head(5): n follows from it and stays public; the unit stays")
	do(f.Where("city", func(string) bool { return true }))
	train, test, err := f.Split(.5, 1)
	do(train, err)
	want("stay", "at most 2", "public; the unit stays", "n is private from here; the unit stays",
		"train: n stays private; the unit stays")
	do(f.AppendDisjoint(test))
	want("stay", "n is private from here; the units are declared disjoint, so a unit has at most 2 rows still")
	if all, err := f.Append(f); err != nil || !strings.Contains(all.String(), "private from here; the rows of a unit add "+
		"up, to at most 4") {
		t.Error(err, all)
	}
}

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
	open := must.Get(f.AsPublic("made up"))(t)
	if s := open.String(); !strings.Contains(s, "4321") || !strings.Contains(s, "public frame under") ||
		!strings.Contains(s, "16 rows in all") {
		t.Error(s)
	}
	var b bytes.Buffer
	must.Do(t, open.WriteCSV(&b))
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
			f := must.Get(FromColumns(s, values))(t)
			open := must.Get(f.AsPublic("made up"))(t)
			var b bytes.Buffer
			must.Do(t, open.WriteCSV(&b))
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
		open := must.Get(f.AsPublic("made up"))(t)
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

// A schema made in code is shown before it is validated: a number to impute that is not there is no panic.
func TestUnsetImputationsAreShown(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{{Name: "x", Kind: KindReal, Edges: []float64{0, 1},
		Missing: []string{"NA"}, OnMissing: MissingImputed}}}
	if !strings.Contains(s.String(), "unset") || s.Validate() == nil {
		t.Error(s)
	}
}
