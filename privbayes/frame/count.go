package frame

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

const (
	maxCells   = 1 << 27 // largest table: 1 GiB of counts
	countBlock = 1 << 14 // rows whose class codes stay in the first-level cache
)

// Counts is the contingency table of some columns of a frame whose rows are public, such as synthetic records: cells as
// TablesPrivate lays them out. Errors: *PrivateRowsError for private rows, whose counts a release gives, and those of
// TablesPrivate.
func (f *Frame) Counts(columns ...string) ([]int64, error) {
	if f.public == "" {
		return nil, &PrivateRowsError{"Counts"}
	}
	return f.CountPrivate(columns...)
}

// CountPrivate is the contingency table of some columns: raw counts, a diagnostic. Private: do not publish. Errors are
// those of TablesPrivate.
func (f *Frame) CountPrivate(columns ...string) ([]int64, error) {
	t, err := f.TablesPrivate([][]string{columns})
	if err != nil {
		return nil, err
	}
	return t[0], nil
}

// Counter counts contingency tables of encoded columns, block by block of rows or group by group of equal rows, in any
// order. It holds counts of what it is given; where that is private, so are they. Not safe for concurrent use: have a
// counter for each goroutine, and Merge them.
type Counter struct {
	levels []int
	tables []familyCounter
	cells  []uint32
	joint  *jointCounter // counts the tables that are taken; nil: none
	taken  []bool
}

// NewCounter prepares a table for every set of columns, which are named by their place among the levels. Cells are laid
// out as Frame.TablesPrivate says. Errors: *dp.ParameterError for an empty set, a column that is none, or above 2^27
// cells in all.
func NewCounter(levels []int, sets [][]int) (*Counter, error) {
	c, total := &Counter{levels: levels, cells: make([]uint32, countBlock)}, 0.0
	for _, set := range sets {
		if len(set) == 0 {
			return nil, domain.Refuse("TablesPrivate", "sets", "an empty set", "at least one column in each")
		}
		cells := 1.0
		for _, k := range set {
			if k < 0 || k >= len(levels) || levels[k] < 1 || levels[k] > math.MaxUint16+1 {
				return nil, domain.Refuse("TablesPrivate", "sets", strconv.Itoa(k), "a column with 1 to 2^16 levels")
			}
			cells *= float64(levels[k])
		}
		if total += cells; total > maxCells {
			return nil, domain.Refuse("TablesPrivate", "sets", fmt.Sprintf("%.0f cells", total), "at most 2^27 cells in all; "+
				"use fewer bins or parents")
		}
		c.tables = append(c.tables, newFamilyCounter(levels, set, int(cells)))
	}
	if c.joint, c.taken = newJointCounter(levels, c.tables); c.joint != nil {
		for i := range c.tables {
			if c.taken[i] {
				c.tables[i].small = nil
			}
		}
	}
	return c, nil
}

// Add counts a block of rows: one Codes for every column, all of them of that many rows. Codes must be below their
// column's levels, as those of a Frame and of a Coder are. Error: *dp.ParameterError for another shape of block.
func (c *Counter) Add(codes []Codes, rows int) error {
	if len(codes) != len(c.levels) {
		return domain.Refuse("TablesPrivate", "columns", strconv.Itoa(len(codes)), strconv.Itoa(len(c.levels)))
	}
	for i, k := range codes {
		if k.Levels != c.levels[i] || k.U8 != nil && k.U16 != nil || k.Len() < rows || rows < 0 {
			return domain.Refuse("TablesPrivate", "codes", fmt.Sprintf("%d of %d levels in column %d", k.Len(), k.Levels, i),
				fmt.Sprintf("%d of %d levels", rows, c.levels[i]))
		}
	}
	if c.joint != nil && c.joint.inBytes(codes) {
		c.joint.add(codes, 0, rows)
		c.each(codes, rows, func(i int) bool { return !c.taken[i] })
	} else {
		c.each(codes, rows, func(int) bool { return true })
	}
	return nil
}

