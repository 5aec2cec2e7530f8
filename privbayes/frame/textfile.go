package frame

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// plainText undoes gzip, refuses files that hold no text, and turns the declared encoding into UTF-8 without a
// byte-order mark.
func plainText(r io.Reader, name string, enc Encoding) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	within := ""
	if head, _ := b.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &FileError{File: name, Want: "whole gzip data", Err: err}
		}
		b, within = bufio.NewReaderSize(z, 1<<16), "gzip of "
	}
	head, _ := b.Peek(1024)
	refuse := func(found, want string) (io.Reader, error) {
		return nil, &FileError{File: name, Found: within + found, Want: want}
	}
	if k := otherKind(head); k.name != "" {
		return refuse(k.name, cmp.Or(k.want, exportCSV))
	}
	wide := wideText(head)
	switch {
	case enc == UTF16:
		if wide == "" {
			return refuse("text that is not UTF-16", `UTF-16, as declared; leave out "encoding" for UTF-8`)
		}
		return lines(wideDecoder(wide).Reader(b)), nil
	case wide != "":
		return refuse("UTF-16 text", `UTF-8, or "format": {"encoding": "utf-16"} in the schema`)
	case bytes.IndexByte(head, 0) >= 0:
		return refuse("binary data, or text with zero bytes", "CSV text, or gzip of it")
	case !strings.HasPrefix(string(head), "\xef\xbb\xbf"):
	case enc != UTF8:
		return refuse("UTF-8 text, by its byte-order mark", "the declared encoding, "+string(enc))
	default:
		_, _ = b.Discard(3)
	}
	switch enc {
	case Latin1:
		return lines(charmap.ISO8859_1.NewDecoder().Reader(b)), nil
	case Windows1252:
		return lines(charmap.Windows1252.NewDecoder().Reader(b)), nil
	}
	return lines(b), nil
}

// lines undoes line ends of CR alone, where the first line outside quotes ends so: CR and LF change places outside
// quotes, so that a line with another end is found as one in a file of LF would be.
func lines(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 1<<16) // the same where it is one already
	head, _ := b.Peek(1 << 16)
	quoted := false
	for i, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted || c != '\r' && c != '\n':
		case c == '\n', bytes.HasPrefix(head[i+1:], []byte("\n")), bytes.HasPrefix(head[i+1:], []byte("\r\n")):
			return b
		default:
			return &crLines{r: b}
		}
	}
	return b
}

type crLines struct {
	r      io.Reader
	quoted bool
}

func (l *crLines) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, c := range p[:n] {
		switch {
		case c == '"':
			l.quoted = !l.quoted
		case l.quoted:
		case c == '\r':
			p[i] = '\n'
		case c == '\n':
			p[i] = '\r'
		}
	}
	return n, err
}

// The byte orders of UTF-16.
const (
	littleEndian = "little-endian"
	bigEndian    = "big-endian"
)

// wideDecoder reads UTF-16 of a byte order, or of the one that its mark says.
func wideDecoder(order string) *encoding.Decoder {
	if order == bigEndian {
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder()
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
}

// wideText recognises UTF-16: by its byte-order mark, or by zeros in every other byte, which Latin letters, commas and
// line ends have. It is empty for anything else.
func wideText(head []byte) string {
	if len(head) < 2 {
		return ""
	}
	switch string(head[:2]) {
	case "\xff\xfe":
		return littleEndian
	case "\xfe\xff":
		return bigEndian
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch few := len(head) / 8; {
	case zeros[0] == 0 && zeros[1] > few:
		return littleEndian
	case zeros[1] == 0 && zeros[0] > few:
		return bigEndian
	}
	return ""
}
