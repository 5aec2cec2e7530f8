package parquet

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// page is one page of a column chunk, uncompressed. Its bytes are followed by eight more in memory, so that words can
// be loaded at its end; they are valid until the next page is read.
type page struct {
	dictionary bool
	values     int   // rows, as columns are flat
	encoding   int32 // of the values
	levels     []byte
	data       []byte // the values that are there
}

// pageReader reads the pages of a column chunk one after the other.
type pageReader struct {
	r        io.ReaderAt
	at, end  int64
	codec    int32
	optional bool
	raw, out []byte // compressed and uncompressed
	head     []byte
}

// Bytes of a page's header: at first, and at most. Minima and maxima of long texts make it longer.
const headBytes, maxHead = 1 << 10, 1 << 22

// maxPage is the most bytes of a page. Writers make pages of one to some hundred MiB.
const maxPage = 1 << 30

// header is the PageHeader of the format.
type header struct {
	kind                 int32
	uncompressed, packed int32
	crc                  uint32
	hasCRC               bool
	values, nulls        int32
	encoding             int32
	levelEncoding        int32
	defs, reps           int32 // bytes of levels, of pages of version 2
	plain                bool  // version 2, not compressed
	v1, v2, dict         bool
}

// Kinds of pages.
const pageData, pageIndex, pageDictionary, pageData2 = 0, 1, 2, 3

// next reads the next page, io.EOF after the last.
func (p *pageReader) next() (page, error) {
	for p.at < p.end {
		h, err := p.header()
		if err != nil {
			return page{}, err
		}
		if int64(h.packed) > p.end-p.at {
			return page{}, damaged("the size of a page")
		}
		if h.kind == pageIndex {
			p.at += int64(h.packed)
			continue
		}
		p.raw = grow(p.raw, int(h.packed))
		if _, err := p.r.ReadAt(p.raw, p.at); err != nil {
			return page{}, damaged("a page, which ends early")
		}
		p.at += int64(h.packed)
		if h.hasCRC && crc32.ChecksumIEEE(p.raw) != h.crc {
			return page{}, damaged("a page: its checksum differs")
		}
		return p.open(h)
	}
	return page{}, io.EOF
}

// header reads a page's header and moves behind it.
func (p *pageReader) header() (h header, err error) {
	for n := headBytes; ; n *= 8 {
		p.head = grow(p.head, int(min(int64(n), p.end-p.at)))
		if _, err := p.r.ReadAt(p.head, p.at); err != nil {
			return h, damaged("the header of a page")
		}
		c := &compact{b: p.head}
		h = readHeader(c)
		if c.bad && c.short && n < maxHead && int64(n) < p.end-p.at {
			continue
		}
		if c.bad || h.uncompressed < 0 || h.packed < 0 || h.uncompressed > maxPage || h.values < 0 || h.nulls < 0 ||
			h.defs < 0 || h.reps < 0 || h.v1 != (h.kind == pageData) || h.v2 != (h.kind == pageData2) ||
			h.dict != (h.kind == pageDictionary) {
			return h, damaged("the header of a page")
		}
		p.at += int64(c.i)
		return h, nil
	}
}

func readHeader(c *compact) (h header) {
	h.kind = -1
	c.fields(func(id int, kind byte) bool {
		switch id {
		case 1:
			h.kind = c.int32(kind)
		case 2:
			h.uncompressed = c.int32(kind)
		case 3:
			h.packed = c.int32(kind)
		case 4:
			h.crc, h.hasCRC = uint32(c.int32(kind)), true
		case 5:
			h.v1 = true
			c.fields(h.readData(c))
		case 7:
			h.dict = true
			c.fields(h.readData(c))
		case 8:
			h.v2, h.levelEncoding = true, encRLE
			c.fields(h.readData2(c))
		default:
			return false
		}
		return true
	})
	return h
}

// readData reads the header of a page of version 1 or of a dictionary, which begin alike.
func (h *header) readData(c *compact) func(id int, kind byte) bool {
	return func(id int, kind byte) bool {
		switch {
		case id == 1:
			h.values = c.int32(kind)
		case id == 2:
			h.encoding = c.int32(kind)
		case id == 3 && h.v1:
			h.levelEncoding = c.int32(kind)
		default:
			return false
		}
		return true
	}
}

func (h *header) readData2(c *compact) func(id int, kind byte) bool {
	return func(id int, kind byte) bool {
		switch id {
		case 1:
			h.values = c.int32(kind)
		case 2:
			h.nulls = c.int32(kind)
		case 4:
			h.encoding = c.int32(kind)
		case 5:
			h.defs = c.int32(kind)
		case 6:
			h.reps = c.int32(kind)
		case 7:
			h.plain = !c.bool(kind)
		default:
			return false
		}
		return true
	}
}

// open uncompresses a page and divides it into levels and values.
func (p *pageReader) open(h header) (page, error) {
	out := page{dictionary: h.dict, values: int(h.values), encoding: h.encoding}
	levels := int(h.defs) + int(h.reps)
	if levels > len(p.raw) || levels > int(h.uncompressed) {
		return page{}, damaged("the levels of a page")
	}
	body, codec := p.raw[levels:], p.codec
	if h.plain {
		codec = codecNone
	}
	var err error
	if codec == codecNone {
		if len(body) != int(h.uncompressed)-levels {
			return page{}, damaged("the size of a page")
		}
		out.data = body
	} else if p.out, err = uncompress(codec, p.out, body, int(h.uncompressed)-levels); err != nil {
		return page{}, err
	} else {
		out.data = p.out
	}
	switch {
	case h.v2 && p.optional:
		out.levels = p.raw[h.reps:levels]
	case h.v1 && p.optional:
		if h.levelEncoding != encRLE || len(out.data) < 4 {
			return page{}, damaged("the levels of a page")
		}
		n := binary.LittleEndian.Uint32(out.data)
		if uint64(n) > uint64(len(out.data)-4) {
			return page{}, damaged("the levels of a page")
		}
		out.levels, out.data = out.data[4:4+n], out.data[4+n:]
	}
	return out, nil
}

// grow is a slice of n bytes with eight more behind it, in the memory of b if it is large enough.
func grow(b []byte, n int) []byte {
	if cap(b) < n+8 {
		b = make([]byte, n+8, (n+8)+(n+8)/4)
	}
	return b[:n]
}
