package frame

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

const censusJSON = `{"dataset": "census", "unit": "household", "tables": [
  {"name": "persons", "of": "households", "key": "hid", "at_most": 2, "columns": [
    {"name": "age", "kind": "integer", "edges": [0, 5, 18, 120]},
    {"name": "income", "kind": "real", "min": -10, "max": 20},
    {"name": "born", "kind": "integer", "date": "2006-01-02", "date_edges": ["1900-01-01", "2030-01-01"]},
    {"name": "job", "kind": "categorical", "categories": ["y", "n"], "missing": ["?"], "on_missing": "category"}],
   "per_unit": [
    {"name": "size", "is": "count"},
    {"name": "employed", "is": "any", "of": "job", "where": ["y", "missing"]},
    {"name": "infants", "is": "count", "of": "age", "where": ["[0, 5)"], "edges": [0, 1, 9]},
    {"name": "last_born", "is": "max", "of": "born"},
    {"name": "youngest", "is": "min", "of": "age", "edges": [0, 18, 120], "on_missing": "impute", "impute": 120},
    {"name": "earned", "is": "sum", "of": "income"}]},
  {"name": "households", "key": "id", "columns": [
    {"name": "region", "kind": "categorical", "categories": ["n", "s"]}]}]}`

// The columns of units follow from the tables; the canonical form says them, and reads as the same schema.
func TestTheColumnsOfUnitsFollow(t *testing.T) {
	s := must.Get(ParseSchema([]byte(censusJSON)))(t)
	if again := must.Get(ParseSchema(s.JSON()))(t); !again.Equal(s) {
		t.Errorf("read again: %s, want %s", again.JSON(), s.JSON())
	}
	if s.UnitKey != "id" || s.RowsPerUnit != 1 {
		t.Errorf("key %q, %d rows", s.UnitKey, s.RowsPerUnit)
	}
	var got []string
	for _, c := range s.Columns {
		got = append(got, string(c.Kind)+" "+c.Name+": "+strings.Join(c.Labels(), " "))
	}
	want := []string{"categorical region: n s", "integer size: [0, 1) [1, 2) [2, 3)", "categorical employed: no yes",
		"integer infants: [0, 1) [1, 9]", "integer last_born: [1900-01-01, 2030-01-01] none",
		"integer youngest: [0, 18) [18, 120]", "real earned: [-20, 40]"}
	if !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	facts := `one row for each of "households", with at most 2 of "persons" by "hid"`
	if text := s.String(); !strings.Contains(text, facts) {
		t.Error(text)
	}
	f := must.Get(ReadTables(t.Context(), []Shard{
		{"p", strings.NewReader("hid,age,income,born,job\nx,4,1.5,2020-02-03,n\nx,40,2.5,1980-01-01,?\n")},
		{"h", strings.NewReader("id,region\nx,n\ny,s\n")}}, s))(t)
	rows := []string{"n 2 yes 1 18295 4 4", "s 0 no 0 none 120 0"}
	if got := unitRowsOf(t, f); !slices.Equal(got, rows) {
		t.Errorf("rows %q, want %q", got, rows)
	}
}

