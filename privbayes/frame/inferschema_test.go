package frame

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func TestInferSchema(t *testing.T) {
	var b strings.Builder
	b.WriteString("id,temp,sex,note,code\n")
	for i := range 40 {
		note := "free"
		if i%7 == 0 {
			note = ""
		}
		fmt.Fprintf(&b, "%d,%.2f,%s,%s,%d\n", i+3, float64(i)*0.13-1, []string{"m", "f"}[i%2], note, i%4)
	}
	s := must.Get(InferSchema(strings.NewReader(b.String()), "t"))(t)
	if !s.Inferred || s.Dataset != "t" {
		t.Error("not marked as inferred")
	}
	for i, want := range []Kind{KindInteger, KindReal, KindCategorical, KindCategorical, KindCategorical} {
		if s.Columns[i].Kind != want {
			t.Errorf("%s is %s, want %s", s.Columns[i].Name, s.Columns[i].Kind, want)
		}
	}
	if c := s.Columns[0]; c.Min != 0 || c.Max != 45 || c.Edges[1] != 5 {
		t.Errorf("edges %v, want round numbers", c.Edges)
	}
	if !s.Columns[3].HasMissing() {
		t.Error("empty fields are not missing")
	}
	f, err := Read(context.Background(), strings.NewReader(b.String()), "t", s)
	if err != nil || f.Len() != 40 || !strings.Contains(f.String(), "nothing made under it is private") {
		t.Error(err)
	}
}

func TestInferSchemaRefuses(t *testing.T) {
	for text, is := range map[string]error{"": &FileError{}, "a,b\n": &FileError{}, "a,b\n1\n": &ValueError{},
		"a\n\"\n":    &ValueError{},
		"a,a\n1,2\n": &SchemaError{}} {
		if _, err := InferSchema(strings.NewReader(text), "t"); !typed(err, is) {
			t.Errorf("%q: %v, want %v", text, err, is)
		}
	}
}

func TestRoundEdgesCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Bool().Draw(t, "whole")
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 1e6).Draw(t, "width")
		if whole {
			lo, hi = float64(int(lo)), float64(int(hi)+13)
		}
		e := roundEdges(lo, hi, whole)
		if e[0] > lo || e[len(e)-1] < hi || len(e) > 25 {
			t.Fatalf("[%v, %v]: %v", lo, hi, e)
		}
		kind := KindReal
		if whole {
			kind = KindInteger
		}
		must.Do(t, (&Schema{Dataset: "test", Columns: []Column{numeric("x", kind, e)}}).Validate())
	})
}

func numbers(t testing.TB, c Column, v []float64) *Frame {
	t.Helper()
	return must.Get(FromColumns(&Schema{Dataset: "test", Columns: []Column{c}}, map[string]any{c.Name: v}))(t)
}

func upTo(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(i + 1)
	}
	return v
}

func TestQuantileSchemaRule(t *testing.T) {
	forty := slices.Concat(upTo(100), slices.Repeat([]float64{40}, 100)) // 40 has more than a third
	zeros := slices.Concat(slices.Repeat([]float64{0}, 200), upTo(100))
	ties := slices.Concat(upTo(50), slices.Repeat([]float64{50.5}, 25), []float64{99}) // just below a third
	odd := slices.Concat(slices.Repeat([]float64{0}, 200), upTo(30))
	for _, c := range []struct {
		name  string
		col   Column
		v     []float64
		bins  int
		edges []float64
	}{
		// (n−1)·k/10 + 1 = 10.9, 20.8, …: the first value above each.
		{"1 to 100", Integer("x", 0, 1000), upTo(100), 10, []float64{0, 11, 21, 31, 41, 51, 61, 71, 81, 91, 1000}},
		{"right-closed", Integer("x", 0, 1000), upTo(101), 10, []float64{0, 12, 22, 32, 42, 52, 62, 72, 82, 92, 1000}},
		{"few values", Real("x", 0, 10), []float64{2.5, 1, 1, 7}, 10, []float64{0, 2.5, 7, 10}},
		{"thirty values", Integer("x", 0, 31), upTo(30), 2,
			append([]float64{0}, slices.Concat(upTo(30)[1:], []float64{31})...)},
		{"thirty-one values", Integer("x", 0, 31), upTo(31), 2, []float64{0, 17, 31}},
		// The other 99 values have the median 51; 40 splits their lower half.
		{"heavy value", Integer("x", 0, 1000), forty, 2, []float64{0, 40, 41, 52, 1000}},
		{"heavy first", Integer("x", 0, 1000), zeros, 2, []float64{0, 1, 51, 1000}},
		{"thirty left", Integer("x", 0, 1000), odd, 2, append(append([]float64{0}, upTo(30)...), 1000)},
		{"merged edges", Real("x", 0, 100), ties, 8, []float64{0, 11, 20, 30, 39, 48, 99, 100}},
		{"the last value alone", Integer("x", 0, 7), []float64{3, 7}, 10, []float64{0, 7, 8}},
		{"one value", Integer("x", 0, 7), []float64{3, 3}, 10, []float64{0, 7}},
		{"no value", Integer("x", 0, 7), nil, 10, []float64{0, 7}},
	} {
		s, err := QuantileSchema(numbers(t, c.col, c.v), c.bins)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.Columns[0].Edges; !reflect.DeepEqual(got, c.edges) {
			t.Errorf("%s: edges %v, want %v", c.name, got, c.edges)
		}
		if !s.Inferred {
			t.Errorf("%s: not marked as inferred", c.name)
		}
	}
}

