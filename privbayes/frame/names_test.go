package frame

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// hiddenRunes are characters that no display may hold.
const hiddenRunes = "\r\x1b\u202e\u200b\u00ad\ufeff\u2060\u2028\ufe0f\u3164\ue000\u200d"

// hostile are names that would forge, move or hide what stands around them.
var hostile = []string{
	"person\n1-DP, replace-one, unit: all, arithmetic: exact", "person\r0.01-DP", "person\x1b[1A\x1b[2K",
	"\u202eexact", "per\u200bson", "per\u00adson", "\ufeffperson",
	"person\u2060", "person\u2028x", "person\ufe0f", "person\u3164", "person\U000e0020", "person\ue000",
	"per\u200dson", "\u0301person", " person", "person ", "a\u00a0b", "a\tb", "per\xffson",
	strings.Repeat("a", 1001),
}

// places puts a text everywhere a schema has a name.
var places = map[string]func(s *Schema, text string){
	"dataset":           func(s *Schema, v string) { s.Dataset = v },
	"unit":              func(s *Schema, v string) { s.Unit = v },
	"columns":           func(s *Schema, v string) { s.Columns[0].Name = v },
	"categories":        func(s *Schema, v string) { s.Columns[0].Categories[1] = v },
	"missing_category":  func(s *Schema, v string) { s.Columns[0].MissingCategory = v },
	"items (sequence)":  func(s *Schema, v string) { s.Columns[1].Categories[0] = v },
	"missing (numeric)": func(s *Schema, v string) { s.Columns[2].MissingCategory = v },
}

func named() *Schema {
	a := Categorical("a", "x", "y")
	a.Missing, a.OnMissing, a.MissingCategory = []string{"", "?"}, MissingAsCategory, "none"
	b := Column{Name: "b", Kind: KindSequence, Categories: []string{"p", "q"}, Separator: ";", MaxLength: 3}
	c := Integer("c", 0, 5, 10)
	c.Missing, c.OnMissing, c.MissingCategory = []string{"\t", "NA"}, MissingAsCategory, "none"
	return &Schema{Dataset: "d", Unit: "household", Columns: []Column{a, b, c}}
}

// admitted lists the places and texts that pass, in code and as JSON.
func admitted(t *testing.T) (out []string) {
	t.Helper()
	for place, put := range places {
		for _, text := range hostile {
			s := named()
			put(s, text)
			err := s.Validate()
			var e *SchemaError
			switch {
			case err == nil:
				out = append(out, place+" "+label.Short(text))
			case !errors.As(err, &e) || !utf8.ValidString(err.Error()) ||
				strings.ContainsAny(err.Error(), hiddenRunes+"\n\t\u00a0"):
				t.Errorf("%s: %q", place, err)
			}
			raw, err := json.Marshal(s) // invalid UTF-8 becomes U+FFFD, which is visible
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ParseSchema(raw); err == nil && !strings.Contains(text, "\xff") {
				out = append(out, place+" in JSON "+label.Short(text))
			}
			shown := s.String() + table.HTML(s)
			if !utf8.ValidString(shown) || strings.ContainsAny(shown, hiddenRunes) ||
				strings.Contains(shown, "\n1-DP") {
				t.Errorf("%s is shown raw: %q", place, shown)
			}
		}
	}
	return out
}

func TestHostileNamesAreRefused(t *testing.T) {
	if got := admitted(t); len(got) > 0 {
		t.Errorf("admitted: %s", strings.Join(got, "\n"))
	}
	if err := named().Validate(); err != nil {
		t.Error(err)
	}
	check = func(string) error { return nil }
	checkTight = check
	defer func() { check, checkTight = label.Check, label.CheckTitle }()
	if got := admitted(t); len(got) < len(places)*(len(hostile)-1) {
		t.Errorf("with the check switched off, only %d of %d are admitted", len(got), len(places)*len(hostile))
	}
}

// A unit that passes may still read like a part of a guarantee: it is shown between quotes.
func TestUnitsAreQuoted(t *testing.T) {
	s := named()
	s.Unit, s.Dataset = `person, at most 10 rows each"; "x`, "d: unit: all"
	want := `unit: "person, at most 10 rows each\u0022; \u0022x"`
	if got := s.String(); s.Validate() != nil || !strings.Contains(got, want) ||
		!strings.HasPrefix(got, `schema of "d: unit: all"`) {
		t.Error(got, s.Validate())
	}
}

// A unit or data set stands in the line of a guarantee: it cannot be padded until its end is alone on a line.
func TestUnitsAreShort(t *testing.T) {
	for _, text := range []string{"person" + strings.Repeat(" ", 80) + "0.01-DP", "person\u3000 0.01-DP",
		strings.Repeat("x", 201)} {
		for _, place := range []string{"unit", "dataset"} {
			s := named()
			places[place](s, text)
			var e *SchemaError
			if err := s.Validate(); !errors.As(err, &e) || e.Field != place {
				t.Errorf("%s %.20q: %v", place, text, err)
			}
		}
	}
	s := named()
	s.Unit, s.Dataset = strings.Repeat("x", 200), "a b\u3000c"
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
}