// Tables that do not fit together are refused, by the field that is wrong.
func TestTablesThatDoNotFitTogether(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(s *Schema, persons, households *Linked)
		column, field string
	}{
		"no children stay":        {func(_ *Schema, p, _ *Linked) { p.AtMost = 0 }, "", "at_most"},
		"too many stay":           {func(_ *Schema, p, _ *Linked) { p.AtMost = 65 }, "", "at_most"},
		"a cycle":                 {func(_ *Schema, _, h *Linked) { h.Of = "persons" }, "", "of"},
		"a link to itself":        {func(_ *Schema, p, _ *Linked) { p.Of = "persons" }, "", "of"},
		"no link":                 {func(_ *Schema, p, _ *Linked) { p.Of = "" }, "", "of"},
		"a second level":          {func(s *Schema, p, _ *Linked) { s.Tables = append(s.Tables, *p) }, "", "tables"},
		"one table":               {func(s *Schema, _, _ *Linked) { s.Tables = s.Tables[:1] }, "", "tables"},
		"equal names":             {func(_ *Schema, p, h *Linked) { p.Name, p.Of, h.Name = "x", "x", "x" }, "", "name"},
		"no unit":                 {func(s *Schema, _, _ *Linked) { s.Unit = "" }, "", "unit"},
		"another unit's key":      {func(s *Schema, _, _ *Linked) { s.UnitKey = "pid" }, "", "unit_key"},
		"columns without the key": {func(s *Schema, p, _ *Linked) { s.UnitKey, s.Columns = "", p.Columns }, "", "unit_key"},
		"more rows of a unit":     {func(s *Schema, _, _ *Linked) { s.RowsPerUnit = 5 }, "", "rows_per_unit or pad_units"},
		"padded units":            {func(s *Schema, _, _ *Linked) { s.PadUnits = true }, "", "rows_per_unit or pad_units"},
		"no key":                  {func(_ *Schema, p, _ *Linked) { p.Key = "" }, "", "key"},
		"the key a column":        {func(_ *Schema, p, _ *Linked) { p.Key = "age" }, "age", "key"},
		"a child's like a parent": {func(_ *Schema, p, _ *Linked) { p.Columns[0].Name = "region" }, "region", "name"},
		"a unit's like a child's": {func(_ *Schema, p, _ *Linked) { p.PerUnit[0].Name = "age" }, "age", "name"},
		"no columns":              {func(_ *Schema, _, h *Linked) { h.Columns = nil }, "", "columns"},
		"a cap of parents":        {func(_ *Schema, _, h *Linked) { h.AtMost = 1 }, "", "at_most, orphans or per_unit"},
		"orphans of parents":      {func(_ *Schema, _, h *Linked) { h.Orphans = "drop" }, "", "at_most, orphans or per_unit"},
		"duplicates of children":  {func(_ *Schema, p, _ *Linked) { p.Duplicates = "drop" }, "", "duplicates"},
		"other duplicates":        {func(_ *Schema, _, h *Linked) { h.Duplicates = "x" }, "", "duplicates"},
		"other orphans":           {func(_ *Schema, p, _ *Linked) { p.Orphans = "x" }, "", "orphans"},
		"made by nothing":         {func(_ *Schema, p, _ *Linked) { p.PerUnit[0].Is = "mean" }, "size", "is"},
		"of no column":            {func(_ *Schema, p, _ *Linked) { p.PerUnit[1].Of = "region" }, "employed", "of"},
		"no such label": {func(_ *Schema, p, _ *Linked) { p.PerUnit[1].Where = []string{"x"} }, "employed",
			"where"},
		"a label twice": {func(_ *Schema, p, _ *Linked) { p.PerUnit[1].Where = []string{"y", "y"} }, "employed",
			"where"},
		"no labels":         {func(_ *Schema, p, _ *Linked) { p.PerUnit[1].Where = nil }, "employed", "where"},
		"the sum of days":   {func(_ *Schema, p, _ *Linked) { p.PerUnit[5].Of = "born" }, "earned", "of"},
		"the most of texts": {func(_ *Schema, p, _ *Linked) { p.PerUnit[3].Of = "job" }, "last_born", "of"},
		"labels of a sum":   {func(_ *Schema, p, _ *Linked) { p.PerUnit[5].Where = []string{"x"} }, "earned", "where"},
		"another kind":      {func(_ *Schema, p, _ *Linked) { p.PerUnit[0].Kind = KindReal }, "size", "kind"},
		"three answers": {func(_ *Schema, p, _ *Linked) { p.PerUnit[1].Categories = []string{"a", "b", "c"} }, "employed",
			"categories"},
		"never missing": {func(_ *Schema, p, _ *Linked) {
			p.PerUnit[0].Missing, p.PerUnit[0].OnMissing = []string{""}, MissingAsCategory
		}, "size", "on_missing"},
		"missing refused": {func(_ *Schema, p, _ *Linked) { p.PerUnit[3].OnMissing = MissingError }, "last_born",
			"on_missing"},
		"edges that fall": {func(_ *Schema, p, _ *Linked) { p.PerUnit[2].Edges = []float64{1, 0} }, "infants", "edges"},
	} {
		s := must.Get(ParseSchema([]byte(censusJSON)))(t)
		s.Columns = nil
		c.change(s, &s.Tables[0], &s.Tables[1])
		_, err := TablesFromColumns(s, nil, nil)
		var e *SchemaError
		if !errors.As(err, &e) || e.Column != c.column || e.Field != c.field {
			t.Errorf("%s: %v, want column %q, field %q", name, err, c.column, c.field)
		}
	}
	s := must.Get(ParseSchema([]byte(censusJSON)))(t)
	s.Columns = s.Columns[1:]
	var e *SchemaError
	if _, err := TablesFromColumns(s, nil, nil); !errors.As(err, &e) {
		t.Errorf("columns that do not follow: %v", err)
	}
	if _, err := TablesFromColumns(people(), nil, nil); !errors.As(err, &e) || e.Field != "tables" {
		t.Errorf("no tables: %v", err)
	}
}

