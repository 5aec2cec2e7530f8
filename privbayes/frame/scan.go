package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

const (
	scanBuffer = 1 << 18 // first buffer size
	maxRecord  = 1 << 28 // largest record
	maxIdle    = 100     // reads in a row that give nothing
)

var (
	errBareQuote = errors.New(`a quote inside an unquoted field`)
	errQuote     = errors.New(`text after a closing quote`)
	errOpenQuote = errors.New(`a quote that is never closed`)
	errBlank     = errors.New(`a blank between a quote and the end of its field`)
	errLoneCR    = errors.New(`a carriage return alone, outside quotes`)
	errTooLong   = errors.New("a record of more than 256 MiB")
)

// scanner splits CSV (RFC 4180) into records, in one pass over a buffer that always holds the whole current record, so
// that fields are slices of it and nothing is allocated per row. Records end with LF, CRLF or CRCRLF, which a text file
// of Windows makes of CRLF; any other CR outside quotes is refused, as programs read it in two ways. A CRLF inside
// quotes becomes LF; empty lines are skipped, unless they are asked for. On well-formed input it agrees with
// encoding/csv.
type scanner struct {
	r        io.Reader
	buf      []byte
	pos, end int
	eof      bool
	unquoted int    // buf[pos:unquoted] has no quote
	sep      byte   // between fields
	trim     bool   // blanks at the ends of fields are left out
	seps     uint64 // eight of them
	line     int    // line where the last record started, from 1
	lines    int    // lines consumed
	text     []byte // of the current record: its fields with one byte between each two
	ends     []int  // where in text the fields end
	scratch  []byte // text of a record with quotes
	marks    bool   // the current record has quotes: quotes says which fields
	crlf     bool   // the current record ended with CRLF
	blank    bool   // an empty line is a record of one empty field
	quotes   []bool
}

func newScanner(r io.Reader, sep byte) *scanner {
	return &scanner{r: r, buf: make([]byte, scanBuffer), sep: sep, seps: uint64(sep) * (commas / ',')}
}

// scanner reads records of a format.
func (f *Format) scanner(r io.Reader) *scanner {
	s := newScanner(r, f.separator())
	s.trim = f.trims()
	return s
}

// fields returns the fields of the current record, valid until the next call of next.
func (s *scanner) fields() [][]byte {
	out := make([][]byte, 0, len(s.ends))
	for i := range s.ends {
		out = append(out, s.field(i))
	}
	return out
}

// field is one field of the current record, valid until the next call of next.
func (s *scanner) field(i int) []byte {
	start := 0
	if i > 0 {
		start = s.ends[i-1] + 1
	}
	if s.trim {
		return bytes.TrimSpace(s.text[start:s.ends[i]])
	}
	return s.text[start:s.ends[i]]
}

