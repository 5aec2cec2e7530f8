package frame

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
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
		{"mark", head + "Ulm,1,NA,1,a\n", &ValueError{}, []string{`"missing": ["NA"]`}},
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
		var v *ValueError // what is wanted is public, and says the same of every value
		if errors.As(err, &v) && v.Column != "" && strings.ContainsAny(v.Want, ";") {
			t.Errorf("%s: %q has a hint", c.name, v.Want)
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

// No reader is a typed error, be it nil or a file that was not opened, and an option that is nil says nothing.
func TestNoReader(t *testing.T) {
	ctx := context.Background()
	for _, r := range []io.Reader{nil, (*os.File)(nil)} {
		_, read := Read(ctx, r, "x", people())
		_, shards := ReadShards(ctx, []Shard{{Name: "x", Reader: r}}, people())
		_, checked := Check(ctx, r, "x", people())
		_, skeleton := SchemaSkeleton(r, "x")
		_, inferred := InferSchema(r, "x")
		for i, err := range []error{read, shards, checked, skeleton, inferred} {
			var fe *FileError
			if !errors.As(err, &fe) {
				t.Errorf("%T, %d: %v", r, i, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	must.Do(t, os.WriteFile(path, []byte("city,income,vote,age,trip\nUlm,1,y,17,a\n"), 0o600))
	if f, err := Load(ctx, path, people(), nil); err != nil || f.Len() != 1 {
		t.Error(err)
	}
}

// A file under two names is one file: its rows would count twice.
func TestOneFileUnderTwoNames(t *testing.T) {
	dir := t.TempDir()
	a, link, hard := filepath.Join(dir, "a.csv"), filepath.Join(dir, "link.csv"), filepath.Join(dir, "hard.csv")
	if err := errors.Join(os.WriteFile(a, []byte("city,income,vote,age,trip\nUlm,1,y,17,a\n"), 0o600),
		os.Symlink(a, link), os.Link(a, hard)); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, second := range []string{a, filepath.Join(dir, ".", "a.csv"), link, hard} {
		var twice *domain.Error
		if _, err := LoadShards(context.Background(), []string{a, second}, people()); !errors.As(err, &twice) {
			t.Errorf("%s: %v", second, err)
		}
		if _, err := CheckFiles(context.Background(), []string{a, second}, people()); !errors.As(err, &twice) {
			t.Errorf("%s: %v", second, err)
		}
	}
}

// cutGzip is the gzip of a table without its last bytes.
func cutGzip(t *testing.T, text string, without int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	must.Get(io.WriteString(w, text))(t)
	must.Do(t, w.Close())
	return b.Bytes()[:b.Len()-without]
}

// A file whose end is missing is refused, wherever it breaks off, and is never read as a smaller table.
func TestTruncatedFilesAreRefused(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{Categorical("a", "x", "y"), Categorical("b", "x", "y")}}
	text := "a,b\n" + strings.Repeat("x,y\ny,y\nx,x\n", 1<<15)
	ctx := context.Background()
	if f, err := Read(ctx, bytes.NewReader(cutGzip(t, text, 0)), "t", s); err != nil || f.Len() != 3<<15 {
		t.Fatal("the whole file:", err)
	}
	refused := func(name string, err error) {
		t.Helper()
		if !typed(err, &FileError{}) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, without := range []int{1, 4, 8, 9, 200} { // 8 bytes of check sum and length, then the data
		b := cutGzip(t, text, without)
		_, err := Read(ctx, bytes.NewReader(b), "t", s)
		refused("Read", err)
		path := filepath.Join(t.TempDir(), "t.csv.gz")
		must.Do(t, os.WriteFile(path, b, 0o600))
		_, err = Load(ctx, path, s)
		refused("Load", err)
		_, err = Check(ctx, bytes.NewReader(b), "t", s)
		refused("Check", err)
		_, err = CheckFiles(ctx, []string{path}, s)
		refused("CheckFiles", err)
		_, err = InferSchema(bytes.NewReader(b), "t")
		refused("InferSchema", err)
	}
	_, err := SchemaSkeleton(bytes.NewReader(cutGzip(t, "a,b\n", 8)), "t")
	refused("SchemaSkeleton", err)
	// nor does a reader that fails in this way by itself pass for one that ends
	failing := io.MultiReader(strings.NewReader("a,b\nx,y\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err = Read(ctx, failing, "t", s)
	refused("a failing reader", err)
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// Short reads are no end, and a reader that never gives anything does not hang.
func TestReadersInPieces(t *testing.T) {
	f, err := Read(context.Background(), iotest.OneByteReader(strings.NewReader(peopleCSV)), "t.csv", people())
	if err != nil || !sameFrame(f, mustRead(t, peopleCSV, people())) {
		t.Error("one byte at a time:", err)
	}
	sc := newScanner(idle{}, ',')
	if err := sc.next(); err != io.ErrNoProgress {
		t.Error("no byte at all:", err)
	}
}

// within checks that every code of a frame is one of its column.
func within(t *testing.T, name string, f *Frame) {
	t.Helper()
	for i, c := range f.schema.Columns {
		for _, seq := range f.cols[i].seqs {
			for _, code := range seq {
				if int(code) >= c.Levels() {
					t.Errorf("%s: %s has code %d of %d", name, c.Name, code, c.Levels())
				}
			}
		}
		if c.Kind == KindSequence {
			continue
		}
		codes := f.cols[i].codes
		if codes.Levels != c.Levels() || codes.Len() != f.n {
			t.Errorf("%s: %s has %d codes of %d, schema %d", name, c.Name, codes.Len(), codes.Levels, c.Levels())
		}
		for row := range codes.Len() {
			if codes.At(row) >= c.Levels() {
				t.Errorf("%s: row %d of %s has code %d of %d", name, row, c.Name, codes.At(row), c.Levels())
			}
		}
	}
}

// The empty text is no name of a category, whatever becomes of the missing category.
func TestRecodeToTheEmptyName(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	for name, do := range map[string]func() (*Frame, error){
		"a category":       func() (*Frame, error) { return f.Recode("city", map[string]string{"Bern": ""}) },
		"the other one":    func() (*Frame, error) { return f.Recode("city", map[string]string{"Other": ""}) },
		"all":              func() (*Frame, error) { return f.Collapse("city", "", "Ulm", "Bern", "Other") },
		"beside missing":   func() (*Frame, error) { return f.Recode("vote", map[string]string{"y": ""}) },
		"the missing":      func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": ""}) },
		"without missing":  func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "n", "y": ""}) },
		"the name of none": func() (*Frame, error) { return f.Rename("vote", "") },
	} {
		if g, err := do(); g != nil || !typed(err, &SchemaError{}) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No step leaves a code outside its column.
func TestCodesOfEveryStepAreInTheirDomain(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	g := must.Get(f.AsPublic("invented"))(t)
	cities := Categorical("country", "de", "ch", "x")
	table, err := FromColumns(&Schema{Dataset: "c", Columns: []Column{Categorical("city", "Ulm", "Bern", "Other"),
		cities}},
		map[string]any{"city": []string{"Ulm", "Bern", "Other"}, "country": []string{"de", "ch", "x"}})
	if err == nil {
		table, err = table.AsPublic("atlas")
	}
	if err != nil {
		t.Fatal(err)
	}
	flat := must.Get(f.Drop("trip"))(t)
	for name, do := range map[string]func() (*Frame, error){
		"missing away":    func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "n"}) },
		"missing renamed": func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "none"}) },
		"missing changed": func() (*Frame, error) {
			return f.Recode("vote", map[string]string{"unrecorded": "n", "y": "unrecorded"})
		},
		"to missing":    func() (*Frame, error) { return f.Recode("vote", map[string]string{"y": "unrecorded"}) },
		"missing stays": func() (*Frame, error) { return f.Recode("vote", map[string]string{"unrecorded": "unrecorded"}) },
		"other":         func() (*Frame, error) { return f.Recode("city", map[string]string{"Other": "Ulm"}) },
		"collapse":      func() (*Frame, error) { return f.Collapse("city", "abroad", "Bern", "Other") },
		"cut":           func() (*Frame, error) { return f.Cut("age", 0, 65, 120) },
		"derive": func() (*Frame, error) {
			return f.Derive("d", []string{"age", "vote"}, func(l []string) string { return l[1] })
		},
		"group":            func() (*Frame, error) { return f.GroupBy("g", "city", "vote") },
		"rename":           func() (*Frame, error) { return f.Rename("city", "town") },
		"lookup":           func() (*Frame, error) { return f.Lookup("city", table) },
		"append":           func() (*Frame, error) { return f.Append(f) },
		"where":            func() (*Frame, error) { return f.Where("vote", func(l string) bool { return l != "y" }) },
		"public":           func() (*Frame, error) { return g.Head(3) },
		"under its schema": func() (*Frame, error) { return flat.Under(flat.Schema()) },
	} {
		h, err := do()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		within(t, name, h)
	}
}
