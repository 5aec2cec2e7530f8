package frame_test

import (
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Tables of one to four columns agree with counting row by row, for codes of one and two bytes and tables small and
// large.
func TestTablesCountEveryRow(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 70).Draw(r, "n")
		k := rapid.IntRange(1, 4).Draw(r, "columns")
		s := &frame.Schema{Dataset: "t"}
		cols, codes, levels := map[string]any{}, make([][]int, k), make([]int, k)
		var set []string
		for c := range k {
			levels[c] = rapid.SampledFrom([]int{2, 3, 9, 300}).Draw(r, "levels")
			if c > 1 {
				levels[c] = min(levels[c], 9)
			}
			cats, values := make([]string, levels[c]), make([]string, n)
			for i := range cats {
				cats[i] = fmt.Sprint("v", i)
			}
			codes[c] = rapid.SliceOfN(rapid.IntRange(0, levels[c]-1), n, n).Draw(r, "codes")
			for i, v := range codes[c] {
				values[i] = cats[v]
			}
			name := fmt.Sprint("c", c)
			s.Columns = append(s.Columns, frame.Categorical(name, cats...))
			cols[name], set = values, append(set, name)
		}
		f := must.Get(frame.FromColumns(s, cols))(r)
		got := must.Get(f.TablesPrivate([][]string{set, set[:1]}))(r)
		cells := 1
		for _, l := range levels {
			cells *= l
		}
		want := make([]int64, cells)
		for i := range n {
			cell := 0
			for c := range k {
				cell = cell*levels[c] + codes[c][i]
			}
			want[cell]++
		}
		if fmt.Sprint(got[0]) != fmt.Sprint(want) || len(got[1]) != levels[0] {
			r.Fatalf("%v levels: %v, want %v", levels, got[0], want)
		}
	})
}

func TestTablesErrors(t *testing.T) {
	s := &frame.Schema{Dataset: "t", Columns: []frame.Column{frame.Categorical("a", "x", "y")}}
	f := must.Get(frame.FromColumns(s, map[string]any{"a": []string{"x"}}))(t)
	var col *frame.ColumnError
	var arg *dp.ParameterError
	if _, err := f.TablesPrivate([][]string{{"b"}}); !errors.As(err, &col) {
		t.Error("unknown column:", err)
	}
	if _, err := f.TablesPrivate([][]string{{}}); !errors.As(err, &arg) {
		t.Error("empty set:", err)
	}
	wide := make([]string, 28)
	for i := range wide {
		wide[i] = "a"
	}
	if _, err := f.TablesPrivate([][]string{wide}); !errors.As(err, &arg) {
		t.Error("2^28 cells:", err)
	}
}
