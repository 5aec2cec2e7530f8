package main

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// crossing is a random table, a declaration of units and the steps that a source has.
type crossing struct {
	hostile
	part  *source.Part
	where []string // labels of v
}

func drawCrossing(r *rand.Rand) (c crossing) {
	keys := map[string][]string{"text": {"x", "y", "1.0", "ä", "a b"}, "whole": {"1", "2", "-3", "40", "500"},
		"float": {"1000", "0.5", "-7", "0.00001", "30000000"}}
	values := map[string][]string{"text": {"a", "b", "c"}, "whole": {"0", "1", "2", "3", "9"},
		"float": {"0.5", "1", "2.75", "9"}}
	columns := map[string]string{"text": `"kind":"categorical","categories":["a","b","c"]`,
		"whole": `"kind":"integer","edges":[0,2,10],"missing":["9.0"],"on_missing":"category"`,
		"float": `"kind":"real","edges":[0,1,10],"missing":["9"],"on_missing":"category"`}
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	c.types = [2]string{pick([]string{"text", "whole", "float"}), pick([]string{"text", "whole", "float"})}
	for range 20 + r.IntN(30) {
		c.rows = append(c.rows, [2]string{pick(keys[c.types[0]]), pick(values[c.types[1]])})
	}
	head := `"extra_columns":true`
	if units := r.IntN(4); units > 0 {
		head = fmt.Sprintf(`"unit_key":"k","rows_per_unit":%d`, units)
		if r.IntN(2) == 0 {
			head += `,"pad_units":true`
			columns[c.types[1]] += fmt.Sprintf(`,"pad":%q`, values[c.types[1]][0])
		}
	}
	c.schema = fmt.Sprintf(`{"dataset":"t",%s,"columns":[{"name":"v",%s}]}`, head, columns[c.types[1]])
	if r.IntN(3) > 0 {
		if p, err := source.NewPart(pick([]string{"k", "k", "v"}), .5, r.Uint64N(9)); err == nil {
			c.part = &p
			if r.IntN(2) == 0 {
				p = p.Rest()
			}
		}
	}
	return c
}

// want is what a frame makes of the rows that a part keeps.
func (c crossing) want(t *testing.T, s *frame.Schema) string {
	t.Helper()
	text := "k,v\n"
	for _, row := range c.rows {
		if c.part == nil || c.part.Keeps([]byte(row[slices.Index([]string{"k", "v"}, c.part.Column)])) {
			text += row[0] + "," + row[1] + "\n"
		}
	}
	f, err := frame.Read(t.Context(), strings.NewReader(text), "crossing", s)
	if err == nil && c.where != nil {
		f, err = f.Where("v", func(label string) bool { return slices.Contains(c.where, label) })
	}
	if err != nil {
		t.Fatal(err)
	}
	sh, err := model.NewShape(s, model.Categorical("v"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	st, err := source.OfFrame(f).Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(fmt.Sprint(st.Open(access.Mine())[0]), "[]")
}

// TestCrossing: of units of every declaration, whole or in parts by key, with a filter or without, every source that
// has these steps keeps the rows that the frame keeps.
func TestCrossing(t *testing.T) {
	pg, lite, d := postgresDB(t), sqliteDB(t), duckDB(t)
	duck, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = duck.Close() })
	random, divided, filtered := rand.New(rand.NewPCG(33, 5)), map[string]int{}, map[string]int{}
	for range 32 {
		c := drawCrossing(random)
		s, err := frame.ParseSchema([]byte(c.schema))
		if err != nil {
			t.Fatal(err)
		}
		labels := s.Columns[0].Labels()
		for name, open := range c.opened(t, s, pg, lite, duck, d) {
			stepped := c
			got, err := counted(t, func() (source.Source, error) {
				src, err := open()
				if c.part != nil && err == nil {
					if one, ok := src.(source.Divisible); ok {
						divided[name]++
						src, err = one.Part(*c.part)
					} else {
						stepped.part = nil
					}
				}
				if table, ok := src.(*sqlsource.Source); ok && err == nil && len(c.rows)%2 == 0 {
					filtered[name]++
					stepped.where = labels[1:3] // without that of the rows that pad
					src = table.Where("v", stepped.where...)
				}
				return src, err
			})
			if want := stepped.want(t, s); got != want {
				t.Errorf("%s, %v, %s, part %+v, where %q: %s, want %s (%v)", name, c.types, c.schema, stepped.part,
					stepped.where, got, want, err)
			}
		}
	}
	if len(divided) < 11 || len(filtered) < 8 {
		t.Errorf("few sources were divided or filtered: %v, %v", slices.Sorted(maps.Keys(divided)),
			slices.Sorted(maps.Keys(filtered)))
	}
}