// next moves to the next record; io.EOF after the last.
func (s *scanner) next() error {
	for {
		if s.pos == s.end {
			if s.eof {
				return io.EOF
			}
			if err := s.more(); err != nil {
				return err
			}
			continue
		}
		rest := s.buf[s.pos:s.end]
		n := bytes.IndexByte(rest, '\n')
		used := n + 1
		if n < 0 {
			if !s.eof {
				if err := s.more(); err != nil {
					return err
				}
				continue
			}
			n, used = len(rest), len(rest)
		}
		line := rest[:n]
		s.line = s.lines + 1
		if s.plain(n) {
			n = lineEnd(line)
			if bytes.IndexByte(line[:n], '\r') >= 0 || n == 0 && used == len(line) && used > 0 {
				return errLoneCR
			}
			s.pos += used
			s.lines++
			s.crlf = n < len(line)
			if s.marks = false; n == 0 {
				if !s.blank {
					continue
				}
				s.text, s.ends = rest[:0], append(s.ends[:0], 0)
				return nil
			}
			s.split(rest, n)
			return nil
		}
		used, newlines, err := s.quoted(rest)
		if err == errShort {
			if err = s.more(); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		s.pos += used
		s.lines += newlines
		return nil
	}
}

// lineEnd is the length of a line without the CR, or CR CR, before its LF or the end of the file.
func lineEnd(line []byte) int {
	n := len(line)
	for range 2 {
		if n > 0 && line[n-1] == '\r' {
			n--
		}
	}
	return n
}

// loneCR reports whether a CR is not followed by LF, nor ends the last line of a file.
func loneCR(b []byte) bool {
	for {
		k := bytes.IndexByte(b, '\r')
		if k < 0 || k+1 == len(b) {
			return k == 0 || k > 0 && b[k-1] == '\n'
		}
		if b[k+1] != '\n' {
			return true
		}
		b = b[k+2:]
	}
}

// plain tells whether the next n bytes have no quote. It looks as far as the next quote, and remembers.
func (s *scanner) plain(n int) bool {
	if s.pos+n > s.unquoted {
		if k := bytes.IndexByte(s.buf[s.pos:s.end], '"'); k >= 0 {
			s.unquoted = s.pos + k
		} else {
			s.unquoted = s.end
		}
	}
	return s.pos+n <= s.unquoted
}

// Words of eight commas, low bits and high bits.
const (
	commas   = 0x2c2c2c2c2c2c2c2c
	lowBits  = 0x7f7f7f7f7f7f7f7f
	highBits = 0x8080808080808080
)

// split cuts rest[:n], which has no quotes, at separators, eight bytes at a time: a byte of x is zero where the text
// has a separator, and m has the high bit of exactly these bytes set. Two places are written whether there are
// separators or not, and only their number moves on: a branch on what the text holds would be guessed wrong every other
// time.
func (s *scanner) split(rest []byte, n int) {
	ends, k, seps := s.ends[:cap(s.ends)], 0, s.seps
	for i := 0; i < n; i += 8 {
		var x uint64
		if i+8 <= len(rest) {
			x = binary.LittleEndian.Uint64(rest[i:])
		} else {
			var last [8]byte
			copy(last[:], rest[i:])
			x = binary.LittleEndian.Uint64(last[:])
		}
		x ^= seps
		m := ^((x&lowBits + lowBits) | x) & highBits
		if n-i < 8 {
			m &= 1<<(8*(n-i)) - 1
		}
		if k+9 > len(ends) { // eight separators and the end
			ends = append(ends, make([]int, len(ends)+16)...)
		}
		to := ends[k : k+8 : k+8]
		k += bits.OnesCount64(m)
		to[0] = i + bits.TrailingZeros64(m)>>3
		m &= m - 1
		to[1] = i + bits.TrailingZeros64(m)>>3
		m &= m - 1
		for j := 2; m != 0; j++ {
			to[j&7] = i + bits.TrailingZeros64(m)>>3
			m &= m - 1
		}
	}
	ends[k] = n
	s.text, s.ends = rest, ends[:k+1]
}

// errShort says that the record goes on beyond the buffer.
var errShort = errors.New("short")

// quoted reads one record with quotes from the front of b.
func (s *scanner) quoted(b []byte) (used, newlines int, err error) {
	s.scratch, s.ends, s.quotes, s.marks = s.scratch[:0], s.ends[:0], s.quotes[:0], true
	i := 0
	for {
		if k := i + s.blanks(b[i:]); s.trim && k < len(b) && b[k] == '"' {
			i = k
		}
		inQuotes := i < len(b) && b[i] == '"'
		s.quotes = append(s.quotes, inQuotes)
		if inQuotes {
			if i, newlines, err = s.inQuotes(b, i+1, newlines); err != nil {
				return 0, 0, err
			}
		} else {
			start := len(s.scratch)
			for i < len(b) && b[i] != s.sep && b[i] != '\n' {
				if b[i] == '"' && s.blanks(s.scratch[start:]) == len(s.scratch)-start {
					return 0, 0, errBlank
				}
				if b[i] == '"' {
					return 0, 0, errBareQuote
				}
				s.scratch = append(s.scratch, b[i])
				i++
			}
			// The CR of a line end, or of the end of the file, is not part of the field.
			if i == len(b) || b[i] == '\n' {
				s.scratch = s.scratch[:start+lineEnd(s.scratch[start:])]
			}
			if bytes.IndexByte(s.scratch[start:], '\r') >= 0 {
				return 0, 0, errLoneCR
			}
		}
		s.ends = append(s.ends, len(s.scratch))
		s.scratch = append(s.scratch, ',')
		if i == len(b) {
			if !s.eof {
				return 0, 0, errShort
			}
			newlines++
			break
		}
		i++ // the separator or LF
		if b[i-1] == '\n' {
			newlines++
			break
		}
	}
	s.text = s.scratch
	return i, newlines, nil
}

// blanks counts those that a text begins with.
func (s *scanner) blanks(b []byte) (n int) {
	for n < len(b) && (b[n] == ' ' || b[n] == '\t') && b[n] != s.sep {
		n++
	}
	return n
}

// inQuotes copies a quoted field that starts at b[i], after its opening quote, and returns the index of the separator
// or LF that ends it.
func (s *scanner) inQuotes(b []byte, i, newlines int) (int, int, error) {
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			if s.eof {
				return 0, 0, errOpenQuote
			}
			return 0, 0, errShort
		}
		part := b[i : i+n]
		if k := bytes.Count(part, []byte{'\n'}); k > 0 {
			newlines += k
			part = bytes.ReplaceAll(part, []byte("\r\n"), []byte("\n"))
		}
		s.scratch = append(s.scratch, part...)
		i += n + 1
		quote := i < len(b) && b[i] == '"'
		if s.trim {
			i += s.blanks(b[i:])
		}
		switch rest := b[i:]; {
		case quote:
			s.scratch = append(s.scratch, '"')
			i++
		case len(rest) > 0 && (rest[0] == s.sep || rest[0] == '\n'):
			return i, newlines, nil
		case len(rest) == 0 && s.eof:
			return i, newlines, nil
		case len(rest) < 3 && !s.eof:
			return 0, 0, errShort
		case rest[0] == ' ' || rest[0] == '\t':
			return 0, 0, errBlank
		case rest[0] != '\r':
			return 0, 0, errQuote
		default:
			k := 1
			if len(rest) > 1 && rest[1] == '\r' {
				k = 2
			}
			if k < len(rest) && rest[k] != '\n' {
				return 0, 0, errLoneCR
			}
			return i + k, newlines, nil
		}
	}
}

