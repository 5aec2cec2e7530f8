package frame

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// scanAll reads all records with the package's scanner.
func scanAll(b []byte, size int) (out [][]string, err error) {
	sc := newScanner(bytes.NewReader(b), ',')
	sc.buf = make([]byte, size)
	for {
		err := sc.next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		var row []string
		for _, f := range sc.fields() {
			row = append(row, string(f))
		}
		out = append(out, row)
	}
}

// FuzzRead compares the scanner with encoding/csv, whatever the size of its buffer, and checks that Read gives a frame
// or a typed error.
func FuzzRead(f *testing.F) {
	for _, s := range []string{peopleCSV, "a,b\r\n\"x\"\"y\",\r\n\r\n", "\"a\nb\",c", "a\"b", "\"a\"b", "\"",
		"a,\"b\r\n\"\r", "\r\n\r", ",\n", "\"\"\n\"\"\r"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := csv.NewReader(bytes.NewReader(b))
		r.FieldsPerRecord = -1
		want, wantErr := r.ReadAll()
		for _, size := range []int{1, 7, 64, scanBuffer} {
			got, err := scanAll(b, size)
			if err == errLoneCR && loneCR(append(bytes.Clone(b), 'x')) {
				continue // encoding/csv takes it for a character of the field
			}
			if bytes.Contains(b, []byte("\r\r\n")) || bytes.HasSuffix(b, []byte("\r\r")) {
				continue // or only the last CR for that of a line end
			}
			if (err == nil) != (wantErr == nil) {
				t.Fatalf("buffer %d: error %v, encoding/csv %v", size, err, wantErr)
			}
			if err == nil && !slices.EqualFunc(got, want, slices.Equal[[]string]) {
				t.Fatalf("buffer %d: %q, encoding/csv %q", size, got, want)
			}
		}
		fr, err := Read(context.Background(), bytes.NewReader(b), "fuzz", people())
		if err == nil && fr.Len() == 0 || err != nil && !typed(err, &ValueError{}) && !typed(err, &ColumnError{}) &&
			!typed(err, &FileError{}) {
			t.Fatalf("%v", err)
		}
		if s, err := InferSchema(bytes.NewReader(b), "fuzz"); err == nil {
			s.ExtraColumns = false
			if _, err := Read(context.Background(), bytes.NewReader(b), "fuzz", s); err != nil {
				t.Fatalf("data does not fit the schema inferred from it: %v", err)
			}
		}
	})
}

// FuzzNumber compares parseNumber with strconv on plain decimals.
func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1.5", "+3", ".5", "5.", ".", "1e5", "9007199254740993",
		"0.1234567890123456789", "1e999", "12345678901234567890123"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := parseNumber([]byte(s))
		want, err := strconv.ParseFloat(s, 64)
		valid := err == nil || errors.Is(err, strconv.ErrRange)
		if ok && (!valid || got != want) {
			t.Fatalf("%q: %v, strconv %v, %v", s, got, want, err)
		}
		if !ok && valid && strings.Trim(s, "0123456789.+-eE") == "" {
			t.Fatalf("%q refused; strconv gives %v", s, want)
		}
	})
}

