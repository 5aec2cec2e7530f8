package frame

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

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