// Keys without a parent, two parents of one key and rows without a key are refused by line, column and value.
func TestKeysThatLinkNothing(t *testing.T) {
	for name, c := range map[string]struct {
		orphans, duplicates, households, persons string
		want                                     *ValueError
	}{
		"an orphan": {"", "drop", "a,n\n", "a,1,NA\nb,2,NA\n", &ValueError{File: "p", Line: 3, Column: "of", Value: "b"}},
		"an orphan, said": {"refuse", "", "", "b,2,NA\n", &ValueError{File: "p", Line: 2, Column: "of",
			Value: "b"}},
		"two parents": {"drop", "", "a,n\nb,n\na,s\n", "", &ValueError{File: "h", Line: 4, Column: "hid",
			Value: "a"}},
		"a parent without a key": {"drop", "drop", ",n\n", "", &ValueError{File: "h", Line: 2, Column: "hid"}},
		"a child without a key":  {"drop", "drop", "a,n\n", ",1,NA\n", &ValueError{File: "p", Line: 2, Column: "of"}},
		"all is well":            {"refuse", "refuse", "a,n\n", "a,1,NA\n", nil},
		"no rows":                {"refuse", "refuse", "", "", nil},
	} {
		s := census(c.orphans, c.duplicates)
		_, err := ReadTables(t.Context(), []Shard{{"h", strings.NewReader("hid,region\n" + c.households)},
			{"p", strings.NewReader("of,age,income\n" + c.persons)}}, s)
		var e *ValueError
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c.want.Want = e.Want
		if *e != *c.want {
			t.Errorf("%s: %v, want %v", name, e, c.want)
		}
	}
	h, p := columnsOf([]household{{"a", "n"}}, []person{{"a", "1", "NA"}, {"b", "1", "NA"}})
	var e *ValueError
	if _, err := TablesFromColumns(census("", ""), h, p); !errors.As(err, &e) || e.Line != 2 || e.Value != "b" {
		t.Errorf("an orphan in memory: %v", err)
	}
	if _, err := TablesFromColumns(census("", ""), h); err == nil {
		t.Error("one table is taken for two")
	}
	if _, err := LoadTables(t.Context(), []string{"a.csv"}, census("", "")); err == nil {
		t.Error("one file is taken for two")
	}
}

