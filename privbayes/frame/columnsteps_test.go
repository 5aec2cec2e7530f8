package frame

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// step does one step that must not fail, and checks that n and the unit stay.
func step(t *testing.T, f *Frame, do func(*Frame) (*Frame, error)) *Frame {
	t.Helper()
	g := must.Get(do(f))(t)
	n, public := f.PublicN()
	if m, still := g.PublicN(); m != n || still != public || g.Len() != f.Len() || g.schema.Unit != f.schema.Unit ||
		g.schema.RowsPerUnit != f.schema.RowsPerUnit || g.schema.Dataset != f.schema.Dataset {
		t.Errorf("%v: n, unit or data set changed", g.schema.Steps)
	}
	again, err := ParseSchema(g.schema.JSON())
	if err != nil || !again.Equal(g.schema) {
		t.Errorf("%v: the schema does not read back: %v", g.schema.Steps, err)
	}
	if g.Selection().SameSource(f.Selection()) == false {
		t.Error("the rows are of another source")
	}
	return g
}

// Every step gives the codes that its rule says, and writes itself into the schema.
func TestColumnSteps(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	f = step(t, f, func(f *Frame) (*Frame, error) {
		return f.Derive("adult", []string{"age", "vote"}, func(l []string) string {
			switch {
			case l[0] == "[0, 18)":
				return "child"
			case l[1] == "unrecorded":
				return "silent"
			}
			return "adult"
		})
	})
	if got := codesOf(t, f, "adult"); !reflect.DeepEqual(got, []int{0, 1, 2, 2, 1, 1}) {
		t.Error("adult", got, f.schema.Columns[5].Categories)
	}
	f = step(t, f, func(f *Frame) (*Frame, error) { return f.Collapse("city", "abroad", "Bern", "Other") })
	got, other := codesOf(t, f, "city"), f.schema.Columns[0].Other
	if !reflect.DeepEqual(got, []int{0, 1, 1, 0, 1, 1}) || other != "abroad" {
		t.Error("city", got, other)
	}
	f = step(t, f, func(f *Frame) (*Frame, error) {
		return f.Recode("vote", map[string]string{"y": "yes", "unrecorded": "n"})
	})
	if got := codesOf(t, f, "vote"); !reflect.DeepEqual(got, []int{0, 1, 1, 1, 0, 1}) || f.schema.Columns[2].HasMissing() {
		t.Error("vote", got, f.schema.Columns[2])
	}
	f = step(t, f, func(f *Frame) (*Frame, error) { return f.Cut("age", 0, 65, 120) })
	if got := codesOf(t, f, "age"); !reflect.DeepEqual(got, []int{0, 0, 1, 1, 2, 2}) {
		t.Error("age", got)
	}
	f = step(t, f, func(f *Frame) (*Frame, error) { return f.Rename("income", "pay") })
	f = step(t, f, func(f *Frame) (*Frame, error) { return f.Drop("trip", "adult") })
	f = step(t, f, func(f *Frame) (*Frame, error) { return f.GroupBy("group", "city", "vote") })
	if got := codesOf(t, f, "group"); !reflect.DeepEqual(got, []int{0, 3, 3, 1, 2, 3}) {
		t.Error("group", got)
	}
	if got := fmt.Sprint(f.schema.Names(), f.schema.Columns[4].Categories); got !=
		"[city pay vote age group] [Ulm, yes Ulm, n abroad, yes abroad, n]" {
		t.Error(got)
	}
	for i, want := range []string{`Derive("adult" from "age", "vote": "[0, 18)", "y" → "child"; `,
		`Collapse("city": "Bern" → "abroad"; "Other" → "abroad")`,
		`Recode("vote": "y" → "yes"; "unrecorded" → "n")`, `Cut("age": 0, 65, 120)`, `Rename("income" to "pay")`,
		`GroupBy("group" from "city", "vote": `} {
		if i >= len(f.schema.Steps) || !strings.HasPrefix(f.schema.Steps[i], want) {
			t.Errorf("step %d of %q, want %s", i, f.schema.Steps, want)
		}
	}
}

