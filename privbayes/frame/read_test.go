package frame

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/domain"
)

func TestReadCodes(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	if n, ok := f.PublicN(); n != 6 || !ok {
		t.Fatalf("n = %d, %v", n, ok)
	}
	for name, want := range map[string][]int{
		"city":   {0, 1, 2, 0, 2, 1},
		"income": {0, 1, 2, 0, 2, 0},
		"vote":   {0, 1, 2, 2, 0, 1},
		"age":    {0, 1, 2, 2, 3, 3},
	} {
		if got := codesOf(t, f, name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	income, _ := f.Values("income")
	if want := []float64{999.99, 1000, 5000, 0, 5000, 0}; !reflect.DeepEqual(income, want) {
		t.Errorf("income %v, want %v: clamped to the bounds", income, want)
	}
	age, _ := f.Values("age")
	if age[3] != 120 || !math.IsNaN(age[4]) || !math.IsNaN(age[5]) {
		t.Errorf("age %v: want NaN where missing", age)
	}
	trips, _ := f.Sequences("trip")
	if want := [][]uint16{{0, 1}, nil, {2, 2, 2}, {0}, {1}, {0, 0}}; !reflect.DeepEqual(trips, want) {
		t.Errorf("trip %v, want %v", trips, want)
	}
}

func TestReadForms(t *testing.T) {
	want := mustRead(t, peopleCSV, people())
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write([]byte(peopleCSV))
	_ = w.Close()
	forms := map[string]string{
		"CRLF":             strings.ReplaceAll(peopleCSV, "\n", "\r\n"),
		"BOM":              "\xef\xbb\xbf" + peopleCSV,
		"no final newline": strings.TrimSuffix(peopleCSV, "\n"),
		"empty lines":      strings.ReplaceAll(peopleCSV, "\n", "\n\n"),
		"gzip":             z.String(),
		"quoted header":    `"` + strings.Replace(peopleCSV, "city,", `city",`, 1),
		"long last line":   peopleCSV[:len(peopleCSV)-1] + "\r",
	}
	for name, text := range forms {
		if got := mustRead(t, text, people()); !sameFrame(got, want) {
			t.Errorf("%s: codes differ", name)
		}
		got, err := Read(context.Background(), iotest.OneByteReader(strings.NewReader(text)), "t", people())
		if err != nil || !sameFrame(got, want) {
			t.Errorf("%s, byte by byte: %v", name, err)
		}
	}
}

func TestReadEmbeddedNewline(t *testing.T) {
	a := Categorical("a", "z") // a category is a name and has no line end; a missing mark is what files hold
	a.Missing, a.OnMissing = []string{"x\ny"}, MissingAsCategory
	s := &Schema{Dataset: "test", Columns: []Column{a, Integer("b", 0, 10)}}
	f := mustRead(t, "b,a\n1,\"x\r\ny\"\n2,z\n", s)
	if got := codesOf(t, f, "a"); !reflect.DeepEqual(got, []int{1, 0}) {
		t.Error(got)
	}
	_, err := Read(context.Background(), strings.NewReader("b,a\n1,\"x\ny\"\n2,z\n3,w\n"), "n.csv", s)
	var v *ValueError
	if !errors.As(err, &v) || v.Line != 5 || v.Column != "a" || v.Value != "w" {
		t.Errorf("%v: want line 5, counting the line end inside quotes", err)
	}
}

func TestReadErrors(t *testing.T) {
	head := "city,income,vote,age,trip\n"
	cases := []struct {
		name, text string
		is         error
		says       []string
	}{
		{"empty", "", &FileError{}, []string{"t.csv", "header"}},
		{"UTF-16", "\xff\xfea\x00", &FileError{}, []string{"UTF-8"}},
		{"bad gzip", "\x1f\x8b\x08garbage", &FileError{}, []string{"gzip"}},
		{"semicolons", strings.ReplaceAll(head, ",", ";"), &FileError{}, []string{"commas"}},
		{"missing column", "city,incom,vote,age,trip\nUlm,1,y,1,a\n", &ColumnError{},
			[]string{`"income"`, `did you mean "incom"`}},
		{"extra column", "city,income,vote,age,trip,x\nUlm,1,y,1,a,1\n", &ColumnError{}, []string{`"x"`, "extra_columns"}},
		{"column twice", "city,city,income,vote,age,trip\n", &ColumnError{}, []string{"twice"}},
		{"ragged", head + "Ulm,1,y,1,a\nUlm,1\n", &ValueError{}, []string{"line 3", "2 fields", "5 fields"}},
		{"category", head + "Ulm,1,Y,1,a\n", &ValueError{},
			[]string{"t.csv line 2", `"vote"`, `"Y"`, `"y", "n"`, `did you mean "y"`}},
		{"blanks", head + "Ulm, 1,y,1,a\n", &ValueError{}, []string{"blanks"}},
		{"not a number", head + "Ulm,abc,y,1,a\n", &ValueError{}, []string{"a number from 0 to 5000"}},
		{"NaN", head + "Ulm,NaN,y,1,a\n", &ValueError{}, nil},
		{"hex", head + "Ulm,0x10,y,1,a\n", &ValueError{}, nil},
		{"fraction", head + "Ulm,1,y,1.5,a\n", &ValueError{}, []string{"a whole number from 0 to 120"}},
		{"bound", head + "Ulm,1,y,121,a\n", &ValueError{}, []string{"121"}},
		{"item", head + "Ulm,1,y,1,a>d\n", &ValueError{}, []string{"items"}},
		{"too long", head + "Ulm,1,y,1,a>a>a>a\n", &ValueError{}, []string{"at most 3"}},
		{"bare quote", head + "U\"lm,1,y,1,a\n", &ValueError{}, []string{"RFC 4180", "line 2"}},
		{"open quote", head + "Ulm,1,y,1,a\n\"Ulm,1,y,1,a\n", &ValueError{}, []string{"line 3"}},
	}
	for _, c := range cases {
		f, err := Read(context.Background(), strings.NewReader(c.text), "t.csv", people())
		if f != nil || !typed(err, c.is) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.is)
			continue
		}
		for _, w := range c.says {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", c.name, err, w)
			}
		}
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Read(ctx, strings.NewReader(peopleCSV), "t", people()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r := io.MultiReader(strings.NewReader(peopleCSV), iotest.ErrReader(io.ErrNoProgress))
	if _, err := Read(context.Background(), r, "t", people()); !typed(err, &FileError{}) ||
		!errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	missing := filepath.Join(t.TempDir(), "no.csv")
	if _, err := Load(context.Background(), missing, people()); !typed(err, &FileError{}) ||
		!strings.Contains(err.Error(), missing) {
		t.Error(err)
	}
	if _, err := Read(context.Background(), strings.NewReader(""), "t", nil); !typed(err, &SchemaError{}) {
		t.Error(err)
	}
}

func TestProgress(t *testing.T) {
	var bytesRead, rows int64
	text := "b\n" + strings.Repeat("7\n", 20000)
	_, err := Read(context.Background(), strings.NewReader(text), "t",
		&Schema{Dataset: "test", Columns: []Column{Integer("b", 0, 10)}},
		WithProgress(func(b, r int64) { bytesRead, rows = b, r }))
	if err != nil || bytesRead != int64(len(text)) || rows != 20000 {
		t.Errorf("%d bytes, %d rows, %v", bytesRead, rows, err)
	}
}

func TestExtraColumnsAndOneClass(t *testing.T) {
	s := &Schema{Dataset: "test", Columns: []Column{Categorical("c", "p", "q")}, ExtraColumns: true}
	f := mustRead(t, "x,c,y\n\"a\",p,\n,p,1\n", s)
	if got := codesOf(t, f, "c"); !reflect.DeepEqual(got, []int{0, 0}) {
		t.Error(got)
	}
}

func TestFromColumns(t *testing.T) {
	s := people()
	f, err := FromColumns(s, map[string]any{
		"city":   []string{"Ulm", "Bern", "Paris, TX", "Ulm", "Other", "Bern"},
		"income": []float64{999.99, 1000, 1e9, -math.MaxFloat64, 5000, 0},
		"vote":   []string{"y", "n", "?", "", "y", "n"},
		"age":    []float64{17, 18, 65, 120, 999, math.NaN()},
		"trip":   []string{"a>b", "", "c>c>c", "a", "b", "a>a"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !sameFrame(f, mustRead(t, peopleCSV, s)) {
		t.Error("FromColumns and Read disagree")
	}
	c := &Schema{Dataset: "test", Columns: []Column{Categorical("c", "0", "1"), Integer("i", 0, 5)}}
	f, err = FromColumns(c, map[string]any{"c": []int{1, 0}, "i": []int{5, 0}})
	if err != nil || !reflect.DeepEqual(codesOf(t, f, "c"), []int{1, 0}) {
		t.Error(err)
	}
	for _, bad := range []struct {
		cols map[string]any
		is   error
	}{
		{map[string]any{"c": []int{1}}, &ColumnError{}},
		{map[string]any{"c": []int{1}, "i": []int{1, 2}}, &domain.Error{}},
		{map[string]any{"c": []int{2}, "i": []int{1}}, &ValueError{}},
		{map[string]any{"c": []float64{math.NaN()}, "i": []int{1}}, &ValueError{}},
		{map[string]any{"c": []uint8{1}, "i": []int{1}}, &domain.Error{}},
		{map[string]any{"c": []int{1}, "i": []int{1}, "z": []int{1}}, &ColumnError{}},
	} {
		if _, err := FromColumns(c, bad.cols); !typed(err, bad.is) {
			t.Errorf("%v: %v, want %v", bad.cols, err, bad.is)
		}
	}
	empty, err := FromColumns(c, map[string]any{"c": []int{}, "i": []int{}})
	if err != nil || empty.Len() != 0 {
		t.Error(err)
	}
	if got, err := empty.CountPrivate("c", "i"); err != nil || got[0] != 0 {
		t.Error(err)
	}
}
