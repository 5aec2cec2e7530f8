package parquet

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// footer is what a file says of its columns and row groups, as far as it is needed: the FileMetaData of the format.
type footer struct {
	rows    int64
	schema  []element
	groups  []group
	columns []leaf // the leaves of the schema, as row groups have them
}

// element is one node of the schema's tree, in depth-first order.
type element struct {
	name       string
	kind       int32 // physical type, −1 of a group
	length     int32 // of fixed-length byte arrays
	repetition int32
	children   int32
	converted  int32 // older annotation, −1 if there is none
	scale      int32
	logical    logical
}

// logical is a logical type: its field in the union LogicalType, with the parameters of those that have some.
type logical struct {
	id     int   // 0 if there is none
	scale  int32 // of decimals
	unit   int   // of times: 1 milliseconds, 2 microseconds, 3 nanoseconds
	signed bool  // of integers
	moment bool  // of times: adjusted to UTC, so that the day depends on the zone
}

// Physical types, repetitions, encodings and annotations of the format.
const (
	typeBoolean, typeInt32, typeInt64, typeInt96    = 0, 1, 2, 3
	typeFloat, typeDouble, typeByteArray, typeFixed = 4, 5, 6, 7

	required, optional = 0, 1

	encPlain, encPlainDictionary, encRLE, encRLEDictionary = 0, 2, 3, 8

	logicalString, logicalEnum, logicalDecimal, logicalDate, logicalTime    = 1, 4, 5, 6, 7
	logicalTimestamp, logicalInteger, logicalNull, logicalJSON, logicalBSON = 8, 10, 11, 12, 13

	convertedUTF8, convertedEnum, convertedDecimal, convertedDate                  = 0, 4, 5, 6
	convertedMillis, convertedMicros, convertedUint8, convertedUint64, convertedJS = 9, 10, 11, 14, 19
)

// leaf is a column of the file.
type leaf struct {
	element
	path []string
	flat bool // at the top and not repeated: a value or null in every row
}

// group is a row group.
type group struct {
	rows   int64
	chunks []chunk
}

// chunk is where the values of one column of one row group are.
type chunk struct {
	kind, codec int32
	values      int64
	size        int64 // compressed, with headers
	data, dict  int64 // offsets of the first page of data, and of the dictionary; 0 if there is none
	foreign     bool  // in another file, or encrypted
}

// start is the offset of the first page.
func (c chunk) start() int64 {
	if c.dict > 0 && c.dict < c.data {
		return c.dict
	}
	return c.data
}

// maxFooter is the most bytes of a footer: some 200,000 column chunks.
const maxFooter = 64 << 20

// readFooter reads and checks the end of a file.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	var tail [8]byte
	if size < 12 {
		return nil, damaged("its end")
	}
	if _, err := r.ReadAt(tail[:4], 0); err != nil || string(tail[:4]) != "PAR1" {
		return nil, damaged("its first bytes")
	}
	if _, err := r.ReadAt(tail[:], size-8); err != nil || string(tail[4:]) != "PAR1" {
		return nil, damaged("its last bytes")
	}
	n := int64(binary.LittleEndian.Uint32(tail[:4]))
	if n > size-12 || n > maxFooter {
		return nil, damaged("its footer's length")
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, size-8-n); err != nil {
		return nil, damaged("its footer")
	}
	return parseFooter(b, size-8-n)
}