// more moves the current record to the front of the buffer and reads on, doubling the buffer when the record fills it.
// It fills the buffer, so that the work on a long record stays linear.
func (s *scanner) more() error {
	if s.pos > 0 {
		s.end = copy(s.buf, s.buf[s.pos:s.end])
		s.pos, s.unquoted = 0, 0
	} else if s.end == len(s.buf) {
		if len(s.buf) >= maxRecord {
			return errTooLong
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for idle := 0; s.end < len(s.buf); {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		switch {
		case err == io.EOF: // and no other: gzip that ends before its time gives io.ErrUnexpectedEOF
			s.eof = true
			return nil
		case err != nil:
			return err
		case n > 0:
			idle = 0
		default:
			if idle++; idle == maxIdle {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// begin reads the header of a file, which the scanner then holds. A header that is broken is not quoted: it may be a
// row.
func (f *Format) begin(text io.Reader, name string) (*scanner, error) {
	s := f.scanner(text)
	if err := s.skipSeparator(name); err != nil {
		return nil, err
	}
	err := s.next()
	if err == nil {
		return s, nil
	}
	if err == io.EOF {
		return nil, &FileError{File: name, Want: "a header line with the column names; the file is empty"}
	}
	var v *ValueError
	if err = s.failure(name, err); errors.As(err, &v) {
		err = &FileError{File: name, Found: "text whose header is broken", Want: v.Want + f.elsewise(v.Value)}
	}
	return nil, err
}

// elsewise is another separator that a header has more often than that of the format, as what to declare.
func (f *Format) elsewise(header string) (hint string) {
	most := strings.Count(header, string(f.separator()))
	for _, other := range ";\t|," {
		if n := strings.Count(header, string(other)); n > most {
			most, hint = n, fmt.Sprintf("; if %q separates fields, \"format\": {\"separator\": %q} in the schema", string(other),
				string(other))
		}
	}
	return hint
}

// skipSeparator leaves out a first line "sep=;", by which programs tell Excel what separates fields. What it says must
// be what the format says.
func (s *scanner) skipSeparator(name string) error {
	for s.end-s.pos < 16 && !s.eof {
		if err := s.more(); err != nil {
			return s.failure(name, err)
		}
	}
	text := s.buf[s.pos:s.end]
	line, _, _ := bytes.Cut(text, []byte{'\n'})
	said := bytes.Trim(bytes.TrimRight(line, "\r"), `"`)
	if len(said) < 5 || len(said) > 6 || !strings.EqualFold(string(said[:4]), "sep=") || said[4] < ' ' && said[4] != '\t' {
		return nil
	}
	if said[4] != s.sep {
		return &FileError{File: name, Found: fmt.Sprintf("a table whose first line says that %q separates fields", said[4:5]),
			Want: fmt.Sprintf(`"format": {"separator": %q} in the schema (--separator)`, said[4:5])}
	}
	s.pos = min(s.pos+len(line)+1, s.end)
	s.lines++
	return nil
}
