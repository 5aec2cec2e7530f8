package frame

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

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
			if err := c.Add(block, hi-lo); err != nil {
				t.Fatal(err)
			}
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
	if err := c.Add(codes, rows); err != nil {
		t.Fatal(err)
	}
	for i, got := range c.Tables() {
		if want := naive(levels, codes, sets[i], rows); !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, want %v", sets[i], got, want)
		}
	}
}
