package parquet

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs of the format. LZO is refused.
const codecNone, codecSnappy, codecGzip, codecBrotli, codecHadoopLZ4, codecZstd, codecLZ4 = 0, 1, 2, 4, 5, 6, 7

// codecNames are those of refusals.
var codecNames = map[int32]string{3: "LZO"}

// uncompress makes exactly n bytes of src, in the memory of dst if it is large enough. Before memory is taken, n must
// be a size that src can have: a block of snappy is at most 22 times, one of LZ4 at most 256 times as large as its
// code. The other codecs are read as streams, of which no more than n bytes are taken.
func uncompress(codec int32, dst, src []byte, n int) ([]byte, error) {
	if n == 0 && len(src) == 0 {
		return grow(dst, 0), nil
	}
	switch codec {
	case codecSnappy:
		if m, err := snappy.DecodedLen(src); err != nil || m != n || n > 22*len(src)+64 {
			return nil, damaged("a compressed page")
		}
		dst = grow(dst, n)
		if b, err := snappy.Decode(dst[:n:cap(dst)], src); err != nil || len(b) != n {
			return nil, damaged("a compressed page")
		}
		return dst, nil
	case codecLZ4, codecHadoopLZ4:
		if n > 256*len(src)+64 {
			return nil, damaged("a compressed page")
		}
		dst = grow(dst, n)
		if n == 0 {
			return dst, nil
		}
		if codec == codecHadoopLZ4 && hadoopLZ4(dst, src) {
			return dst, nil
		}
		// Some writers put a bare block under Hadoop's number.
		if m, err := lz4.UncompressBlock(src, dst); err != nil || m != n {
			return nil, damaged("a compressed page")
		}
		return dst, nil
	case codecGzip:
		z, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return nil, damaged("a compressed page")
		}
		return stream(z, dst, n)
	case codecBrotli:
		return stream(brotli.NewReader(bytes.NewReader(src)), dst, n)
	case codecZstd:
		z, _ := zstds.Get().(*zstd.Decoder)
		if z == nil {
			var err error
			if z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxWindow(64<<20), zstd.WithDecoderMaxMemory(maxPage)); err != nil {
				return nil, damaged("a compressed page")
			}
		}
		defer zstds.Put(z)
		if err := z.Reset(bytes.NewReader(src)); err != nil {
			return nil, damaged("a compressed page")
		}
		return stream(z, dst, n)
	}
	return nil, unsupported("pages compressed with "+cmp.Or(codecNames[codec], fmt.Sprint("codec ", codec)),
		"none, snappy, gzip, brotli, zstd or LZ4")
}

// hadoopLZ4 fills dst from blocks that stand behind the numbers of their bytes without and with compression, each of
// four bytes, the highest first; false if src is no such blocks of exactly as many bytes.
func hadoopLZ4(dst, src []byte) bool {
	for len(dst) > 0 {
		if len(src) < 8 {
			return false
		}
		plain, packed := binary.BigEndian.Uint32(src), binary.BigEndian.Uint32(src[4:])
		src = src[8:]
		if plain == 0 || uint64(plain) > uint64(len(dst)) || uint64(packed) > uint64(len(src)) {
			return false
		}
		if m, err := lz4.UncompressBlock(src[:packed], dst[:plain]); err != nil || m != int(plain) {
			return false
		}
		dst, src = dst[plain:], src[packed:]
	}
	return len(src) == 0
}

// zstds are decoders to use again: each holds some MiB.
var zstds sync.Pool

// stream reads n bytes and the end, in steps, so that memory follows what is there.
func stream(r io.Reader, dst []byte, n int) ([]byte, error) {
	const step = 1 << 22
	dst = dst[:0]
	for len(dst) < n {
		m := min(n, max(len(dst)+step, cap(dst)-8))
		if cap(dst) < m+8 {
			more := grow(nil, min(n, 2*m))
			dst = more[:copy(more, dst)]
		}
		k, err := io.ReadFull(r, dst[len(dst):m])
		dst = dst[:len(dst)+k]
		if err != nil {
			return nil, damaged("a compressed page")
		}
	}
	var one [1]byte
	if k, err := io.ReadFull(r, one[:]); k > 0 || err != io.EOF {
		return nil, damaged("a compressed page")
	}
	return grow(dst, n), nil
}
