package frame

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// visitsOf is a table of the given patients, with so many visits each, in an order of the file's.
func visitsOf(seed uint64, counts map[string]int) (rows []visit) {
	for patient, k := range counts {
		for i := range k {
			rows = append(rows, visit{patient, []string{"a", "b", "c"}[(len(patient)+i)%3], fmt.Sprint(i % 11)})
		}
	}
	slices.SortFunc(rows, func(a, b visit) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows
}

// unitsOf counts the units of the rows of a frame.
func unitsOf(f *Frame) map[unitID]int {
	out := map[unitID]int{}
	for _, id := range f.whose() {
		out[id]++
	}
	return out
}

// Units with a key and public n: parts have public sizes and whole units, do not depend on the order of the file, and
// one unit replaced by another changes at most one of each part, and sometimes one of both.
func TestUnitsGoByTheirKeys(t *testing.T) {
	counts := map[string]int{}
	for i := range 40 {
		counts[fmt.Sprint("p", i)] = 1 + i%4
	}
	changed := maps.Clone(counts)
	delete(changed, "p3")
	changed["new"] = 2
	for _, k := range []int{1, 3} {
		both := 0
		for seed := range uint64(20) {
			parts := func(rows []visit) (out [][]map[unitID]int, texts string) {
				f := readVisits(t, visits(k, k > 1), rows)
				if n, public := f.PublicN(); !public || n != 40*k {
					t.Fatal(n, public)
				}
				for _, fraction := range []float64{0, .3, .5, 1} {
					a, b, err := f.Split(fraction, seed)
					if err != nil || a.Len() != k*int(math.Round(fraction*40)) || a.Len()+b.Len() != 40*k {
						t.Fatal(fraction, a.Len(), b.Len(), err)
					}
					again, _, err := a.Split(.5, seed)
					if err != nil || again.Len() != k*int(math.Round(float64(a.Len()/k)*.5)) {
						t.Fatal(err)
					}
					c, d, err := f.Holdout(4*k, seed)
					if err != nil || d.Len() != 4*k || c.Len() != 36*k {
						t.Fatal(err)
					}
					h := must.Get(f.Head(5 * k))(t)
					run := must.Get(f.Rows(inOrder(10 * k)[4*k : 7*k]))(t)
					var each []map[unitID]int
					for _, part := range []*Frame{a, b, again, c, d, h, run} {
						each = append(each, unitsOf(part))
						texts += fmt.Sprint(rowsOf(t, part))
					}
					out = append(out, each)
				}
				return out, texts
			}
			x, text := parts(visitsOf(1, counts))
			// k = 1 keeps one row of a unit by its contents; padded units hold theirs in the order of the file
			if _, other := parts(visitsOf(seed+2, counts)); k == 1 && other != text {
				t.Error("the order of the file chooses rows")
			}
			y, _ := parts(visitsOf(seed, changed))
			for i := range x {
				differs := 0
				for j := range x[i] {
					lost := 0
					for id, rows := range x[i][j] {
						if rows != k {
							t.Fatalf("%d rows of a unit", rows)
						}
						if y[i][j][id] == 0 {
							lost++
						}
					}
					if lost > 1 || len(x[i][j]) != len(y[i][j]) {
						t.Fatalf("one unit replaced changes %d of a part", lost)
					}
					if j < 2 {
						differs += lost
					}
				}
				if differs == 2 {
					both++
				}
			}
		}
		if both == 0 {
			t.Error("no split changed in both parts: charges on them would not have to add up")
		}
	}
}

// What would take parts of units, or units that do not follow one another, is refused by public facts.
func TestUnitsStayWhole(t *testing.T) {
	f := readVisits(t, visits(3, true), visitsOf(1, map[string]int{"a": 1, "b": 4, "c": 2, "d": 3}))
	for name, err := range map[string]error{
		"head": second(f.Head(4)), "rows": second(f.Rows([]int{0, 1})), "gap": second(f.Rows([]int{0, 1, 2, 6, 7, 8})),
		"shifted": second(f.Rows([]int{1, 2, 3})),
		"holdout": func() error { _, _, err := f.Holdout(2, 1); return err }(),
	} {
		if !errors.As(err, new(*domain.Error)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{"more than all": second(f.Head(99)), "none": second(f.Head(0)),
		"no rows": second(f.Rows(nil)), "one unit": second(f.Rows([]int{5, 3, 4}))} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	a, b := must.Get2(f.Split(.5, 1))(t)
	if _, err := a.AppendDisjoint(b); !errors.As(err, new(*TogetherError)) {
		t.Error("parts of which one unit changes both were put together as disjoint:", err)
	}
	all := must.Get(a.Append(b))(t)
	if _, public := all.PublicN(); public || all.PrivateNStep() != "Append" {
		t.Error("a unit may have rows in one or in both, and n is public")
	}
	if kind, shared := a.Selection().Overlap(f.Selection(), true); kind != OverlapPart || shared != 0 {
		t.Error("which units two parts share is private:", kind, shared)
	}
	other := readVisits(t, visits(3, true), visitsOf(1, map[string]int{"e": 1, "f": 4}))
	other.source = &source{name: "another file"}
	both := must.Get(f.AppendDisjoint(other))(t)
	if n, public := both.PublicN(); !public || n != 18 {
		t.Error(n, public)
	}
	ids := both.whose()
	if !slices.IsSortedFunc(ids, func(a, b unitID) int { return slices.Compare(a[:], b[:]) }) {
		t.Error("units stand in the order of their files")
	}
}

func second(_ *Frame, err error) error { return err }

// Rows without a key and with private n: the order of the file decides nothing, one of several equal rows less is one
// row less in one part, and columns that are dropped later still count.
func TestRowsGoByTheirContents(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{Categorical("a", "x", "y"), Real("b", 0, 1)}}
	read := func(rows []string) *Frame {
		return must.Get(FromColumns(s, map[string]any{"a": column0(rows), "b": column1(rows)}))(t)
	}
	parts := func(f *Frame) (train, test map[string]int) {
		a, b := must.Get2(f.Split(.5, 0))(t)
		count := func(f *Frame) map[string]int {
			out := map[string]int{}
			for i := range f.n {
				out[fmt.Sprint(f.cols[0].codes.At(i))]++
			}
			return out
		}
		return count(a), count(b)
	}
	rows := slices.Repeat([]string{"x 0", "y -0", "x 0.5", "x 0"}, 25)
	train, test := parts(read(rows).WithoutN())
	if train["0"]+test["0"] != 75 || train["0"] < 10 || test["0"] < 10 {
		t.Error(train, test)
	}
	for name, f := range map[string]*Frame{
		"another order": read(slices.Concat(rows[13:], rows[:13])).WithoutN(),
		"hidden twice":  read(rows).WithoutN().WithoutN(),
		"dropped later": step(t, read(rows).WithoutN(), func(f *Frame) (*Frame, error) { return f.Select("a") }),
		"filtered":      where(t, read(rows), "xy"),
	} {
		if a, b := parts(f); fmt.Sprint(a, b) != fmt.Sprint(train, test) {
			t.Errorf("%s: %v, %v; want %v, %v", name, a, b, train, test)
		}
	}
	a, b := parts(read(rows[1:]).WithoutN()) // an "x 0" less
	if d := train["0"] - a["0"] + test["0"] - b["0"]; d != 1 || a["0"] > train["0"] || b["0"] > test["0"] ||
		a["1"] != train["1"] {
		t.Error("one row less:", train, test, a, b)
	}
	one := read(rows[:1]).WithoutN()
	for fraction, want := range map[float64]int{0: 0, 1: 1} {
		if a, b, err := one.Split(fraction, math.MaxUint64); err != nil || a.Len() != want || b.Len() != 1-want {
			t.Error(fraction, a.Len(), b.Len(), err)
		}
	}
	if a, b, err := where(t, one, "").Split(.5, 1); err != nil || a.Len()+b.Len() != 0 {
		t.Error(err)
	}
}

// Rows that are told apart by other columns are divided in another way, and the step says which they were; keys need
// none. Parts that were divided by the contents of different columns are not the two parts of one split.
func TestSplitNamesColumns(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{Categorical("a", "x", "y"), Real("b", 0, 1)}}
	a := strings.Split(strings.Repeat("x,y,", 50), ",")[:100]
	b := make([]float64, len(a))
	for i := range b {
		b[i] = float64(i) / 100
	}
	f := must.Get(FromColumns(s, map[string]any{"a": a, "b": b}))(t)
	keep := func(f *Frame) *Frame { return step(t, f, func(f *Frame) (*Frame, error) { return f.Select("a") }) }
	parts := func(f *Frame) (train, test *Frame) {
		train, test = must.Get2(f.Split(.5, 1))(t)
		return train, test
	}
	before, _ := parts(keep(f).WithoutN())
	train, test := parts(keep(f.WithoutN()))
	after, _ := parts(f.WithoutN())
	last := func(f *Frame) string { return f.Lineage()[len(f.Lineage())-1].String() }
	if last(before) == last(train) || last(after) != last(train) || !strings.Contains(last(train), " by hash of columns ") {
		t.Error(last(before), last(train), last(after))
	}
	for text, kind := range map[string]Overlap{
		"before, train": first(before.Selection().Overlap(train.Selection(), false)),
		"before, test":  first(before.Selection().Overlap(test.Selection(), false)),
	} {
		if kind != OverlapUnknown {
			t.Error(text, kind)
		}
	}
	if kind := first(after.Selection().Overlap(test.Selection(), false)); kind != OverlapNone {
		t.Error(kind)
	}
	if both, err := before.Append(train); err != nil || both.columnsOf() == before.columnsOf() ||
		len(both.columnsOf()) != 8 {
		t.Error(err)
	}
}

// A label that reads like a split is none: the parts are those of the same rows without it.
func TestSplitAfterALabelLikeASplit(t *testing.T) {
	rows := make([]string, 200)
	for i := range rows {
		rows[i] = []string{"Split(1, 1)", "Holdout(1, 1)"}[i%2]
	}
	f, err := FromColumns(&Schema{Dataset: "d", Columns: []Column{Categorical("a", rows[:2]...)}}, map[string]any{"a": rows})
	if err != nil {
		t.Fatal(err)
	}
	all := must.Get(f.Where("a", func(string) bool { return true }))(t)
	train, _, err := all.Split(.5, 1)
	want, _, err2 := f.WithoutN().Split(.5, 1)
	if err != nil || err2 != nil || !sameFrame(train, want) {
		t.Errorf("%v %v: other parts of the same rows", err, err2)
	}
}

func first[A, B any](a A, _ B) A { return a }

// A part that is split again by the same seed has both parts, of the shares asked for; a mutant that places units
// alike each time sends all to one side. Deviations of 60 of 1,000 have a chance below 1e-3 for each of 4 fixed seeds,
// and none of these has one.
func TestSplitOfSplit(t *testing.T) {
	rows := make([]float64, 4000)
	for i := range rows {
		rows[i] = float64(i)
	}
	f := must.Get(FromColumns(&Schema{Dataset: "d", Columns: []Column{Real("b", 0, 4000)}}, map[string]any{"b": rows}))(t)
	for seed := range uint64(4) {
		train, test := must.Get2(f.WithoutN().Split(.5, seed))(t)
		for _, part := range []*Frame{train, test} {
			a, b, err := part.Split(.5, seed)
			if err != nil || max(a.Len(), b.Len())-min(a.Len(), b.Len()) > 240 {
				t.Errorf("seed %d: %d and %d rows: %v", seed, a.Len(), b.Len(), err)
			}
			ids, below := part.whose(), 0
			for _, id := range ids { // the mutant
				if id.share(seed, 0) < .5 {
					below++
				}
			}
			if below != 0 && below != len(ids) {
				t.Error("the mutant divides the part: ", below, len(ids))
			}
		}
	}
}

// where keeps the rows whose column a is one of the letters.
func where(t *testing.T, f *Frame, letters string) *Frame {
	t.Helper()
	return must.Get(f.Where("a", func(label string) bool { return strings.Contains(letters, label) }))(t)
}

func column0(rows []string) (out []string) {
	for _, r := range rows {
		out = append(out, r[:1])
	}
	return out
}

func column1(rows []string) (out []float64) {
	for _, r := range rows {
		v := 0.
		if _, err := fmt.Sscan(r[2:], &v); err != nil {
			panic(err)
		}
		out = append(out, v)
	}
	return out
}

// Where a seed puts a unit is part of every seeded result, so it is pinned; it is uniform: of 20,000 units as many are
// below a half as within 6.5 standard errors, two-sided chance below 1e-10, and a share that ignores its unit is not.
func TestSharesArePinnedAndUniform(t *testing.T) {
	if got := fmt.Sprintf("%x", unitOf([]byte("p7")).at(1, 0)); got !=
		"adf394065c2aeaf9ba2792f66680633746bbc3b7c3e277abfd5d27f8a9ce7dd6" {
		t.Error(got)
	}
	uniform := func(share func(i int) float64) bool {
		low := 0.
		for i := range 20000 {
			if share(i) < .5 {
				low++
			}
		}
		return math.Abs(low-10000) < 6.5*math.Sqrt(5000)
	}
	if !uniform(func(i int) float64 { return unitOf([]byte(fmt.Sprint(i))).share(0, 0) }) ||
		!uniform(func(i int) float64 { return unitOf([]byte("p7")).share(uint64(i), 0) }) {
		t.Error("not uniform")
	}
	if uniform(func(int) float64 { return unitOf([]byte("p7")).share(0, 0) }) {
		t.Error("the check accepts a constant")
	}
}
