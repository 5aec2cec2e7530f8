package frame

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := CheckFiles(t.Context(), []string{path}, towns(nil))
	if err != nil {
		t.Fatal(err)
	}
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
	b, err := SchemaSkeleton(strings.NewReader(text), "towns", WithFormat(Format{Separator: ";", Decimal: ","}))
	if err != nil {
		t.Fatal(err)
	}
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
		!strings.Contains(v.String(), "0 that do not fit") || !strings.Contains(fmt.Sprintf("%v %s", v, v), "private") {
		t.Errorf("%v, %v", v, err)
	}
}
