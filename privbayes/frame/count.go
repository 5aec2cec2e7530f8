package frame

import (
	"encoding/binary"
	"strconv"
)

const (
	maxCells   = 1 << 27 // largest table: 1 GiB of counts
	countBlock = 1 << 14 // rows whose class codes stay in the first-level cache
)

// Table1 counts each code of a column. The counts are private. Error: *ColumnError.
func (f *Frame) Table1(name string) ([]int64, error) {
	col, _, err := f.coded("Table1", name)
	if err != nil {
		return nil, err
	}
	t := make([]int64, col.codes.Levels)
	for i := range f.n {
		t[col.codes.At(i)]++
	}
	return t, nil
}

// Count makes the contingency table of two columns: cell a·levels(b)+b counts the rows with codes a and b. The counts are private.
// Errors: *ColumnError; *ArgumentError above 2^27 cells.
func (f *Frame) Count(a, b string) ([]int64, error) {
	t, err := f.TablesByClass(a, []string{b})
	if err != nil {
		return nil, err
	}
	return t[0], nil
}

// TablesByClass makes, for each attribute, the table of class × attribute: cell class·C+value counts the rows with that class and
// value, C being the attribute's levels. All tables come from one pass over blocks of rows. The counts are private.
// Errors: *ColumnError; *ArgumentError above 2^27 cells in all.
func (f *Frame) TablesByClass(class string, attrs []string) ([][]int64, error) {
	cls, _, err := f.coded("TablesByClass", class)
	if err != nil {
		return nil, err
	}
	tables := make([][]int64, len(attrs))
	counters := make([]counter, len(attrs))
	cells := 0
	for k, name := range attrs {
		col, _, err := f.coded("TablesByClass", name)
		if err != nil {
			return nil, err
		}
		if cells += cls.codes.Levels * col.codes.Levels; cells > maxCells {
			return nil, &ArgumentError{"TablesByClass", "tables", strconv.Itoa(cells) + " cells", "at most 2^27 cells; use fewer bins or attributes"}
		}
		tables[k] = make([]int64, cls.codes.Levels*col.codes.Levels)
		counters[k] = newCounter(cls.codes, col.codes, tables[k])
	}
	for lo := 0; lo < f.n; lo += countBlock {
		hi := min(lo+countBlock, f.n)
		for k := range counters {
			counters[k].add(lo, hi)
		}
	}
	for k := range counters {
		counters[k].flush()
	}
	return tables, nil
}

// counter counts one class × attribute table.
type counter struct {
	class, attr Codes
	table       []int64
	// Tables of at most 256 cells are counted in four copies, so that equal neighbours do not wait for each other's increment.
	small *[4][256]uint32
	rows  uint32 // in small since the last flush
}

func newCounter(class, attr Codes, table []int64) counter {
	c := counter{class: class, attr: attr, table: table}
	if class.U8 != nil && attr.U8 != nil && len(table) <= 256 {
		c.small = new([4][256]uint32)
	}
	return c
}

func (c *counter) add(lo, hi int) {
	if c.small != nil {
		if c.rows += uint32(hi - lo); c.rows > 1<<31 {
			c.flush()
		}
		countSmall(c.class.U8[lo:hi], c.attr.U8[lo:hi], uint64(c.attr.Levels), c.small)
		return
	}
	if c.class.U8 != nil && c.attr.U8 != nil {
		attr, levels, table := c.attr.U8[lo:hi], c.attr.Levels, c.table
		for i, class := range c.class.U8[lo:hi] {
			table[int(class)*levels+int(attr[i])]++
		}
		return
	}
	for i := lo; i < hi; i++ {
		c.table[c.class.At(i)*c.attr.Levels+c.attr.At(i)]++
	}
}

func (c *counter) flush() {
	if c.small == nil {
		return
	}
	for i := range c.table {
		c.table[i] += int64(c.small[0][i]) + int64(c.small[1][i]) + int64(c.small[2][i]) + int64(c.small[3][i])
	}
	*c.small = [4][256]uint32{}
	c.rows = 0
}

// countSmall counts cells class·levels+attr ≤ 255, eight rows at a time: since no cell number exceeds a byte, one multiplication and
// one addition of 64-bit words make eight of them without carries from byte to byte. levels ≤ 256; when it is 256 there is one class,
// all of whose codes are 0.
func countSmall(class, attr []uint8, levels uint64, t *[4][256]uint32) {
	n := len(class)
	attr = attr[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		w := binary.LittleEndian.Uint64(class[i:])*levels + binary.LittleEndian.Uint64(attr[i:])
		t[0][uint8(w)]++
		t[1][uint8(w>>8)]++
		t[2][uint8(w>>16)]++
		t[3][uint8(w>>24)]++
		t[0][uint8(w>>32)]++
		t[1][uint8(w>>40)]++
		t[2][uint8(w>>48)]++
		t[3][uint8(w>>56)]++
	}
	for ; i < n; i++ {
		t[0][uint8(uint64(class[i])*levels+uint64(attr[i]))]++
	}
}
