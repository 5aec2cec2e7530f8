package frame

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
)

// The nodes of a tree hold all codes: children are in order, each of one node, and every name is found where it is.
func TestHierarchy(t *testing.T) {
	for within, want := range map[string][]string{
		`{"codes": ["I21", "I210", "I219", "I5", "J", "J1é", "J1è"], "levels": [1, 3]}`: {"I*", "I21*", "I21", "I210", "I219",
			"I5", "J*", "J", "J1è", "J1é"},
		`{"length": 2, "alphabet": "ab", "levels": [1]}`: {"a*", "aa", "ab", "b*", "ba", "bb"},
		`{"codes": ["a", "b"]}`:                          {"a", "b"},
		`{"length": 3, "alphabet": "01", "levels": [1, 2], "shares": [1, 1, 2]}`: {"0*", "00*", "000", "001", "01*", "010",
			"011", "1*", "10*", "100", "101", "11*", "110", "111"},
	} {
		s := must.Get(withinSchema(within))(t)
		h := must.Get(s.OpenColumn("product"))(t).Within.Hierarchy()
		var names []string
		next := make([]uint64, h.Depth()+1)
		var walk func(level int, place uint64)
		walk = func(level int, place uint64) {
			if place != next[level] {
				t.Errorf("%s: node %d of level %d is the child of two, or of none", within, place, level)
			}
			next[level]++
			name := h.Name(level, place)
			names = append(names, name)
			if at, p, in := h.Find(name); !in || at != level || p != place {
				t.Errorf("%s: %s is found at %d, %d", within, name, at, p)
			}
			first, n := h.Children(level, place)
			for i := range n {
				walk(level+1, first+i)
			}
		}
		for i := range h.Nodes(0) {
			walk(0, i)
		}
		for level, n := range next[:h.Depth()] {
			if n != h.Nodes(level) {
				t.Errorf("%s: %d of %d nodes of level %d", within, n, h.Nodes(level), level)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: %q", within, names)
		}
		for _, no := range []string{"", "*", "I2*", "I210*", "c", "0000", "a**", "00", "J1*"} {
			if _, _, in := h.Find(no); in && !slices.Contains(want, no) {
				t.Errorf("%s: %q is found", within, no)
			}
		}
		if back := must.Get(ParseSchema(s.JSON()))(t); !back.Equal(s) {
			t.Error(back)
		}
	}
}

// Levels and shares that are none are refused with what they have to be.
func TestLevelsRefused(t *testing.T) {
	const codes, texts = `"codes": ["a1", "a2", "b"], `, `"length": 3, "alphabet": "0-9", `
	for within, want := range map[string]string{
		codes + `"levels": [2]`: "below 2", texts + `"levels": [1, 3]`: "below 3", texts + `"levels": [0]`: "from 1 on",
		texts + `"levels": [2, 1]`: "above the one", texts + `"levels": [1, 1]`: "above the one",
		texts + `"levels": [-1]`: "from 1 on",
		`"levels": [1]`:          "alphabet", texts + `"shortest": 2, "levels": [1]`: "one \"length\"",
		`"length": 3, "alphabet": "0-9*", "levels": [1]`: "star", `"codes": ["a*", "ab"], "levels": [1]`: "star",
		texts + `"levels": [1], "shares": [1]`: "one of each", texts + `"shares": [1]`: "one of each",
		texts + `"levels": [1], "shares": [0, 1]`: "1 to 100", texts + `"levels": [1], "shares": [1, 101]`: "1 to 100",
		`"length": 20, "alphabet": "01", "levels": [1, 2, 3, 4, 5, 6, 7, 8, 9]`: "at most 8",
		`"length": 7, "alphabet": "A-Z0-9", "levels": [2]`:                      "2^32",
	} {
		_, err := withinSchema("{" + within + "}")
		var e *SchemaError
		if !errors.As(err, &e) || e.Column != "product" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", within, err, want)
		}
	}
	for _, says := range []string{`"other": "1*"`, `"missing": ["2*"], "on_missing": "category"`, `"other": "1\uff0a"`} {
		_, err := ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "c", "kind": "open", ` + says +
			`, "within": {"length": 2, "alphabet": "0-9", "levels": [1]}}]}`))
		var e *SchemaError
		if !errors.As(err, &e) || e.Field != "levels" {
			t.Error(says, err)
		}
	}
}

// Only a list that was found keeps its superset, which says how codes are read: a range has none.
func TestRangeHasNoLevels(t *testing.T) {
	_, err := ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "c", "kind": "real", "edges": [0, 1],
		"found": {"what": "bounds", "release": "r", "epsilon": 1, "adjacency": "add-remove", "unit": "person", "at_most": 1},
		"within": {"length": 2, "alphabet": "0-9", "levels": [1]}}]}`))
	var e *SchemaError
	if !errors.As(err, &e) || e.Field != "within" {
		t.Error(err)
	}
}