// The function of Derive sees labels and no rows: it is called the same times, with the same labels, whatever they are;
// what it makes shows in the schema, also where the table is too long to be written out.
func TestDeriveReadsNoRows(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{Integer("a", 0, 1, 2, 3), Integer("b", edgesTo(100)...)}}
	var calls [2][]string
	var made [2]*Schema
	for i, a := range [][]int{{0, 0, 0}, {2, 1, 0, 2, 2}} {
		f := must.Get(FromColumns(s, map[string]any{"a": a, "b": a}))(t)
		g := must.Get(f.Derive("c", []string{"a", "b"}, func(l []string) string {
			calls[i] = append(calls[i], strings.Join(l, "|"))
			l[0] = "changed"
			return fmt.Sprint(len(calls[i]) % 7)
		}))(t)
		made[i] = g.Schema()
	}
	if !reflect.DeepEqual(calls[0], calls[1]) || len(calls[0]) != 300 || !made[0].Equal(made[1]) {
		t.Errorf("%d and %d calls, %v and %v", len(calls[0]), len(calls[1]), made[0].Steps, made[1].Steps)
	}
	if !strings.Contains(made[0].Steps[0], "300 combinations with SHA-256 ") {
		t.Error(made[0].Steps)
	}
}

func edgesTo(n int) (edges []float64) {
	for i := range n + 1 {
		edges = append(edges, float64(i))
	}
	return edges
}

