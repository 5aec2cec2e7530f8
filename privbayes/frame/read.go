package frame

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// ReadOption changes how a table is read.
type ReadOption func(*readConfig)

type readConfig struct {
	progress func(bytesRead, rows int64)
}

// WithProgress calls back now and then, and once at the end, with the bytes read from the source (compressed, if it is)
// and the rows. Both tell how many rows there are: where an adjacency will hide that, what is shown of them is for the
// data holder only.
func WithProgress(report func(bytesRead, rows int64)) ReadOption {
	return func(c *readConfig) { c.progress = report }
}

// Load reads a CSV or CSV.gz file under its schema, see Read.
func Load(ctx context.Context, path string, s *Schema, opts ...ReadOption) (*Frame, error) {
	file, err := os.Open(path)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, &FileError{File: path, Want: "a readable CSV or CSV.gz file", Err: err}
	}
	defer file.Close()
	return Read(ctx, file, path, s, opts...)
}

// Read reads CSV from r in one streaming pass; name stands for it in errors. The format is RFC 4180 in UTF-8: a header
// line, commas, quoted fields with doubled quotes and line ends inside, LF or CRLF, with or without byte-order mark;
// gzip is recognised by its first bytes. Columns may stand in any order; empty lines are skipped.
//
// Errors: *SchemaError; *FileError (empty, no rows, damaged); *ColumnError (header and schema disagree); *ValueError
// (line, column, value and expectation of the first value that does not fit: the one refusal that depends on private
// data); ctx.Err().
func Read(ctx context.Context, r io.Reader, name string, s *Schema, opts ...ReadOption) (*Frame, error) {
	var cfg readConfig
	for _, o := range opts {
		o(&cfg)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	counter := &countReader{r: r}
	text, err := plainText(counter, name)
	if err != nil {
		return nil, err
	}
	sc := newScanner(text)
	err = sc.next()
	if err == io.EOF {
		return nil, &FileError{File: name, Want: "a header line with the column names; the file is empty"}
	}
	if err != nil {
		return nil, sc.failure(name, err)
	}
	cols, err := matchHeader(sc.fields(), name, s)
	if err != nil {
		return nil, err
	}
	rows, err := readRows(ctx, sc, cols, name, func(rows int64) {
		if cfg.progress != nil {
			cfg.progress(counter.n, rows)
		}
	})
	if err != nil {
		return nil, err
	}
	f := &Frame{schema: s, n: rows, cols: make([]column, len(s.Columns)), source: sourceOf(name)}
	for _, e := range cols {
		if e != nil {
			_, i, _ := s.Column(e.col.Name)
			f.cols[i] = e.whole()
		}
	}
	return f, nil
}

// readRows reads all records after the header.
func readRows(ctx context.Context, sc *scanner, cols []*encoder, name string, report func(int64)) (int, error) {
	for rows := 0; ; rows++ {
		if rows%chunkRows == 0 {
			if err := ctx.Err(); err != nil {
				return 0, fmt.Errorf("%s: reading stopped: %w", name, err)
			}
			if rows > 0 {
				report(int64(rows))
				for _, e := range cols {
					if e != nil {
						e.flush()
					}
				}
			}
		}
		err := sc.next()
		if err == io.EOF {
			if rows == 0 {
				return 0, &FileError{File: name, Want: "at least one row; the file has a header but no rows"}
			}
			report(int64(rows))
			return rows, nil
		}
		if err != nil {
			return 0, sc.failure(name, err)
		}
		if len(sc.ends) != len(cols) {
			return 0, &ValueError{File: name, Line: sc.line, Value: count(len(sc.ends), "field"),
				Want: count(len(cols), "field") + ", as in the header"}
		}
		start := 0
		for i, end := range sc.ends {
			field := sc.text[start:end]
			start = end + 1
			if e := cols[i]; e != nil && !e.add(field) {
				v := string(field)
				return 0, &ValueError{File: name, Line: sc.line, Column: e.col.Name, Value: v, Want: e.why(v)}
			}
		}
	}
}

// failure wraps what stopped the scanner: the format as a *ValueError with its line, anything else as a *FileError.
func (s *scanner) failure(name string, err error) error {
	switch err {
	case errBareQuote, errQuote:
		line := s.buf[s.pos:s.end]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		return &ValueError{File: name, Line: s.line, Value: string(line[:min(len(line), 80)]),
			Want: "quotes as in RFC 4180, but there is " + err.Error()}
	case errTooLong:
		return &FileError{File: name, Want: "records of at most 256 MiB; a quote may never be closed", Err: err}
	}
	return &FileError{File: name, Want: "a file that can be read to its end", Err: err}
}

// plainText undoes gzip and drops a byte-order mark.
func plainText(r io.Reader, name string) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if head, _ := b.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, &FileError{File: name, Want: "whole gzip data", Err: err}
		}
		b = bufio.NewReaderSize(z, 1<<16)
	}
	head, _ := b.Peek(3)
	switch {
	case string(head) == "\xef\xbb\xbf":
		_, _ = b.Discard(3)
	case len(head) >= 2 && (string(head[:2]) == "\xff\xfe" || string(head[:2]) == "\xfe\xff"):
		return nil, &FileError{File: name, Want: "UTF-8 text; the file is UTF-16"}
	}
	return b, nil
}

// matchHeader gives the encoder of every field of the file, nil for fields to ignore.
func matchHeader(header [][]byte, name string, s *Schema) ([]*encoder, error) {
	have := make([]string, len(header))
	cols := make([]*encoder, len(header))
	for i, h := range header {
		have[i] = string(h)
		if slices.Contains(have[:i], have[i]) {
			if _, _, err := s.Column(have[i]); err == nil {
				return nil, &ColumnError{Step: "header of " + name, Column: have[i], Have: have[:i+1],
					Want: "it once; the header names it twice"}
			}
		}
	}
	for i := range s.Columns {
		at := slices.Index(have, s.Columns[i].Name)
		if at < 0 {
			if len(have) == 1 && len(s.Columns) > 1 && strings.ContainsAny(have[0], ";\t|") {
				return nil, &FileError{File: name, Want: "fields separated by commas; the header has none"}
			}
			return nil, &ColumnError{Step: "header of " + name, Column: s.Columns[i].Name, Have: have}
		}
		cols[at] = newEncoder(s.Columns[i])
	}
	for i, e := range cols {
		if e == nil && !s.ExtraColumns {
			return nil, &ColumnError{Step: "header of " + name, Column: have[i], Have: have,
				Want: `a column of the schema, or "extra_columns": true to ignore others`}
		}
	}
	return cols, nil
}

type countReader struct {
	r io.Reader
	n int64
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
