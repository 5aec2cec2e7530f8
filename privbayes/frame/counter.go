package frame

import (
	"fmt"
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
)

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