func TestDescriptionsMayHaveLines(t *testing.T) {
	s := named()
	s.Columns[0].Description = "first line\nsecond\tline\r\nthird"
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	if got := s.String(); !strings.Contains(got, "first line second line third") {
		t.Error(got)
	}
	for _, bad := range []string{"a\x1b[2K", "a\rb", "\u202ea", "a\u200bb", "\xff"} {
		s.Columns[0].Description = bad
		var e *SchemaError
		if err := s.Validate(); !errors.As(err, &e) || e.Field != "description" || e.Column != "a" {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestSameTextIsOneName(t *testing.T) {
	for _, pair := range [][2]string{{"café", "cafe\u0301"}, {"ﬁne", "fine"}, {"m²", "m2"}, {"Ａ", "A"}, {"x", "x"}} {
		s := named()
		s.Columns[0].Categories = []string{pair[0], "other", pair[1]}
		var e *SchemaError
		if err := s.Validate(); !errors.As(err, &e) || e.Field != "categories" || e.Column != "a" {
			t.Errorf("categories %q: %v", pair, err)
		}
		s = named()
		s.Columns[0].Name, s.Columns[1].Name = pair[0], pair[1]
		if err := s.Validate(); !errors.As(err, &e) || e.Field != "name" {
			t.Errorf("columns %q: %v", pair, err)
		}
		s = named()
		s.Columns[0].Categories[0], s.Columns[0].MissingCategory = pair[0], pair[1]
		if err := s.Validate(); !errors.As(err, &e) || e.Field != "missing_category" {
			t.Errorf("missing %q: %v", pair, err)
		}
	}
}

func TestDuplicateKeysAreRefused(t *testing.T) {
	for text, field := range map[string]string{
		`{"dataset":"d","unit":"a","unit":"b","columns":[{"name":"x","kind":"real","max":1}]}`:                    "field unit",
		`{"dataset":"d","unit":"a","Unit":"b","columns":[{"name":"x","kind":"real","max":1}]}`:                    "field Unit",
		`{"dataset":"d","columns":[{"name":"x","kind":"real","max":1,"max":2}]}`:                                  "field columns[0].max",
		`{"dataset":"d","columns":[{"name":"x","kind":"real","max":1,"ma\u0078":2}]}`:                             "field columns[0].max",
		`{"dataset":"d","columns":[{"name":"x","\u212aind":"integer","kind":"real","max":1}]}`:                    "field columns[0].kind",
		`{"dataset":"d","rows_per_unit":9,"row\u017f_per_unit":1,"columns":[{"name":"x","kind":"real","max":1}]}`: `field "rowſ_per_unit"`,
	} {
		var e *SchemaError
		if _, err := ParseSchema([]byte(text)); !errors.As(err, &e) || e.Field != field {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWarningsOfLookAlikes(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{Categorical("sex", "Male", "male", "Female"),
		Categorical("Sex", "scope", "ѕсоре"), Categorical("ok", "yes", "no"), Integer("n", 0, 1, 2)}}
	want := []string{`columns "sex" and "Sex" differ only in case`,
		`categories of column "sex" "Male" and "male" differ only in case`,
		`categories of column "Sex" "scope" and "ѕсоре" look alike: they are "scope" and "\u0455\u0441\u043e\u0440\u0435"`}
	got := s.Warnings()
	for i, w := range want {
		if i >= len(got) || got[i] != (warning.Warning{Kind: LookAlike, Text: w}) {
			t.Fatalf("%v, want %s", got, w)
		}
	}
	if len(got) != len(want) || !strings.Contains(s.String(), "warning: "+want[0]) ||
		!strings.Contains(table.HTML(s), "Male") || s.Validate() != nil {
		t.Error(got, s)
	}
	f, err := FromColumns(s, map[string]any{"sex": []string{"Male"}, "Sex": []string{"scope"}, "ok": []string{"no"},
		"n": []int{1}})
	if err != nil || !strings.Contains(f.String(), "warning: "+want[1]) ||
		!strings.Contains(table.HTML(f), "differ only in case") {
		t.Error(f, err)
	}
	many := Categorical("many")
	for c := 'a'; c <= 'z'; c++ {
		many.Categories = append(many.Categories, "x"+string(c), "X"+string(c))
	}
	if got := (&Schema{Dataset: "d", Columns: []Column{many}}).Warnings(); len(got) != lookAlikes+1 ||
		got[lookAlikes].Value < 26 {
		t.Error(got)
	}
}

// The schemas of the embedded data load and have no look-alikes.
func TestEmbeddedSchemasLoad(t *testing.T) {
	files, err := filepath.Glob("../../data/schemas/*.json")
	if err != nil || len(files) < 9 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ParseSchema(b)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if w := s.Warnings(); len(w) > 0 {
			t.Errorf("%s: %v", file, w)
		}
	}
}