// parseFooter decodes a footer of a file whose pages end before the offset end.
func parseFooter(b []byte, end int64) (*footer, error) {
	c, f := &compact{b: b}, &footer{rows: -1}
	c.fields(func(id int, kind byte) bool {
		switch id {
		case 2:
			c.list(kind, func(byte) { f.schema = append(f.schema, readElement(c)) })
		case 3:
			f.rows = c.int(kind)
		case 4:
			c.list(kind, func(byte) { f.groups = append(f.groups, readGroup(c)) })
		default:
			return false
		}
		return true
	})
	if c.bad || len(f.schema) == 0 || f.rows < 0 {
		return nil, damaged("its footer")
	}
	next := 1
	if !f.descend(nil, f.schema[0].children, false, &next, 0) || next != len(f.schema) {
		return nil, damaged("its schema")
	}
	total := int64(0)
	for _, g := range f.groups {
		if g.rows < 0 || g.rows > math.MaxInt64-total || len(g.chunks) != len(f.columns) {
			return nil, damaged("its row groups")
		}
		total += g.rows
		for i, k := range g.chunks {
			at := k.start()
			if k.kind != f.columns[i].kind || k.values < 0 || k.foreign || at < 4 || k.size < 0 ||
				at > end || k.size > end-at || k.dict < 0 {
				return nil, damaged("its column chunks")
			}
		}
	}
	if total != f.rows || total > 1e15 {
		return nil, damaged("its number of rows")
	}
	return f, nil
}

// descend walks the schema's tree and collects its leaves.
func (f *footer) descend(path []string, children int32, nested bool, next *int, depth int) bool {
	if children < 0 || depth > maxDepth {
		return false
	}
	for range children {
		if *next >= len(f.schema) {
			return false
		}
		e := f.schema[*next]
		*next++
		at := append(slices.Clone(path), e.name)
		if e.kind >= 0 {
			flat := !nested && (e.repetition == required || e.repetition == optional)
			f.columns = append(f.columns, leaf{e, at, flat})
		} else if !f.descend(at, e.children, true, next, depth+1) {
			return false
		}
	}
	return true
}

func readElement(c *compact) element {
	e := element{kind: -1, converted: -1}
	c.fields(func(id int, kind byte) bool {
		switch id {
		case 1:
			e.kind = c.int32(kind)
		case 2:
			e.length = c.int32(kind)
		case 3:
			e.repetition = c.int32(kind)
		case 4:
			e.name = string(c.bytes(kind))
		case 5:
			e.children = c.int32(kind)
		case 6:
			e.converted = c.int32(kind)
		case 7:
			e.scale = c.int32(kind)
		case 10:
			e.logical = readLogical(c)
		default:
			return false
		}
		return true
	})
	if e.kind > typeFixed || e.length < 0 {
		c.fail()
	}
	return e
}

func readLogical(c *compact) (l logical) {
	c.fields(func(id int, kind byte) bool {
		l.id = id
		if kind != kindStruct {
			c.fail()
		}
		c.fields(func(part int, kind byte) bool {
			switch {
			case id == logicalDecimal && part == 1:
				l.scale = c.int32(kind)
			case (id == logicalTimestamp || id == logicalTime) && part == 1:
				l.moment = c.bool(kind)
			case (id == logicalTimestamp || id == logicalTime) && part == 2:
				c.fields(func(unit int, kind byte) bool {
					l.unit = unit
					return false
				})
			case id == logicalInteger && part == 2:
				l.signed = c.bool(kind)
			default:
				return false
			}
			return true
		})
		return true
	})
	return l
}

func readGroup(c *compact) (g group) {
	c.fields(func(id int, kind byte) bool {
		switch id {
		case 1:
			c.list(kind, func(byte) { g.chunks = append(g.chunks, readChunk(c)) })
		case 3:
			g.rows = c.int(kind)
		default:
			return false
		}
		return true
	})
	return g
}

func readChunk(c *compact) (k chunk) {
	k.kind = -1
	c.fields(func(id int, kind byte) bool {
		switch id {
		case 1, 8, 9: // a path to another file, keys
			k.foreign = k.foreign || id > 1 || len(c.bytes(kind)) > 0
			return id == 1
		case 3:
			c.fields(k.readMeta(c))
		default:
			return false
		}
		return true
	})
	return k
}

func (k *chunk) readMeta(c *compact) func(id int, kind byte) bool {
	return func(id int, kind byte) bool {
		switch id {
		case 1:
			k.kind = c.int32(kind)
		case 4:
			k.codec = c.int32(kind)
		case 5:
			k.values = c.int(kind)
		case 7:
			k.size = c.int(kind)
		case 9:
			k.data = c.int(kind)
		case 11:
			k.dict = c.int(kind)
		default:
			return false
		}
		return true
	}
}
