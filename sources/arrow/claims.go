package arrow

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
)

// The library makes lists as long as a file claims them to be, which can end the program for want of memory. So every
// list of the metadata is compared with the bytes that are there before the library sees it. The places in tables are
// those of Arrow's format/Schema.fbs, Message.fbs and File.fbs.
const (
	maxFields = 1 << 16
	maxDepth  = 64
)

// Kinds of messages.
const (
	isSchema     = 1
	isDictionary = 2
	isBatch      = 3
	isUnion      = 14 // a type
)

var errClaims = errors.New("a claim that the file is too short for")

// list is where a list stands and how many elements it has; it panics if the bytes cannot hold them.
func list(t *flatbuffers.Table, slot flatbuffers.VOffsetT, size int) (start flatbuffers.UOffsetT, n int) {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return 0, 0
	}
	start, n = t.Vector(o), t.VectorLen(o)
	if n > (len(t.Bytes)-int(start))/size {
		panic(errClaims)
	}
	return start, n
}

// inner is the table at a place of another, nil if there is none.
func inner(t *flatbuffers.Table, slot flatbuffers.VOffsetT) *flatbuffers.Table {
	o := flatbuffers.UOffsetT(t.Offset(slot))
	if o == 0 {
		return nil
	}
	return &flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}
}

func root(b []byte) *flatbuffers.Table {
	return &flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// fields checks the fields of a schema or of a field, which may be the same ones many times over.
func fields(t *flatbuffers.Table, slot flatbuffers.VOffsetT, depth int, left *int) {
	start, n := list(t, slot, 4)
	if *left -= n; *left < 0 || depth > maxDepth {
		panic(errClaims)
	}
	for i := range n {
		f := &flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(start + flatbuffers.UOffsetT(4*i))}
		list(f, 16, 4)
		if kind := f.GetByteSlot(8, 0); kind == isUnion {
			if u := inner(f, 10); u != nil {
				list(u, 6, 4)
			}
		}
		fields(f, 14, depth+1, left)
	}
}

func schemaClaims(t *flatbuffers.Table) {
	if t == nil {
		panic(errClaims)
	}
	list(t, 8, 4)
	left := maxFields
	fields(t, 6, 0, &left)
}

// messageClaims checks the metadata of a message, and gives the length of its body.
func messageClaims(b []byte) (body int64) {
	t := root(b)
	list(t, 12, 4)
	header := inner(t, 8)
	if header == nil {
		panic(errClaims)
	}
	switch t.GetByteSlot(6, 0) {
	case isSchema:
		schemaClaims(header)
	case isDictionary:
		if header = inner(header, 6); header == nil {
			panic(errClaims)
		}
		fallthrough
	case isBatch:
		list(header, 6, 16)
		_, buffers := list(header, 8, 16)
		start, n := list(header, 12, 8)
		for i := range n {
			if k := header.GetInt64(start + flatbuffers.UOffsetT(8*i)); k < 0 || k > int64(buffers) {
				panic(errClaims)
			}
		}
	}
	return t.GetInt64Slot(10, 0)
}

// bytes are n bytes of the file, which must be there.
func (f *reading) bytes(at, n, size int64) []byte {
	if n < 0 || n > maxMetadata || at < 0 || at > size-n {
		panic(errClaims)
	}
	b := make([]byte, n)
	if _, err := f.ReadAt(b, at); err != nil {
		panic(err)
	}
	return b
}

const continued = 1<<32 - 1 // before the length of a message

// fileClaims checks the footer of a file and all messages that it names. It panics for what it does not accept.
func (f *reading) fileClaims(size int64) {
	tail := int64(4 + len(ipc.Magic))
	n := int64(binary.LittleEndian.Uint32(f.bytes(size-tail, 4, size)))
	footer := root(f.bytes(size-tail-n, n, size))
	schemaClaims(inner(footer, 6))
	list(footer, 12, 4)
	for _, slot := range []flatbuffers.VOffsetT{8, 10} {
		start, n := list(footer, slot, 24)
		for i := range n {
			at := start + flatbuffers.UOffsetT(24*i)
			b := f.bytes(footer.GetInt64(at), int64(footer.GetInt32(at+8)), size)
			if binary.LittleEndian.Uint32(b) == continued {
				b = b[4:]
			}
			messageClaims(b[4:])
		}
	}
}

// streamClaims checks all messages of a stream, which must end with its mark: the library takes a stream that was cut
// between two messages for a whole one.
func (f *reading) streamClaims(size int64) error {
	for at := int64(0); at < size; {
		n := binary.LittleEndian.Uint32(f.bytes(at, 4, size))
		if at += 4; n == continued {
			n = binary.LittleEndian.Uint32(f.bytes(at, 4, size))
			at += 4
		}
		if n == 0 {
			if at == size {
				return nil
			}
			break
		}
		body := messageClaims(f.bytes(at, int64(n), size))
		if at += int64(n); body < 0 || body > size-at {
			panic(errClaims)
		}
		at += body
	}
	return errNoEnd
}
