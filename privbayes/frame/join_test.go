package frame

import (
	"crypto/md5"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// census has households and their persons, of which two are kept; and one column of units of each kind.
func census(orphans, duplicates string) *Schema {
	income := Integer("income", 0, 10, 20)
	income.Missing, income.OnMissing = []string{"NA"}, MissingOmitted
	unit := func(is, of string, c Column, where ...string) UnitColumn { return UnitColumn{c, is, of, where} }
	return &Schema{Dataset: "census", Unit: "household", Tables: []Linked{
		{Name: "households", Key: "hid", Duplicates: duplicates, Columns: []Column{Categorical("region", "n", "s")}},
		{Name: "persons", Of: "households", Key: "of", AtMost: 2, Orphans: orphans,
			Columns: []Column{Integer("age", 0, 5, 18, 120), income},
			PerUnit: []UnitColumn{unit(unitCount, "", Column{Name: "size"}),
				unit(unitCount, "age", Column{Name: "minors"}, "[0, 5)", "[5, 18)"),
				unit(unitAny, "age", Column{Name: "infant"}, "[0, 5)"),
				unit(unitMax, "age", Column{Name: "oldest"}), unit(unitMin, "income", Column{Name: "least"}),
				unit(unitSum, "income", Column{Name: "earned", Max: 30})}},
	}}
}

type household struct{ hid, region string }

type person struct{ of, age, income string }

// columnsOf are both tables as columns.
func columnsOf(parents []household, children []person) (h, p map[string]any) {
	var hid, region, of, age, income []string
	for _, r := range parents {
		hid, region = append(hid, r.hid), append(region, r.region)
	}
	for _, r := range children {
		of, age, income = append(of, r.of), append(age, r.age), append(income, r.income)
	}
	return map[string]any{"hid": hid, "region": region}, map[string]any{"of": of, "age": age, "income": income}
}

// unitRowsOf are the rows of a frame as texts, sorted: labels and values.
func unitRowsOf(t testing.TB, f *Frame) (rows []string) {
	t.Helper()
	for i := range f.Len() {
		var cells []string
		for k, c := range f.schema.Columns {
			cell := c.Labels()[f.cols[k].codes.At(i)]
			if v := f.cols[k].values; v != nil && !math.IsNaN(v.at(i)) {
				cell = fmt.Sprint(v.at(i))
			}
			cells = append(cells, cell)
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	slices.Sort(rows)
	return rows
}

// rowByHand is the row of a unit as the doc comments have it, written a second time.
func rowByHand(parents []household, children []person, most int) string {
	first, regions := map[household]int{}, map[string]string{}
	for _, h := range parents {
		first[h]++
		inner := fmt.Sprintf("%x", md5.Sum([]byte(h.hid+"\x1f"+h.region)))
		regions[fmt.Sprintf("%x", md5.Sum(fmt.Appendf(nil, "%d:%s", first[h], inner)))] = h.region
	}
	region := regions[slices.Min(slices.Collect(maps.Keys(regions)))]
	copies, ranks := map[person]int{}, map[string]person{}
	for _, p := range children {
		copies[p]++
		inner := fmt.Sprintf("%x", md5.Sum([]byte(p.of+"\x1f"+p.age+"\x1f"+p.income)))
		ranks[fmt.Sprintf("%x", md5.Sum(fmt.Appendf(nil, "%d:%s", copies[p], inner)))] = p
	}
	kept := slices.Sorted(maps.Keys(ranks))
	kept = kept[:min(most, len(kept))]
	minors, infant, oldest, least, earned := 0, "no", "none", "none", 0
	for _, rank := range kept {
		age := whole10(ranks[rank].age)
		if age < 18 {
			minors++
		}
		if age < 5 {
			infant = "yes"
		}
		if oldest == "none" || age > whole10(oldest) {
			oldest = fmt.Sprint(age)
		}
		if income, err := strconv.Atoi(ranks[rank].income); err == nil {
			earned += income
			if least == "none" || income < whole10(least) {
				least = fmt.Sprint(income)
			}
		}
	}
	return fmt.Sprint(region, " ", len(kept), " ", minors, " ", infant, " ", oldest, " ", least, " ",
		min(earned, 30))
}

// The row of every unit is the one that the rules give, whatever the order of the rows, of files as of columns.
func TestTablesAreJoinedAsDocumented(t *testing.T) {
	s := census("drop", "drop")
	rapid.Check(t, func(r *rapid.T) {
		parents, children := map[string][]household{}, map[string][]person{}
		var allParents []household
		var allChildren []person
		for range rapid.IntRange(0, 8).Draw(r, "parents") {
			h := household{fmt.Sprint("h", rapid.IntRange(0, 4).Draw(r, "hid")),
				rapid.SampledFrom([]string{"n", "s"}).Draw(r, "region")}
			parents[h.hid], allParents = append(parents[h.hid], h), append(allParents, h)
		}
		for range rapid.IntRange(0, 20).Draw(r, "children") {
			p := person{fmt.Sprint("h", rapid.IntRange(0, 6).Draw(r, "of")),
				rapid.SampledFrom([]string{"0", "4", "17", "70"}).Draw(r, "age"),
				rapid.SampledFrom([]string{"0", "3", "20", "NA"}).Draw(r, "income")}
			children[p.of], allChildren = append(children[p.of], p), append(allChildren, p)
		}
		var want []string
		for hid, of := range parents {
			want = append(want, rowByHand(of, children[hid], 2))
		}
		slices.Sort(want)
		shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		shuffle.Shuffle(len(allChildren), func(i, j int) { allChildren[i], allChildren[j] = allChildren[j], allChildren[i] })
		h, p := columnsOf(allParents, allChildren)
		f := must.Get(TablesFromColumns(s, h, p))(t)
		if got := unitRowsOf(t, f); !slices.Equal(got, want) {
			r.Fatalf("columns: %q, want %q", got, want)
		}
		if n, public := f.PublicN(); !public || n != len(parents) {
			r.Fatalf("n = %d, public %v; want %d", n, public, len(parents))
		}
		households, persons := "region,hid\n", "of,income,age\n"
		for _, h := range allParents {
			households += h.region + "," + h.hid + "\n"
		}
		for _, p := range allChildren {
			persons += p.of + "," + p.income + "," + p.age + "\n"
		}
		g := must.Get(ReadTables(t.Context(), []Shard{{"h", strings.NewReader(households)},
			{"p", strings.NewReader(persons)}}, s))(t)
		if !sameFrame(f, g) || !slices.Equal(f.whose(), g.whose()) {
			r.Fatalf("files: %q, want %q", unitRowsOf(t, g), want)
		}
	})
}

// unit is one unit of the enumeration below: its parent rows and its children.
type unit struct {
	parents  []household
	children []person
}

// unitsWith lists units of a key: one parent of two, or both, and up to three children of two kinds, of which two stay.
func unitsWith(key string) (units []unit) {
	for _, regions := range []string{"n", "ns"} {
		for infants := range 4 {
			for adults := range 4 - infants {
				var u unit
				for _, region := range regions {
					u.parents = append(u.parents, household{key, string(region)})
				}
				for range infants {
					u.children = append(u.children, person{key, "0", "NA"})
				}
				for range adults {
					u.children = append(u.children, person{key, "70", "20"})
				}
				units = append(units, u)
			}
		}
	}
	return units
}

// joiner makes the rows of units, in any order.
type joiner func(parents []household, children []person) []string

// fault is what the enumeration finds wrong with a joiner: where a unit comes, goes or is replaced by one of another
// key, one row of the result does so and every other row stays; and the order of the rows means nothing.
func fault(join joiner) string {
	orphans := [][]person{nil, {{"z", "0", "NA"}, {"z", "70", "20"}, {"z", "70", "20"}}}
	of := func(reverse bool, orphans []person, units ...unit) []string {
		var parents []household
		var children []person
		for _, u := range units {
			parents, children = append(parents, u.parents...), append(children, u.children...)
		}
		children = append(children, orphans...)
		if reverse {
			slices.Reverse(parents)
			slices.Reverse(children)
		}
		rows := join(parents, children)
		slices.Sort(rows)
		return rows
	}
	for _, left := range orphans {
		rows, units := map[string][]string{}, append(unitsWith("b"), unitsWith("c")[8:12]...)
		for _, one := range append(units, unitsWith("a")...) {
			row := of(false, left, one)
			if rows[fmt.Sprint(one)] = row; len(row) != 1 {
				return "one unit has not one row"
			}
		}
		for i, other := range unitsWith("a") {
			for k, one := range units {
				if testing.Short() && (i+k)%4 > 0 {
					continue
				}
				both := of(false, left, other, one)
				if !slices.Equal(both, of(true, left, other, one)) {
					return "the order of rows matters"
				}
				want := slices.Concat(rows[fmt.Sprint(one)], rows[fmt.Sprint(other)])
				if slices.Sort(want); !slices.Equal(both, want) {
					return "a unit moves the row of another"
				}
			}
		}
	}
	return ""
}

// A unit that comes, goes or is replaced moves exactly its own row: all units of one to two parent rows and up to three
// children, two of which stay, next to every other, with orphans and without, in two orders. Joins that look at places,
// at other units, or at rows without a parent are found out.
func TestAUnitMovesOneRow(t *testing.T) {
	s := census("drop", "drop")
	production := func(parents []household, children []person) []string {
		h, p := columnsOf(parents, children)
		return unitRowsOf(t, must.Get(TablesFromColumns(s, h, p))(t))
	}
	if got := fault(production); got != "" {
		t.Error(got)
	}
	for name, mutant := range map[string]struct {
		join joiner
		want string
	}{
		"the first children in the file stay": {func(parents []household, children []person) []string {
			seen, kept := map[string]int{}, []person{}
			for _, p := range children {
				if seen[p.of]++; seen[p.of] <= 2 {
					kept = append(kept, p)
				}
			}
			return production(parents, kept)
		}, "the order of rows matters"},
		"two children a parent stay in all": {func(parents []household, children []person) []string {
			slices.SortFunc(children, func(a, b person) int { return strings.Compare(a.of+a.age, b.of+b.age) })
			return production(parents, children[:min(len(children), 2*len(parents))])
		}, "a unit moves the row of another"},
		"equal children count once": {func(parents []household, children []person) []string {
			seen, kept := map[string]bool{}, []person{}
			slices.SortFunc(children, func(a, b person) int { return strings.Compare(a.of, b.of) })
			for _, p := range children {
				if !seen[p.age] {
					kept = append(kept, p)
				}
				seen[p.age] = true
			}
			return production(parents, kept)
		}, "a unit moves the row of another"},
		"orphans go to the greatest key": {func(parents []household, children []person) []string {
			last := slices.MaxFunc(parents, func(a, b household) int { return strings.Compare(a.hid, b.hid) }).hid
			children = slices.Clone(children)
			for i, p := range children {
				if p.of > last {
					children[i].of = last
				}
			}
			return production(parents, children)
		}, "a unit moves the row of another"},
		"the first parent in the file stays": {func(parents []household, children []person) []string {
			return production(distinctKeys(parents), children)
		}, "the order of rows matters"},
		"every parent row is a row": {func(parents []household, children []person) (rows []string) {
			for _, h := range parents {
				rows = append(rows, production([]household{h}, children)...)
			}
			return rows
		}, "one unit has not one row"},
	} {
		if got := fault(mutant.join); got != mutant.want {
			t.Errorf("%s: found %q, want %q", name, got, mutant.want)
		}
	}
}

// Two children with one text of which one stands between quotes, and so is another value, are two rows: their order
// means nothing.
func TestQuotesThatTellChildrenApart(t *testing.T) {
	s := census("", "")
	s.Tables[1].AtMost = 1
	s.Tables[1].Columns[1].Missing, s.Tables[1].Columns[1].QuotedMissing = []string{"9"}, "value"
	var rows []string
	for _, persons := range []string{"a,1,9\na,1,\"9\"\n", "a,1,\"9\"\na,1,9\n"} {
		f := must.Get(ReadTables(t.Context(), []Shard{{"h", strings.NewReader("hid,region\na,n\n")},
			{"p", strings.NewReader("of,age,income\n" + persons)}}, s))(t)
		rows = append(rows, unitRowsOf(t, f)...)
	}
	if rows[0] != rows[1] {
		t.Errorf("%q", rows)
	}
}

// Units that may stand in two frames have two rows, and n is private; such a schema reads as it is written.
func TestAppendedUnitsOfTables(t *testing.T) {
	h, p := columnsOf([]household{{"a", "n"}, {"b", "s"}}, []person{{"a", "1", "NA"}})
	f := must.Get(TablesFromColumns(census("", ""), h, p))(t)
	g := must.Get(f.Append(f))(t)
	s := must.Get(ParseSchema(g.Schema().JSON()))(t)
	if _, public := g.PublicN(); public || s.RowsPerUnit != 2 || !s.Equal(g.Schema()) {
		t.Errorf("n public %v, %s", public, s.JSON())
	}
}

// whole10 is the whole number that a text writes.
func whole10(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// distinctKeys keeps the first row of every key.
func distinctKeys(parents []household) (kept []household) {
	for _, h := range parents {
		if !slices.ContainsFunc(kept, func(k household) bool { return k.hid == h.hid }) {
			kept = append(kept, h)
		}
	}
	return kept
}
