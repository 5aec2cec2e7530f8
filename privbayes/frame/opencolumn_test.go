package frame

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

func openSchema(t *testing.T, more string) *Schema {
	t.Helper()
	return must.Get(ParseSchema([]byte(`{"dataset": "sales", ` + more + `"columns": [{"name": "product", "kind": "open",
		"missing": ["NA"], "on_missing": "category", "other": "elsewhere"},
		{"name": "paid", "kind": "categorical", "categories": ["no", "yes"]}]}`)))(t)
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Texts that cannot be categories of the schema that is made of them are left to the others, and so are missing values;
// the list of the rest is valid.
func TestOpenTexts(t *testing.T) {
	s := openSchema(t, "")
	texts := []string{"b", "a", "a", "NA", "", "elsewhere", "missing", strings.Repeat("x", 201), strings.Repeat("é", 200),
		" c", "ﬁ", "fi", "d\u202e", "\xff", "e\u0301", "é", `"q,\n"`}
	var rows strings.Builder
	rows.WriteString("paid,product\n")
	for _, x := range texts {
		rows.WriteString("no," + x + "\n")
	}
	paths := []string{written(t, rows.String())}
	got := must.Get(CountOpen(context.Background(), access.Mine(), Input{Paths: paths}, s, "product", 1))(t)
	want := []string{"a", "b", "fi", `q,\n`, "é", strings.Repeat("é", 200)}
	slices.Sort(want)
	if !slices.Equal(got.Categories, want) || got.Units[0] != 2 || got.Units[slices.Index(got.Categories, "é")] != 2 {
		t.Error(got)
	}
	if err := s.Validate(); err == nil {
		t.Error("an open column reads tables")
	}
	s.Columns[0] = s.Columns[0].FoundAs(got.Categories, &Found{Release: "r", Epsilon: 1, Delta: 1e-9,
		Adjacency: "add-remove", Unit: "person", AtMost: 1})
	must.Do(t, s.Validate())
	f := must.Get(Read(context.Background(), strings.NewReader(rows.String()), "t", s))(t)
	if labels := f.Schema().Columns[0].Labels(); len(labels) != len(want)+2 || len(s.Warnings()) == 0 ||
		s.Warnings()[0].Kind != DomainFound {
		t.Error(labels)
	}
	back := must.Get(ParseSchema(s.JSON()))(t)
	if !back.Equal(s) || *back.Columns[0].Found != *s.Columns[0].Found {
		t.Error(back)
	}
	back.Unit = "household"
	var e *SchemaError
	if err := back.Validate(); !errors.As(err, &e) || e.Field != "found" {
		t.Error(err)
	}
}

// A unit counts once in a category, in at most as many as asked for, whatever the order of its rows and whatever others
// have.
func TestOpenUnits(t *testing.T) {
	s := openSchema(t, `"unit_key": "id", "rows_per_unit": 3, `)
	var rows []string
	for u := range 40 {
		for c := range u % 7 {
			rows = append(rows, fmt.Sprintf("%d,c%d,no", u, c), fmt.Sprintf("%d,c%d,yes", u, c))
		}
	}
	count := func(rows []string, most int) *OpenCounts {
		path := written(t, "id,product,paid\n"+strings.Join(rows, "\n")+"\n")
		return must.Get(CountOpen(context.Background(), access.Mine(), Input{Paths: []string{path}}, s, "product", most))(t)
	}
	all := count(rows, 2)
	if all.Categories[0] != "c0" || slices.Max(all.Units) > 40 {
		t.Error(all)
	}
	total := int64(0)
	for _, n := range all.Units {
		total += n
	}
	want := int64(0)
	for u := range 40 {
		want += int64(min(u%7, 2))
	}
	if total != want {
		t.Errorf("%d places of units, want %d", total, want)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		mixed := slices.Clone(rows)
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got := count(mixed, 2); !slices.Equal(got.Units, all.Units) || !slices.Equal(got.Categories, all.Categories) {
			t.Fatal(got, all)
		}
	}
	for u := range 40 { // without one unit at most two counts are one lower
		less := slices.DeleteFunc(slices.Clone(rows), func(x string) bool { return strings.HasPrefix(x, fmt.Sprint(u, ",")) })
		moved := int64(0)
		got := count(less, 2)
		for i, c := range all.Categories {
			n := int64(0)
			if at := slices.Index(got.Categories, c); at >= 0 {
				n = got.Units[at]
			}
			if d := all.Units[i] - n; d < 0 || d > 1 {
				t.Fatal(u, c, d)
			}
			moved += all.Units[i] - n
		}
		if moved > 2 {
			t.Fatal(u, moved)
		}
	}
}

// What cannot be counted is refused by a typed error.
func TestOpenRefused(t *testing.T) {
	ctx, s := context.Background(), openSchema(t, "")
	keyed := openSchema(t, `"unit_key": "id", `)
	good := written(t, "product,paid\na,no\n")
	var column *ColumnError
	var schema *SchemaError
	var value *ValueError
	var argument *domain.Error
	for name, c := range map[string]struct {
		s      *Schema
		path   string
		column string
		most   int
		as     any
	}{
		"no such column":       {s, good, "x", 1, &column},
		"a closed column":      {s, good, "paid", 1, &column},
		"no key in the file":   {keyed, good, "product", 1, &column},
		"a column twice":       {s, written(t, "product,product\na,b\n"), "product", 1, &column},
		"rows as units":        {openSchema(t, `"rows_per_unit": 2, `), good, "product", 1, &schema},
		"several of one row":   {s, good, "product", 2, &argument},
		"none":                 {keyed, good, "product", 0, &argument},
		"a row without a unit": {keyed, written(t, "product,id\na,\n"), "product", 1, &value},
		"a field more":         {s, written(t, "product,paid\na,no,1\n"), "product", 1, &value},
	} {
		in := Input{Paths: []string{c.path}}
		if _, err := CountOpen(ctx, access.Mine(), in, c.s, c.column, c.most); !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := CountOpen(ctx, access.Key{}, Input{Paths: []string{good}}, s, "product", 1); !errors.Is(err, ErrSealed) {
		t.Error(err)
	}
	for _, text := range []string{`"categories": ["a"]`, `"edges": [1, 2]`, `"other": ""`, `"missing": ["other"]`,
		`"on_out_of_domain": "other"`, `"aliases": [{"category": "a", "texts": ["b"]}]`, `"separator": ";"`} {
		_, err := ParseSchema([]byte(`{"dataset": "d", "columns": [{"name": "a", "kind": "open", ` + text + `}]}`))
		if (err == nil) != (text == `"other": ""`) {
			t.Error(text, err)
		}
	}
}