// Check lists orphans and duplicates among what does not fit, of both files.
func TestCheckOfTwoTables(t *testing.T) {
	folder := t.TempDir()
	h, p := filepath.Join(folder, "h.csv"), filepath.Join(folder, "p.csv")
	must.Do(t, os.WriteFile(h, []byte("hid,region\na,n\na,s\nb,x\n"), 0o600))
	must.Do(t, os.WriteFile(p, []byte("of,age,income\na,1,NA\nz,2,1\nz,3,1\nb,999,1\n"), 0o600))
	for dropped, want := range map[string][]string{
		"drop":   {"h.csv 4 region x 1", "p.csv 5 age 999 1"},
		"refuse": {"h.csv 3 hid a 1", "h.csv 4 region x 1", "p.csv 3 of z 2", "p.csv 5 age 999 1"},
	} {
		v := must.Get(CheckTables(t.Context(), []string{h, p}, census(dropped, dropped)))(t)
		var got []string
		for _, x := range v.List() {
			got = append(got, fmt.Sprint(filepath.Base(x.File), " ", x.Line, " ", x.Column, " ", x.Value, " ", x.Count))
		}
		if slices.Sort(got); !slices.Equal(got, want) || v.Rows != 7 {
			t.Errorf("%s: %q in %d rows, want %q", dropped, got, v.Rows, want)
		}
		if marks := v.Marks(); len(marks) != 1 || marks[0].Count != 1 {
			t.Errorf("%s: marks %v", dropped, marks)
		}
	}
}

// A column of units that names categories of a found column says which release found them, and warns of it.
func TestUnitColumnsOfFoundColumns(t *testing.T) {
	s, err := ParseSchema([]byte(`{"dataset": "d", "unit": "home", "tables": [
		{"name": "homes", "key": "id", "columns": [{"name": "place", "kind": "categorical", "categories": ["a", "b"]}]},
		{"name": "people", "key": "id", "of": "homes", "at_most": 3, "columns": [{"name": "job", "kind": "categorical",
			"categories": ["x", "other"], "on_out_of_domain": "other", "other": "other", "found": {"release": "r1",
			"epsilon": 1, "delta": 1e-6, "adjacency": "add-remove", "unit": "home", "unit_key": "id", "at_most": 1}}],
		 "per_unit": [{"name": "some", "is": "any", "of": "job", "where": ["x"]},
			{"name": "many", "is": "count", "of": "job", "where": ["x"]}, {"name": "size", "is": "count"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"place": false, "some": true, "many": true, "size": false} {
		if c, _, err := s.Column(name); err != nil || (c.Found != nil) != want {
			t.Errorf("%s: %v %v", name, c, err)
		}
	}
	if again, err := ParseSchema(s.JSON()); err != nil || len(again.Warnings()) != 2 || !again.Equal(s) {
		t.Error(again, err)
	}
}

// Check goes on where a file lacks a column: it says so, and lists what else does not fit.
func TestCheckOfTablesThatLackAColumn(t *testing.T) {
	folder := t.TempDir()
	h, p := filepath.Join(folder, "h.csv"), filepath.Join(folder, "p.csv")
	must.Do(t, os.WriteFile(h, []byte("hid,region\na,n\n"), 0o600))
	must.Do(t, os.WriteFile(p, []byte("of,age\na,1\nz,2\n"), 0o600))
	v := must.Get(CheckTables(t.Context(), []string{h, p}, census("", "")))(t)
	var got []string
	for _, x := range v.List() {
		got = append(got, x.Column+" "+x.Value)
	}
	if !slices.Contains(got, "of z") || !strings.Contains(fmt.Sprint(v), "income") {
		t.Errorf("%q in %v", got, v)
	}
	s := &Schema{Dataset: "d", UnitKey: "id", Columns: []Column{Categorical("a", "x"), Categorical("b", "x")}}
	if v := must.Get(Check(t.Context(), strings.NewReader("id,b\n1,x\n"), "f", s))(t); v.Rows != 1 {
		t.Errorf("%d rows", v.Rows)
	}
}

// One file alone is not read under a schema of two tables, and the error says what reads it.
func TestOneOfTwoTables(t *testing.T) {
	for _, text := range []string{"hid,region\na,n\n", "of,age,income\na,1,NA\n"} {
		_, err := Read(t.Context(), strings.NewReader(text), "f", census("", ""))
		var e *ColumnError
		if !errors.As(err, &e) || !strings.Contains(e.Want, "LoadTables") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
