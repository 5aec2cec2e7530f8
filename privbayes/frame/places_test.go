package frame

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// placedCensus is census with places for the two persons that stay.
func placedCensus(order string) *Schema {
	s := census("drop", "drop")
	s.Tables[1].Places, s.Tables[1].Order = true, order
	return s
}

// hashOf is the hash of a person's first copy, written a second time.
func hashOf(p person) string {
	inner := fmt.Sprintf("%x", md5.Sum([]byte(p.of+"\x1f"+p.age+"\x1f"+p.income)))
	return fmt.Sprintf("%x", md5.Sum([]byte("1:"+inner)))
}

// placedByHand are the children of a unit that stay, in the order of their places: the eldest first, or by hash alone.
func placedByHand(children []person, most int, eldest bool) []person {
	ranks, copies := map[string]person{}, map[person]int{}
	for _, p := range children {
		copies[p]++
		inner := fmt.Sprintf("%x", md5.Sum([]byte(p.of+"\x1f"+p.age+"\x1f"+p.income)))
		ranks[fmt.Sprintf("%x", md5.Sum(fmt.Appendf(nil, "%d:%s", copies[p], inner)))] = p
	}
	var order []string
	for rank := range ranks {
		order = append(order, rank)
	}
	slices.Sort(order)
	var kept []person
	for _, rank := range order[:min(most, len(order))] {
		kept = append(kept, ranks[rank])
	}
	slices.SortFunc(kept, func(a, b person) int {
		if by := whole10(b.age) - whole10(a.age); eldest && by != 0 {
			return by
		}
		return strings.Compare(hashOf(a), hashOf(b))
	})
	return kept
}

// wideByHand adds the places of some children to a row.
func wideByHand(row string, kept []person, most int) string {
	for i := range most {
		p := person{age: "absent", income: "missing"}
		if i < len(kept) {
			p = kept[i]
		}
		row += " " + p.age + " " + strings.ReplaceAll(p.income, "NA", "missing")
	}
	return row
}

// wideRows makes the rows of all units by hand.
func wideRows(parents []household, children []person, kept func(of []person) []person) (rows []string) {
	for _, h := range distinctKeys(parents) {
		var all []household
		var of []person
		for _, o := range parents {
			if o.hid == h.hid {
				all = append(all, o)
			}
		}
		for _, p := range children {
			if p.of == h.hid {
				of = append(of, p)
			}
		}
		rows = append(rows, wideByHand(rowByHand(all, of, 2), kept(of), 2))
	}
	return rows
}

// A unit that comes, goes or is replaced moves exactly its own wide row, and the order of files means nothing. All
// units of the enumeration; rows are those that are made by hand. Places by the order of the file, and places that go
// on from one unit to the next, are found out.
func TestAUnitMovesOneWideRow(t *testing.T) {
	for _, order := range []string{"-age", ""} {
		kept := func(of []person) []person { return placedByHand(of, 2, order != "") }
		production := func(parents []household, children []person) []string {
			h, p := columnsOf(parents, children)
			rows := unitRowsOf(t, must.Get(TablesFromColumns(placedCensus(order), h, p))(t))
			want := wideRows(parents, children, kept)
			if slices.Sort(want); !slices.Equal(rows, want) {
				t.Fatalf("order %q: %q, want %q", order, rows, want)
			}
			return rows
		}
		if got := fault(production); got != "" {
			t.Errorf("order %q: %s", order, got)
		}
	}
	for name, mutant := range map[string]struct {
		join joiner
		want string
	}{
		"places by the order of the file": {func(parents []household, children []person) []string {
			return wideRows(parents, children, func(of []person) []person { return of[:min(2, len(of))] })
		}, "the order of rows matters"},
		"places that go on from unit to unit": {func(parents []household, children []person) []string {
			at := 0
			slices.SortFunc(parents, func(a, b household) int { return cmp.Compare(a.hid, b.hid) })
			return wideRows(parents, children, func(of []person) []person {
				all := placedByHand(of, 2, true)
				if at += len(all); at%2 == 1 {
					slices.Reverse(all)
				}
				return all
			})
		}, "a unit moves the row of another"},
	} {
		if got := fault(mutant.join); got != mutant.want {
			t.Errorf("%s: found %q, want %q", name, got, mutant.want)
		}
	}
}

