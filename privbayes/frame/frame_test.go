package frame

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// numbered is a frame whose rows carry their own number, with a two-class column.
func numbered(t rapid.TB, n int) *Frame {
	id, class := make([]int, n), make([]int, n)
	for i := range id {
		id[i], class[i] = i, i%2
	}
	return must.Get(FromColumns(&Schema{Dataset: "d", Unit: "u",
		Columns: []Column{Integer("id", 0, 10, 1e6), Categorical("class", "0", "1")}},
		map[string]any{"id": id, "class": class}))(t)
}

func ids(t rapid.TB, f *Frame) []int {
	v := must.Get(f.Values("id"))(t)
	out := make([]int, len(v))
	for i := range v {
		out[i] = int(v[i])
	}
	return out
}

func TestSplitPartitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 200).Draw(t, "n")
		fraction := rapid.Float64Range(0, 1).Draw(t, "fraction")
		seed := rapid.Uint64().Draw(t, "seed")
		f := numbered(t, n)
		train, test := must.Get2(f.Split(fraction, seed))(t)
		if k, ok := train.PublicN(); !ok || k != int(math.Round(fraction*float64(n))) {
			t.Fatalf("train has %d rows of %d", k, n)
		}
		all := append(ids(t, train), ids(t, test)...)
		slices.Sort(all)
		if !slices.Equal(all, indices(n)) {
			t.Fatalf("not a partition: %v", all)
		}
		again, _, _ := f.Split(fraction, seed)
		if !sameFrame(train, again) {
			t.Fatal("the same seed gives another split")
		}
		k := rapid.IntRange(0, n).Draw(t, "k")
		a, b, err := f.Holdout(k, seed)
		if err != nil || b.Len() != k || a.Len() != n-k {
			t.Fatalf("holdout %d: %d, %d, %v", k, a.Len(), b.Len(), err)
		}
	})
}

