package publication

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// margins are tables that are margins of one table of numbers.
func margins(t *rapid.T) (tables []measured, total int64) {
	levels := rapid.SliceOfN(rapid.IntRange(1, 4), 4, 4).Draw(t, "levels")
	all := make([]float64, product(levels))
	for i := range all {
		all[i] = rapid.Float64Range(0, 10).Draw(t, "count") * float64(rapid.IntRange(0, 1).Draw(t, "some"))
	}
	for range rapid.IntRange(1, 5).Draw(t, "tables") {
		mask := rapid.IntRange(1, 15).Draw(t, "axes")
		tables = append(tables, measured{axes: subset([]int{0, 1, 2, 3}, mask), levels: subset(levels, mask),
			counts: margin(all, levels, mask)})
	}
	return tables, rapid.Int64Range(0, 1000).Draw(t, "total")
}

// acyclic reports whether tables can be taken apart: axes that one table alone has, and tables that another holds, are
// left out until nothing is left (Graham 1979).
func acyclic(tables []measured) bool {
	var sets [][]int
	for _, m := range tables {
		sets = append(sets, slices.Clone(m.axes))
	}
	for changed := true; changed; {
		changed = false
		for i, s := range sets {
			inside := func(x int) bool {
				return slices.ContainsFunc(slices.Delete(slices.Clone(sets), i, i+1), func(o []int) bool {
					return slices.Contains(o, x)
				})
			}
			if less := slices.DeleteFunc(slices.Clone(s), func(x int) bool { return !inside(x) }); len(less) < len(s) {
				sets[i], changed = less, true
				break
			}
			if slices.ContainsFunc(slices.Delete(slices.Clone(sets), i, i+1), func(o []int) bool {
				return !slices.ContainsFunc(s, func(x int) bool { return !slices.Contains(o, x) })
			}) || len(s) == 0 {
				sets, changed = slices.Delete(sets, i, i+1), true
				break
			}
		}
	}
	return len(sets) == 0
}

// same reports whether whole numbers of tables agree on every margin that two of them share, and add up to a total.
func same(tables []measured, cells [][]int64, total int64) bool {
	for i, a := range tables {
		for j, b := range tables {
			shared := common(a, b)
			if !slices.Equal(marginOf(cells[i], a, shared), marginOf(cells[j], b, shared)) {
				return false
			}
		}
		if marginOf(cells[i], a, nil)[0] != total || slices.Min(cells[i]) < 0 {
			return false
		}
	}
	return true
}

// Whole numbers keep all margins of tables that do not overlap in a circle, and only of these are there any. A first
// table is less than one record off. Each table rounded by itself does not keep them.
func TestWholeNumbersKeepMargins(t *testing.T) {
	apart := 0
	rapid.Check(t, func(t *rapid.T) {
		tables, total := margins(t)
		have := whole(tables, total)
		if (have != nil) != acyclic(tables) {
			t.Fatalf("%v, without a circle: %v", tables, acyclic(tables))
		}
		if have == nil {
			return
		}
		if !same(tables, have, total) {
			t.Fatalf("%v: %d of %d", tables, have, total)
		}
		var alone [][]int64
		for _, m := range tables {
			alone = append(alone, apportioned(m, nil, []int64{total}))
		}
		for i, x := range apportioned(tables[0], nil, []int64{total}) {
			sum := 0.
			for _, y := range tables[0].counts {
				sum += y
			}
			if d := math.Abs(float64(x) - float64(total)*tables[0].counts[i]/sum); sum > 0 && d >= 1+1e-6 {
				t.Fatalf("a cell is %v off", d)
			}
		}
		if !same(tables, alone, total) {
			apart++
		}
	})
	if apart == 0 {
		t.Error("tables by themselves agree")
	}
	circle := []measured{{axes: []int{0, 1}}, {axes: []int{1, 2}}, {axes: []int{0, 2}}}
	for i := range circle {
		circle[i].levels, circle[i].counts = []int{2, 2}, []float64{1, 2, 3, 4}
	}
	if have := whole(circle, 10); have != nil || acyclic(circle) || whole(circle[:2], 10) == nil {
		t.Errorf("of a circle: %d", have)
	}
}

