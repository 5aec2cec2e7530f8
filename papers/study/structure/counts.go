package structure

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Coded is a table as codes, one column of bytes for each variable: what the study compares.
type Coded struct {
	Names   []string
	Levels  []int
	Columns [][]uint8
	Rows    int
}

// Code takes the codes of all columns of a frame. Errors: those of frame.Frame.Codes, or a column of more than 256
// levels.
func Code(f *frame.Frame) (*Coded, error) {
	c := &Coded{Rows: f.Len()}
	for _, col := range f.Schema().Columns {
		codes, err := f.Codes(col.Name)
		if err != nil {
			return nil, err
		}
		if codes.U8 == nil && f.Len() > 0 {
			return nil, fmt.Errorf("structure: column %s has %d levels; want at most 256", col.Name, codes.Levels)
		}
		c.Names, c.Levels = append(c.Names, col.Name), append(c.Levels, codes.Levels)
		c.Columns = append(c.Columns, codes.U8)
	}
	return c, nil
}

// counts are the contingency tables of sets of columns.
func (c *Coded) counts(sets [][]int) ([][]int64, error) {
	counter, err := frame.NewCounter(c.Levels, sets)
	if err != nil {
		return nil, err
	}
	codes := make([]frame.Codes, len(c.Columns))
	for i, col := range c.Columns {
		codes[i] = frame.Codes{Levels: c.Levels[i], U8: col}
	}
	if err := counter.Add(codes, c.Rows); err != nil {
		return nil, err
	}
	return counter.Tables(), nil
}

// subsets are all sets of k of d columns, ascending.
func subsets(d, k int) [][]int {
	if k == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for last := k - 1; last < d; last++ {
		for _, s := range subsets(last, k-1) {
			out = append(out, append(s[:len(s):len(s)], last))
		}
	}
	return out
}

// distance is the total variation of two tables of counts, each divided by its total.
func distance(a, b []int64) float64 {
	na, nb := 0.0, 0.0
	for i := range a {
		na += float64(a[i])
		nb += float64(b[i])
	}
	sum := 0.0
	for i := range a {
		sum += math.Abs(float64(a[i])/na - float64(b[i])/nb)
	}
	return sum / 2
}
