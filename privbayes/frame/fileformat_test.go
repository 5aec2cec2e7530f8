package frame

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/internal/must"
)

// towns has a column of every kind that a format touches.
func towns(format *Format) *Schema {
	return &Schema{Dataset: "towns", Format: format, Columns: []Column{Categorical("city", "Köln", "Ulm"),
		Real("rain", 0, 1, 2), Integer("homes", 0, 10, 1000)}}
}

const townsCSV = "city,rain,homes\nKöln,0.5,12\nUlm,1.25,7\nKöln,-0,1000\n"

// One table, written in every form that a schema can declare, is one frame.
func TestReadFormats(t *testing.T) {
	want := mustRead(t, townsCSV, towns(nil))
	european := strings.NewReplacer(",", ";", ".", ",").Replace(townsCSV)
	latin := func(s string) string { b, _ := charmap.ISO8859_1.NewEncoder().String(s); return b }
	wide := func(e unicode.Endianness, bom unicode.BOMPolicy, s string) string {
		return must.Get(unicode.UTF16(e, bom).NewEncoder().String(s))(t)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write([]byte(latin(european)))
	_ = w.Close()
	for name, c := range map[string]struct {
		format Format
		text   string
	}{
		"semicolons":             {Format{Separator: ";"}, strings.ReplaceAll(townsCSV, ",", ";")},
		"tabs":                   {Format{Separator: "\t"}, strings.ReplaceAll(townsCSV, ",", "\t")},
		"bars, quoted":           {Format{Separator: "|"}, strings.NewReplacer(",", "|", "Ulm", `"Ulm"`).Replace(townsCSV)},
		"decimal comma":          {Format{Separator: ";", Decimal: ","}, european},
		"decimal comma, quoted":  {Format{Decimal: ","}, strings.NewReplacer("0.5", `"0,5"`, "1.25", `"1,25"`).Replace(townsCSV)},
		"Latin-1":                {Format{Encoding: Latin1}, latin(townsCSV)},
		"Windows":                {Format{Encoding: Windows1252}, latin(townsCSV)},
		"UTF-16 with mark":       {Format{Encoding: UTF16}, wide(unicode.LittleEndian, unicode.UseBOM, townsCSV)},
		"UTF-16, big":            {Format{Encoding: UTF16}, wide(unicode.BigEndian, unicode.UseBOM, townsCSV)},
		"UTF-16 without mark":    {Format{Encoding: UTF16}, wide(unicode.LittleEndian, unicode.IgnoreBOM, townsCSV)},
		"UTF-16, big, no mark":   {Format{Encoding: UTF16}, wide(unicode.BigEndian, unicode.IgnoreBOM, townsCSV)},
		"all at once, with gzip": {Format{Separator: ";", Decimal: ",", Encoding: Latin1}, z.String()},
	} {
		f, err := Read(t.Context(), strings.NewReader(c.text), "t.csv", towns(&c.format))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f.schema.Format = nil // the rest is the same
		if !sameFrame(f, want) {
			t.Errorf("%s: other rows", name)
		}
		f, err = Read(t.Context(), strings.NewReader(c.text), "t.csv", towns(nil), WithFormat(c.format))
		if err != nil || !sameFrame(f, want) {
			t.Errorf("%s, as an option: %v", name, err)
		}
	}
}

// A format stands in the schema's JSON only where it says something.
func TestFormatInSchema(t *testing.T) {
	plain := string(towns(nil).JSON())
	for _, f := range []*Format{{}, {Separator: ",", Decimal: ".", Encoding: UTF8}} {
		if got := string(towns(f).JSON()); got != plain {
			t.Errorf("%v: %s, want %s", f, got, plain)
		}
	}
	s, err := ParseSchema(towns(&Format{Separator: ";", Decimal: ",", Encoding: Latin1}).JSON())
	if err != nil || !strings.Contains(string(s.JSON()), `"format":{"separator":";","decimal":",","encoding":"latin-1"}`) {
		t.Error(err, string(s.JSON()))
	}
	for _, f := range []Format{{Separator: ";;"}, {Separator: "a"}, {Separator: "\""}, {Separator: "é"}, {Decimal: "'"},
		{Encoding: "ebcdic"}} {
		var e *SchemaError
		if err := towns(&f).Validate(); !errors.As(err, &e) || !strings.HasPrefix(e.Field, "format.") {
			t.Errorf("%v: %v", f, err)
		}
		if _, err := Read(t.Context(), strings.NewReader(townsCSV), "t", towns(nil), WithFormat(f)); !errors.As(err, &e) {
			t.Errorf("%v as an option: %v", f, err)
		}
	}
}

// A date is a number of days, and its bins read as dates.
func TestDates(t *testing.T) {
	s := must.Get(ParseSchema([]byte(`{"dataset": "visits", "columns": [{"name": "day", "kind": "integer",
		"date": "02.01.2006", "date_edges": ["01.01.1969", "01.01.1970", "29.02.2020", "31.12.2030"],
		"missing": ["", "0"], "on_missing": "category"}]}`)))(t)
	c := s.Columns[0]
	if want := Date("day", "02.01.2006", c.DateEdges...).Edges; !reflect.DeepEqual(c.Edges, want) || c.Edges[1] != 0 ||
		c.Edges[2] != 18321 || c.Max != c.Edges[3] {
		t.Errorf("edges %v, %v", c.Edges, want)
	}
	if got := fmt.Sprint(c.Labels()); got !=
		"[[01.01.1969, 01.01.1970) [01.01.1970, 29.02.2020) [29.02.2020, 31.12.2030] missing]" {
		t.Error(got)
	}
	again, err := ParseSchema(s.JSON())
	if err != nil || !again.Equal(s) {
		t.Errorf("round trip: %v", err)
	}
	f := mustRead(t, "day\n31.12.1969\n01.01.1970\n\"\"\n31.12.2030\n0\n", s)
	if got := codesOf(t, f, "day"); !reflect.DeepEqual(got, []int{0, 1, 3, 2, 3}) {
		t.Error(got)
	}
	if v, _ := f.Values("day"); v[0] != -1 || v[1] != 0 || c.Text(v[3]) != "31.12.2030" {
		t.Error(v)
	}
	for _, cols := range []map[string]any{{"day": []int{-1, 0}}, {"day": []float64{-1, 0}},
		{"day": []string{"31.12.1969", "01.01.1970"}}} {
		g, err := FromColumns(s, cols)
		if err != nil || !reflect.DeepEqual(codesOf(t, g, "day"), []int{0, 1}) {
			t.Errorf("%v: %v", cols, err)
		}
	}
	for text, want := range map[string]string{"1969-12-31": `a date like "02.01.2006" from 01.01.1969 to 31.12.2030`,
		"30.02.2020": "a date like", "01.01.2031": "to 31.12.2030", "-1": "a date like"} {
		_, err := Read(t.Context(), strings.NewReader("day\n"+text+"\n"), "t", s)
		var e *ValueError
		if !errors.As(err, &e) || !strings.Contains(e.Want, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for field, bad := range map[string]Column{
		"date":       Date("d", "YYYY-MM-DD", "2020-01-01", "2021-01-01"),
		"date_edges": Date("d", "2006-01-02", "2020-01-01"),
		"edges": {Name: "d", Kind: KindInteger, Date: "2006-01-02", DateEdges: []string{"2020-01-01", "2021-01-01"},
			Edges: []float64{0, 1}},
	} {
		var e *SchemaError
		if err := (&Schema{Dataset: "d", Columns: []Column{bad}}).Validate(); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Aliases are read as their category; a quoted mark is a value where the schema says so.
func TestAliasesAndQuotedMarks(t *testing.T) {
	sex := Categorical("sex", "f", "m")
	sex.Aliases = []Alias{{"f", []string{"female", "F"}}, {"m", []string{"male", "M"}}}
	land := Categorical("land", "DE", "Namibia")
	land.Missing, land.OnMissing, land.QuotedMissing = []string{"NA"}, MissingAsCategory, QuotedIsValue
	land.Aliases = []Alias{{"Namibia", []string{"NA"}}}
	s := &Schema{Dataset: "d", Columns: []Column{sex, land}}
	again, err := ParseSchema(s.JSON())
	if err != nil || !again.Equal(s) {
		t.Fatal(err)
	}
	f := mustRead(t, "sex,land\nF,NA\nmale,\"NA\"\n\"f\",\"DE\"\nm,DE\n", again)
	if got := codesOf(t, f, "sex"); !reflect.DeepEqual(got, []int{0, 1, 0, 1}) {
		t.Error("sex", got)
	}
	if got := codesOf(t, f, "land"); !reflect.DeepEqual(got, []int{2, 1, 0, 0}) {
		t.Error("land", got)
	}
	for want, change := range map[string]func(*Column){
		"a category":               func(c *Column) { c.Aliases[0].Texts[0] = "m" },
		"of \"x\"":                 func(c *Column) { c.Aliases[0].Category = "x" },
		"twice":                    func(c *Column) { c.Aliases[0].Texts[0] = "M" },
		"a missing mark":           func(c *Column) { c.Missing = []string{"F"} },
		"\"missing\" or \"value\"": func(c *Column) { c.QuotedMissing = "no" },
	} {
		bad := s.Clone()
		change(&bad.Columns[0])
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := s.Validate(); err != nil {
		t.Errorf("a clone shares memory: %v", err)
	}
}

// Several files are one table, each with its own header.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	a, b := write("a.csv", "city,rain,homes\nKöln,0.5,12\n"), write("b.csv", "homes,city,rain\n7,Ulm,1.25\n1000,Köln,-0\n")
	none := write("none.csv", "city,rain,homes\n")
	f, err := LoadShards(t.Context(), []string{a, none, b}, towns(nil))
	if err != nil || !sameFrame(f, mustRead(t, townsCSV, towns(nil))) {
		t.Fatal(err)
	}
	other, _ := LoadShards(t.Context(), []string{a, none, b}, towns(nil))
	if !other.Selection().SameSource(f.Selection()) {
		t.Error("the same files are another source")
	}
	r, err := ReadShards(t.Context(), []Shard{{Name: "x", Reader: strings.NewReader(townsCSV)},
		{Name: "y", Reader: strings.NewReader(townsCSV)}}, towns(nil))
	if err != nil || r.Len() != 6 {
		t.Error(err)
	}
	var arg *domain.Error
	for _, paths := range [][]string{nil, {a, a}, {a, filepath.Join(dir, ".", "x", "..", "a.csv")}} {
		if _, err := LoadShards(t.Context(), paths, towns(nil)); !errors.As(err, &arg) {
			t.Errorf("%v: %v", paths, err)
		}
	}
	var file *FileError
	if f, err := LoadShards(t.Context(), []string{none}, towns(nil)); err != nil || f.Len() != 0 {
		t.Error(err)
	}
	if _, err := LoadShards(t.Context(), []string{a, filepath.Join(dir, "no")}, towns(nil)); !errors.As(err, &file) ||
		filepath.Base(file.File) != "no" {
		t.Error(err)
	}
	bad := write("bad.csv", "city,rain,homes\nUlm,9,1\n")
	var v *ValueError
	_, err = LoadShards(t.Context(), []string{a, bad}, towns(nil))
	if !errors.As(err, &v) || v.File != bad || v.Line != 2 {
		t.Error(err)
	}
}

// A second header is named as such, even where every value of it would be read.
func TestSecondHeader(t *testing.T) {
	open := Categorical("city", "Ulm", "other")
	open.OnOutOfDomain, open.Other = DomainOther, "other"
	for text, s := range map[string]*Schema{
		townsCSV + townsCSV:             towns(nil),
		"city\nUlm\n\"city\"\n":         {Dataset: "d", Columns: []Column{open}},
		"city,x\nUlm,\"\"\ncity,x\na,b": {Dataset: "d", ExtraColumns: true, Columns: []Column{open}},
	} {
		_, err := Read(t.Context(), strings.NewReader(text), "t", s)
		var v *ValueError
		if !errors.As(err, &v) || !strings.Contains(err.Error(), "the header a second time") ||
			!strings.Contains(err.Error(), "LoadShards") {
			t.Errorf("%q: %v", text, err)
		}
	}
	mustRead(t, "a,b\na,b\n", &Schema{Dataset: "d", Columns: []Column{Categorical("a", "a"), Categorical("b", "b")}})
	if _, err := Read(t.Context(), strings.NewReader("city\nUlm\ncities\n"), "t", &Schema{Dataset: "d",
		Columns: []Column{open}}); err != nil {
		t.Error(err)
	}
}

// What is no table is named.
func TestOtherKindsOfFiles(t *testing.T) {
	zipped := func(s string) string {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		_, _ = w.Write([]byte(s))
		_ = w.Close()
		return z.String()
	}
	tar := append(make([]byte, 257), []byte("ustar\x0000 and more")...)
	copy(tar, "people.csv")
	for want, text := range map[string]string{
		"it is a Parquet file":            "PAR1\x15\x04\x15\x00",
		"it is an Excel workbook (xlsx)":  "PK\x03\x04\x14\x00\x06\x00[Content_Types].xml",
		"it is an OpenDocument":           "PK\x03\x04\x14\x00mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
		"it is a zip archive":             "PK\x03\x04\x14\x00people.csv",
		"it is a SQLite database":         "SQLite format 3\x00\x10\x00",
		"it is an old Excel":              "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
		"it is gzip of a SQLite database": zipped("SQLite format 3\x00"),
		"it is gzip of a tar archive":     zipped(string(tar)),
		"it is gzip of gzip":              zipped(zipped(peopleCSV)),
		"it is gzip of an R data file":    zipped("RDX3\nX\n"),
		"it is gzip of binary data":       zipped("ab\x00\x01cdef\x00\x00gh"),
		"it is UTF-16 text":               "\xff\xfec\x00i\x00",
		"it is bzip2 data":                "BZh91AY&SY\x01",
		"it is JSON":                      `[{"city": "Ulm"}]`,
		"it is an HTML page":              "<!DOCTYPE html><html>",
		"it is an Arrow or Feather file":  "ARROW1\x00\x00",
	} {
		_, err := Read(t.Context(), strings.NewReader(text), "t.csv", people())
		var e *FileError
		if !errors.As(err, &e) || e.Found == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	var e *FileError
	for _, c := range []struct {
		enc  Encoding
		text string
	}{{UTF16, townsCSV}, {Latin1, "\xef\xbb\xbf" + townsCSV}, {Latin1, "\xff\xfec\x00"}} {
		if _, err := Read(t.Context(), strings.NewReader(c.text), "t", towns(&Format{Encoding: c.enc})); !errors.As(err, &e) {
			t.Errorf("%s: %v", c.enc, err)
		}
	}
	column := &Schema{Dataset: "d", Columns: []Column{Categorical("PAR1", "a"), Categorical("PK", "b")}}
	mustRead(t, "PAR1,PK\na,b\n", column)
}

var updateCases = flag.Bool("update-cases", false, "rewrite the outputs of testdata/cases")

// Files as people have them: each is read, or named with what to do, and all ways to read agree. A case with the
// keyword "draft" also says what SchemaSkeleton writes.
func TestFileCases(t *testing.T) {
	filecases.Walk(t, "testdata/cases/*.txt", *updateCases, func(t *testing.T, c filecases.Case) (out []filecases.Output) {
		if c.Schema != nil {
			s, err := ParseSchema(c.Schema)
			if err != nil {
				out = append(out, filecases.Output{Key: "schema error", Text: err.Error() + "\n"})
			} else {
				out = append(out, readEveryWay(t, c.File, s))
			}
		}
		for _, want := range c.Want {
			if strings.HasPrefix(want.Key, "draft") {
				out = append(out, draftOf(c.File))
			}
		}
		return out
	})
}

// readEveryWay is what reading gives, and compares the ways.
func readEveryWay(t *testing.T, text []byte, s *Schema) filecases.Output {
	t.Helper()
	f, err := Read(t.Context(), bytes.NewReader(text), "t.csv", s)
	for _, size := range []int{1, 3, 7, 20, 64, 1000} {
		_, _ = sameReading(t, text, s, size)
	}
	want := shown(f, err)
	for name, r := range map[string]func() (*Frame, error){
		"byte by byte": func() (*Frame, error) {
			return Read(t.Context(), iotest.OneByteReader(bytes.NewReader(text)), "t.csv", s)
		},
		"data with its end": func() (*Frame, error) {
			return Read(t.Context(), iotest.DataErrReader(bytes.NewReader(text)), "t.csv", s)
		},
	} {
		if got := shown(r()); got != want {
			t.Errorf("%s:\n%v\nwant\n%v", name, got, want)
		}
	}
	v, checkErr := Check(t.Context(), bytes.NewReader(text), "t.csv", s)
	if err == nil && (checkErr != nil || v.Count() != 0) || err != nil && checkErr == nil && v.Count() == 0 {
		t.Errorf("check: %v, %v; reading: %v", v, checkErr, err)
	}
	passes(t, text, s, f, err)
	return want
}

// passes compares a Pass with the frame.
func passes(t *testing.T, text []byte, s *Schema, f *Frame, err error) {
	t.Helper()
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("t.csv", text, 0o600))
	if capped, _ := s.CapsRows(); capped {
		return
	}
	p := Pass{Schema: s, Paths: []string{"t.csv"},
		Sink: func() func(*Block) error { return func(*Block) error { return nil } }}
	rows, passErr := p.Run(context.Background(), access.Mine())
	if fmt.Sprint(passErr) != fmt.Sprint(err) || err == nil && rows != f.Len() {
		t.Errorf("a pass: %d rows, %v; reading: %v", rows, passErr, err)
	}
	n, countErr := p.Count(context.Background(), access.Mine())
	if err == nil && (countErr != nil || n != rows) {
		t.Errorf("counting: %d rows, %v; want %d", n, countErr, rows)
	}
}

// shown is a frame row by row, or an error.
func shown(f *Frame, err error) filecases.Output {
	if err != nil {
		return filecases.Output{Key: fmt.Sprintf("error %T", err), Text: err.Error() + "\n"}
	}
	var b strings.Builder
	for row := range f.n {
		for i, c := range f.schema.Columns {
			if i > 0 {
				b.WriteString(" · ")
			}
			switch {
			case c.Kind == KindSequence:
				fmt.Fprint(&b, f.cols[i].seqs[row])
			case c.Numeric() && !math.IsNaN(f.cols[i].values.at(row)):
				b.WriteString(c.Text(f.cols[i].values.at(row)))
			default:
				b.WriteString(c.Labels()[f.cols[i].codes.At(row)])
			}
		}
		b.WriteByte('\n')
	}
	return filecases.Output{Key: "read", Text: b.String()}
}

func draftOf(text []byte) filecases.Output {
	b, err := SchemaSkeleton(bytes.NewReader(text), "t")
	if err != nil {
		return filecases.Output{Key: fmt.Sprintf("draft error %T", err), Text: err.Error() + "\n"}
	}
	return filecases.Output{Key: "draft", Text: string(b)}
}
