package frame

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// stratified is a schema of two regions with what is said of its strata, and more.
func stratified(strata, more string) []byte {
	return []byte(`{"dataset": "d", "strata": {` + strata + `}` + more + `, "columns": [
		{"name": "region", "kind": "categorical", "categories": ["north", "south"]},
		{"name": "age", "kind": "integer", "min": 0, "max": 9}]}`)
}

const (
	sizes, sampled = `"sizes": {"north": 120, "south": 310}`, `"sampled": {"north": 12, "south": 31}`
	fixed          = `"column": "region", ` + sizes + `, ` + sampled + `, "moves": false`
)

// What a schema cannot say of strata, each with the field that is at fault.
func TestSchemasOfStrata(t *testing.T) {
	replaced := func(from, to string) string { return strings.Replace(fixed, from, to, 1) }
	for name, c := range map[string]struct{ strata, more, field string }{
		"fine":                    {fixed, "", ""},
		"a census":                {fixed, `, "sampling": "census"`, "sampling"},
		"a column like any other": {`"column": "region", "moves": true`, "", ""},
		"nobody says":             {`"column": "region", ` + sizes, "", ""},
		"n_h where units move":    {replaced("false", "true"), "", "strata.sampled"},
		"n_h where nobody says":   {replaced(`, "moves": false`, ""), "", "strata.sampled"},
		"no such column":          {replaced("region", "town"), "", "strata.column"},
		"a column of numbers":     {replaced("region", "age"), "", "strata.column"},
		"no sizes":                {replaced(sizes+", ", ""), "", "strata.sizes"},
		"a size missing":          {replaced(`"north": 120, `, ""), "", "strata.sizes"},
		"n_h missing":             {replaced(`"north": 12, `, ""), "", "strata.sampled"},
		"another level":           {replaced(`"north": 120`, `"north": 120, "west": 1`), "", "strata.sizes"},
		"n_h of another level":    {replaced(`"north": 12,`, `"north": 12, "west": 1,`), "", "strata.sampled"},
		"n_h = 0":                 {replaced(`"north": 12,`, `"north": 0,`), "", "strata.sampled"},
		"n_h below 0":             {replaced(`"north": 12,`, `"north": -1,`), "", "strata.sampled"},
		"N_h < n_h":               {replaced(`"north": 120`, `"north": 11`), "", "strata.sizes"},
		"a huge N_h":              {replaced(`"north": 120`, `"north": 1000000000000`), "", "strata.sizes"},
		"units of several rows":   {fixed, `, "rows_per_unit": 2`, "rows_per_unit"},
		"units with a key":        {fixed, `, "unit_key": "id"`, "unit_key"},
		"a weight, too": {fixed, `, "weight": {"column": "w", "min": "0", "max": "4", "step": "1",
			"computed": "design"}`, "strata"},
		"a design of rows, too": {fixed, `, "design": {"method": "poisson", "rate": "1/4", "secret": true}`, "design"},
		"a design and a column": {`"column": "region", "moves": true`, `, "design": {"method": "poisson", "rate": "1/4",
			"secret": true}`, "design"},
		"columns that were made":   {fixed, `, "steps": ["Derive(x)"]`, "strata"},
		"an inferred schema":       {fixed, `, "inferred": true`, "strata"},
		"a number that is no size": {replaced("120", "1.5"), "", "JSON"},
		"a word of another":        {replaced("moves", "move"), "", `field "move"`},
	} {
		s, err := ParseSchema(stratified(c.strata, c.more))
		var e *SchemaError
		switch {
		case c.field == "" && err != nil, c.field != "" && (!errors.As(err, &e) || e.Field != c.field):
			t.Errorf("%s: %v", name, err)
		case err == nil && (s.FixedStrata() != nil) != strings.Contains(c.strata, "false"):
			t.Errorf("%s: %v", name, s.FixedStrata())
		}
	}
}

// Other neighbours have other names. Sizes of the population, and words for people, are no neighbours.
func TestNamesOfStrata(t *testing.T) {
	s := must.Get(ParseSchema(stratified(fixed, "")))(t)
	if again := must.Get(ParseSchema(s.JSON()))(t); !again.Equal(s) || again.StrataName() != s.StrataName() {
		t.Errorf("read again: %s", again.JSON())
	}
	for name, c := range map[string]struct {
		change func(s *Schema)
		same   bool
	}{
		"sizes":       {func(s *Schema) { s.Strata.Sizes["north"] = 999 }, true},
		"description": {func(s *Schema) { s.Columns[0].Description = "where" }, true},
		"n_h":         {func(s *Schema) { s.Strata.Sampled["north"] = 13 }, false},
		"aliases":     {func(s *Schema) { s.Columns[0].Aliases = []Alias{{"north", []string{"n"}}} }, false},
		"categories":  {func(s *Schema) { s.Columns[0].Categories[0] = "n" }, false},
	} {
		o := s.Clone()
		c.change(o)
		if (o.StrataName() == s.StrataName()) != c.same {
			t.Errorf("%s: %s and %s", name, s.StrataName(), o.StrataName())
		}
		if s.Strata.Sizes["north"] != 120 || s.Strata.Sampled["north"] != 12 {
			t.Errorf("%s changed the original of a clone", name)
		}
	}
}

// Check lists strata of another size than the schema says, in one file or several; not where it cannot know.
func TestCheckCountsStrata(t *testing.T) {
	s := must.Get(ParseSchema(stratified(fixed, "")))(t)
	rows := func(north, south int) string {
		return strings.Repeat("north,1\n", north) + strings.Repeat("south,2\n", south)
	}
	if s.SampledRows() != 43 || towns(nil).SampledRows() != 0 {
		t.Error(s.SampledRows(), "rows in the strata")
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"as said":              {"region,age\n" + rows(12, 31), nil},
		"fewer and more":       {"region,age\n" + rows(11, 32), []string{`11 rows of "north"`, `32 rows of "south"`}},
		"one row":              {"region,age\n" + rows(12, 1), []string{`1 row of "south"`}},
		"no rows":              {"region,age\n", []string{`0 rows of "north"`, `0 rows of "south"`}},
		"other columns do not": {"region,age\n" + rows(11, 31) + "north,77\n", []string{"77"}},
		"a stratum does not":   {"region,age\n" + rows(12, 30) + "west,2\n", []string{"west", `30 rows of "south"`}},
		"no such column": {"reg,age\n" + rows(2, 2), []string{"a column that the schema has not",
			"no such column in the header"}},
		"an open quote": {"region,age\n" + rows(2, 2) + "\"north", []string{`north`}},
	} {
		v := must.Get(Check(t.Context(), strings.NewReader(c.text), "t.csv", s))(t)
		var got []string
		for _, x := range v.List() {
			got = append(got, x.Value)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) && name != "an open quote" || name == "an open quote" && len(got) != 1 {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// a value of a reader without a name has its line, and is shown as every other
	nameless := must.Get(Check(t.Context(), strings.NewReader("region,age\nwe\x1bst,1\n"), "", s))(t)
	if text := nameless.String(); strings.Contains(text, "\x1b") || !strings.Contains(text, "line 2") ||
		strings.Count(text, "whole table") != 0 {
		t.Errorf("%q", text)
	}
	half := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		must.Do(t, os.WriteFile(path, []byte("region,age\n"+text), 0o600))
		return path
	}
	two := []string{half("a", rows(12, 0)), half("b", rows(0, 31))}
	if v := must.Get(CheckFiles(t.Context(), two, s))(t); v.Count() > 0 {
		t.Error("two files:", v)
	}
}
