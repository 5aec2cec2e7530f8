package frame

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

func TestLabels(t *testing.T) {
	s := people()
	for i, want := range [][]string{
		{"Ulm", "Bern", "Other"},
		{"[0, 1000)", "[1000, 2500)", "[2500, 5000]"},
		{"y", "n", "unrecorded"},
		{"[0, 18)", "[18, 65)", "[65, 120]", "missing"},
		{"a", "b", "c"},
	} {
		c := s.Columns[i]
		if got := c.Labels(); !reflect.DeepEqual(got, want) || c.Levels() != len(want) {
			t.Errorf("%s: %q, %d levels; want %q", c.Name, got, c.Levels(), want)
		}
	}
}

func TestCanonicalJSON(t *testing.T) {
	s := people()
	back, err := ParseSchema(s.JSON())
	if err != nil || !s.Equal(back) || s.Digest() != back.Digest() || len(s.Digest()) != 64 {
		t.Fatal(err)
	}
	// Schemas that say the same have the same bytes; any change shows.
	short, err := ParseSchema(
		[]byte(
			`{"dataset":"test","columns":[{"name":"a","kind":"real","max":1},{"name":"b","kind":"categorical","categories":["<x>"]}]}`,
		),
	)
	if err != nil {
		t.Fatal(err)
	}
	long, err := ParseSchema([]byte(`{"dataset":"test","unit":"person","rows_per_unit":1,"columns":[
		{"kind":"real","name":"a","edges":[-0,1],"on_missing":"error"},
		{"name":"b","kind":"categorical","categories":["<x>"],"on_out_of_domain":"error","missing":[]}]}`))
	if err != nil || !short.Equal(long) {
		t.Fatalf("%v: %s and %s", err, short.JSON(), long.JSON())
	}
	code := &Schema{Dataset: "test", Columns: []Column{Real("a", 0, 1), Categorical("b", "<x>")}}
	code.Columns[0].OnMissing, code.Columns[1].OnOutOfDomain = MissingError, DomainError // the defaults, by their names
	if !short.Equal(code) || code.Columns[0].HasMissing() {
		t.Errorf("%s and %s", short.JSON(), code.JSON())
	}
	if !strings.Contains(string(short.JSON()), "<x>") {
		t.Error("canonical JSON escapes <")
	}
	for i, change := range []func(*Schema){
		func(s *Schema) { s.Unit = "household" },
		func(s *Schema) { s.RowsPerUnit = 2 },
		func(s *Schema) { s.Columns[1].Edges[1] = 1001 },
		func(s *Schema) { s.Inferred = true },
		func(s *Schema) { s.Columns[0].Categories[0] = "Köln" },
	} {
		o := s.Clone()
		change(o)
		if o.Equal(s) || o.Digest() == s.Digest() {
			t.Errorf("change %d not seen", i)
		}
	}
	if s.Equal(nil) || !(*Schema)(nil).Equal(nil) {
		t.Error("nil")
	}
}