// The bins of the rule, computed by another way: every value is looked up among heavy values and right-closed
// intervals.
func TestQuantileBinsAgainstIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, spread := rapid.IntRange(40, 400).Draw(t, "n"), rapid.IntRange(31, 500).Draw(t, "spread")
		heavyShare := rapid.Float64Range(0, 0.9).Draw(t, "heavy")
		bins := rapid.IntRange(2, 12).Draw(t, "bins")
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(rng.IntN(spread)) / 4
			if rng.Float64() < heavyShare {
				v[i] = 7
			}
		}
		f := must.Get(FromColumns(&Schema{Dataset: "test", Columns: []Column{Real("x", 0, 1000)}}, map[string]any{"x": v}))(t)
		s := must.Get(QuantileSchema(f, bins))(t)
		g := must.Get(f.Under(s))(t)
		codes, _ := g.Codes("x")
		// Values in one bin must have one name, and other bins other names, unless a heavy value splits an interval.
		name := intervalNames(v, bins)
		byCode := map[int]string{}
		for i, x := range v {
			c := codes.At(i)
			if old, ok := byCode[c]; ok && old != name(x) {
				t.Fatalf("code %d is %s and %s", c, old, name(x))
			}
			byCode[c] = name(x)
		}
		if len(byCode) != s.Columns[0].Levels() {
			t.Fatalf("%d of %d bins have values", len(byCode), s.Columns[0].Levels())
		}
		names, heavy := map[string]bool{}, 0
		for _, nm := range byCode {
			if names[nm] = true; strings.HasPrefix(nm, "heavy") {
				heavy++
			}
		}
		if len(byCode) > len(names)+heavy {
			t.Fatalf("%d bins for %d names with %d heavy values", len(byCode), len(names), heavy)
		}
	})
}

// intervalNames is the rule in the words of the experiments.
func intervalNames(v []float64, bins int) func(float64) string {
	count := map[float64]int{}
	for _, x := range v {
		count[x]++
	}
	var order []float64
	for x := range count {
		order = append(order, x)
	}
	slices.SortFunc(order, func(a, b float64) int {
		if d := count[b] - count[a]; d != 0 {
			return d
		}
		return int(math.Copysign(1, a-b))
	})
	alone := func(x float64) string { return fmt.Sprintf("heavy %g", x) }
	if len(order) <= 30 {
		return alone
	}
	k := 0
	for k < len(order) && float64(count[order[k]]) > float64(len(v))/math.Pow(3, float64(k+1)) {
		k++
	}
	if len(order)-k <= 30 {
		return alone
	}
	var rest []float64
	for _, x := range v {
		if !slices.Contains(order[:k], x) {
			rest = append(rest, x)
		}
	}
	slices.Sort(rest)
	return func(x float64) string {
		if slices.Contains(order[:k], x) {
			return alone(x)
		}
		last := 0
		for b := 1; b < bins; b++ {
			h := float64(b) / float64(bins) * float64(len(rest)-1)
			lo := int(h + 1e-9)
			q := rest[lo]
			if frac := h - float64(lo); frac > 1e-9 {
				q += frac * (rest[lo+1] - rest[lo])
			}
			if x > q+1e-9 {
				last = b
			}
		}
		return fmt.Sprintf("interval %d", last)
	}
}

