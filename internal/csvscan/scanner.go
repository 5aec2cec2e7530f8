// Package csvscan reads plain CSV at the speed of its bytes: it cuts a chunk into sixteen stretches of whole lines and
// reads one line of each at a time, field by field, so that the processor works on sixteen fields that do not wait for
// each other. A field is recognised together with the separator behind it: a text by a perfect hash of some of its
// bytes and one comparison of fixed width, a number by arithmetic on a word. Nobody looks for separators first.
//
// The scanner accepts a chunk or gives it back. It accepts only what the careful reader of package frame accepts too,
// with the same codes and values; of everything else, be it doubled quotes, empty lines or a value that does not fit,
// it says nothing, and the careful reader must read the chunk and say what there is to say. Quotes are read where
// nothing between them is a quote or a line end: every field then ends in its own line, so that lines are records.
package csvscan

import (
	"bytes"
	"slices"
)

const (
	// Size is the largest chunk, in bytes.
	Size  = 1 << 20
	lanes = 16
	// last keeps a place within a chunk. Places never leave it; the mask proves that to the compiler.
	last = Size - 1
)

// Buffer holds a chunk, and room to load words that begin near its end.
type Buffer [Size + 128]byte

// Column says how the fields at one place of a line are read.
type Column struct {
	Skip bool // they are not read
	// Texts are fields and their codes, which are below 256; the slow way knows them too.
	Texts []string
	Codes []int32
	// Quoted texts usually stand between quotes. Fields without are for the slow way then, as are others with.
	Quoted bool
	// Whole is the code of each whole number 0, 1, …, below 256, or NoCode for the slow way to tell.
	Whole []uint16
	// Edges are the inner edges of the bins of any numbers in [Min, Max]: at most 255 of them. It is nil for no
	// numbers.
	Edges    []float64
	Min, Max float64
	Integer  bool // only whole ones
	// Wide columns have codes of 256 or more, and need the slow way.
	Wide bool
	// Values says that values are wanted beside codes.
	Values bool
}

// Slow reads any field of a column, which may have stood between quotes; false if it does not fit. It may be nil for a
// column to skip.
type Slow func(text []byte, quoted bool) (code int32, value float64, ok bool)

// NoCode stands in Column.Whole for a number that has no code of its own.
const NoCode = 1<<16 - 1

// Plan is how the lines of a table are read. It does not change.
type Plan struct {
	columns []column
	sep     byte
}

// Scanner reads chunks of the lines of one table. It is for one goroutine.
type Scanner struct {
	buf     Buffer
	columns []column
	sep     byte
	rows    int
	// Of the stretches that are being read: the place and the row of the next field, and how many rows are left.
	pos, row, left [lanes]uint
}

// column is a Column, prepared.
type column struct {
	Column
	end    byte // behind the field: the separator, or the line end
	texts  *texts
	number *number
	slow   Slow
	lone   bool // the only one: an empty field is an empty line
	u8     []uint8
	u16    []uint16
	values []float64
}

// NewPlan prepares to read lines of the given columns between separators. With crlf lines usually end with CR and LF;
// either way both line ends are read.
func NewPlan(columns []Column, sep byte, crlf bool) *Plan {
	s := &Plan{sep: sep, columns: make([]column, len(columns))}
	for i, c := range columns {
		p := column{Column: c, end: sep, lone: len(columns) == 1}
		end := string(sep)
		if i == len(columns)-1 {
			p.end, end = '\n', "\n"
			if crlf {
				end = "\r\n"
			}
		}
		switch {
		case c.Skip, c.Wide:
		case c.Whole != nil:
			p.number = &number{end: p.end, whole: c.Whole}
		case c.Edges != nil:
			p.number = &number{end: p.end, ends: uint64(p.end) * ones, edges: c.Edges, min: c.Min, max: c.Max,
				integer: c.Integer}
		default:
			p.texts = newTexts(c.Texts, c.Codes, sep, end, p.lone, c.Quoted)
		}
		s.columns[i] = p
	}
	return s
}

// New is a scanner with slow ways of its own for each column that has one.
func (p *Plan) New(slow []Slow) *Scanner {
	s := &Scanner{sep: p.sep, columns: slices.Clone(p.columns)}
	for i := range s.columns {
		s.columns[i].slow = slow[i]
	}
	return s
}

// Buffer is where the next chunk is to be put, from its beginning.
func (s *Scanner) Buffer() *Buffer { return &s.buf }

// Rows is how many rows the last chunk had.
func (s *Scanner) Rows() int { return s.rows }

// U8 are the codes of a column in the last chunk, in order of rows; U16 are those of a wide one. They are overwritten
// by the next chunk.
func (s *Scanner) U8(column int) []uint8 { return s.columns[column].u8 }

// U16 are the codes of a wide column.
func (s *Scanner) U16(column int) []uint16 { return s.columns[column].u16 }

// Values are the values of a column that wants them.
func (s *Scanner) Values(column int) []float64 { return s.columns[column].values }

