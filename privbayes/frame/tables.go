package frame

import (
	"encoding/binary"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Tables makes one contingency table per set of columns, in mixed radix with the last column running fastest: the cell
// of codes (c_1, …, c_k) is (…(c_1·L_2 + c_2)·L_3 + …)·L_k + c_k. All tables come from one pass over blocks of rows.
// The counts are private. Errors: *ColumnError; *dp.ParameterError for an empty set, or above 2^27 cells in all.
func (f *Frame) Tables(sets [][]string) ([][]int64, error) {
	tables, counters := make([][]int64, len(sets)), make([]familyCounter, len(sets))
	total := 0
	for i, set := range sets {
		if len(set) == 0 {
			return nil, domain.Refuse("Tables", "sets", "an empty set", "at least one column in each")
		}
		cells := 1
		var codes []Codes
		for _, name := range set {
			col, _, err := f.coded("Tables", name)
			if err != nil {
				return nil, err
			}
			codes = append(codes, col.codes)
			if cells *= col.codes.Levels; cells > maxCells {
				return nil, domain.Refuse("Tables", "sets", strconv.Itoa(cells)+" cells", "at most 2^27 cells; "+
					"use fewer bins or parents")
			}
		}
		if total += cells; total > maxCells {
			return nil, domain.Refuse("Tables", "sets", strconv.Itoa(total)+" cells", "at most 2^27 cells in all; "+
				"use fewer bins or parents")
		}
		tables[i] = make([]int64, cells)
		counters[i] = newFamilyCounter(codes, tables[i])
	}
	cells := make([]uint32, countBlock)
	for lo := 0; lo < f.n; lo += countBlock {
		hi := min(lo+countBlock, f.n)
		for i := range counters {
			counters[i].add(lo, hi, cells)
		}
	}
	for i := range counters {
		counters[i].flush()
	}
	return tables, nil
}

// familyCounter counts one table of any number of columns.
type familyCounter struct {
	codes []Codes
	table []int64
	// Tables of at most 256 cells are counted in four copies, so that equal neighbours do not wait for each other's
	// increment.
	small *[4][256]uint32
	rows  uint32
}

func newFamilyCounter(codes []Codes, table []int64) familyCounter {
	c := familyCounter{codes: codes, table: table}
	bytes := len(table) <= 256
	for _, k := range codes {
		bytes = bytes && k.U8 != nil
	}
	if bytes {
		c.small = new([4][256]uint32)
	}
	return c
}

func (c *familyCounter) add(lo, hi int, cells []uint32) {
	if c.small != nil {
		if c.rows += uint32(hi - lo); c.rows > 1<<31 {
			c.flush()
			c.rows = uint32(hi - lo)
		}
		c.addBytes(lo, hi)
		return
	}
	if len(c.codes) == 2 && c.codes[0].U8 != nil && c.codes[1].U8 != nil {
		second, levels, table := c.codes[1].U8[lo:hi], c.codes[1].Levels, c.table
		for i, first := range c.codes[0].U8[lo:hi] {
			table[int(first)*levels+int(second[i])]++
		}
		return
	}
	cells = cells[:hi-lo]
	clear(cells)
	for _, k := range c.codes {
		levels := uint32(k.Levels)
		if k.U8 != nil {
			for i, v := range k.U8[lo:hi] {
				cells[i] = cells[i]*levels + uint32(v)
			}
			continue
		}
		for i := range cells {
			cells[i] = cells[i]*levels + uint32(k.At(lo+i))
		}
	}
	for _, cell := range cells {
		c.table[cell]++
	}
}

// addBytes counts eight rows at a time: no partial cell number exceeds a byte, so words of eight are multiplied and
// added without carries from byte to byte.
func (c *familyCounter) addBytes(lo, hi int) {
	first, rest := c.codes[0].U8[lo:hi], c.codes[1:]
	whole := len(first) &^ 7
	if len(rest) == 1 {
		countPairs(first[:whole], rest[0].U8[lo:lo+whole], uint64(rest[0].Levels), c.small)
	} else {
		for i := 0; i < whole; i += 8 {
			w := binary.LittleEndian.Uint64(first[i:])
			for _, k := range rest {
				w = w*uint64(k.Levels) + binary.LittleEndian.Uint64(k.U8[lo+i:])
			}
			countWord(w, c.small)
		}
	}
	for i := whole; i < len(first); i++ {
		cell := uint64(first[i])
		for _, k := range rest {
			cell = cell*uint64(k.Levels) + uint64(k.U8[lo+i])
		}
		c.small[0][uint8(cell)]++
	}
}

// countPairs is addBytes for two columns, whose lengths are equal multiples of eight.
func countPairs(first, second []uint8, levels uint64, t *[4][256]uint32) {
	second = second[:len(first)]
	for i := 0; i+8 <= len(first); i += 8 {
		countWord(binary.LittleEndian.Uint64(first[i:])*levels+binary.LittleEndian.Uint64(second[i:]), t)
	}
}

func countWord(w uint64, t *[4][256]uint32) {
	t[0][uint8(w)]++
	t[1][uint8(w>>8)]++
	t[2][uint8(w>>16)]++
	t[3][uint8(w>>24)]++
	t[0][uint8(w>>32)]++
	t[1][uint8(w>>40)]++
	t[2][uint8(w>>48)]++
	t[3][uint8(w>>56)]++
}

func (c *familyCounter) flush() {
	if c.small == nil {
		return
	}
	for i := range c.table {
		c.table[i] += int64(c.small[0][i]) + int64(c.small[1][i]) + int64(c.small[2][i]) + int64(c.small[3][i])
	}
	*c.small = [4][256]uint32{}
	c.rows = 0
}