func TestValidateRefuses(t *testing.T) {
	seq := func(f func(*Column)) Column {
		c := Column{Name: "s", Kind: KindSequence, Categories: []string{"a"}, Separator: ",", MaxLength: 2}
		f(&c)
		return c
	}
	with := func(c Column, f func(*Column)) Column { f(&c); return c }
	marked := func(c *Column) { c.Missing = []string{"NA"} }
	cat := Categorical("x", "a", "b")
	wide := make([]float64, maxLevels+2)
	for i := range wide {
		wide[i] = float64(i)
	}
	for _, c := range []struct {
		field string
		col   Column
	}{
		{"columns", Categorical("", "a")},
		{"kind", Column{Name: "x", Kind: "text"}},
		{"categories", Categorical("x")},
		{"categories", Categorical("x", "a", "a")},
		{"categories", Categorical("x", "")},
		{"categories", Categorical("x", "a\r\nb")},
		{"categories", Categorical("x", "\xff")},
		{"categories", with(Real("x", 0, 1), func(c *Column) { c.Categories = []string{"a"} })},
		{"edges or bounds", with(cat, func(c *Column) { c.Max = 1 })},
		{"edges or bounds", Real("x", 0, math.NaN())},
		{"edges or bounds", Real("x", 0, math.Inf(1))},
		{"edges or bounds", Integer("x", 0, 1e300)},
		{"min, max", Real("x")},
		{"min, max", with(Real("x"), func(c *Column) { c.Min = 5 })},
		{"edges", Real("x", 1)},
		{"edges", Real("x", 0, 2, 2, 3)},
		{"edges", Real("x", 3, 1)},
		{"edges", Integer("x", 0, 0.5, 0.7, 3)},
		{"min, max", with(Real("x", 0, 1, 2), func(c *Column) { c.Max = 3 })},
		{"levels", Integer("x", wide...)},
		{"separator", seq(func(c *Column) { c.Separator = "" })},
		{"max_length", seq(func(c *Column) { c.MaxLength = 0 })},
		{"categories", seq(func(c *Column) { c.Categories = []string{"a,b"} })},
		{"separator or max_length", with(cat, func(c *Column) { c.MaxLength = 1 })},
		{"on_missing", with(cat, func(c *Column) { c.OnMissing = "skip" })},
		{"on_missing", seq(func(c *Column) { c.OnMissing, c.Missing = MissingAsCategory, []string{"NA"} })},
		{"on_missing", with(cat, func(c *Column) { c.OnMissing, c.Missing = MissingOmitted, []string{"NA"} })},
		{"on_missing", with(cat, func(c *Column) { *c = c.ImputedAs(1); c.Missing = []string{"NA"} })},
		{"on_missing", with(Real("x", 0, 1), func(c *Column) { c.OnMissing, c.Missing = "mean", []string{"NA"} })},
		{"missing", with(Real("x", 0, 1), func(c *Column) { c.OnMissing = MissingOmitted })},
		{"missing", Real("x", 0, 1).ImputedAs(1)},
		{"impute", with(Real("x", 0, 1).ImputedAs(1.5), marked)},
		{"impute", with(Real("x", 0, 1).ImputedAs(math.NaN()), marked)},
		{"impute", with(Integer("x", 0, 9).ImputedAs(1.5), marked)},
		{"impute", with(Real("x", 0, 1).ImputedAs(1), func(c *Column) { marked(c); c.Impute = nil })},
		{"impute", with(Real("x", 0, 1).ImputedAs(1), func(c *Column) { marked(c); c.OnMissing = MissingOmitted })},
		{"missing_category", with(Real("x", 0, 1).ImputedAs(1), func(c *Column) { marked(c); c.MissingCategory = "m" })},
		{"missing", with(cat, func(c *Column) { c.OnMissing = MissingAsCategory })},
		{"missing", with(cat, func(c *Column) { c.Missing = []string{"a"} })},
		{"missing", with(cat, func(c *Column) { c.Missing = []string{"?", "?"} })},
		{"missing_category", with(cat, func(c *Column) { c.MissingCategory = "m" })},
		{"missing_category", with(cat, func(c *Column) {
			c.OnMissing, c.Missing, c.MissingCategory = MissingAsCategory,
				[]string{"?"}, "a"
		})},
		{"on_out_of_domain", with(cat, func(c *Column) { c.OnOutOfDomain = DomainClamp })},
		{"on_out_of_domain", with(Real("x", 0, 1), func(c *Column) { c.OnOutOfDomain = DomainOther })},
		{"on_out_of_domain", with(cat, func(c *Column) { c.OnOutOfDomain = "drop" })},
		{"other", with(cat, func(c *Column) { c.OnOutOfDomain, c.Other = DomainOther, "z" })},
		{"other", with(cat, func(c *Column) { c.Other = "a" })},
	} {
		err := (&Schema{Dataset: "test", Columns: []Column{c.col}}).Validate()
		var e *SchemaError
		if !errors.As(err, &e) || !typed(err, &SchemaError{}) || e.Field != c.field || e.Want == "" {
			t.Errorf("%+.200v: %v, want field %s", c.col, err, c.field)
		}
	}
	for _, s := range []*Schema{nil, {}, {Columns: []Column{cat, cat}}, {Columns: []Column{cat}, RowsPerUnit: -1}} {
		if err := s.Validate(); !typed(err, &SchemaError{}) {
			t.Errorf("%v", err)
		}
	}
	if err := people().Validate(); err != nil {
		t.Error(err)
	}
}

