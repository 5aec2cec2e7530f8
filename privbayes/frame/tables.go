package frame

import "encoding/binary"

// TablesPrivate makes one contingency table per set of columns: raw counts, a diagnostic. Private: do not publish. It
// is in mixed radix with the last column running fastest: the cell of codes (c_1, …, c_k) is (…(c_1·L_2 + c_2)·L_3 +
// …)·L_k + c_k. All tables come from one pass over blocks of rows. Errors: *ColumnError; *dp.ParameterError for an
// empty set, or above 2^27 cells in all.
func (f *Frame) TablesPrivate(sets [][]string) ([][]int64, error) {
	var codes []Codes
	var levels []int
	at, sought := map[string]int{}, make([][]int, len(sets))
	for i, set := range sets {
		for _, name := range set {
			k, known := at[name]
			if !known {
				col, _, err := f.coded("TablesPrivate", name)
				if err != nil {
					return nil, err
				}
				k = len(codes)
				at[name], codes, levels = k, append(codes, col.codes), append(levels, col.codes.Levels)
			}
			sought[i] = append(sought[i], k)
		}
	}
	c, err := NewCounter(levels, sought)
	if err != nil {
		return nil, err
	}
	if err := c.Add(codes, f.n); err != nil {
		return nil, err
	}
	return c.Tables(), nil
}

// familyCounter counts one table of any number of columns.
type familyCounter struct {
	set    []int // the table's columns
	levels []int // theirs
	table  []int64
	// Tables of at most 256 cells are counted in four copies, so that equal neighbours do not wait for each other's
	// increment.
	small *[4][256]uint32
	rows  uint32
}

func newFamilyCounter(levels, set []int, cells int) familyCounter {
	c := familyCounter{set: set, table: make([]int64, cells)}
	for _, k := range set {
		c.levels = append(c.levels, levels[k])
	}
	if cells <= 256 {
		c.small = new([4][256]uint32)
	}
	return c
}

func (c *familyCounter) add(codes []Codes, lo, hi int, cells []uint32) {
	if c.small != nil && c.inBytes(codes) {
		if c.rows += uint32(hi - lo); c.rows > 1<<31 {
			c.flush()
			c.rows = uint32(hi - lo)
		}
		c.addBytes(codes, lo, hi)
		return
	}
	if len(c.set) == 2 {
		if a, b := codes[c.set[0]].U8, codes[c.set[1]].U8; a != nil && b != nil {
			second, levels, table := b[lo:hi], c.levels[1], c.table
			for i, first := range a[lo:hi] {
				table[int(first)*levels+int(second[i])]++
			}
			return
		}
	}
	cells = cells[:hi-lo]
	clear(cells)
	for _, k := range c.set {
		levels := uint32(codes[k].Levels)
		if bytes := codes[k].U8; bytes != nil {
			for i, v := range bytes[lo:hi] {
				cells[i] = cells[i]*levels + uint32(v)
			}
			continue
		}
		for i := range cells {
			cells[i] = cells[i]*levels + uint32(codes[k].At(lo+i))
		}
	}
	for _, cell := range cells {
		c.table[cell]++
	}
}

// inBytes reports whether all codes of the table are bytes.
func (c *familyCounter) inBytes(codes []Codes) bool {
	for _, k := range c.set {
		if codes[k].U8 == nil {
			return false
		}
	}
	return true
}

// addBytes counts eight rows at a time: no partial cell number exceeds a byte, so words of eight are multiplied and
// added without carries from byte to byte.
func (c *familyCounter) addBytes(codes []Codes, lo, hi int) {
	first, rest := codes[c.set[0]].U8[lo:hi], c.set[1:]
	whole := len(first) &^ 7
	if len(rest) == 1 {
		countPairs(first[:whole], codes[rest[0]].U8[lo:lo+whole], uint64(c.levels[1]), c.small)
	} else {
		for i := 0; i < whole; i += 8 {
			w := binary.LittleEndian.Uint64(first[i:])
			for _, k := range rest {
				w = w*uint64(codes[k].Levels) + binary.LittleEndian.Uint64(codes[k].U8[lo+i:])
			}
			countWord(w, c.small)
		}
	}
	for i := whole; i < len(first); i++ {
		cell := uint64(first[i])
		for _, k := range rest {
			cell = cell*uint64(codes[k].Levels) + uint64(codes[k].U8[lo+i])
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
