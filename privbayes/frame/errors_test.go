package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Everything that does not fit is listed and counted, in one reading.
func TestCheckListsAll(t *testing.T) {
	text := "city,rain,homes\nKoeln,0.5,12\nUlm,3,7\nKoeln,3,x\nUlm,1\ncity,rain,homes\nK\xf6ln,1,1\nUlm,1,1\n"
	v, err := Check(t.Context(), strings.NewReader(text), "t.csv", towns(nil))
	if err != nil {
		t.Fatal(err)
	}
	if v.Rows != 7 || v.Count() != 8 || v.Stopped {
		t.Errorf("%d in %d rows: %s", v.Count(), v.Rows, v)
	}
	want := map[string]string{"Koeln": "city 2 2", "3": "rain 2 3", "x": "homes 1 4", "2 fields": " 1 5",
		"the header a second time": " 1 6", "K\xf6ln": "city 1 7"}
	for _, x := range v.List() {
		if got := fmt.Sprint(x.Column, " ", x.Count, " ", x.Line); got != want[x.Value] || x.Want == "" || x.File != "t.csv" {
			t.Errorf("%q: %s, want %s", x.Value, got, want[x.Value])
		}
		delete(want, x.Value)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	if tab := v.Table(); !strings.Contains(tab.Title, "private: do not publish") || len(tab.Rows) != 6 {
		t.Error(tab)
	}
	if _, err := json.Marshal(v); !errors.Is(err, ErrSealed) {
		t.Errorf("marshals: %v", err)
	}
	v, err = Check(t.Context(), strings.NewReader(townsCSV), "t", towns(nil))
	if err != nil || v.Count() != 0 || v.Rows != 3 {
		t.Errorf("of a table that fits: %v, %v", v, err)
	}
}

// The header is checked as a whole, long lists are cut and counted, and an open quote ends the reading.
func TestCheckOfHeadersAndLongLists(t *testing.T) {
	var b strings.Builder
	b.WriteString("City,rain,x\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "Ulm,%d,1\n", i%1000)
	}
	b.WriteString("Ulm,\"1,1\n")
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Do(t, os.WriteFile(path, []byte(b.String()), 0o600))
	v := must.Get(CheckFiles(t.Context(), []string{path}, towns(nil)))(t)
	// two columns are absent, two are too many, 997 numbers of a thousand are out of bounds, one record is broken
	if n := 2 + 2 + 997*20 + 1; v.Count() != n || !v.Stopped || len(v.List()) != 2+2+maxDistinct+1+1 {
		t.Errorf("%d, want %d, in %d lines; stopped %v", v.Count(), n, len(v.List()), v.Stopped)
	}
	if s := v.String(); !strings.Contains(s, "other values") || !strings.Contains(s, "reading stopped") ||
		!strings.Contains(s, "no such column in the header") {
		t.Error(s)
	}
	var file *FileError
	if _, err := CheckFiles(t.Context(), []string{path + "x"}, towns(nil)); !errors.As(err, &file) {
		t.Error(err)
	}
	if _, err := Check(t.Context(), strings.NewReader("a;b;c\n1;2;3\n"), "t", towns(nil)); !errors.As(err, &file) {
		t.Error(err)
	}
	var schema *SchemaError
	if _, err := Check(t.Context(), strings.NewReader(townsCSV), "t", &Schema{}); !errors.As(err, &schema) {
		t.Error(err)
	}
}

// A skeleton has the names of the header and nothing of the rows, and does not parse before it is filled in.
func TestSchemaSkeleton(t *testing.T) {
	text := "city;rain;\"homes; new\"\nUlm;1,5;7\n"
	b := must.Get(SchemaSkeleton(strings.NewReader(text), "towns", WithFormat(Format{Separator: ";", Decimal: ","})))(t)
	if other, _ := SchemaSkeleton(strings.NewReader(strings.ReplaceAll(text, "7", "8")+"\xff;\n"), "towns",
		WithFormat(Format{Separator: ";", Decimal: ","})); string(other) != string(b) {
		t.Error("the rows show in the skeleton")
	}
	var e *SchemaError
	if _, err := ParseSchema(b); !errors.As(err, &e) || e.Column != "city" || e.Field != "kind" ||
		!strings.Contains(err.Error(), "still to be filled in") {
		t.Fatalf("%v\n%s", err, b)
	}
	filled := string(b)
	for _, kind := range []string{`"categorical"`, `"real", "edges": [0, 1, 2]`, `"integer", "edges": [0, 10, 1000]`} {
		filled = strings.Replace(filled, `"FILL IN", "categories"`, kind+`, "categories"`, 1)
	}
	if _, err := ParseSchema([]byte(filled)); !errors.As(err, &e) || e.Column != "city" || e.Field != "categories" {
		t.Error(err)
	}
	filled = strings.Replace(filled, `["FILL IN"]`, `["Köln", "Ulm"]`, 1)
	filled = strings.ReplaceAll(filled, `, "categories": ["FILL IN"]`, "")
	s, err := ParseSchema([]byte(filled))
	if err != nil {
		t.Fatal(err, filled)
	}
	if f, err := Read(t.Context(), strings.NewReader(text), "t", s); err != nil || f.Len() != 1 || s.Inferred {
		t.Error(err)
	}
	var file *FileError
	for _, bad := range []string{"", "a,a\n", "a, b\n", "a;b\n", "\"a\nb", "PAR1\x15\x04", "K\xf6ln,b\n"} {
		if _, err := SchemaSkeleton(strings.NewReader(bad), "d"); !errors.As(err, &file) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// No list has no violations, and shows that.
func TestNilViolations(t *testing.T) {
	var v *Violations
	_, err := v.MarshalJSON()
	if v.Count() != 0 || v.List() != nil || !errors.Is(err, ErrSealed) || len(v.Table().Rows) != 0 ||
		!strings.Contains(v.String(), "All 0 rows fit") || !strings.Contains(fmt.Sprintf("%v %s", v, v), "All 0") {
		t.Errorf("%v, %v", v, err)
	}
}

// What people run into with a first table of their own: each answer names the place and what to write instead.
func TestStumblesOfReading(t *testing.T) {
	const one = `{"dataset": "d", "columns": [{"name": "x", "kind": %}]}`
	for name, c := range map[string]struct{ kind, csv, want string }{
		"kind date": {`"date"`, "",
			`kind is "date"; want "integer", with the layout as in "date": "2006-01-02" and public bounds and bins as in "date_edges"`},
		"a layout of another program": {`"integer", "date": "YYYY-MM-DD", "date_edges": ["2020-01-01", "2021-01-01"]`, "",
			`date is "YYYY-MM-DD"; want the layout of package time, which writes 2 January 2006: "2006-01-02"`},
		"edges as dates": {`"integer", "edges": ["2020-01-01", "2021-01-01"]`, "",
			`dates stand in "date_edges", next to their layout "date": "2006-01-02"`},
		"dates without bounds": {`"integer", "date": "2006-01-02"`, "", `date_edges is "empty"; want at least two dates: public`},
		"categories given as numbers": {`"categorical", "categories": [0, 1]`, "",
			`categories that look like numbers stand in quotes, as in "categories": ["0", "1"]`},
		"numbers in the file for categories": {`"categorical", "categories": ["0", "1"]`, "x\n1.0\n",
			`t.csv line 2, column "x": found "1.0"; want one of "0", "1"; the file writes it as a number: "aliases": [{"category": "1", "texts": ["1.0"]}]`},
		"marks given as numbers": {`"categorical", "categories": ["0"], "missing": [9]`, "", `"missing": ["-9", "999"]`},
		"number without edges": {`"real"`, "",
			`want public bounds, "min" below "max", or "edges" with at least two values`},
		"kind of another program": {`"factor"`, "",
			`kind is "factor"; want "categorical", with all its "categories"`},
		"kind double": {`"double"`, "", `kind is "double"; want "integer" or "real", with "edges"`},
		"no kind":     {`""`, "", `kind is still to be filled in; want "categorical" with "categories"`},
		"NA in numbers": {`"integer", "edges": [0, 10]`, "x\n1\nNA\n",
			`t.csv line 3, column "x": found "NA"; want a whole number from 0 to 10; to read "NA" as missing, declare "missing": ["NA"] and "on_missing": "category"`},
		"empty in numbers": {`"real", "edges": [0, 10]`, "x\n1\n\"\"\n", `declare "missing": [""]`},
		"decimal comma":    {`"real", "edges": [0, 10]`, "x\n\"1,5\"\n", `for numbers with a decimal comma, declare "format": {"decimal": ","}`},
		"not UTF-8": {`"categorical", "categories": ["Köln"]`, "x\nK\xf6ln\n",
			`line 2, column "x": found "K\xf6ln"; want text in UTF-8; if the file was written so, declare "format": {"encoding": "latin-1"}`},
		"header not UTF-8":  {`"categorical", "categories": ["a"]`, "K\xf6ln\na\n", `header is not UTF-8; want UTF-8; if the file was written so, declare "format"`},
		"header again":      {`"integer", "edges": [0, 10]`, "x\n1\nx\n2\n", `line 3: found "the header a second time"; want one header line in a file`},
		"separator":         {`"real", "max": 1}, {"name": "y", "kind": "real", "max": 1`, "x;y\n1;1\n", `has one field with ";" in it; want fields separated by commas, or "format": {"separator": ";"}`},
		"field of a format": {`"real", "max": 1, "encoding": "latin-1"`, "", `each field at its place`},
		"delimiter":         {`"real", "max": 1, "delimiter": ";"`, "", `did you mean "separator"?`},
	} {
		s, err := ParseSchema([]byte(strings.Replace(one, "%", c.kind, 1)))
		if err == nil && c.csv != "" {
			_, err = Read(t.Context(), strings.NewReader(c.csv), "t.csv", s)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", name, err, c.want)
		}
	}
}