// The shuffle is part of every published seeded result, so it is pinned.
func TestPermutationIsStable(t *testing.T) {
	if got, want := permutation(8, 1), []int{1, 5, 2, 6, 4, 7, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if slices.Equal(permutation(50, 1), permutation(50, 2)) {
		t.Error("seeds 1 and 2 agree")
	}
}

// Every place of a shuffle of 5 is uniform: 20000 seeds, each of 25 counts within 6.5 standard errors (two-sided chance
// below 1e-10 each). A shuffle whose swaps never reach the last place fails the same check.
func TestPermutationIsUniform(t *testing.T) {
	const seeds, n = 20000, 5
	uniform := func(draw func(seed uint64) []int) bool {
		var counts [n][n]float64
		for seed := range uint64(seeds) {
			for i, v := range draw(seed) {
				counts[i][v]++
			}
		}
		se := math.Sqrt(seeds * (1. / n) * (1 - 1./n))
		for i := range counts {
			for _, c := range counts[i] {
				if math.Abs(c-seeds/n) > 6.5*se {
					return false
				}
			}
		}
		return true
	}
	if !uniform(func(seed uint64) []int { return permutation(n, seed) }) {
		t.Error("not uniform")
	}
	if uniform(func(seed uint64) []int {
		p := indices(n)
		for i, j := range permutation(n-1, seed) {
			p[i], p[j] = p[j], p[i]
		}
		return p
	}) {
		t.Error("the check accepts a wrong shuffle")
	}
}

func TestWhereMakesNPrivate(t *testing.T) {
	f := numbered(t, 100)
	g := must.Get(f.Where("class", func(l string) bool { return l == "1" }))(t)
	if _, ok := g.PublicN(); ok || g.PrivateNStep() != `Where("class")` || g.Len() != 50 {
		t.Fatalf("%v %q %d", ok, g.PrivateNStep(), g.Len())
	}
	if f.PrivateNStep() != "" {
		t.Error("the parent changed")
	}
	sel, err := g.Select("id")
	if err != nil || sel.PrivateNStep() == "" {
		t.Error(err)
	}
	bin, err := g.Where("id", func(l string) bool { return l == "[0, 10)" })
	if err != nil || !slices.Equal(ids(t, bin), []int{1, 3, 5, 7, 9}) || bin.PrivateNStep() != `Where("class")` {
		t.Error(ids(t, bin), err)
	}
	for _, refuse := range []func() error{
		func() error { _, err := g.Head(3); return err },
		func() error { _, err := g.Rows([]int{0}); return err },
		func() error { _, _, err := g.Holdout(3, 1); return err },
	} {
		var e *PrivateNError
		if err := refuse(); !errors.Is(err, ErrPrivateN) || !errors.As(err, &e) || e.PrivateBy != `Where("class")` {
			t.Error(err)
		}
	}
}

// With private n, one unit more must not move the other rows between train and test.
func TestPrivateSplitIsStable(t *testing.T) {
	odd := func(f *Frame) (train, test []int) {
		g := must.Get(f.Where("class", func(l string) bool { return l == "1" }))(t)
		a, b, err := g.Split(0.5, 7)
		if err != nil || a.PrivateNStep() == "" || b.PrivateNStep() == "" {
			t.Fatal("split of private n", err)
		}
		return ids(t, a), ids(t, b)
	}
	f := numbered(t, 1000)
	codes := f.cols[1].codes.U8
	train, test := odd(f)
	codes[501] = 0 // one unit no longer passes the filter
	train2, test2 := odd(f)
	drop := func(s []int) []int { return slices.DeleteFunc(slices.Clone(s), func(i int) bool { return i == 501 }) }
	if !slices.Equal(drop(train), train2) || !slices.Equal(drop(test), test2) {
		t.Error("removing one unit moved others")
	}
	// 500 coins: within 6.5 standard errors of one half.
	if d := math.Abs(float64(len(train)) - 250); d > 6.5*math.Sqrt(125) {
		t.Errorf("%d of 500 in train", len(train))
	}
}

func TestDerive(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	g, err := f.Select("age", "city")
	if err != nil || !slices.Equal(g.Schema().Names(), []string{"age", "city"}) || g.Schema().Dataset != "people" ||
		g.Schema().Unit != "person" {
		t.Error(err)
	}
	h, err := f.Head(2)
	if err != nil || h.Len() != 2 {
		t.Error(err)
	}
	if h, err = f.Head(100); err != nil || h.Len() != 6 {
		t.Error(err)
	}
	r, err := f.Rows([]int{4, 0})
	if err != nil || !slices.Equal(codesOf(t, r, "city"), []int{2, 0}) {
		t.Error(err)
	}
	if seqs, _ := r.Sequences("trip"); !reflect.DeepEqual(seqs, [][]uint16{{1}, {0, 1}}) {
		t.Error(seqs)
	}
	f.Schema().Columns[0].Name = "changed"
	if f.Schema().Columns[0].Name != "city" {
		t.Error("Schema gives away the frame's own copy")
	}
}

func TestDeriveRefuses(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	all := func(string) bool { return true }
	for name, c := range map[string]struct {
		err func() error
		is  error
	}{
		"fraction":     {func() error { _, _, err := f.Split(1.5, 1); return err }, &domain.Error{}},
		"NaN":          {func() error { _, _, err := f.Split(math.NaN(), 1); return err }, &domain.Error{}},
		"holdout":      {func() error { _, _, err := f.Holdout(7, 1); return err }, &domain.Error{}},
		"head":         {func() error { _, err := f.Head(-1); return err }, &domain.Error{}},
		"row":          {func() error { _, err := f.Rows([]int{6}); return err }, &domain.Error{}},
		"row twice":    {func() error { _, err := f.Rows([]int{1, 1}); return err }, &domain.Error{}},
		"no columns":   {func() error { _, err := f.Select(); return err }, &domain.Error{}},
		"column":       {func() error { _, err := f.Select("cities"); return err }, &ColumnError{}},
		"column twice": {func() error { _, err := f.Select("city", "city"); return err }, &ColumnError{}},
		"where":        {func() error { _, err := f.Where("x", all); return err }, &ColumnError{}},
		"where seq":    {func() error { _, err := f.Where("trip", all); return err }, &ColumnError{}},
		"where nil":    {func() error { _, err := f.Where("city", nil); return err }, &domain.Error{}},
		"codes":        {func() error { _, err := f.Codes("trip"); return err }, &ColumnError{}},
		"values":       {func() error { _, err := f.Values("city"); return err }, &ColumnError{}},
		"sequences":    {func() error { _, err := f.Sequences("city"); return err }, &ColumnError{}},
	} {
		if err := c.err(); !typed(err, c.is) {
			t.Errorf("%s: %v, want %v", name, err, c.is)
		}
	}
}

// The lineage says which rows a frame holds, in the words of the program.
func TestLineage(t *testing.T) {
	f, err := Read(t.Context(), strings.NewReader("a,b\nx,1\ny,2\nx,3\ny,4\n"), "d.csv",
		&Schema{Dataset: "d", Columns: []Column{
			Categorical("a", "x", "y"), Integer("b", 0, 2, 5)}})
	if err != nil {
		t.Fatal(err)
	}
	if l := f.Lineage(); len(l) != 0 {
		t.Error(l)
	}
	_, g := must.Get2(f.Split(.5, 7))(t)
	if g, err = g.Where("a", func(l string) bool { return l == "y" }); err != nil {
		t.Fatal(err)
	}
	if g, err = g.Select("a"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(g.Lineage()); got != `[Split(0.5, 7), test Where("a" is "y")]` {
		t.Error(got)
	}
}