// each counts rows in tables one by one.
func (c *Counter) each(codes []Codes, rows int, which func(i int) bool) {
	for lo := 0; lo < rows; lo += countBlock {
		hi := min(lo+countBlock, rows)
		for i := range c.tables {
			if which(i) {
				c.tables[i].add(codes, lo, hi, c.cells)
			}
		}
	}
}

// AddGroup counts one group of equal rows: one code for every column. Error: *dp.ParameterError for codes that are
// none, or a count below 0.
func (c *Counter) AddGroup(codes []int32, count int64) error {
	if len(codes) != len(c.levels) || count < 0 {
		return domain.Refuse("TablesPrivate", "group", fmt.Sprintf("%d columns", len(codes)),
			fmt.Sprintf("%d columns, and a count of 0 or more", len(c.levels)))
	}
	for i, k := range codes {
		if k < 0 || int(k) >= c.levels[i] {
			return domain.Refuse("TablesPrivate", "group", fmt.Sprintf("a code out of range in column %d", i),
				fmt.Sprintf("0 to %d", c.levels[i]-1))
		}
	}
	for i := range c.tables {
		cell := 0
		for at, k := range c.tables[i].set {
			cell = cell*c.tables[i].levels[at] + int(codes[k])
		}
		c.tables[i].table[cell] += count
	}
	return nil
}

// Tables are the counts so far. The counter keeps them, and goes on counting in them.
func (c *Counter) Tables() [][]int64 {
	if c.joint != nil {
		c.joint.flush()
	}
	out := make([][]int64, len(c.tables))
	for i := range c.tables {
		c.tables[i].flush()
		out[i] = c.tables[i].table
	}
	return out
}

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

// Many pairs of columns are counted together. Columns are packed into groups of few joint codes, and the table of two
// groups has those of all pairs between them as margins. One increment for every row then serves as many pairs as the
// product of the groups' sizes, and the table, of 2-byte counts of at most jointRows rows, stays near the processor.
const (
	jointLevels = 128       // joint codes of a group of several columns; one alone may have 256
	jointRows   = 1<<16 - 8 // rows between sums of margins: a count fits 16 bits
	jointPairs  = 16        // fewer tables of pairs are counted one by one
)

// jointCounter counts all tables of one or two columns of bytes of a Counter.
type jointCounter struct {
	groups []jointGroup
	jobs   []jointJob
	rows   int // in the groups' codes
	cells  *[1 << 16]uint16
	part   []uint32
}

// jointGroup are columns with their joint codes, the last running fastest.
type jointGroup struct {
	columns []int
	levels  []int
	codes   []uint8
}

func (g *jointGroup) cells() int {
	n := 1
	for _, l := range g.levels {
		n *= l
	}
	return n
}

// stride is what one level of the column at a place adds to the joint code.
func (g *jointGroup) stride(at int) int {
	n := 1
	for _, l := range g.levels[at+1:] {
		n *= l
	}
	return n
}

// jointJob are the tables between two groups, or within one.
type jointJob struct {
	first, second int
	tables        []jointTable
}

// jointTable is a table of a column of the first group and one of the second; its cell is a·x + b·y, a the code of
// the first. Of a table of one column y is 0.
type jointTable struct {
	a, b  int // places in the groups
	x, y  int
	table []int64
}

