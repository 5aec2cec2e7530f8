package frame

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
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
		f := must.Get(FromColumns(s, cols))(t)
		got := must.Get(f.TablesPrivate([][]string{{"class", "a"}, {"class", "b"}}))(t)
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
	f := must.Get(FromColumns(&Schema{Dataset: "test",
		Columns: []Column{Categorical("c", "0", "1"), Categorical("a", cats...)}}, map[string]any{"c": class, "a": a}))(t)
	got := must.Get(f.CountPrivate("c", "a"))(t)
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
	g := must.Get(FromColumns(&Schema{Dataset: "test", Columns: []Column{Integer("a", edges...), Integer("b", edges...)}},
		map[string]any{"a": []int{1}, "b": []int{2}}))(t)
	if _, err := g.CountPrivate("a", "b"); !typed(err, &domain.Error{}) {
		t.Error(err)
	}
}

// naive counts one table, row by row.
func naive(levels []int, codes []Codes, set []int, rows int) []int64 {
	cells := 1
	for _, k := range set {
		cells *= levels[k]
	}
	out := make([]int64, cells)
	for r := range rows {
		cell := 0
		for _, k := range set {
			cell = cell*levels[k] + codes[k].At(r)
		}
		out[cell]++
	}
	return out
}

// randomCodes are of columns of the given levels, in bytes where they fit.
func randomCodes(r *rand.Rand, levels []int, rows int) []Codes {
	out := make([]Codes, len(levels))
	for i, l := range levels {
		out[i].Levels = l
		for range rows {
			code := min(r.IntN(l), r.IntN(l))
			if l <= 256 {
				out[i].U8 = append(out[i].U8, uint8(code))
			} else {
				out[i].U16 = append(out[i].U16, uint16(code))
			}
		}
	}
	return out
}

func (k Codes) slice(lo, hi int) Codes {
	if k.U8 != nil {
		return Codes{Levels: k.Levels, U8: k.U8[lo:hi]}
	}
	return Codes{Levels: k.Levels, U16: k.U16[lo:hi]}
}

// Tables of many pairs, columns, triples and wide columns, in any order and from blocks of any length, are those of
// counting row by row.
func TestJointTables(t *testing.T) {
	joint, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		d := rapid.IntRange(5, 9).Draw(t, "d")
		var levels []int
		for range d {
			levels = append(levels, rapid.SampledFrom([]int{1, 2, 2, 3, 5, 11, 16, 100, 129, 256, 300}).Draw(t, "levels"))
		}
		rows := rapid.SampledFrom([]int{0, 1, 7, 40, 5000}).Draw(t, "rows")
		codes := randomCodes(r, levels, rows)
		var sets [][]int
		for a := range d {
			for b := range d {
				if rapid.IntRange(0, 3).Draw(t, "taken") > 0 {
					sets = append(sets, []int{a, b})
				}
			}
			sets = append(sets, []int{a})
		}
		sets = append(sets, []int{0, 2, 1})
		c, err := NewCounter(levels, sets)
		if err != nil {
			t.Skip(err)
		}
		if all++; c.joint != nil {
			joint++
		}
		for lo := 0; lo < rows; {
			hi := min(rows, lo+1+r.IntN(1+rows))
			block := make([]Codes, d)
			for i := range codes {
				block[i] = codes[i].slice(lo, hi)
			}
			must.Do(t, c.Add(block, hi-lo))
			if r.IntN(3) == 0 {
				c.Tables()
			}
			lo = hi
		}
		for i, got := range c.Tables() {
			if want := naive(levels, codes, sets[i], rows); !reflect.DeepEqual(got, want) {
				t.Fatalf("%v of levels %v: %v, want %v", sets[i], levels, got, want)
			}
		}
	})
	if joint*4 < all {
		t.Errorf("only %d of %d counters counted jointly", joint, all)
	}
}

// More rows than a joint count of 16 bits holds, all of them alike.
func TestJointCountsWrapNowhere(t *testing.T) {
	const d, rows = 12, 2*jointRows + 77
	levels, codes := make([]int, d), make([]Codes, d)
	var sets [][]int
	for i := range d {
		levels[i] = 2 + i
		codes[i] = Codes{Levels: levels[i], U8: make([]uint8, rows)}
		for k := range i {
			sets = append(sets, []int{k, i})
		}
	}
	for r := range 100 { // but for these
		codes[r%d].U8[rows-1-r] = 1
	}
	c, err := NewCounter(levels, sets)
	if err != nil || c.joint == nil {
		t.Fatal(err)
	}
	must.Do(t, c.Add(codes, rows))
	for i, got := range c.Tables() {
		if want := naive(levels, codes, sets[i], rows); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, want %v", sets[i], got, want)
		}
	}
}

// Every cell is counted as itself: none of four cells in one word carries into the next.
func TestCellsInOneWord(t *testing.T) {
	for _, width := range []int{1, 2, 17, 128, 255, 256} {
		var first, second []uint8
		for i := range 256 * width {
			k := (i*193 + 255*width + width - 1) % (256 * width) // the last cell first
			first, second = append(first, uint8(k/width)), append(second, uint8(k%width))
		}
		last := uint8(width - 1)
		for range 8 {
			first, second = append([]uint8{255}, first...), append([]uint8{last}, second...)
		}
		j := &jointCounter{cells: new([1 << 16]uint16)}
		j.count(first, second, uint16(width))
		for k, n := range j.cells[:256*width] {
			if want := uint16(1 + 8*(k/(256*width-1))); n != want {
				t.Fatalf("width %d: cell %d has %d, want %d", width, k, n, want)
			}
		}
	}
}

// BenchmarkAllPairs counts the tables of all columns and all pairs of 100 columns, as learning a structure does, and
// reports the time of a row and pair.
func BenchmarkAllPairs(b *testing.B) {
	const columns, rows = 100, 1 << 16
	for _, most := range []int{2, 4, 8, 16, 24, 0} { // 0: of 2 to 16 levels
		b.Run(fmt.Sprintf("levels%d", most), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, uint64(most)))
			levels, codes, sets := make([]int, columns), make([]Codes, columns), [][]int{}
			for i := range columns {
				levels[i] = most
				if most == 0 {
					levels[i] = 2 + i%15
				}
				codes[i] = Codes{Levels: levels[i], U8: make([]uint8, rows)}
				for r := range codes[i].U8 {
					codes[i].U8[r] = uint8(min(rng.IntN(levels[i]), rng.IntN(levels[i])))
				}
				sets = append(sets, []int{i})
			}
			for i := range columns {
				for k := i + 1; k < columns; k++ {
					sets = append(sets, []int{i, k})
				}
			}
			c := must.Get(NewCounter(levels, sets))(b)
			for b.Loop() {
				must.Do(b, c.Add(codes, rows))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows/float64(len(sets)-columns), "ns/row-pair")
		})
	}
}