// Public wide rows become two tables: keys are 1, 2, …, each child has a parent, and there are as many of each as its
// number says. Read again under the same schema they are the same wide rows. A number that was taken before the cap is
// found out.
func TestWideRowsBecomeTwoTables(t *testing.T) {
	s := must.Get(ParseSchema(placedCensus("-age").JSON()))(t)
	rapid.Check(t, func(r *rapid.T) {
		parents, children := []household(nil), []person(nil)
		for i := range rapid.IntRange(1, 6).Draw(r, "parents") {
			parents = append(parents, household{fmt.Sprint("h", i), rapid.SampledFrom([]string{"n", "s"}).Draw(r, "region")})
			for range rapid.IntRange(0, 4).Draw(r, "children") {
				age := rapid.SampledFrom([]string{"0", "4", "17", "70"}).Draw(r, "age")
				children = append(children, person{fmt.Sprint("h", i), age, map[string]string{"0": "NA", "4": "3", "17": "NA",
					"70": "20"}[age]})
			}
		}
		h, c := columnsOf(parents, children)
		wide := must.Get(must.Get(TablesFromColumns(s, h, c))(t).AsPublic("made"))(t)
		p, q, err := SplitTables(wide, s)
		if err != nil {
			r.Fatal(err)
		}
		keys, of, number := must.Get(p.Values("hid"))(t), must.Get(q.Values("of"))(t), map[float64]int{}
		for _, key := range of {
			number[key]++
		}
		size := must.Get(wide.Codes("size"))(t)
		for i, key := range keys {
			if key != float64(i+1) || number[key] != size.At(i) {
				r.Fatalf("key %v of row %d has %d children, want %d", key, i, number[key], size.At(i))
			}
			delete(number, key)
		}
		if len(number) > 0 || p.Len() != wide.Len() {
			r.Fatalf("orphans %v; %d parents", number, p.Len())
		}
		var texts [2]bytes.Buffer
		for i, f := range []*Frame{p, q} {
			must.Do(t, f.WriteCSV(&texts[i]))
		}
		again := must.Get(ReadTables(t.Context(), []Shard{{"h", &texts[0]}, {"p", &texts[1]}}, s))(t)
		if got, want := unitRowsOf(t, again), unitRowsOf(t, wide); !slices.Equal(got, want) {
			r.Fatalf("read again %q, want %q", got, want)
		}
	})
	h, c := columnsOf([]household{{"a", "n"}}, []person{{"a", "4", "3"}})
	wide := must.Get(TablesFromColumns(s, h, c))(t)
	var private *PrivateRowsError
	for _, rows := range []*Frame{wide, nil} {
		if _, _, err := SplitTables(rows, s); !errors.As(err, &private) {
			t.Errorf("private rows: %v", err)
		}
	}
	wide = must.Get(wide.AsPublic("made"))(t)
	before := *wide
	before.cols = slices.Clone(wide.cols)
	before.cols[1].codes = Codes{U8: []uint8{2}, Levels: 3} // a number of children before the cap
	var value *ValueError
	if _, _, err := SplitTables(&before, s); !errors.As(err, &value) || value.Column != "age_2" {
		t.Errorf("two children at one place: %v", err)
	}
	var column *ColumnError
	few := must.Get(wide.Select("region", "size", "age_1", "income_1"))(t)
	if _, _, err := SplitTables(few, s); !errors.As(err, &column) || column.Column != "age_2" {
		t.Errorf("a place is not there: %v", err)
	}
	var schema *SchemaError
	if _, _, err := SplitTables(wide, census("", "")); !errors.As(err, &schema) || schema.Field != "places" {
		t.Errorf("no places: %v", err)
	}
}

