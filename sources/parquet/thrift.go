package parquet

import "encoding/binary"

// compact reads Thrift's compact protocol, which Parquet writes its footers and page headers in, from bytes that need
// not be what they claim: it never allocates for a length before the bytes are there, and the first thing that does not
// fit sets bad, after which everything reads as zero.
type compact struct {
	b     []byte
	i     int
	bad   bool
	short bool // bad because the bytes ended: more of them may help
	depth int
}

// Kinds of the compact protocol.
const (
	kindTrue = iota + 1
	kindFalse
	kindByte
	kindI16
	kindI32
	kindI64
	kindDouble
	kindBinary
	kindList
	kindSet
	kindMap
	kindStruct
)

// maxDepth of structures in structures; a footer has seven.
const maxDepth = 16

func (c *compact) fail() { c.bad = true }

func (c *compact) byte() byte {
	if c.bad || c.i >= len(c.b) {
		c.short = c.short || !c.bad
		c.bad = true
		return 0
	}
	c.i++
	return c.b[c.i-1]
}

func (c *compact) uvarint() uint64 {
	if c.bad {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.i:])
	if n <= 0 {
		c.bad, c.short = true, n == 0
		return 0
	}
	c.i += n
	return v
}

// int reads a whole number of any width.
func (c *compact) int(kind byte) int64 {
	switch kind {
	case kindByte:
		return int64(int8(c.byte()))
	case kindI16, kindI32, kindI64:
		v := c.uvarint()
		return int64(v>>1) ^ -int64(v&1)
	}
	c.fail()
	return 0
}

// int32 reads a whole number that fits 32 bits.
func (c *compact) int32(kind byte) int32 {
	v := c.int(kind)
	if v != int64(int32(v)) {
		c.fail()
	}
	return int32(v)
}

// bool reads the value that a field's kind holds.
func (c *compact) bool(kind byte) bool {
	if kind != kindTrue && kind != kindFalse {
		c.fail()
	}
	return kind == kindTrue
}

func (c *compact) bytes(kind byte) []byte {
	if kind != kindBinary {
		c.fail()
	}
	n := c.uvarint()
	if c.bad || n > uint64(len(c.b)-c.i) {
		c.short = c.short || !c.bad
		c.bad = true
		return nil
	}
	c.i += int(n)
	return c.b[c.i-int(n) : c.i]
}

// fields reads a structure: each reads the field, or returns false to have it skipped.
func (c *compact) fields(each func(id int, kind byte) bool) {
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	for id := 0; !c.bad; {
		head := c.byte()
		if head == 0 {
			break
		}
		kind := head & 15
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(c.int(kindI16))
		}
		if !each(id, kind) {
			c.skip(kind)
		}
	}
	c.depth--
}

// list reads a list: each reads an element, which takes at least one byte.
func (c *compact) list(kind byte, each func(kind byte)) {
	if kind != kindList && kind != kindSet {
		c.fail()
	}
	head := c.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = c.uvarint()
	}
	for ; n > 0 && !c.bad; n-- {
		each(head & 15)
	}
}

// skip passes over a value.
func (c *compact) skip(kind byte) {
	switch kind {
	case kindTrue, kindFalse:
	case kindByte, kindI16, kindI32, kindI64:
		c.int(kind)
	case kindDouble:
		for range 8 {
			c.byte()
		}
	case kindBinary:
		c.bytes(kind)
	case kindList, kindSet:
		if c.depth++; c.depth > maxDepth {
			c.fail()
		}
		c.list(kind, c.skipElement)
		c.depth--
	case kindMap:
		c.skipMap()
	case kindStruct:
		c.fields(func(int, byte) bool { return false })
	default:
		c.fail()
	}
}

// skipElement passes over an element of a list or map, where a truth value takes a byte.
func (c *compact) skipElement(kind byte) {
	if kind == kindTrue || kind == kindFalse {
		c.byte()
		return
	}
	c.skip(kind)
}

func (c *compact) skipMap() {
	if c.depth++; c.depth > maxDepth {
		c.fail()
	}
	if n := c.uvarint(); n > 0 {
		kinds := c.byte()
		for ; n > 0 && !c.bad; n-- {
			c.skipElement(kinds >> 4)
			c.skipElement(kinds & 15)
		}
	}
	c.depth--
}
