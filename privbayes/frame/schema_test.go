package frame

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
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
	if _, err := ParseSchema([]byte(ok)); err != nil {
		t.Fatal(err)
	}
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
