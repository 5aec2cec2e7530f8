package parquet

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// blockRows is how many rows are decoded and counted at a time: the codes of a block stay in the processor's cache.
const blockRows = 1 << 13

// column reads one column of a row group block by block.
type column struct {
	name    string
	pages   pageReader
	convert *converter
	null    entry // of a value that is not there
	nullAt  float64

	table   []entry   // of the dictionary
	numbers []float64 // its values, where they are wanted
	hasDict bool

	left       int // values of the page, of those present and not
	indices    runs
	plain      []byte // values of a page in plain encoding
	bit        int    // of a page of truth values
	dictionary bool   // the page has indices
	levels     runs

	sparse []bool
	index  []uint32
	some   []float64
	codes8 []uint8
	codes  []uint16
	seen   plainCache

	asText *texts // where rows are read as texts, not codes
}

// newColumn prepares the reading of a column under a schema.
func newColumn(col frame.Column, coder *frame.Coder, of leaf) (*column, error) {
	convert, err := newConverter(col, of, coder)
	if err != nil {
		return nil, err
	}
	c := &column{name: col.Name, convert: convert, null: refused}
	if code, value, ok := coder.Null(); ok {
		c.null, c.nullAt = entry(code), value
	}
	c.pages.optional = of.repetition == optional
	return c, nil
}

// reset begins a column chunk.
func (c *column) reset(r io.ReaderAt, k chunk) {
	c.pages.r, c.pages.at, c.pages.end, c.pages.codec = r, k.start(), k.start()+k.size, k.codec
	if c.asText != nil {
		c.asText.words, c.asText.wordBytes = c.asText.words[:0], c.asText.wordBytes[:0]
	}
	c.left, c.hasDict, c.table, c.numbers = 0, false, c.table[:0], c.numbers[:0]
}

// errRefused says that a value does not fit the schema.
type errRefused struct{ column string }

func (e *errRefused) Error() string { return "a value of column " + e.column + " does not fit" }

// read decodes the next len(codes) rows into codes, or into values if there are some.
func read[C uint8 | uint16](c *column, codes []C, values []float64) error {
	for n := max(len(codes), len(values)); n > 0; {
		if c.left == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
			continue
		}
		m := min(n, c.left)
		var to []C
		var at []float64
		if codes != nil {
			to, codes = codes[:m], codes[m:]
		} else {
			at, values = values[:m], values[m:]
		}
		met, err := part(c, m, to, at)
		switch {
		case err != nil:
			return err
		case met&outOfRange != 0:
			return damaged("an index of a dictionary")
		case met&refused != 0:
			return &errRefused{c.name}
		}
		c.left -= m
		n -= m
	}
	return nil
}

// part decodes m rows of the current page.
func part[C uint8 | uint16](c *column, m int, to []C, at []float64) (entry, error) {
	if !c.pages.optional || c.levels.same >= m && c.levels.value == 1 {
		if c.pages.optional {
			c.levels.same -= m
		}
		return present(c, m, to, at)
	}
	c.sparse = grown(c.sparse, m)
	k, ok := c.levels.levels(c.sparse)
	if !ok {
		return 0, damaged("the levels of a page")
	}
	if k == m {
		return present(c, m, to, at)
	}
	var met entry
	var err error
	if to != nil {
		met, err = present(c, k, to[:k], nil)
	} else {
		met, err = present[C](c, k, nil, at[:k])
	}
	for i := m - 1; i >= 0; i-- { // from the end, so that what is to be moved is not written over
		switch there := c.sparse[i]; {
		case there && to != nil:
			k--
			to[i] = to[k]
		case there:
			k--
			at[i] = at[k]
		case to != nil:
			to[i] = C(c.null)
		default:
			at[i] = c.nullAt
		}
	}
	return met | c.null&^0xffff, err
}

// present decodes m values that are there.
func present[C uint8 | uint16](c *column, m int, to []C, at []float64) (met entry, err error) {
	switch {
	case m == 0:
		return 0, nil
	case !c.dictionary:
		return plain(c, m, to, at)
	case to != nil:
		met, short := codes(&c.indices, to, c.table)
		if short {
			return 0, damaged("the indices of a page")
		}
		return met, nil
	}
	c.index = grown(c.index, m)
	if !c.indices.numbers(c.index) {
		return 0, damaged("the indices of a page")
	}
	for i, k := range c.index {
		if int64(k) >= int64(len(c.numbers)) {
			return outOfRange, nil
		}
		at[i] = c.numbers[k]
		met |= c.table[k]
	}
	return met, nil
}

// nextPage makes the next page of data the current one; a dictionary on the way is encoded.
func (c *column) nextPage() error {
	p, err := c.pages.next()
	if err == io.EOF {
		return damaged("a column chunk, which has too few values")
	}
	if err != nil {
		return err
	}
	if p.dictionary {
		if c.hasDict || p.encoding != encPlain && p.encoding != encPlainDictionary {
			return damaged("a dictionary")
		}
		return c.encodeDictionary(p)
	}
	c.left = p.values
	if c.pages.optional {
		c.levels = newRuns(p.levels, 1)
		if len(p.levels) > 0 && !c.levels.head() {
			return damaged("the levels of a page")
		}
	}
	switch p.encoding {
	case encPlainDictionary, encRLEDictionary:
		if !c.hasDict {
			return damaged("a page without its dictionary")
		}
		c.dictionary = true
		if len(p.data) == 0 { // all are missing
			c.indices = newRuns(p.data, 1)
			return nil
		}
		if p.data[0] > maxWidth {
			return damaged("the indices of a page")
		}
		c.indices = newRuns(p.data[1:], uint(p.data[0]))
	case encPlain:
		c.dictionary, c.plain, c.bit = false, p.data, 0
	default:
		if c.plain, err = c.decode(p); err != nil {
			return err
		}
		c.dictionary, c.bit = false, 0
	}
	return nil
}

// encodeDictionary encodes every entry of a dictionary once. An entry that does not fit is refused where it is used.
func (c *column) encodeDictionary(p page) error {
	if p.values > 1<<maxWidth || c.convert.kind == typeBoolean {
		return damaged("a dictionary")
	}
	c.hasDict = true
	rest := p.data
	for range p.values {
		raw, after, ok := c.cut(rest)
		if !ok {
			return damaged("a dictionary")
		}
		rest = after
		if c.asText != nil {
			if !c.asText.word(c.convert, raw) {
				return damaged("a dictionary")
			}
			continue
		}
		code, value, fits := c.convert.one(raw)
		e := entry(code)
		if !fits {
			e, value = refused, math.NaN()
		}
		c.table, c.numbers = append(c.table, e), append(c.numbers, value)
	}
	for len(c.table) < 256 {
		c.table = append(c.table, outOfRange)
	}
	return nil
}

// cut takes one value in plain encoding off.
func (c *column) cut(b []byte) (raw, rest []byte, ok bool) {
	n := c.convert.size
	if c.convert.kind == typeByteArray {
		if len(b) < 4 {
			return nil, nil, false
		}
		size := binary.LittleEndian.Uint32(b)
		b = b[4:]
		if uint64(size) > uint64(len(b)) {
			return nil, nil, false
		}
		n = int(size)
	}
	if n > len(b) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}

// grown is a slice of n elements in the memory of s if it is large enough.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, blockRows))
	}
	return s[:n]
}