// Of a publication every printed margin is the sum of its cells, in all tables; of a circle of tables, and
// of means, there are none.
func TestRecordsOfAPublication(t *testing.T) {
	seed := uint64(3)
	draw := func(items ...Item) *Publication {
		p := must.Get(New(t.Context(), "survey", dp.PureDP(1), items, shapes(500)))(t)
		out, _, err := p.Draw(t.Context(), Request{Statistics: counting(rows(t, 500, 1)), Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	p := draw(Of(model.Categorical("region")), Of(model.ContingencyTable("sex", "region")), Of(model.Mean("income")),
		Of(model.ContingencyTable("region", "question 1")), Of(model.ContingencyTable("question 2", "question 3")))
	of := func(name string, many int) []int64 {
		list := must.Get(p.Records(t.Context(), name))(t)
		if shown, _ := must.Get2(p.Intervals(t.Context(), name, .9))(t); len(list) != many || many > 0 && len(shown) != many {
			t.Fatalf("%s: %d of %d", name, len(list), len(shown))
		}
		return list
	}
	region, both, third, alone := of("region", 10), of("sex × region", 32), of("region × question 1", 43),
		of("question 2 × question 3", 15)
	for k, x := range region {
		if both[k]+both[10+k] != x || records(third[3*k:3*k+3]) != x || both[22+k] != x || third[30+k] != x {
			t.Errorf("region %d: %d, %d, %d", k, x, both, third)
		}
	}
	if records(region) != 500 || records(both[20:22]) != 500 || records(alone[:9]) != 500 ||
		records(alone[:3]) != alone[9] {
		t.Error(region, both, alone)
	}
	of("mean of income", 0)
	p = draw(Of(model.ContingencyTable("sex", "region")), Of(model.ContingencyTable("sex", "question 1")),
		Of(model.ContingencyTable("region", "question 1")))
	of("sex × region", 0)
	if _, err := p.Records(t.Context(), "nothing"); err == nil {
		t.Error("records of no item")
	}
}

// Of a distribution function the whole numbers are running sums of the cells of a histogram: they never fall, and with
// the rows above the last edge they are the rows. Tables of three columns agree with those of two of them; a private
// number of rows is a whole number that all agreeing tables share.
func TestRecordsOfOtherTables(t *testing.T) {
	seed := uint64(5)
	for _, private := range []bool{false, true} {
		s := survey()
		s.Columns[2].Edges = []float64{0, 10, 20, 40, 80, 100}
		shape := func(m model.Model) (*model.Shape, error) { return model.NewShape(s, m, 500, !private, "") }
		target := dp.PureDP(1)
		if private {
			target = target.Under(dp.AddRemove)
		}
		p := must.Get(New(t.Context(), "survey", target, []Item{Of(model.CDF("income")), Of(model.Histogram("income")),
			Of(model.ContingencyTable("region", "income")), Of(model.ContingencyTable("question 1", "sex", "region")),
			Of(model.ContingencyTable("region", "sex")), Of(model.ContingencyTable("question 2", "question 3"))}, shape))(t)
		out, _, err := p.Draw(t.Context(), Request{Statistics: counting(rowsUnder(t, s, 500, 1)), Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		var lists [][]int64
		for _, l := range p.Lines() {
			list := must.Get(out.Records(t.Context(), l.Name))(t)
			lists = append(lists, list)
			shown, _ := must.Get2(out.Intervals(t.Context(), l.Name, .9))(t)
			if len(list) != len(shown) {
				t.Fatalf("%s: %d of %d", l.Name, len(list), len(shown))
			}
		}
		below, bins, incomes, three, two := lists[0], lists[1], lists[2], lists[3], lists[4]
		total := records(bins)
		for k, x := range below {
			if x != records(bins[:k+1]) {
				t.Errorf("%d rows below edge %d, in the bins %d", x, k, bins)
			}
		}
		if !slices.Equal(bins, incomes[60:]) || !slices.Equal(incomes[50:60], two[20:30]) ||
			!slices.Equal(three[65:], two[20:30]) || !slices.Equal(three[63:65], two[30:]) {
			t.Errorf("margins: %d", lists)
		}
		for _, cells := range [][]int64{incomes[:50], three[:60], two[:20], lists[5][:9]} {
			if s := records(cells); s != total || slices.Min(cells) < 0 || !private && s != 500 {
				t.Errorf("%d of %d in %d", s, total, cells)
			}
		}
	}
}

func records(x []int64) (s int64) {
	for _, y := range x {
		s += y
	}
	return s
}
