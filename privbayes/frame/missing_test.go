package frame

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Missing numbers are read by the schema alone: as a code of their own without a number, or as the public number.
func TestMissingNumbers(t *testing.T) {
	const column = `{"dataset":"t"%s,"columns":[{"name":"v","kind":%q,%s,"missing":["NA","","-9"],%s}]}`
	const edges = `"edges":[0,5,10]`
	const omit, impute = `"on_missing":"omit"`, `"on_missing":"impute","impute":%s`
	for _, c := range []struct{ schema, text, codes, values string }{
		{fmt.Sprintf(column, "", "real", edges, omit), "v\n1\nNA\n7.5\n-9.0\n", "[0 2 1 2]", "[1 NaN 7.5 NaN]"},
		{fmt.Sprintf(column, "", "real", edges, fmt.Sprintf(impute, "6.25")), "v\n1\nNA\n7.5\n-9.0\n\n", "[0 1 1 1 1]",
			"[1 6.25 7.5 6.25 6.25]"},
		{fmt.Sprintf(column, "", "integer", edges, fmt.Sprintf(impute, "0")), "v\n10\nNA\n", "[1 0]", "[10 0]"},
		{fmt.Sprintf(column, "", "integer", edges, fmt.Sprintf(impute, "10")), "v\n\"NA\"\n1\n", "[1 0]", "[10 1]"},
		{fmt.Sprintf(column, `,"format":{"decimal":",","separator":";"}`, "real", edges, fmt.Sprintf(impute, "2.5")),
			"v\n1,5\n-9,0\n", "[0 0]", "[1.5 2.5]"},
		{fmt.Sprintf(column, "", "integer", `"date":"2006-01-02","date_edges":["1970-01-01","1970-01-11","1970-02-01"]`,
			fmt.Sprintf(impute, "12")), "v\n1970-01-03\nNA\n", "[0 1]", "[2 12]"},
	} {
		s := must.Get(ParseSchema([]byte(c.schema)))(t)
		f := mustRead(t, c.text, s)
		values, err := f.Values("v")
		if fmt.Sprint(codesOf(t, f, "v")) != c.codes || fmt.Sprint(values) != c.values || err != nil {
			t.Errorf("%s, %q: %v %v, %v", c.schema, c.text, codesOf(t, f, "v"), values, err)
		}
		again, err := ParseSchema(s.JSON())
		if err != nil || !again.Equal(s) || !again.Clone().Equal(s) {
			t.Errorf("%s is read again as %s: %v", s.JSON(), again.JSON(), err)
		}
		g := must.Get(f.AsPublic("a test"))(t)
		var b bytes.Buffer
		if err := g.WriteCSV(&b); err != nil || !sameFrame(mustRead(t, b.String(), s), f) {
			t.Errorf("%s: written as %q: %v", c.schema, b.String(), err)
		}
	}
}

// Columns in memory, and frames under another schema: NaN and marks are missing, and those of one way of reading are
// read in the other.
func TestMissingNumbersInMemory(t *testing.T) {
	schema := func(on string) *Schema {
		c := Real("v", 0, 5, 10)
		c.Missing, c.OnMissing = []string{"-9"}, on
		if on == MissingImputed {
			c = c.ImputedAs(6)
		}
		return &Schema{Dataset: "t", Columns: []Column{c}}
	}
	want := map[string]string{MissingAsCategory: "[1 NaN NaN]", MissingOmitted: "[1 NaN NaN]", MissingImputed: "[1 6 6]"}
	for on, values := range want {
		f := must.Get(FromColumns(schema(on), map[string]any{"v": []float64{1, math.NaN(), -9}}))(t)
		if got, err := f.Values("v"); err != nil || fmt.Sprint(got) != values {
			t.Errorf("%s: %v, %v", on, got, err)
		}
		for other := range want {
			g := must.Get(f.Under(schema(other)))(t)
			expect := want[other]
			if on == MissingImputed { // a number by now
				expect = values
			}
			if got, _ := g.Values("v"); fmt.Sprint(got) != expect {
				t.Errorf("%s under %s: %v", on, other, got)
			}
		}
		if _, err := f.Under(schema("")); typed(err, &ValueError{}) == (on == MissingImputed) {
			t.Errorf("%s under a schema that refuses: %v", on, err)
		}
	}
	if f := mustRead(t, "v\n1\n", schema(MissingImputed)); !strings.Contains(f.Schema().String(), `"-9" → 6`) &&
		!strings.Contains(f.Schema().String(), `-9 → 6`) {
		t.Errorf("%s", f.Schema())
	}
}

// Present keeps the rows with a value, hides their number, and leaves a column in which nothing is missing.
func TestPresent(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	g := must.Get(f.Present("age"))(t)
	values, _ := g.Values("age")
	c, _, _ := g.Schema().Column("age")
	_, public := g.PublicN()
	if fmt.Sprint(values, codesOf(t, g, "age")) != "[17 18 65 120] [0 1 2 2]" || c.HasMissing() ||
		c.Levels() != 3 || public {
		t.Errorf("%v %v %+v %v", values, codesOf(t, g, "age"), c, public)
	}
	if got := fmt.Sprint(g.Lineage(), g.Schema().Steps, " ", g.PrivateNStep()); got !=
		`[Present("age")] [WithoutMissing("age")] Present("age")` {
		t.Error(got)
	}
	h, err := g.Present("vote")
	if err != nil || h.Len() != 2 || fmt.Sprint(codesOf(t, h, "vote")) != "[0 1]" {
		t.Errorf("%v, %v", h, err)
	}
	if k, _ := f.Selection().Overlap(g.Selection(), true); k != OverlapPart {
		t.Errorf("the rows with a value are %q of all", k)
	}
	w, err := f.Where("age", func(label string) bool { return label != "missing" })
	if err != nil || w.Len() != g.Len() {
		t.Errorf("Where keeps %d rows, Present %d: %v", w.Len(), g.Len(), err)
	}
	for _, name := range []string{"income", "city", "trip", "none"} {
		if _, err := f.Present(name); !typed(err, &ColumnError{}) {
			t.Errorf("Present(%q): %v", name, err)
		}
	}
	if _, err := g.Present("age"); !typed(err, &ColumnError{}) {
		t.Errorf("Present twice: %v", err)
	}
}