func TestQuantileSplit(t *testing.T) {
	cat := Categorical("c", "a", "b", "z")
	cat.Missing, cat.OnMissing = []string{"?"}, MissingAsCategory
	few := Integer("few", 0, 100)
	many := Real("many", 0, 1e6)
	many.Missing, many.OnMissing = []string{"NA"}, MissingAsCategory
	s := &Schema{Dataset: "test", Unit: "cell", Columns: []Column{cat, few, many}}
	frameOf := func(c []string, few, many []float64) *Frame {
		return must.Get(FromColumns(s, map[string]any{"c": c, "few": few, "many": many}))(t)
	}
	n := 40
	train := frameOf(slices.Repeat([]string{"a"}, n), slices.Repeat([]float64{1, 2}, n/2),
		append(upTo(n-1), math.NaN()))
	test := frameOf([]string{"b", "a"}, []float64{1, 9}, []float64{0, 1e6})
	a, b := must.Get2(QuantileSplit(train, test, 2))(t)
	got := a.Schema()
	if !got.Equal(b.Schema()) || !got.Inferred || got.Unit != "cell" {
		t.Error("schemas differ, or not marked")
	}
	for i, want := range [][]string{{"a", "b"}, {"[0, 2)", "[2, 9)", "[9, 100]"},
		{"[0, 21)", "[21, 1e+06]", "missing"}} {
		if l := got.Columns[i].Labels(); !reflect.DeepEqual(l, want) {
			t.Errorf("labels %v, want %v", l, want)
		}
	}
	for name, want := range map[string][]int{"c": {1, 0}, "few": {0, 2}, "many": {0, 1}} {
		if codes := codesOf(t, b, name); !reflect.DeepEqual(codes, want) {
			t.Errorf("%s: test codes %v, want %v", name, codes, want)
		}
	}
	if codes := codesOf(t, a, "many"); codes[n-1] != 2 || codes[0] != 0 || codes[n-2] != 1 {
		t.Errorf("many: %v", codes)
	}
	if v, err := a.Values("many"); err != nil || v[5] != 6 || v[n-1] == v[n-1] {
		t.Error("values changed", err)
	}
	if train.Schema().Inferred {
		t.Error("the frame's own schema changed")
	}
	other, _ := test.Select("c", "few")
	var arg *dp.ParameterError
	if _, _, err := QuantileSplit(train, other, 2); !errors.As(err, &arg) {
		t.Error(err)
	}
}

func TestQuantileRefuses(t *testing.T) {
	f := numbers(t, Integer("x", 0, 10), []float64{1, 2, 3})
	for _, bins := range []int{-1, 0, 1, maxLevels + 1} {
		var e *dp.ParameterError
		if _, err := QuantileSchema(f, bins); !errors.As(err, &e) || e.Parameter != "bins" {
			t.Errorf("%d bins: %v", bins, err)
		}
	}
	private := must.Get(f.Where("x", func(string) bool { return true }))(t)
	if _, err := QuantileSchema(private, 10); !errors.Is(err, ErrPrivateN) {
		t.Error(err)
	}
	if _, _, err := QuantileSplit(f, private, 10); !errors.Is(err, ErrPrivateN) {
		t.Error(err)
	}
}

func TestUnder(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	flat := must.Get(f.Select("city", "income", "vote", "age"))(t)
	if same, err := flat.Under(flat.Schema()); err != nil || !sameFrame(same, flat) {
		t.Error(err)
	}
	empty, _ := flat.Head(0)
	if same, err := empty.Under(flat.Schema()); err != nil || same.Len() != 0 {
		t.Error(err)
	}
	if _, err := f.Under(f.Schema()); !typed(err, &ColumnError{}) { // a sequence
		t.Error(err)
	}
	change := func(edit func(s *Schema)) error {
		s := flat.Schema()
		edit(s)
		_, err := flat.Under(s)
		return err
	}
	for name, c := range map[string]struct {
		edit func(*Schema)
		want error
	}{
		"invalid":       {func(s *Schema) { s.Dataset = "" }, &SchemaError{}},
		"fewer columns": {func(s *Schema) { s.Columns = s.Columns[:2] }, &ColumnError{}},
		"another order": {func(s *Schema) { slices.Reverse(s.Columns) }, &ColumnError{}},
		"another kind":  {func(s *Schema) { s.Columns[3].Kind = KindReal }, &ColumnError{}},
		"narrower": {func(s *Schema) {
			s.Columns[3] = Integer("age", 0,
				50)
			s.Columns[3].Missing = []string{"NA"}
		}, &ValueError{}},
		"a category less": {func(s *Schema) { s.Columns[0] = Categorical("city", "Ulm", "Other") }, &ValueError{}},
		"nothing missing": {func(s *Schema) { s.Columns[2] = Categorical("vote", "y", "n") }, &ValueError{}},
	} {
		if err := change(c.edit); !typed(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func ExampleQuantileSchema() {
	s := &Schema{Dataset: "wages", Columns: []Column{Integer("wage", 0, 10000)}}
	wages := make([]int, 100)
	for i := range wages {
		wages[i] = 10 * (i + 1) * (i + 1) / 100
	}
	train, err := FromColumns(s, map[string]any{"wage": wages})
	if err != nil {
		fmt.Println(err)
		return
	}
	q, err := QuantileSchema(train, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(q.Columns[0].Labels(), "inferred:", q.Inferred)
	// Output: [[0, 67) [67, 260) [260, 577) [577, 10000]] inferred: true
}

func BenchmarkQuantileSchema(b *testing.B) {
	v := make([]float64, 30000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range v {
		v[i] = math.Round(rng.ExpFloat64() * 1e4)
	}
	f := numbers(b, Integer("x", 0, 1e9), v)
	for b.Loop() {
		must.Get(QuantileSchema(f, 10))(b)
	}
}