// Scan reads the first n bytes of the buffer, which must be whole lines, each with its LF. False gives the chunk back.
func (s *Scanner) Scan(n int) bool {
	if n == 0 || n > Size || s.buf[n-1] != '\n' {
		return false
	}
	k := s.cut(n)
	for i := range s.columns {
		s.columns[i].room(s.rows)
	}
	for k > 0 {
		steps := s.left[0]
		for _, l := range s.left[:k] {
			steps = min(steps, l)
		}
		for range steps {
			if !s.step(k) {
				return false
			}
		}
		for l := k - 1; l >= 0; l-- { // the last one takes the place of one that has ended
			if s.left[l] -= steps; s.left[l] == 0 {
				k--
				s.pos[l], s.row[l], s.left[l] = s.pos[k], s.row[k], s.left[k]
			}
		}
	}
	return true
}

// cut makes stretches of whole lines, about equal, and counts their rows: how many there are.
func (s *Scanner) cut(n int) (k int) {
	s.rows = 0
	from := 0
	for i := 1; i <= lanes && from < n; i++ {
		to := n
		if at := i * n / lanes; i < lanes {
			to = max(from, at)
			to += bytes.IndexByte(s.buf[to:n], '\n') + 1
		}
		rows := bytes.Count(s.buf[from:to], []byte{'\n'})
		s.pos[k], s.row[k], s.left[k] = uint(from), uint(s.rows), uint(rows)
		s.rows += rows
		from = to
		k++
	}
	return k
}

// room makes place for the rows of a chunk.
func (c *column) room(rows int) {
	switch {
	case c.Skip:
	case c.Wide:
		c.u16 = resized(c.u16, rows)
	default:
		c.u8 = resized(c.u8, rows)
	}
	if c.Values {
		c.values = resized(c.values, rows)
	}
}

func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

// step reads one line of each of k stretches.
func (s *Scanner) step(k int) bool {
	pos, row := s.pos[:k], s.row[:k]
	for i := range s.columns {
		c := &s.columns[i]
		// What a fast way cannot read, the slow one does, for this field only.
		for l := c.fast(&s.buf, pos, row, 0); l < k; l = c.fast(&s.buf, pos, row, l+1) {
			if !s.slow(c, l) {
				return false
			}
		}
	}
	for l := range row {
		row[l]++
	}
	return true
}

// fast reads the fields of a column in the stretches from l on, and returns the first that it cannot read, or the
// number of stretches.
func (c *column) fast(b *Buffer, pos, row []uint, l int) int {
	switch {
	case c.texts != nil:
		switch c.texts.words {
		case 1:
			return c.texts.match1(b, pos, row, c.u8, l)
		case 2:
			return c.texts.match2(b, pos, row, c.u8, l)
		case 3:
			return c.texts.match3(b, pos, row, c.u8, l)
		}
		return c.texts.match4(b, pos, row, c.u8, l)
	case c.number != nil:
		switch {
		case c.number.whole == nil:
			return c.number.decimal(b, pos, row, c.u8, c.values, l)
		case c.Values:
			return c.number.value(b, pos, row, c.u8, c.values, l)
		}
		return c.number.code(b, pos, row, c.u8, l)
	case c.Skip && !c.lone:
		return skip(b, pos, c.end, l)
	}
	return l
}

// slow reads one field by looking at its bytes.
func (s *Scanner) slow(c *column, l int) bool {
	from := s.pos[l]
	if s.buf[from&last] == '"' {
		return s.slowQuoted(c, l)
	}
	to := from
	for ; ; to++ { // the chunk ends with LF
		if x := s.buf[to&last]; x == s.sep || x == '\n' {
			break
		} else if x == '"' {
			return false
		}
	}
	if s.buf[to&last] != c.end {
		return false // too many fields, or not enough
	}
	s.pos[l] = to + 1
	if c.end == '\n' && to > from && s.buf[(to-1)&last] == '\r' {
		to--
	}
	if c.Skip {
		return !c.lone || to > from
	}
	if c.lone && to == from {
		return false
	}
	return s.keep(c, l, s.buf[from:to], false)
}

// slowQuoted reads one field between quotes, without quotes and line ends in it.
func (s *Scanner) slowQuoted(c *column, l int) bool {
	from := s.pos[l] + 1
	to := from
	for ; s.buf[to&last] != '"'; to++ {
		if s.buf[to&last] == '\n' {
			return false
		}
	}
	end := to + 1
	if c.end == '\n' && s.buf[end&last] == '\r' {
		end++
	}
	if s.buf[end&last] != c.end {
		return false
	}
	s.pos[l] = end + 1
	return c.Skip || s.keep(c, l, s.buf[from:to], true)
}

// keep encodes a field by the slow way.
func (s *Scanner) keep(c *column, l int, text []byte, quoted bool) bool {
	code, value, ok := c.slow(text, quoted)
	if !ok {
		return false
	}
	if c.Wide {
		c.u16[s.row[l]] = uint16(code)
	} else {
		c.u8[s.row[l]] = uint8(code)
	}
	if c.Values {
		c.values[s.row[l]] = value
	}
	return true
}
