package frame

import "slices"

// chunkRows is how many rows the careful reader encodes before they are kept.
const chunkRows = 1 << 13

// part holds some rows of one column as they come from an encoder or a scanner.
type part struct {
	codes  Codes      // empty for sequences
	values []float64  // numeric columns: the value, NaN where missing
	seqs   [][]uint16 // sequences
}

// column is the part of a whole column, to be kept.
func (p part) column(c Column) column {
	return column{codes: p.codes, values: pack(c, p.values), seqs: p.seqs}
}

// clear forgets the rows and keeps the room.
func (p *part) clear() {
	p.codes.U8, p.codes.U16, p.values, p.seqs = p.codes.U8[:0], p.codes.U16[:0], p.values[:0], p.seqs[:0]
}

// dropLast forgets the last row.
func (p *part) dropLast() {
	p.codes.U8, p.codes.U16 = p.codes.U8[:max(len(p.codes.U8), 1)-1], p.codes.U16[:max(len(p.codes.U16), 1)-1]
	p.values, p.seqs = p.values[:max(len(p.values), 1)-1], p.seqs[:max(len(p.seqs), 1)-1]
}

// store keeps all rows of a table.
type store struct {
	schema *Schema
	cols   []column
	room   int // rows that the columns have room for
}

func newStore(s *Schema) *store {
	st := &store{schema: s, cols: make([]column, len(s.Columns))}
	for i, c := range s.Columns {
		st.cols[i] = column{codes: Codes{Levels: c.Levels()}, values: newPacked(c)}
	}
	return st
}

// add appends rows, which are that many from now on, and all in all about as many as expected; 0 if nobody knows. Where
// they are known nothing is moved, so that memory never holds a column twice.
func (st *store) add(parts []part, rows, expected int) {
	if rows > st.room {
		st.room = max(expected+expected/32, rows+rows/4)
	}
	for i := range st.cols {
		c, p := &st.cols[i], &parts[i]
		have := rows - max(len(p.codes.U8), len(p.codes.U16), len(p.seqs))
		switch {
		case st.schema.Columns[i].Kind == KindSequence:
			c.seqs = append(c.seqs, p.seqs...)
		case p.codes.U16 != nil:
			c.codes.U16 = append(roomFor(c.codes.U16, have, st.room), p.codes.U16...)
		default:
			c.codes.U8 = append(roomFor(c.codes.U8, have, st.room), p.codes.U8...)
		}
		if c.values != nil {
			if n := c.values.len(); n+len(p.values) > c.values.room() {
				c.values.grow(st.room - n)
			}
			c.values.add(p.values)
		}
	}
}

// roomFor is s with room for n in all, if it is not there.
func roomFor[T any](s []T, have, n int) []T {
	if cap(s) >= n {
		return s
	}
	return slices.Grow(s, n-have)
}