// Which combinations a wide row cannot have follows from the schema: one column of a place goes with the number of
// children, the others with it, and columns that were changed since go with nothing.
func TestPlacesSayWhoIsThere(t *testing.T) {
	s := must.Get(ParseSchema(placedCensus("-income").JSON()))(t)
	want := []Place{{"age_1", "size", 0, false}, {"income_1", "age_1", -1, true}, {"age_2", "size", 1, false},
		{"income_2", "age_2", -1, true}}
	if got := s.Places(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if again := must.Get(ParseSchema(s.JSON()))(t); !again.Equal(s) || !slices.Equal(again.Places(), want) {
		t.Errorf("read again: %s", again.JSON())
	}
	if facts := s.Links(); !strings.Contains(facts, `each at a place of its own by "-income"`) {
		t.Error(facts)
	}
	_, i, _ := s.Column("age_1")
	s.Columns[i].Edges[1] = 7
	if got := s.Places(); !slices.Equal(got, want[2:]) {
		t.Errorf("changed bins: %+v", got)
	}
	if got := census("", "").Places(); got != nil {
		t.Errorf("no places: %+v", got)
	}
}

// Places that cannot be are refused by field and column.
func TestPlacesThatCannotBe(t *testing.T) {
	sequence := Column{Name: "visits", Kind: KindSequence, Categories: []string{"x"}, Separator: " ", MaxLength: 2}
	for name, c := range map[string]struct {
		change        func(persons, households *Linked)
		column, field string
	}{
		"an order without places":   {func(p, _ *Linked) { p.Places = false }, "", "order"},
		"an order of no column":     {func(p, _ *Linked) { p.Order = "-height" }, "", "order"},
		"an order by a parent's":    {func(p, _ *Linked) { p.Order = "region" }, "", "order"},
		"without the number":        {func(p, _ *Linked) { p.PerUnit = p.PerUnit[1:] }, "", "places"},
		"a number in coarse bins":   {func(p, _ *Linked) { p.PerUnit[0].Edges = []float64{0, 1, 2} }, "", "places"},
		"too many for the cap":      {func(p, _ *Linked) { p.AtMost = 65 }, "", "at_most"},
		"a place named like others": {func(_, h *Linked) { h.Columns[0].Name = "age_2" }, "age_2", "name"},
		"of sequences":              {func(p, _ *Linked) { p.Columns = append(p.Columns, sequence) }, "visits_1", "places"},
		"places of parents": {func(_, h *Linked) { h.Places = true }, "",
			"at_most, orphans or per_unit"},
		"a category like no child": {func(p, _ *Linked) {
			p.Columns = append(p.Columns, Categorical("job", "absent", "y"))
		}, "job_1", "categories"},
		"too many places": {func(p, _ *Linked) {
			for i := range 3 {
				p.Columns = append(p.Columns, Categorical(fmt.Sprint("c", i), "x", "y"))
			}
			p.AtMost = 64
		}, "", "places"},
	} {
		s := placedCensus("-age")
		c.change(&s.Tables[1], &s.Tables[0])
		var e *SchemaError
		if _, err := TablesFromColumns(s, nil, nil); !errors.As(err, &e) || e.Column != c.column || e.Field != c.field {
			t.Errorf("%s: %v, want column %q, field %q", name, err, c.column, c.field)
		}
	}
}

// A column of children that leaves no room for a place without a child is refused by its name, and so is a number of
// children with bounds other than 0 and at_most.
func TestPlacesNeedRoom(t *testing.T) {
	for name, c := range map[string]struct {
		column, number, want string
	}{
		"a category":            {`"categories": ["absent", "here"]`, ``, `column "came_1": categories is "absent"`},
		"one to Unicode":        {`"categories": ["here", "ａbsent"]`, ``, `column "came_1": categories is "ａbsent"`},
		"an alias":              {`"categories": ["n"], "aliases": [{"category": "n", "texts": ["absent"]}]`, ``, `"absent"`},
		"missing values":        {`"categories": ["absent", "here"], "missing": ["?"], "on_missing": "category"`, ``, ""},
		"a least number":        {`"categories": ["no", "yes"]`, `, "min": -3`, "without the number of children"},
		"a greatest number":     {`"categories": ["no", "yes"]`, `, "max": 2`, "without the number of children"},
		"not known yet":         {`"missing": []`, ``, `"unit_key": "id"`},
		"the edges that follow": {`"categories": ["no", "yes"]`, `, "edges": [0, 1, 2, 3]`, ""},
	} {
		_, err := ParseSchema(fmt.Appendf(nil, `{"dataset": "course", "unit": "pupil", "tables": [
			{"name": "pupils", "key": "id", "columns": [{"name": "form", "kind": "categorical", "categories": ["a", "b"]}]},
			{"name": "days", "of": "pupils", "key": "id", "at_most": 2, "places": true, "columns": [
				{"name": "came", "kind": %q, %s}], "per_unit": [{"name": "days", "is": "count"%s}]}]}`,
			map[bool]string{true: "open", false: "categorical"}[name == "not known yet"], c.column, c.number))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
