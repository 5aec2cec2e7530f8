package frame

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
)

func TestTablesAgreeWithCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		s := &Schema{Dataset: "test"}
		cols := map[string]any{}
		raw := map[string][]int{}
		for _, name := range []string{"class", "a", "b"} {
			levels := rapid.SampledFrom([]int{1, 2, 3, 16, 128, 256, 257, 700}).Draw(t, "levels")
			cats := make([]string, levels)
			for i := range cats {
				cats[i] = fmt.Sprint(i)
			}
			s.Columns = append(s.Columns, Categorical(name, cats...))
			codes := rapid.SliceOfN(rapid.IntRange(0, levels-1), n, n).Draw(t, name)
			cols[name], raw[name] = codes, codes
		}
		f, err := FromColumns(s, cols)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.TablesPrivate([][]string{{"class", "a"}, {"class", "b"}})
		if err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"a", "b"} {
			levels := s.Columns[k+1].Levels()
			want := make([]int64, s.Columns[0].Levels()*levels)
			for i := range n {
				want[raw["class"][i]*levels+raw[name][i]]++
			}
			if !reflect.DeepEqual(got[k], want) {
				t.Fatalf("%s: %v, want %v", name, got[k], want)
			}
		}
	})
}

func TestCountSmallWraps(t *testing.T) {
	n := 3*countBlock + 5
	class, a := make([]int, n), make([]int, n)
	for i := range n {
		class[i], a[i] = i%2, (i/2)%128
	}
	cats := make([]string, 128)
	for i := range cats {
		cats[i] = fmt.Sprint(i)
	}
	f, err := FromColumns(&Schema{Dataset: "test",
		Columns: []Column{Categorical("c", "0", "1"), Categorical("a", cats...)}}, map[string]any{"c": class, "a": a})
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.CountPrivate("c", "a")
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, 256)
	for i := range n {
		want[class[i]*128+a[i]]++
	}
	if !reflect.DeepEqual(got, want) {
		t.Error("counts over several blocks differ")
	}
}

func TestCountErrors(t *testing.T) {
	f := mustRead(t, peopleCSV, people())
	if _, err := f.Counts("vote"); !typed(err, &PrivateRowsError{}) {
		t.Error("counts of private rows:", err)
	}
	if _, err := f.CountPrivate("trip"); !typed(err, &ColumnError{}) {
		t.Error(err)
	}
	if _, err := f.TablesPrivate([][]string{{"vote", "cty"}}); !typed(err, &ColumnError{}) {
		t.Error(err)
	}
	if _, err := f.CountPrivate("nope", "city"); !typed(err, &ColumnError{}) {
		t.Error(err)
	}
	edges := make([]float64, 60001)
	for i := range edges {
		edges[i] = float64(i)
	}
	g, err := FromColumns(&Schema{Dataset: "test", Columns: []Column{Integer("a", edges...), Integer("b", edges...)}},
		map[string]any{"a": []int{1}, "b": []int{2}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.CountPrivate("a", "b"); !typed(err, &domain.Error{}) {
		t.Error(err)
	}
}
