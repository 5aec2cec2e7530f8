package frame

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// unbounded is a schema of a real and a whole column without known bounds.
func unbounded(t *testing.T, more, format string) *Schema {
	t.Helper()
	return must.Get(ParseSchema([]byte(`{"dataset": "wages", ` + more + `"columns": [
		{"name": "wage", "kind": "real", "bounds": "unknown", "missing": ["NA", "-1"], "on_missing": "omit"},
		{"name": "age", "kind": "integer", "bounds": "unknown"}]` + format + `}`)))(t)
}

// signs puts a number into one of three buckets by its sign, and remembers the largest.
func signs(largest *float64) func(x float64) int {
	return func(x float64) int {
		*largest = max(*largest, math.Abs(x))
		switch {
		case x < 0:
			return 0
		case x == 0:
			return 1
		}
		return 2
	}
}

// Numbers are read as the format writes them; missing ones lie in no bucket, and those beyond all floats are the
// largest.
func TestCountNumbers(t *testing.T) {
	ctx, largest := context.Background(), 0.
	s := unbounded(t, "", "")
	path := written(t, "age,wage\n3,1.5\n4,NA\n5,-1\n6,-2\n7,0\n8,1e400\n9,\"2.5\"\n")
	got := must.Get(CountNumbers(ctx, access.Mine(), Input{Paths: []string{path}}, s, "wage", 3, signs(&largest)))(t)
	if !slices.Equal(got, []int64{1, 1, 3}) || largest != math.MaxFloat64 {
		t.Error(got, largest)
	}
	german := unbounded(t, "", `, "format": {"separator": ";", "decimal": ",", "thousands": "."}`)
	path = written(t, "age;wage\n3;1.234,5\n4;NA\n1.000;0,0\n")
	largest = 0
	got = must.Get(CountNumbers(ctx, access.Mine(), Input{Paths: []string{path}}, german, "wage", 3, signs(&largest)))(t)
	if !slices.Equal(got, []int64{0, 1, 1}) || largest != 1234.5 {
		t.Error(got, largest)
	}
	got = must.Get(CountNumbers(ctx, access.Mine(), Input{Paths: []string{path}}, german, "age", 3, signs(&largest)))(t)
	if !slices.Equal(got, []int64{0, 0, 3}) {
		t.Error(got)
	}
}

// A unit counts in one bucket, whatever the order of its rows and whatever others have: without it one count is one
// lower.
func TestCountNumbersOfUnits(t *testing.T) {
	s := unbounded(t, `"unit_key": "id", "rows_per_unit": 9, `, "")
	var rows []string
	for u := range 60 {
		for k := range u % 8 {
			rows = append(rows, fmt.Sprintf("%d,%d,1", u, (u*7+k*k)%11))
		}
	}
	count := func(rows []string) []int64 {
		path := written(t, "id,wage,age\n"+strings.Join(rows, "\n")+"\n")
		return must.Get(CountNumbers(context.Background(), access.Mine(), Input{Paths: []string{path}}, s, "wage", 11,
			func(x float64) int { return int(x) }))(t)
	}
	all, total := count(rows), int64(0)
	for _, n := range all {
		total += n
	}
	if total != 52 { // of 60 units 8 have no row
		t.Error(all)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		mixed := slices.Clone(rows)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got := count(mixed); !slices.Equal(got, all) {
			t.Fatal(got, all)
		}
	}
	for u := range 60 {
		less := slices.DeleteFunc(slices.Clone(rows), func(x string) bool { return strings.HasPrefix(x, fmt.Sprint(u, ",")) })
		moved := int64(0)
		for i, n := range count(less) {
			if d := all[i] - n; d < 0 {
				t.Fatal(u, i, d)
			}
			moved += all[i] - n
		}
		if moved > 1 || (moved == 1) != (u%8 > 0) {
			t.Fatal(u, moved)
		}
	}
}

