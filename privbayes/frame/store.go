package frame

import (
	"math"
	"slices"
	"sync"
)

// packed holds the numbers of a column in as few bytes as they need: whole numbers as their distance from the lower
// bound, few different numbers as places in a list, others as they are. It gives back the very numbers it was given.
type packed struct {
	span   float64 // whole numbers: the largest distance from base; −1 for others
	base   float64
	list   *numberList // while the different numbers are few
	u8     []uint8     // places in the list, or distances
	u16    []uint16    // distances
	u32    []uint32    // distances
	f32    []float32
	f64    []float64
	mu     sync.Mutex
	opened []float64 // all of them, once somebody asked
}

// Distances that mean missing.
const (
	missing8  = math.MaxUint8
	missing16 = math.MaxUint16
	missing32 = math.MaxUint32
)

// wholeBound is a bound of numbers whose differences are exact.
const wholeBound = 1 << 51

// newPacked is empty; nil for a column without numbers.
func newPacked(c Column) *packed {
	if !c.Numeric() {
		return nil
	}
	p := &packed{span: -1}
	if lo, hi := math.Ceil(c.Min), math.Floor(c.Max); c.Kind == KindInteger && lo >= -wholeBound && hi <= wholeBound {
		p.base, p.span = lo, hi-lo
	}
	if p.span < 0 || p.span >= missing8 {
		p.list = &numberList{}
	}
	return p
}

// pack holds the numbers of a whole column.
func pack(c Column, values []float64) *packed {
	p := newPacked(c)
	if p != nil {
		p.add(values)
	}
	return p
}

func (p *packed) len() int { return len(p.u8) + len(p.u16) + len(p.u32) + len(p.f32) + len(p.f64) }

// room is how many numbers there is room for.
func (p *packed) room() int { return cap(p.u8) + cap(p.u16) + cap(p.u32) + cap(p.f32) + cap(p.f64) }

// grow makes room for n numbers more without moving again.
func (p *packed) grow(n int) {
	switch {
	case p.f64 != nil:
		p.f64 = slices.Grow(p.f64, n)
	case p.f32 != nil:
		p.f32 = slices.Grow(p.f32, n)
	case p.u32 != nil:
		p.u32 = slices.Grow(p.u32, n)
	case p.u16 != nil:
		p.u16 = slices.Grow(p.u16, n)
	default:
		p.u8 = slices.Grow(p.u8, n)
	}
}

// add appends numbers. Whole ones must be in the bounds of the column.
func (p *packed) add(values []float64) {
	if p.list != nil {
		for i, x := range values {
			k, ok := p.list.place(x)
			if !ok {
				p.widen()
				p.add(values[i:])
				return
			}
			p.u8 = append(p.u8, k)
		}
		return
	}
	switch {
	case p.f64 != nil:
		p.f64 = append(p.f64, values...)
	case p.f32 != nil:
		for i, x := range values {
			if y := float32(x); float64(y) == x || x != x {
				p.f32 = append(p.f32, y)
				continue
			}
			p.widen()
			p.add(values[i:])
			return
		}
	case p.u32 != nil:
		p.u32 = appendDistances(p.u32, values, p.base, missing32)
	case p.u16 != nil:
		p.u16 = appendDistances(p.u16, values, p.base, missing16)
	default:
		p.u8 = appendDistances(p.u8, values, p.base, missing8)
	}
}

func appendDistances[T uint8 | uint16 | uint32](to []T, values []float64, base float64, missing T) []T {
	for _, x := range values {
		d := missing
		if x == x {
			d = T(int64(x - base))
		}
		to = append(to, d)
	}
	return to
}

