package frame

import (
	"bytes"
	"io"

	"github.com/privbayes/privbayes-go/internal/csvscan"
)

// chunkBytes is how much of a table is read at once: some thousands of rows, which the processor's second cache holds.
const chunkBytes = 1 << 19

func (r *reading) chunkSize() int {
	if r.chunk > 0 {
		return r.chunk
	}
	return chunkBytes
}

// chunker cuts text into chunks of whole records.
type chunker struct {
	r    io.Reader
	rest []byte // read already, from the beginning of a record
	size int    // of a chunk, below csvscan.Size
	eof  bool
}

// done reports whether it is known that nothing is left.
func (c *chunker) done() bool { return c.eof && len(c.rest) == 0 }

// next puts a chunk into buf, of n bytes, and reports whether it has no quotes. The last chunk may lack its line end.
// A chunk of 0 bytes without an error says that the next record is longer than a chunk; it is in rest. Errors are
// io.EOF, and the reader's.
func (c *chunker) next(buf *csvscan.Buffer) (n int, plain bool, err error) {
	n = copy(buf[:c.size], c.rest)
	if n < len(c.rest) {
		c.rest = c.rest[n:]
	} else {
		c.rest = c.rest[:0]
		if n, err = c.fill(buf[:c.size], n); err != nil {
			return 0, false, err
		}
	}
	if n == 0 {
		return 0, false, io.EOF
	}
	plain = bytes.IndexByte(buf[:n], '"') < 0
	if c.eof && len(c.rest) == 0 {
		return n, plain, nil
	}
	whole := lastEnd(buf[:n], plain)
	c.rest = append(bytes.Clone(buf[whole:n]), c.rest...)
	return whole, plain, nil
}

// fill reads until the buffer is full or the text ends.
func (c *chunker) fill(buf []byte, n int) (int, error) {
	for idle := 0; n < len(buf) && !c.eof; {
		k, err := c.r.Read(buf[n:])
		n += k
		switch {
		case err == io.EOF:
			c.eof = true
		case err != nil:
			return n, err
		case k > 0:
			idle = 0
		default:
			if idle++; idle == maxIdle {
				return n, io.ErrNoProgress
			}
		}
	}
	return n, nil
}

// lastEnd is the end of the last whole record of b, which begins with a record; 0 if it has none. Line ends between
// quotes end no record: those behind an odd number of quotes. Where quotes are not as they should be, the careful
// reader stops at the first of them, whatever stands behind it.
func lastEnd(b []byte, plain bool) int {
	if plain {
		return bytes.LastIndexByte(b, '\n') + 1
	}
	odd := bytes.Count(b, []byte{'"'})%2 == 1
	for {
		k := bytes.LastIndexByte(b, '\n')
		if k < 0 {
			return 0
		}
		if bytes.Count(b[k:], []byte{'"'})%2 == 1 {
			odd = !odd
		}
		if !odd {
			return k + 1
		}
		b = b[:k]
	}
}