// A unit counts once in a node, of those of its codes that count; values that are no codes count nowhere.
func TestCountLevels(t *testing.T) {
	const rows = "id,product\n1,a1\n1,a2\n1,b1\n2,a2\n2,zz\n3,a2\n3,a2\n4,\n"
	for _, c := range []struct {
		key  string
		most int
		want string
	}{
		{"", 1, "[a b] [5 1] [a1 a2 b1] [1 4 1]"}, {"id", 9, "[a b] [3 1] [a1 a2 b1] [1 3 1]"},
	} {
		s := must.Get(withinSchema(`{"codes": ["a1", "a2", "b1", "b2"], "levels": [1]}`))(t)
		if s.UnitKey = c.key; c.key != "" {
			s.RowsPerUnit = 9
		}
		in := Input{Paths: []string{written(t, rows)}}
		got := must.Get(CountOpen(context.Background(), access.Mine(), in, s, "product", c.most))(t)
		have := fmt.Sprint(got.Levels[0].Categories, got.Levels[0].Units, got.Categories, got.Units)
		if have = strings.Trim(have, " "); have != c.want {
			t.Errorf("%+v: %s", c, have)
		}
		h := must.Get(s.OpenColumn("product"))(t).Within.Hierarchy()
		if places, units := h.Held(0, got); !slices.Equal(places, []uint64{0, 1}) || units[1] != 1 {
			t.Error(places, units)
		}
	}
	s := must.Get(withinSchema(`{"codes": ["a1", "a2", "b1", "b2"], "levels": [1]}`))(t)
	s.UnitKey, s.RowsPerUnit = "id", 9
	in := Input{Paths: []string{written(t, rows)}}
	got := must.Get(CountOpen(context.Background(), access.Mine(), in, s, "product", 1))(t)
	sum := int64(0)
	for _, n := range got.Levels[0].Units {
		sum += n
	}
	if sum != 3 {
		t.Errorf("%+v: a unit of one code lies in one node", got)
	}
}

// A value is read as the deepest category that was found: the code, the longest beginning, or others. Texts that are no
// codes are others, however they begin. The same text to Unicode is the same code.
func TestReadsTheDeepest(t *testing.T) {
	s := must.Get(withinSchema(`{"codes": ["é1x", "é1y", "é1z", "é2x", "b1x", "b1y"], "levels": [1, 2]}`))(t)
	c := must.Get(s.OpenColumn("product"))(t)
	s.Columns[0] = c.FoundAs([]string{"é*", "é1*", "é1x"}, &Found{Release: "r", Epsilon: 1, Adjacency: "replace-one",
		Unit: "person", AtMost: 1})
	s = must.Get(ParseSchema(s.JSON()))(t)
	coder := must.Get(NewCoder(access.Mine(), s, "product"))(t)
	var got []string
	for _, text := range strings.Fields("é1x e\u03011x é1y e\u03011z é2x b1x é1w é1 NA é1*") {
		code, _, ok := coder.Text([]byte(text))
		if !ok {
			t.Fatal(text)
		}
		got = append(got, s.Columns[0].Labels()[code])
	}
	if want := "[é1x é1x é1* é1* é* other other other missing é1*]"; fmt.Sprint(got) != want {
		t.Errorf("%v; want %s", got, want)
	}
}
