package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// Encodings that few writers use for data.
const encDelta, encDeltaLength, encDeltaText, encSplit = 5, 6, 7, 9

// encodingNames are those of refusals.
var encodingNames = map[int32]string{encDelta: "DELTA_BINARY_PACKED", encDeltaLength: "DELTA_LENGTH_BYTE_ARRAY",
	encDeltaText: "DELTA_BYTE_ARRAY", encSplit: "BYTE_STREAM_SPLIT", encRLE: "RLE", 4: "BIT_PACKED"}

// decode turns a page in one of the other encodings into plain encoding. The decoders are those of parquet-go; before
// they are called, the numbers of values that the page holds must be those of its header, so that memory follows it.
func (c *column) decode(p page) (plain []byte, err error) {
	defer func() {
		if recover() != nil { // a decoder met what it does not check
			plain, err = nil, damaged("the values of a page")
		}
	}()
	kind, n := c.convert.kind, p.values
	if p.levels != nil {
		levels := newRuns(p.levels, 1)
		all := grown(c.sparse, min(n, blockRows))
		n = 0
		for left := p.values; left > 0; left -= len(all) {
			all = all[:min(left, len(all))]
			k, ok := levels.levels(all)
			if !ok {
				return nil, damaged("the levels of a page")
			}
			n += k
		}
	}
	if n == 0 {
		return nil, nil
	}
	with := parquet.LookupEncoding(format.Encoding(p.encoding))
	switch {
	case p.encoding == encRLE && kind == typeBoolean:
		return booleans(p.data, n)
	case p.encoding == encDelta && (kind == typeInt32 || kind == typeInt64):
		if !deltaOf(p.data, n) {
			return nil, damaged("the values of a page")
		}
		if kind == typeInt32 {
			out, err := with.DecodeInt32(nil, p.data)
			return words(out, err, n, func(b []byte, x int32) []byte { return little.AppendUint32(b, uint32(x)) })
		}
		out, err := with.DecodeInt64(nil, p.data)
		return words(out, err, n, func(b []byte, x int64) []byte { return little.AppendUint64(b, uint64(x)) })
	case p.encoding == encSplit && (kind == typeFloat || kind == typeDouble || kind == typeInt32 || kind == typeInt64):
		return unsplit(p.data, n, c.convert.size)
	case (p.encoding == encDeltaLength || p.encoding == encDeltaText) && kind == typeByteArray:
		if !deltaOf(p.data, n) {
			return nil, damaged("the values of a page")
		}
		return byteArrays(with, p.data, n)
	}
	name, known := encodingNames[p.encoding]
	if !known {
		name = "unknown"
	}
	return nil, unsupported(fmt.Sprintf("column chunks in encoding %s of %s", name, typeNames[kind]),
		"dictionary or plain encoding")
}

var little = binary.LittleEndian

// deltaOf reports whether a delta-encoded block begins with the number n of its values.
func deltaOf(b []byte, n int) bool {
	for range 2 { // size of a block, miniblocks
		_, k := binary.Uvarint(b)
		if k <= 0 {
			return false
		}
		b = b[k:]
	}
	total, k := binary.Uvarint(b)
	return k > 0 && total == uint64(n)
}

// words writes decoded numbers in plain encoding.
func words[T int32 | int64](out []T, err error, n int, add func([]byte, T) []byte) ([]byte, error) {
	if err != nil || len(out) != n {
		return nil, damaged("the values of a page")
	}
	plain := make([]byte, 0, 8*n)
	for _, x := range out {
		plain = add(plain, x)
	}
	return plain, nil
}

// unsplit puts the bytes of numbers together whose first bytes come first, then all second ones.
func unsplit(b []byte, n, size int) ([]byte, error) {
	if len(b) != n*size {
		return nil, damaged("the values of a page")
	}
	plain := make([]byte, len(b))
	for k := range size {
		for i, x := range b[k*n : (k+1)*n] {
			plain[i*size+k] = x
		}
	}
	return plain, nil
}

// byteArrays writes decoded byte arrays in plain encoding.
func byteArrays(with encoding.Encoding, b []byte, n int) ([]byte, error) {
	all, offsets, err := with.DecodeByteArray(nil, b, nil)
	if err != nil || len(offsets) != n+1 {
		return nil, damaged("the values of a page")
	}
	plain := make([]byte, 0, len(all)+4*n)
	for i := range n {
		text := all[offsets[i]:offsets[i+1]]
		plain = append(binary.LittleEndian.AppendUint32(plain, uint32(len(text))), text...)
	}
	return plain, nil
}

// booleans unpacks run-length encoded truth values, which follow their length.
func booleans(b []byte, n int) ([]byte, error) {
	if len(b) < 4 || uint64(le32(b)) > uint64(len(b)-4) {
		return nil, damaged("the values of a page")
	}
	r, plain := newRuns(b[4:4+le32(b)], 1), make([]byte, (n+7)/8)
	some := make([]bool, min(n, blockRows))
	for i := 0; i < n; {
		block := some[:min(n-i, len(some))]
		if _, ok := r.levels(block); !ok {
			return nil, damaged("the values of a page")
		}
		for _, one := range block {
			if one {
				plain[i>>3] |= 1 << (i & 7)
			}
			i++
		}
	}
	return plain, nil
}