func TestParseSchemaIsStrict(t *testing.T) {
	ok := `{"dataset":"test","columns":[{"name":"a","kind":"real","max":1}]}`
	must.Get(ParseSchema([]byte(ok)))(t)
	for _, bad := range []string{"", "null", "[]", "{}", ok + "{}", ok + "x", `{"colums":[]}`,
		`{"dataset":"test","columns":[{"name":"a","kind":"real","max":1,"bins":3}]}`,
		`{"dataset":"test","columns":[{"name":"a","kind":"real","max":1e999}]}`} {
		if _, err := ParseSchema([]byte(bad)); !typed(err, &SchemaError{}) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A schema written by hand has mistakes of a few kinds; each answer says where and what to write instead.
func TestSchemaMistakesAreExplained(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"dataset":"d","columns":[{"name":"a","kind":"categorical","levels":["x"]}]}`,
			`schema: field "levels" is unknown; want a field of a schema; did you mean "categories"?`},
		{`{"dataset":"d","columns":[{"name":"a","colour":"red"}]}`,
			`schema: field "colour" is unknown; want one of dataset, unit, rows_per_unit, unit_key, pad_units, about_rows,`},
		{`{"dataset":"d","description":"x","columns":[]}`,
			`field "description" is unknown; want each field at its place: those of a column stand in "columns"`},
		{`{"dataset":"d","columns":[{"name":"a","type":"categorical"}]}`, `did you mean "kind"?`},
		{`{"dataset":"d","colums":[]}`, `did you mean "columns"?`},
		{"{\"dataset\":\"d\",\n\"columns\":[\n{\"name\":\"a\"},,\n]}",
			`JSON is broken in line 3 (invalid character ','`},
		{"{\"dataset\":\"d\",\n\"columns\":[\n", `JSON is cut off in line 2`},
		{"{\"dataset\":\"d\",\n\"columns\":[{\"name\":\"a\",\"kind\":\"real\",\n\"min\":\"low\"}]}",
			"not a schema in line 3 (columns.min is a string)"},
		{`{"dataset":"d","columns":[{"name":"fare","kind":"real","bounds":[0,10]}]}`,
			`want "min" and "max" for bounds that are known, as in "min": 0, "max": 10, or "bounds": "unknown"`},
		{`{"dataset":"d","columns":[{"name":"fare","kind":"real","min":0}]}`,
			`schema column "fare": min, max is 0, 0 or unset; want public bounds, "min" below "max", or "edges" with at least two values`},
		{`{"dataset":"d","columns":[{"name":"fare","kind":"real","min":5}]}`, `min, max is 5, 0; want public bounds`},
		{`{"dataset":"d","columns":[{"name":"fare","kind":"real","edges":[5]}]}`,
			`edges is one value, 5; want public bounds`},
	} {
		_, err := ParseSchema([]byte(c.schema))
		var e *SchemaError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant %s", c.schema, err, c.want)
		}
	}
	for from, to := range otherNames {
		if slices.Contains(schemaFields, from) || !slices.Contains(schemaFields, to) {
			t.Errorf("%s for %s: want a word that is no field, and the field it means", from, to)
		}
	}
}

func TestColumnLookup(t *testing.T) {
	s := people()
	c, i, err := s.Column("age")
	if err != nil || i != 3 || c.Name != "age" {
		t.Error(c, i, err)
	}
	_, _, err = s.Column("Income")
	var e *ColumnError
	if !errors.As(err, &e) || !typed(err, &ColumnError{}) || !strings.Contains(err.Error(), `did you mean "income"?`) {
		t.Error(err)
	}
}

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
				out = append(out, place+" "+safetext.Short(text))
			case !errors.As(err, &e) || !utf8.ValidString(err.Error()) ||
				strings.ContainsAny(err.Error(), hiddenRunes+"\n\t\u00a0"):
				t.Errorf("%s: %q", place, err)
			}
			raw, err := json.Marshal(s) // invalid UTF-8 becomes U+FFFD, which is visible
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ParseSchema(raw); err == nil && !strings.Contains(text, "\xff") {
				out = append(out, place+" in JSON "+safetext.Short(text))
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
	defer func() { check, checkTight = safetext.Check, safetext.CheckTitle }()
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
		b := must.Get(os.ReadFile(file))(t)
		s, err := ParseSchema(b)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if w := s.Warnings(); len(w) > 0 {
			t.Errorf("%s: %v", file, w)
		}
	}
}

// A file without a header has no skeleton: the error says which field is no name, and nothing of what it says.
func TestSkeletonOfHeaderlessFile(t *testing.T) {
	for text, why := range map[string]string{
		"39,State-gov,77516,Bachelors\n": "field 1 is a number", "a,-7\n": "field 2 is a number",
		"a,5.25\n": "field 2 is a number", "a,1e5\n": "field 2 is a number",
		"a,?\n": "field 2 is a mark of missing values", "a,b,1987-06-05\n": "field 3 is a date",
		"a,7\n": "field 2 is a number", "9,8,7\n": "field 1 is a number", "1,1\n": "field 1 is a number",
	} {
		_, err := SchemaSkeleton(strings.NewReader(text), "towns")
		var e *FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "header line") {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, value := range strings.Split(strings.TrimSpace(text), ",") {
			if len(value) > 1 && strings.Contains(err.Error(), value) {
				t.Errorf("%q: the error tells %q", text, value)
			}
		}
	}
	if _, err := SchemaSkeleton(strings.NewReader("a;5,25\n"), "t", WithFormat(Format{Separator: ";", Decimal: ","})); err ==
		nil || !strings.Contains(err.Error(), "field 2 is a number") {
		t.Errorf("a decimal comma: %v", err)
	}
	for _, text := range []string{"age,sex\n", "country,1990,1995,2021\n", "id,1,2,3\n", "id,1,2\n", "x1,x2,3d\n", "name,2020\n",
		"week,10,20,30\n"} {
		if _, err := SchemaSkeleton(strings.NewReader(text), "towns"); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A quote that opens in the header and closes in a row is no blank at the end of a name.
func TestSkeletonOfAnOpenQuote(t *testing.T) {
	for text, want := range map[string]string{
		"\"k\nSecret,7\nb\n\",x\n": "has a line feed", "k,\"x\nSecret\"\n": "has a line feed", "k ,x\n": `"trim": true`,
	} {
		if _, err := SchemaSkeleton(strings.NewReader(text), "t"); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "Secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The unit of a number is what its description begins with, up to a mark; a long beginning, or one that repeats the
// name, is none.
func TestQuantity(t *testing.T) {
	for description, want := range map[string]string{
		"US dollars a week; steps of 100": "wage, US dollars a week", "years of school: below 8": "wage, years of school",
		"grams, 0 to 9000 are wide bounds": "wage, grams", "steps of 5": "wage", "": "wage", "wage; a sum": "wage",
		"the weekly wage of a person with all of its parts; dollars": "wage",
	} {
		c := Real("wage", 0, 1)
		c.Description = description
		if got := c.Quantity(); got != want {
			t.Errorf("%q: %q, want %q", description, got, want)
		}
	}
	c := Categorical("region", "north", "south")
	if c.Description = "compass; two"; c.Quantity() != "region" {
		t.Error(c.Quantity())
	}
}
