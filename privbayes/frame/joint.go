package frame

import (
	"encoding/binary"
	"slices"
)

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

// count counts joint codes of two groups.
func (j *jointCounter) count(first, second []uint8, width uint16) {
	second = second[:len(first)]
	cells := j.cells
	for ; len(first) >= 8 && len(second) >= 8; first, second = first[8:], second[8:] {
		a, b := binary.LittleEndian.Uint64(first), binary.LittleEndian.Uint64(second)
		cells[uint16(uint8(a))*width+uint16(uint8(b))]++
		cells[uint16(uint8(a>>8))*width+uint16(uint8(b>>8))]++
		cells[uint16(uint8(a>>16))*width+uint16(uint8(b>>16))]++
		cells[uint16(uint8(a>>24))*width+uint16(uint8(b>>24))]++
		cells[uint16(uint8(a>>32))*width+uint16(uint8(b>>32))]++
		cells[uint16(uint8(a>>40))*width+uint16(uint8(b>>40))]++
		cells[uint16(uint8(a>>48))*width+uint16(uint8(b>>48))]++
		cells[uint16(uint8(a>>56))*width+uint16(uint8(b>>56))]++
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