// newJointCounter takes what it can of a counter's tables; nil if it would not pay. taken says of which tables.
func newJointCounter(levels []int, tables []familyCounter) (j *jointCounter, taken []bool) {
	var columns []int
	wanted, pairs := make([]bool, len(levels)), 0
	taken = make([]bool, len(tables))
	for i, t := range tables {
		taken[i] = len(t.set) <= 2
		for _, k := range t.set {
			taken[i] = taken[i] && levels[k] <= 256
		}
		if taken[i] = taken[i] && !(len(t.set) == 2 && t.set[0] == t.set[1]); !taken[i] {
			continue
		}
		pairs += len(t.set) - 1
		for _, k := range t.set {
			if !wanted[k] {
				wanted[k], columns = true, append(columns, k)
			}
		}
	}
	if pairs < jointPairs {
		return nil, nil
	}
	slices.SortStableFunc(columns, func(a, b int) int { return levels[b] - levels[a] })
	j = &jointCounter{cells: new([1 << 16]uint16)}
	group, place := make([]int, len(levels)), make([]int, len(levels))
	for _, k := range columns {
		g := slices.IndexFunc(j.groups, func(g jointGroup) bool { return g.cells()*levels[k] <= jointLevels })
		if g < 0 {
			g, j.groups = len(j.groups), append(j.groups, jointGroup{})
		}
		to := &j.groups[g]
		group[k], place[k] = g, len(to.columns)
		to.columns, to.levels = append(to.columns, k), append(to.levels, levels[k])
	}
	jobs := map[[2]int]int{}
	for i, t := range tables {
		if !taken[i] {
			continue
		}
		one := jointTable{table: t.table, a: place[t.set[0]], x: 1}
		first := group[t.set[0]]
		second := first
		if len(t.set) == 2 {
			second, one.b = group[t.set[1]], place[t.set[1]]
			if one.x, one.y = levels[t.set[1]], 1; first > second {
				first, second = second, first
				one.a, one.b, one.x, one.y = one.b, one.a, one.y, one.x
			}
		}
		at, ok := jobs[[2]int{first, second}]
		if !ok {
			at = len(j.jobs)
			jobs[[2]int{first, second}], j.jobs = at, append(j.jobs, jointJob{first: first, second: second})
		}
		j.jobs[at].tables = append(j.jobs[at].tables, one)
	}
	if len(j.jobs) >= pairs {
		return nil, nil
	}
	return j, taken
}

// add takes in rows lo to hi of the columns, which are all of bytes.
func (j *jointCounter) add(codes []Codes, lo, hi int) {
	for lo < hi {
		if j.rows == jointRows {
			j.flush()
		}
		n := min(hi-lo, jointRows-j.rows)
		for i := range j.groups {
			j.groups[i].add(codes, lo, lo+n)
		}
		j.rows, lo = j.rows+n, lo+n
	}
}

// add appends joint codes, eight rows at a time: none exceeds a byte, so that words are multiplied and added without
// carries from byte to byte.
func (g *jointGroup) add(codes []Codes, lo, hi int) {
	from := len(g.codes)
	g.codes = append(g.codes, codes[g.columns[0]].U8[lo:hi]...)
	to := g.codes[from:]
	for k, column := range g.columns[1:] {
		next, levels := codes[column].U8[lo:hi], uint64(g.levels[k+1])
		i := 0
		for ; i+8 <= len(to); i += 8 {
			w := binary.LittleEndian.Uint64(to[i:])*levels + binary.LittleEndian.Uint64(next[i:])
			binary.LittleEndian.PutUint64(to[i:], w)
		}
		for ; i < len(to); i++ {
			to[i] = to[i]*uint8(levels) + next[i]
		}
	}
}

// flush counts the rows that were taken in.
func (j *jointCounter) flush() {
	if j.rows == 0 {
		return
	}
	for i := range j.jobs {
		job := &j.jobs[i]
		first, second := &j.groups[job.first], &j.groups[job.second]
		switch width := second.cells(); {
		case job.first == job.second:
			j.within(job, first)
		case j.rows*len(job.tables) < first.cells()*width:
			job.direct(first, second)
		default:
			clear(j.cells[:first.cells()*width])
			j.count(first.codes, second.codes, uint16(width))
			j.margins(job, first, second)
		}
	}
	for i := range j.groups {
		j.groups[i].codes = j.groups[i].codes[:0]
	}
	j.rows = 0
}

