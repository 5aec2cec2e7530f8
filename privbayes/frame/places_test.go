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
func placedCensus(order string) *Schema { return fewPlaces(2, true, order) }

// fewPlaces is census with so many persons that stay, and places as the schema says.
func fewPlaces(most int, places any, order string) *Schema {
	s := census("drop", "drop")
	s.Tables[1].AtMost, s.Tables[1].Places, s.Tables[1].Order = most, places, order
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

// wideRows makes the rows of all units by hand, of two persons that stay with so many places.
func wideRows(parents []household, children []person, places int, kept func(of []person) []person) (rows []string) {
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
		rows = append(rows, wideByHand(rowByHand(all, of, 2), kept(of), places))
	}
	return rows
}

// A unit that comes, goes or is replaced moves exactly its own wide row, and the order of files means nothing. All
// units of the enumeration, of whose two persons both or one has a place; rows are those that are made by hand. Places
// by the order of the file, and places that go on from one unit to the next, are found out. A number that counts places
// is a function of the unit, too, and harms nobody; but it is not the number of children.
func TestAUnitMovesOneWideRow(t *testing.T) {
	for _, order := range []string{"-age", ""} {
		for _, places := range []int{2, 1} {
			kept := func(of []person) []person { return placedByHand(of, places, order != "") }
			production := func(parents []household, children []person) []string {
				h, p := columnsOf(parents, children)
				rows := unitRowsOf(t, must.Get(TablesFromColumns(fewPlaces(2, places, order), h, p))(t))
				want := wideRows(parents, children, places, kept)
				if slices.Sort(want); !slices.Equal(rows, want) {
					t.Fatalf("order %q, %d places: %q, want %q", order, places, rows, want)
				}
				return rows
			}
			if got := fault(production); got != "" {
				t.Errorf("order %q, %d places: %s", order, places, got)
			}
		}
	}
	inFile := func(places int) joiner {
		return func(parents []household, children []person) []string {
			return wideRows(parents, children, places, func(of []person) []person { return of[:min(places, len(of))] })
		}
	}
	counted := func(parents []household, children []person) []string { // K after places
		var placed []person
		for _, h := range distinctKeys(parents) {
			placed = append(placed, placedByHand(slices.DeleteFunc(slices.Clone(children), func(p person) bool {
				return p.of != h.hid
			}), 1, true)...)
		}
		return wideRows(parents, placed, 1, func(of []person) []person { return of })
	}
	two := []person{{"a", "70", "20"}, {"a", "0", "NA"}}
	if got, want := counted([]household{{"a", "n"}}, two), wideRows([]household{{"a", "n"}}, two, 1,
		func(of []person) []person { return placedByHand(of, 1, true) }); slices.Equal(got, want) {
		t.Errorf("a number of the children with places is that of all: %q", got)
	}
	for name, mutant := range map[string]struct {
		join joiner
		want string
	}{
		"places by the order of the file":     {inFile(2), "the order of rows matters"},
		"few places by the order of the file": {inFile(1), "the order of rows matters"},
		"a number that counts places":         {counted, ""},
		"places that go on from unit to unit": {func(parents []household, children []person) []string {
			at := 0
			slices.SortFunc(parents, func(a, b household) int { return cmp.Compare(a.hid, b.hid) })
			return wideRows(parents, children, 2, func(of []person) []person {
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
	want := []Place{{"age_1", "size", 0, 0, false}, {"income_1", "age_1", 0, -1, true},
		{"age_2", "size", 1, 1, false}, {"income_2", "age_2", 1, -1, true}}
	if got := s.Places(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if again := must.Get(ParseSchema(s.JSON()))(t); !again.Equal(s) || !slices.Equal(again.Places(), want) {
		t.Errorf("read again: %s", again.JSON())
	}
	if facts := s.Links(); !strings.Contains(facts, `each at a place of its own by "-income"`) {
		t.Error(facts)
	}
	one := must.Get(ParseSchema(fewPlaces(2, 1, "-income").JSON()))(t)
	if got := one.Places(); !slices.Equal(got, want[:2]) {
		t.Errorf("one place of two: %+v, want %+v", got, want[:2])
	}
	if number, _, _ := one.Column("size"); number.Levels() != 3 {
		t.Errorf("one place of two, and the number has %d levels", number.Levels())
	}
	if facts := one.Links(); !strings.Contains(facts, `all of them counted and 1 at places of their own by "-income"`) {
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
		"no children with places":   {func(p, _ *Linked) { p.Places = 0 }, "", "places"},
		"more places than children": {func(p, _ *Linked) { p.Places = 3 }, "", "places"},
		"a part of a place":         {func(p, _ *Linked) { p.Places = 1.5 }, "", "places"},
		"places without a cap":      {func(p, _ *Linked) { p.Places, p.AtMost = 1, 0 }, "", "places"},
		"a number of a parent's":    {func(_, h *Linked) { h.Places = 1 }, "", "at_most, orphans or per_unit"},
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

// Places are true, or a whole number: what else stands there is refused by table and value, with what is expected. As
// many places as children are the same as true, to the byte.
func TestPlacesAreSoMany(t *testing.T) {
	text := string(placedCensus("-age").JSON())
	for places, want := range map[string]string{
		`-1`: "-1", `0`: "0", `3`: "3", `1.5`: "1.5", `1e99`: "1e+99", `"1"`: `"1"`, `[1]`: "neither",
		`{"n": 1}`: "neither",
	} {
		_, err := ParseSchema([]byte(strings.Replace(text, `"places":true`, `"places":`+places, 1)))
		var e *SchemaError
		if !errors.As(err, &e) || e.Field != "places" || !strings.Contains(e.Value, want) ||
			!strings.Contains(e.Value, "persons") || !strings.Contains(e.Want, "from 1 to 2") {
			t.Errorf("%s: %v", places, err)
		}
	}
	without := strings.Replace(strings.Replace(text, `"places":true`, `"places":1`, 1), `"at_most":2,`, "", 1)
	if _, err := ParseSchema([]byte(without)); err == nil || !strings.Contains(err.Error(), `"at_most"`) ||
		!strings.Contains(err.Error(), "persons") {
		t.Errorf("without at_most: %v", err)
	}
	for _, same := range []any{true, 2, 2.} {
		if got := string(fewPlaces(2, same, "-age").JSON()); got != text {
			t.Errorf("%v: %s, want %s", same, got, text)
		}
	}
	for _, none := range []any{false, nil} {
		if got, want := fewPlaces(2, none, "").JSON(), census("drop", "drop").JSON(); !bytes.Equal(got, want) {
			t.Errorf("%v: %s, want %s", none, got, want)
		}
	}
	one := fewPlaces(2, 1, "-age")
	again := must.Get(ParseSchema(one.JSON()))(t)
	if !again.Equal(one) || !strings.Contains(string(one.JSON()), `"places":1,`) {
		t.Errorf("%s, want %s", again.JSON(), one.JSON())
	}
}

// Where more children are counted than have places, public wide rows still become tables with as many children as each
// number says. Those with places come first. The others are children of other rows with more than have places, after a
// child of the same age where there is one, and a function of the rows alone. Rows with a number beyond the places that
// do not fill them are refused.
func TestChildrenWithoutPlaces(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		most := rapid.IntRange(2, 5).Draw(r, "at most")
		places := rapid.IntRange(1, most-1).Draw(r, "places")
		order := rapid.SampledFrom([]string{"-age", "age", ""}).Draw(r, "order")
		s := must.Get(ParseSchema(fewPlaces(most, places, order).JSON()))(t)
		parents, children := []household(nil), []person(nil)
		for i := range rapid.IntRange(1, 12).Draw(r, "parents") {
			parents = append(parents, household{fmt.Sprint("h", i), "n"})
			for range rapid.IntRange(0, most+1).Draw(r, "children") {
				children = append(children, person{fmt.Sprint("h", i), fmt.Sprint(rapid.IntRange(0, 100).Draw(r, "age")), "3"})
			}
		}
		h, c := columnsOf(parents, children)
		wide := must.Get(must.Get(TablesFromColumns(s, h, c))(t).AsPublic("made"))(t)
		p, q, err := SplitTables(wide, s)
		if err != nil {
			r.Fatal(err)
		}
		if again, other, _ := SplitTables(wide, s); !sameFrame(p, again) || !sameFrame(q, other) {
			r.Fatal("further children are not a function of the rows")
		}
		number, of, ages := must.Get(wide.Codes("size"))(t), must.Get(q.Values("of"))(t), must.Get(q.Values("age"))(t)
		age := func(row, place int) float64 { return must.Get(wide.Values(fmt.Sprint("age_", place+1)))(t)[row] }
		at := 0
		for i := range wide.Len() {
			for k := range number.At(i) {
				if at == len(of) || of[at] != float64(i+1) {
					r.Fatalf("row %d has not %d children: %v", i, number.At(i), of)
				}
				if k < places && ages[at] != age(i, k) {
					r.Fatalf("row %d has age %v at place %d, want %v", i, ages[at], k, age(i, k))
				}
				if k >= places && !likely(wide.Len(), places, i, order != "", ages[at], number, age) {
					r.Fatalf("row %d has a further child of age %v", i, ages[at])
				}
				at++
			}
		}
		if at != len(of) {
			r.Fatalf("%d children, want %d", len(of), at)
		}
	})
	s := must.Get(ParseSchema(fewPlaces(2, 1, "-age").JSON()))(t)
	h, c := columnsOf([]household{{"a", "n"}}, nil)
	wide := must.Get(must.Get(TablesFromColumns(s, h, c))(t).AsPublic("made"))(t)
	wide.cols[1].codes = Codes{U8: []uint8{2}, Levels: 3} // absent where a place comes after the number of places only
	var value *ValueError
	if _, _, err := SplitTables(wide, s); !errors.As(err, &value) || value.Column != "age_1" {
		t.Errorf("an empty place beyond the number: %v", err)
	}
}

// likely reports whether a further child of row i may have an age: that of a child of another row with more children
// than places, whose child before is as old in bins, if there is such a row.
func likely(n, places, i int, ordered bool, got float64, number Codes, age func(row, place int) float64) bool {
	bin := func(x float64) int {
		return len(slices.DeleteFunc([]float64{5, 18}, func(e float64) bool { return e > x }))
	}
	for k := range places {
		var all, like []float64
		for o := range n {
			if o == i || number.At(o) <= places {
				continue
			}
			all = append(all, age(o, k))
			if !ordered || k == 0 || bin(age(o, k-1)) == bin(age(i, k-1)) {
				like = append(like, age(o, k))
			}
		}
		if len(all) == 0 {
			like = []float64{age(i, k)}
		} else if len(like) == 0 {
			like = all
		}
		if slices.Contains(like, got) {
			return true
		}
	}
	return false
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