// widen goes on to the next form that can hold more.
func (p *packed) widen() {
	n, room := p.len(), cap(p.u8)
	all := func(yield func(i int, x float64)) {
		for i := range n {
			yield(i, p.at(i))
		}
	}
	switch {
	case p.f32 != nil:
		to := make([]float64, n, max(cap(p.f32), n+1))
		all(func(i int, x float64) { to[i] = x })
		p.f32, p.f64 = nil, to
	case p.span >= 0 && p.span < missing16:
		to := make([]uint16, n, max(room, n+1))
		all(func(i int, x float64) { appendDistances(to[i:i], []float64{x}, p.base, missing16) })
		p.u8, p.list, p.u16 = nil, nil, to
	case p.span >= 0 && p.span < missing32:
		to := make([]uint32, n, max(room, n+1))
		all(func(i int, x float64) { appendDistances(to[i:i], []float64{x}, p.base, missing32) })
		p.u8, p.list, p.u32 = nil, nil, to
	case p.list.short():
		to := make([]float32, n, max(room, n+1))
		all(func(i int, x float64) { to[i] = float32(x) })
		p.u8, p.list, p.f32 = nil, nil, to
	default:
		to := make([]float64, n, max(room, n+1))
		all(func(i int, x float64) { to[i] = x })
		p.u8, p.list, p.f64 = nil, nil, to
	}
}

// at is number i.
func (p *packed) at(i int) float64 {
	switch {
	case p.list != nil:
		return p.list.numbers[p.u8[i]]
	case p.f64 != nil:
		return p.f64[i]
	case p.f32 != nil:
		return float64(p.f32[i])
	case p.u32 != nil:
		return distance(p.u32[i], p.base, missing32)
	case p.u16 != nil:
		return distance(p.u16[i], p.base, missing16)
	}
	return distance(p.u8[i], p.base, missing8)
}

func distance[T uint8 | uint16 | uint32](d T, base float64, missing T) float64 {
	if d == missing {
		return math.NaN()
	}
	return base + float64(d)
}

// all are the numbers, made once and kept; nil without a column of numbers.
func (p *packed) all() []float64 {
	if p == nil {
		return nil
	}
	if p.f64 != nil {
		return p.f64
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.opened == nil {
		p.opened = make([]float64, p.len())
		for i := range p.opened {
			p.opened[i] = p.at(i)
		}
	}
	return p.opened
}

// like is empty, in the form of p.
func (p *packed) like() *packed { return &packed{span: p.span, base: p.base, list: p.list} }

// pick takes the numbers at idx, in their order.
func (p *packed) pick(idx []int) *packed {
	if p == nil {
		return nil
	}
	g := p.like()
	g.u8, g.u16, g.u32 = pick(p.u8, idx), pick(p.u16, idx), pick(p.u32, idx)
	g.f32, g.f64 = pick(p.f32, idx), pick(p.f64, idx)
	return g
}

// then is p and behind it q, a column of the same bounds.
func (p *packed) then(q *packed) *packed {
	if p == nil {
		return nil
	}
	g := p.like()
	if g.list != nil {
		g.list = g.list.clone()
	}
	g.u8, g.u16, g.u32 = slices.Clone(p.u8), slices.Clone(p.u16), slices.Clone(p.u32)
	g.f32, g.f64 = slices.Clone(p.f32), slices.Clone(p.f64)
	block := make([]float64, 0, chunkRows)
	for i := range q.len() {
		if block = append(block, q.at(i)); len(block) == chunkRows {
			g.add(block)
			block = block[:0]
		}
	}
	g.add(block)
	return g
}

// numberList lists up to 256 different numbers. NaN is one of them, and there is no negative zero.
type numberList struct {
	numbers []float64
	slots   [1024]uint16 // by the bits of a number: its place, plus 1
}

// place finds a number, or adds it; false if the list is full.
func (l *numberList) place(x float64) (uint8, bool) {
	bits := math.Float64bits(x)
	for h := bits * 0x9e3779b97f4a7c15 >> 54; ; h = (h + 1) % uint64(len(l.slots)) {
		if k := l.slots[h]; k == 0 {
			if len(l.numbers) == 256 {
				return 0, false
			}
			l.numbers = append(l.numbers, x)
			l.slots[h] = uint16(len(l.numbers))
			return uint8(len(l.numbers) - 1), true
		} else if math.Float64bits(l.numbers[k-1]) == bits {
			return uint8(k - 1), true
		}
	}
}

func (l *numberList) clone() *numberList {
	c := *l
	c.numbers = slices.Clone(l.numbers)
	return &c
}

// short reports whether all numbers are as good in half the bytes.
func (l *numberList) short() bool {
	for _, x := range l.numbers {
		if float64(float32(x)) != x && x == x {
			return false
		}
	}
	return true
}

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