// count counts joint codes of two groups, eight rows at a time: the cells of four, which have 16 bits each, are made in
// one word.
func (j *jointCounter) count(first, second []uint8, width uint16) {
	const bytes = 0x00ff00ff00ff00ff
	second = second[:len(first)]
	cells, w := j.cells, uint64(width)
	for ; len(first) >= 8 && len(second) >= 8; first, second = first[8:], second[8:] {
		a, b := binary.LittleEndian.Uint64(first), binary.LittleEndian.Uint64(second)
		even, odd := a&bytes*w+b&bytes, a>>8&bytes*w+b>>8&bytes
		cells[uint16(even)]++
		cells[uint16(odd)]++
		cells[uint16(even>>16)]++
		cells[uint16(odd>>16)]++
		cells[uint16(even>>32)]++
		cells[uint16(odd>>32)]++
		cells[even>>48]++
		cells[odd>>48]++
	}
	for i, a := range first {
		cells[uint16(a)*width+uint16(second[i])]++
	}
}

// margins sums the joint table into those of pairs: first over the other columns of the first group, for each of its
// columns, then over those of the second.
func (j *jointCounter) margins(job *jointJob, first, second *jointGroup) {
	rows, width := first.cells(), second.cells()
	for a, levels := range first.levels {
		summed := false
		for _, t := range job.tables {
			if t.a != a {
				continue
			}
			if !summed {
				summed = true
				j.part = slices.Grow(j.part[:0], levels*width)[:levels*width]
				clear(j.part)
				for s, stride := 0, first.stride(a); s < rows; s++ {
					to := j.part[s/stride%levels*width:][:width]
					for i, v := range j.cells[s*width : (s+1)*width] {
						to[i] += uint32(v)
					}
				}
			}
			own, stride := second.levels[t.b], second.stride(t.b)
			for l := range levels {
				row, cell := j.part[l*width:(l+1)*width], l*t.x
				for lo := 0; lo < width; {
					for b := range own {
						sum := uint32(0)
						for _, v := range row[lo : lo+stride] {
							sum += v
						}
						t.table[cell+b*t.y] += int64(sum)
						lo += stride
					}
				}
			}
		}
	}
}

// within counts the tables of one group from the numbers of its joint codes.
func (j *jointCounter) within(job *jointJob, g *jointGroup) {
	var joint [4][256]uint32
	countOne(g.codes, &joint)
	for _, t := range job.tables {
		for code := range g.cells() {
			cell := code / g.stride(t.a) % g.levels[t.a] * t.x
			if t.y > 0 {
				cell += code / g.stride(t.b) % g.levels[t.b] * t.y
			}
			t.table[cell] += int64(joint[0][code]) + int64(joint[1][code]) + int64(joint[2][code]) + int64(joint[3][code])
		}
	}
}

// countOne counts bytes in four copies, so that equal neighbours do not wait for each other's increment.
func countOne(codes []uint8, t *[4][256]uint32) {
	i := 0
	for ; i+8 <= len(codes); i += 8 {
		countWord(binary.LittleEndian.Uint64(codes[i:]), t)
	}
	for ; i < len(codes); i++ {
		t[0][codes[i]]++
	}
}

// direct counts few rows one by one.
func (job *jointJob) direct(first, second *jointGroup) {
	for _, t := range job.tables {
		var a, b [256]int
		for code := range first.cells() {
			a[code] = code / first.stride(t.a) % first.levels[t.a] * t.x
		}
		for code := range second.cells() {
			b[code] = code / second.stride(t.b) % second.levels[t.b] * t.y
		}
		for i, code := range first.codes {
			t.table[a[code]+b[second.codes[i]]]++
		}
	}
}

// inBytes reports whether all columns of the groups are bytes.
func (j *jointCounter) inBytes(codes []Codes) bool {
	for _, g := range j.groups {
		for _, k := range g.columns {
			if codes[k].U8 == nil {
				return false
			}
		}
	}
	return true
}