// Refusals depend on public inputs only, and are typed.
func TestStepsRefuse(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	same := func(l []string) string { return l[0] }
	partial := func([]string) string { return "" }
	for name, c := range map[string]struct {
		do   func() (*Frame, error)
		want error
	}{
		"no such column":   {func() (*Frame, error) { return f.Derive("x", []string{"Age"}, same) }, &ColumnError{}},
		"a sequence":       {func() (*Frame, error) { return f.Derive("x", []string{"trip"}, same) }, &ColumnError{}},
		"a partial rule":   {func() (*Frame, error) { return f.Derive("x", []string{"age"}, partial) }, &SchemaError{}},
		"a name taken":     {func() (*Frame, error) { return f.Derive("age", []string{"age"}, same) }, &SchemaError{}},
		"no function":      {func() (*Frame, error) { return f.Derive("x", []string{"age"}, nil) }, &domain.Error{}},
		"no such category": {func() (*Frame, error) { return f.Recode("city", map[string]string{"ulm": "x"}) }, &domain.Error{}},
		"numbers":          {func() (*Frame, error) { return f.Recode("age", map[string]string{"0": "x"}) }, &ColumnError{}},
		"a bad name":       {func() (*Frame, error) { return f.Collapse("city", " x", "Ulm") }, &SchemaError{}},
		"nothing":          {func() (*Frame, error) { return f.Collapse("city", "x") }, &domain.Error{}},
		"cut categories":   {func() (*Frame, error) { return f.Cut("city", 0, 1) }, &ColumnError{}},
		"cut a bound":      {func() (*Frame, error) { return f.Cut("age", 18, 120) }, &domain.Error{}},
		"cut backwards":    {func() (*Frame, error) { return f.Cut("age", 0, 65, 18, 120) }, &SchemaError{}},
		"rename to one":    {func() (*Frame, error) { return f.Rename("age", "city") }, &SchemaError{}},
		"drop none":        {func() (*Frame, error) { return f.Drop("x") }, &ColumnError{}},
		"drop all":         {func() (*Frame, error) { return f.Drop(f.schema.Names()...) }, &domain.Error{}},
		"public for what":  {func() (*Frame, error) { return f.AsPublic("") }, &domain.Error{}},
	} {
		g, err := c.do()
		if g != nil || err == nil {
			t.Errorf("%s: not refused", name)
			continue
		}
		found := false
		for e := err; e != nil; e = errors.Unwrap(e) {
			found = found || reflect.TypeOf(e) == reflect.TypeOf(c.want)
		}
		if !found {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
	big := &Schema{Dataset: "d", Columns: []Column{Integer("a", edgesTo(300)...), Integer("b", edgesTo(300)...)}}
	g, err := FromColumns(big, map[string]any{"a": []int{1}, "b": []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	var arg *domain.Error
	if _, err := g.Derive("c", []string{"a", "b"}, same); !errors.As(err, &arg) {
		t.Error(err)
	}
	odd := &Schema{Dataset: "d", Columns: []Column{Categorical("a", "x, y", "x"), Categorical("b", "z", "y, z")}}
	if g, err = FromColumns(odd, map[string]any{"a": []string{"x"}, "b": []string{"z"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.GroupBy("c", "a", "b"); !errors.As(err, &arg) {
		t.Errorf("two groups of one name: %v", err)
	}
}

// Appended rows stand behind the others; rows of a unit add up unless the units are declared disjoint.
func TestAppend(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	a, b := must.Get2(f.Split(.5, 1))(t)
	all := must.Get(a.Append(b))(t)
	if n, ok := all.PublicN(); !ok || n != 6 || all.schema.RowsPerUnit != 2 || fmt.Sprint(codesOf(t, all, "city")) !=
		fmt.Sprint(append(codesOf(t, a, "city"), codesOf(t, b, "city")...)) {
		t.Errorf("%d rows, %d a unit", n, all.schema.RowsPerUnit)
	}
	if got := fmt.Sprint(all.Lineage()); got != "[Append(Split(0.5, 1), train; and Split(0.5, 1), test)]" {
		t.Error(got)
	}
	if kind, shared := all.Selection().Overlap(a.Selection(), true); kind != OverlapPart || shared != 3 {
		t.Errorf("rows of a part: %q, %d", kind, shared)
	}
	disjoint, err := a.AppendDisjoint(b)
	if err != nil || disjoint.schema.RowsPerUnit != 1 {
		t.Error(err)
	}
	some := must.Get(a.Where("city", func(l string) bool { return l == "Ulm" }))(t)
	hidden := must.Get(some.Append(b))(t)
	if _, ok := hidden.PublicN(); ok || hidden.PrivateNStep() != `Where("city")` {
		t.Error("n of a filtered part became public")
	}
	if _, _, err := hidden.Split(.5, 1); err != nil {
		t.Error(err)
	}
	var together *TogetherError
	other := people()
	other.Dataset = "others"
	cut := must.Get(b.Cut("age", 0, 65, 120))(t)
	for name, o := range map[string]*Frame{"nothing": nil, "another data set": mustRead(t, peopleCSV, other),
		"other columns": cut} {
		if _, err := a.Append(o); !errors.As(err, &together) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := a.AppendDisjoint(f); !errors.As(err, &together) {
		t.Errorf("shared rows declared disjoint: %v", err)
	}
}

// A public table is looked up in; a private one is refused, with the reason.
func TestLookup(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	lands := &Schema{Dataset: "towns", Columns: []Column{Categorical("city", "Bern", "Paris", "Other", "Ulm"),
		Categorical("land", "D", "CH", "else"), Real("size", 0, 100, 1000)}}
	read := func(csv string) *Frame { return mustRead(t, csv, lands) }
	full := read("city,land,size\nBern,CH,134.5\nOther,else,0\nUlm,D,126\nParis,else,1000\n")
	var together *TogetherError
	if _, err := f.Lookup("city", full); !errors.As(err, &together) ||
		!strings.Contains(err.Error(), "in a join of two private tables one person's row can meet any number of rows") {
		t.Fatal(err)
	}
	public := func(f *Frame) *Frame {
		return step(t, f, func(f *Frame) (*Frame, error) { return f.AsPublic("a yearbook") })
	}
	g := step(t, f, func(f *Frame) (*Frame, error) { return f.Lookup("city", public(full)) })
	if got := codesOf(t, g, "land"); !reflect.DeepEqual(got, []int{0, 1, 2, 0, 2, 1}) {
		t.Error(got)
	}
	if v, _ := g.Values("size"); !reflect.DeepEqual(v, []float64{126, 134.5, 0, 126, 0, 134.5}) {
		t.Error(v)
	}
	if s := g.schema.Steps[0]; !strings.HasPrefix(s, `Lookup("land", "size" from "towns" by "city": 4 rows with SHA-256 `) ||
		!strings.HasSuffix(s, `; public: "a yearbook")`) {
		t.Error(s)
	}
	changed := step(t, f, func(f *Frame) (*Frame, error) {
		return f.Lookup("city", public(read("city,land,size\nBern,CH,134.6\nOther,else,0\nUlm,D,126\nParis,else,1000\n")))
	})
	if changed.schema.Equal(g.schema) {
		t.Error("another table gives the same schema")
	}
	if _, ok := g.Public(); ok {
		t.Error("private rows became public")
	}
	for name, bad := range map[string]*Frame{"none": nil, "absent": public(read("city,land,size\nBern,CH,1\nUlm,D,1\n")),
		"twice": public(read("city,land,size\nBern,CH,1\nBern,CH,1\nOther,D,1\nUlm,D,1\n"))} {
		if _, err := f.Lookup("city", bad); !errors.As(err, &together) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