// What cannot be counted or declared is refused by a typed error.
func TestUnboundedRefused(t *testing.T) {
	ctx, s := context.Background(), unbounded(t, "", "")
	keyed := unbounded(t, `"unit_key": "id", `, "")
	good := written(t, "wage,age\n1,2\n")
	largest := 0.
	var column *ColumnError
	var schema *SchemaError
	var value *ValueError
	for name, c := range map[string]struct {
		s            *Schema
		text, column string
		as           any
	}{
		"no such column":       {s, "", "x", &column},
		"no key in the file":   {keyed, "", "wage", &column},
		"rows as units":        {unbounded(t, `"rows_per_unit": 2, `, ""), "", "wage", &schema},
		"text":                 {s, "wage,age\nmuch,2\n", "wage", &value},
		"NaN":                  {s, "wage,age\nNaN,2\n", "wage", &value},
		"infinity":             {s, "wage,age\n-Inf,2\n", "wage", &value},
		"a decimal comma":      {s, "wage,age\n\"1,5\",2\n", "wage", &value},
		"no whole number":      {s, "wage,age\n1,2.5\n", "age", &value},
		"no mark":              {s, "wage,age\n1,NA\n", "age", &value},
		"a row without a unit": {keyed, "wage,id\n1,\n", "wage", &value},
		"a field more":         {s, "wage,age\n1,2,3\n", "wage", &value},
	} {
		path := good
		if c.text != "" {
			path = written(t, c.text)
		}
		_, err := CountNumbers(ctx, access.Mine(), Input{Paths: []string{path}}, c.s, c.column, 3, signs(&largest))
		if !errors.As(err, c.as) || strings.Contains(err.Error(), "e+308") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := CountNumbers(ctx, access.Key{}, Input{Paths: []string{good}}, s, "wage", 3, signs(&largest))
	if !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	var argument *domain.Error
	for _, paths := range [][]string{nil, {good, good}} {
		if _, err := CountNumbers(ctx, access.Mine(), Input{Paths: paths}, s, "wage", 3, signs(&largest)); err == nil {
			t.Error(paths)
		}
	}
	in := Input{Paths: []string{good}}
	if _, err := CountNumbers(ctx, access.Mine(), in, s, "wage", 0, nil); !errors.As(err, &argument) {
		t.Error(err)
	}
	for _, text := range []string{`"kind": "categorical", "categories": ["a"]`, `"kind": "open"`,
		`"kind": "real", "min": 0, "max": 1`, `"kind": "real", "edges": [1, 2]`, `"kind": "integer", "date": "2006-01-02"`,
		`"kind": "real", "on_out_of_domain": "error"`, `"kind": "real", "on_out_of_domain": "other"`,
		`"kind": "real", "missing": ["x"], "on_missing": "impute", "impute": 3`, `"kind": "real", "categories": ["a"]`,
		`"kind": "real", "separator": ";"`, `"kind": "real", "missing": ["a", "a"]`, `"kind": "real", "on_missing": "omit"`} {
		_, err := ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "a", "bounds": "unknown", ` + text + `}]}`))
		if good := strings.Contains(text, `"error"`); good != (err == nil) || err != nil && !errors.As(err, &schema) {
			t.Error(text, err)
		}
	}
	_, err = ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "a", "bounds": "x", "kind": "real"}]}`))
	if err == nil {
		t.Error("bounds of another word")
	}
	if err := s.Validate(); !errors.As(err, &schema) || schema.Field != "bounds" {
		t.Error(err)
	}
	if text := s.String(); !strings.Contains(text, "unknown") {
		t.Error(text)
	}
}

// The column that is made of one has the bounds, moves values to them, and says by which release.
func TestBoundedAs(t *testing.T) {
	s := unbounded(t, "", "")
	for i, high := range []float64{8, 128} {
		s.Columns[i] = s.Columns[i].BoundedAs(4, high, &Found{What: FoundBounds, Release: "r", Epsilon: .25,
			Adjacency: "add-remove", Unit: "person", AtMost: 1})
	}
	must.Do(t, s.Validate())
	back := must.Get(ParseSchema(s.JSON()))(t)
	if !back.Equal(s) || *back.Columns[0].Found != *s.Columns[0].Found {
		t.Error(back)
	}
	f := must.Get(Read(context.Background(), strings.NewReader("wage,age\n1e400,-3\nNA,130\n5,5\n"), "t", back))(t)
	if values := must.Get(f.Values("wage"))(t); values[0] != 8 || !math.IsNaN(values[1]) || values[2] != 5 {
		t.Error(values)
	}
	if w := f.Warnings(); len(w) != 2 || w[0].Kind != BoundsFound || !strings.Contains(w[0].Text, Clipped) {
		t.Error(w)
	}
	cut := must.Get(f.Cut("wage", 4, 6, 8))(t)
	if by := cut.Schema().Columns[0].FoundBy(); !strings.Contains(by, "bounds of column \"wage\"") {
		t.Error(by)
	}
	back.Columns[0].Found.What = "words"
	var e *SchemaError
	if err := back.Validate(); !errors.As(err, &e) || e.Field != "found" {
		t.Error(err)
	}
}
