package frame

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

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
		err = &FileError{File: name, Found: "text whose header is broken", Want: v.Want}
	}
	return nil, err
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