// FuzzParseSchema checks that what parses survives the round trip through its canonical form, and that nothing panics.
func FuzzParseSchema(f *testing.F) {
	f.Add(people().JSON())
	f.Add([]byte(`{"dataset":"test","columns":[{"name":"a","kind":"real","max":1}]}`))
	f.Add([]byte(`{"dataset":"test","columns":[{"name":"a","kind":"integer","edges":[-0,1,2]}],"unit":""}`))
	f.Add([]byte(`{"dataset":"test","columns":[{"name":"a","kind":"real","max":1,"missing":["-"],"on_missing":"omit"}]}`))
	f.Add([]byte(`{"dataset":"test","columns":[{"name":"a","kind":"integer","max":9,"missing":["-"],"on_missing":"impute",
		"impute":-0.0}]}`))
	f.Add([]byte(`null`))
	f.Add(surveyed().JSON())
	f.Add(surveyed().Unweighted().JSON())
	f.Add([]byte(`{"dataset":"test","columns":[{"name":"a","kind":"real","max":1}],"unit_key":"id","rows_per_unit":2,
		"pad_units":true,"weight":{"column":"w","min":"0","max":"1","step":"0.1","computed":"respondents","missing":"0.5",
		"clamp":true},"population":9}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseSchema(b)
		if err != nil {
			if !typed(err, &SchemaError{}) {
				t.Fatal(err)
			}
			return
		}
		again, err := ParseSchema(s.JSON())
		if err != nil || !s.Equal(again) || s.Digest() != again.Digest() {
			t.Fatalf("round trip of %s: %v", s.JSON(), err)
		}
		for _, c := range s.Columns {
			if len(c.Labels()) != c.Levels() {
				t.Fatalf("%d labels, %d levels", len(c.Labels()), c.Levels())
			}
		}
		_, _ = s.String(), table.HTML(s)
	})
}

// drawTable draws a schema of categorical columns with awkward texts, and rows of codes.
func drawTable(t *rapid.T) (*Schema, [][]int) {
	text := rapid.StringMatching(`[a-z",;']([a-z ",;']{0,10}[a-z",;'])?`)
	s := &Schema{Dataset: "random"}
	k := rapid.IntRange(1, 5).Draw(t, "columns")
	for i := range k {
		cats := rapid.SliceOfNDistinct(text, 1, 9, rapid.ID[string]).Draw(t, "categories")
		s.Columns = append(s.Columns, Categorical("c"+strconv.Itoa(i), cats...))
	}
	rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []int {
		row := make([]int, k)
		for i := range row {
			row[i] = rapid.IntRange(0, s.Columns[i].Levels()-1).Draw(t, "code")
		}
		return row
	}), 1, 30).Draw(t, "rows")
	return s, rows
}

func writeTable(s *Schema, rows [][]int, order []int, crlf bool) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = crlf
	rec := make([]string, len(order))
	for k, i := range order {
		rec[k] = s.Columns[i].Name
	}
	_ = w.Write(rec)
	for _, row := range rows {
		for k, i := range order {
			rec[k] = s.Columns[i].Categories[row[i]]
		}
		_ = w.Write(rec)
	}
	w.Flush()
	return b.String()
}

func TestReadProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, rows := drawTable(t)
		order := rapid.Permutation(indices(len(s.Columns))).Draw(t, "order")
		text := writeTable(s, rows, order, rapid.Bool().Draw(t, "crlf"))
		if rapid.Bool().Draw(t, "bom") {
			text = "\xef\xbb\xbf" + text
		}
		if rapid.Bool().Draw(t, "gzip") {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			_, _ = w.Write([]byte(text))
			_ = w.Close()
			text = z.String()
		}
		f := must.Get(Read(context.Background(), strings.NewReader(text), "random", s))(t)
		if f.Len() != len(rows) {
			t.Fatalf("%d rows, want %d", f.Len(), len(rows))
		}
		for i := range s.Columns {
			c := must.Get(f.Codes(s.Columns[i].Name))(t)
			for r := range rows {
				if c.At(r) != rows[r][i] {
					t.Fatalf("row %d column %d: code %d, want %d", r, i, c.At(r), rows[r][i])
				}
			}
		}
	})
}

func indices(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// FuzzFormats reads texts under formats with marks, blanks and separators of all kinds: in chunks, byte by byte and by
// the careful reader alone, the frames are equal, or the errors.
func FuzzFormats(f *testing.F) {
	for _, c := range filecases.Load(f, "testdata/cases/*.txt") {
		if len(c.File) < 2000 {
			f.Add(c.File, uint8(0), uint16(5))
			f.Add(c.File, uint8(7), uint16(3))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, form uint8, size uint16) {
		format := &Format{Trim: form&1 != 0}
		if form&2 != 0 {
			format.Thousands = ","
		}
		if form&4 != 0 {
			format.Separator, format.Decimal, format.Thousands = ";", ",", " "
		}
		category := Categorical("c", "a", "x", "Köln")
		category.Missing, category.OnMissing = []string{"", "NA"}, MissingAsCategory
		s := &Schema{Dataset: "d", ExtraColumns: true, Format: format,
			Columns: []Column{Real("x", -1e6, 0, 1e6), category}}
		want, wantErr := sameReading(t, text, s, int(size)%2000+1)
		got, err := Read(t.Context(), iotest.OneByteReader(bytes.NewReader(text)), "t.csv", s)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && !sameFrame(got, want) {
			t.Fatalf("byte by byte: %v; at once: %v\n%q", err, wantErr, text)
		}
	})
}
