package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
)

// withinSchema has an open column with a superset.
func withinSchema(within string) (*Schema, error) {
	return ParseSchema([]byte(`{"dataset": "sales", "columns": [{"name": "product", "kind": "open", "missing": ["NA"],
		"on_missing": "category", "within": ` + within + `}]}`))
}

// The places of a superset are all numbers below its size, each with a text of its own, in the order of lengths and
// texts.
func TestWithinPlaces(t *testing.T) {
	for within, want := range map[string][2]string{
		`{"codes": ["b", "a", "é", "A 1"]}`:                            {"A 1", "é"},
		`{"length": 3, "alphabet": "a-z0-9"}`:                          {"000", "zzz"},
		`{"length": 3, "shortest": 1, "alphabet": "ba"}`:               {"a", "bbb"},
		`{"length": 2, "shortest": 2, "alphabet": "-x.", "beta": 0.5}`: {"--", "xx"},
		`{"length": 2, "alphabet": "0-9A-F"}`:                          {"00", "FF"},
		`{"length": 1, "alphabet": "2-7_-"}`:                           {"-", "_"},
	} {
		s := must.Get(withinSchema(within))(t)
		w := must.Get(s.OpenColumn("product"))(t).Within
		n := w.Size()
		seen := map[string]bool{}
		for i := range n {
			text := w.At(i)
			if place, in := w.Place(text); !in || place != i || seen[text] {
				t.Fatal(within, i, text, place, in)
			}
			seen[text] = true
		}
		if w.At(0) != want[0] || w.At(n-1) != want[1] {
			t.Error(within, w.At(0), w.At(n-1))
		}
		for _, no := range []string{"", "ab\x00", "zzzz", "B", "é!"} {
			if _, in := w.Place(no); in {
				t.Errorf("%s: %q is one", within, no)
			}
		}
		if back := must.Get(ParseSchema(s.JSON()))(t); !back.Equal(s) {
			t.Error(back)
		}
	}
	signs := "-!\"#$%&'()*+,./:;<=>?@[\\]^_`{|}~0-9A-Za-z"
	c := Column{Name: "c", Kind: KindOpen, Within: &Within{Shortest: 1, Length: 2, Alphabet: signs}}
	if c.Within.Size() != 94+94*94 || c.check() != nil {
		t.Error(c.Within.Size(), c.check())
	}
	for i := range c.Within.Size() { // else a code that nobody holds could be listed, and its file not be read
		if text, ok := c.Listed([]byte(c.Within.At(i))); !ok {
			t.Errorf("%q may not be listed", text)
		}
	}
	w := Within{Length: 6, Alphabet: "A-Z0-9"}
	if w.Size() != 2176782336 || w.At(w.Size()-1) != "ZZZZZZ" || w.AnyFalse() != .05 {
		t.Error(w.Size())
	}
}

// What is no superset is refused with what it says and what it has to be; so is one that texts of other and missing
// values are in.
func TestWithinRefused(t *testing.T) {
	many := make([]string, mostCodes+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	long := string(must.Get(json.Marshal(many))(t))
	for within, want := range map[string]string{
		`{}`: "length 0", `{"codes": [""]}`: "the code", `{"codes": ["a", "a"]}`: "twice", `{"codes": ["other"]}`: "the code",
		`{"codes": ["NA"]}`: "the code", `{"codes": ["missing"]}`: "the code", `{"codes": ["ﬁ"]}`: "the code",
		`{"codes": ["a"], "length": 2}`: "or", `{"codes": ["` + strings.Repeat("x", 201) + `"]}`: "at most 200",
		`{"length": 2, "alphabet": "A-Z"}`: "NA", `{"length": 5, "alphabet": "a-z"}`: "a list of",
		`{"length": 7, "alphabet": "A-Z0-9"}`: "2^32", `{"length": 1000000000, "alphabet": "ab"}`: "2^32",
		`{"length": 9223372036854775807, "alphabet": "ab"}`: "2^32", `{"length": 2, "alphabet": "z-a"}`: "ASCII",
		`{"length": 2, "alphabet": "A-z"}`: "ASCII", `{"length": 2, "alphabet": "a-a"}`: "ASCII",
		`{"length": 2, "alphabet": "A-F-9"}`: "dash", `{"length": 2, "alphabet": "--x"}`: "dash",
		`{"length": 2, "alphabet": "x-."}`: "dash", `{"length": 2, "alphabet": "é"}`: "ASCII",
		`{"length": 2, "alphabet": "aa"}`:  "ASCII",
		`{"length": 2, "alphabet": "a b"}`: "ASCII", `{"length": 2, "alphabet": "A"}`: "two ASCII",
		`{"length": -2, "alphabet": "A-Z"}`: "above 0", `{"length": 2, "shortest": 3, "alphabet": "A-Z"}`: "above 0",
		`{"codes": ["a"], "beta": 0}`: "above 0 and below 1", `{"codes": ["a"], "beta": -0.0}`: "or none for 0.05",
		`{"length": 2, "shortest": 0, "alphabet": "a-z"}`: "a length of 1 or more",
		`{"codes": ["a"], "beta": 1}`:                     "below 1", `{"codes": ["a"], "beta": -0.1}`: "below 1",
		`{"codes": ` + long + `}`: "at most 1000000",
	} {
		_, err := withinSchema(within)
		var e *SchemaError
		if !errors.As(err, &e) || e.Field != "within" || e.Column != "product" || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v; want %s", within, err, want)
		}
	}
	var e *SchemaError
	for _, says := range []string{`"missing": ["\u212a"], "on_missing": "category"`, `"other": "\u212a"`,
		`"missing": ["x"], "missing_category": "\u212a", "on_missing": "category"`} { // Kelvin's sign, whose form is K
		_, err := ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "c", "kind": "open", ` + says +
			`, "within": {"length": 1, "alphabet": "A-Z"}}]}`))
		if !errors.As(err, &e) || e.Field != "within" {
			t.Error(says, err)
		}
	}
	if _, err := ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "c", "kind": "categorical", "categories":
		["a"], "within": {"codes": ["a"]}}]}`)); !errors.As(err, &e) || e.Field != "within" {
		t.Error(err)
	}
}

// Lines are codes; what is too much or nothing is refused.
func TestReadCodesOfLines(t *testing.T) {
	w := must.Get(ReadCodes("\ufeffb\r\n\na 1\n c"))(t)
	if !slices.Equal(w.Codes, []string{"b", "a 1", " c"}) {
		t.Error(w.Codes)
	}
	var e *SchemaError
	for _, text := range []string{"", "\n\n", strings.Repeat("a\n", mostCodes+1)} {
		if _, err := ReadCodes(text); !errors.As(err, &e) || e.Field != "within" {
			t.Error(err)
		}
	}
}

// Values outside the superset are not counted, and take no place among the categories of a unit that are.
func TestCountWithin(t *testing.T) {
	s := must.Get(withinSchema(`{"codes": ["a", "b", "é"]}`))(t)
	s.UnitKey, s.RowsPerUnit = "id", 9
	rows := "id,product\n1,x\n1,a\n1,y\n1,z\n1,NA\n2,b\n2,b\n3,e\u0301\n3,c\n4,\n"
	for _, most := range []int{1, 2} {
		in := Input{Paths: []string{written(t, rows)}}
		got := must.Get(CountOpen(context.Background(), access.Mine(), in, s, "product", most))(t)
		if !slices.Equal(got.Categories, []string{"a", "b", "é"}) || !slices.Equal(got.Units, []int64{1, 1, 1}) {
			t.Error(most, got)
		}
	}
}
