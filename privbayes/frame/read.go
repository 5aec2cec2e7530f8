package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ReadOption changes how a table is read.
type ReadOption func(*readConfig)

type readConfig struct {
	progress func(bytesRead, rows int64)
	format   *Format
	chunk    int // of tests: the size of a chunk, also of a small table
}

// WithProgress calls back now and then, and once at the end, with the bytes read from the source (compressed, if it is)
// and the rows. Both tell how many rows there are: where an adjacency will hide that, what is shown of them is for the
// data holder only.
func WithProgress(report func(bytesRead, rows int64)) ReadOption {
	return func(c *readConfig) { c.progress = report }
}

// Load reads a CSV or CSV.gz file under its schema, see Read.
func Load(ctx context.Context, path string, s *Schema, opts ...ReadOption) (*Frame, error) {
	return readAll(ctx, files(path), s, opts)
}

// Read reads CSV from r in one streaming pass; name stands for it in errors. The format is RFC 4180 in UTF-8 unless the
// schema's Format or WithFormat says otherwise: a header line, commas, quoted fields with doubled quotes and line ends
// inside, LF or CRLF, with or without byte-order mark; gzip is recognised by its first bytes. Columns may stand in any
// order; empty lines are skipped.
//
// Errors: *SchemaError; *FileError (empty, no rows, damaged, no text); *ColumnError (header and schema disagree);
// *ValueError (line, column, value and expectation of the first value that does not fit: the one refusal that depends
// on private data; Check lists all of them); ctx.Err().
func Read(ctx context.Context, r io.Reader, name string, s *Schema, opts ...ReadOption) (*Frame, error) {
	if absent(r) {
		return nil, &FileError{File: name, Want: "a reader of a table; this one is nil"}
	}
	return readAll(ctx, []shard{{name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}}, s, opts)
}

// absent reports whether there is no reader, be it nil or a nil pointer such as a file that was not opened.
func absent(r io.Reader) bool {
	v := reflect.ValueOf(r)
	return !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil()
}

// formatOf is the format to read with, and checks it.
func formatOf(s *Schema, opts []ReadOption) (*Format, error) {
	var cfg readConfig
	for _, o := range opts {
		if o != nil {
			o(&cfg)
		}
	}
	if cfg.format == nil && s != nil {
		cfg.format = s.Format
	}
	if e := cfg.format.check(); e != nil {
		return nil, e
	}
	return cfg.format.plain(), nil
}

// reading is one table on its way in, from one file or several.
type reading struct {
	schema *Schema
	format *Format
	cols   []*encoder // of the schema's columns
	rows   int
	bytes  int64
	size   int64        // of all files, 0 if nobody knows
	taken  func() int64 // bytes that were taken from them
	read   int64        // and what of these became rows
	report func(bytesRead, rows int64)
	units  *unitRows   // nil where no rows are capped
	found  *Violations // nil: the first violation ends the reading
	keeps  *keeper     // nil where all rows go on
	counts bool        // rows are only counted
	chunk  int         // of tests

	kept  *store                   // where rows go
	wants func(column string) bool // whose values are wanted
	sinks func() sink              // or where else they go: one sink for every goroutine
	made  []sink
}

// sink takes rows.
type sink func(parts []part, rows int) error

// sink is that of a goroutine.
func (r *reading) sink(k int) sink {
	for len(r.made) <= k {
		r.made = append(r.made, r.sinks())
	}
	return r.made[k]
}

func newReading(s *Schema, opts []ReadOption) (*reading, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	cfg := readConfig{progress: func(int64, int64) {}}
	for _, o := range opts {
		if o != nil {
			o(&cfg)
		}
	}
	format, err := formatOf(s, opts)
	if err != nil {
		return nil, err
	}
	r := &reading{schema: s.filled(), format: format, report: cfg.progress, chunk: cfg.chunk,
		wants: func(string) bool { return true }}
	r.kept = newStore(r.schema)
	r.encoders()
	r.units, err = newUnitRows(r.schema)
	return r, err
}

// encoders makes new ones.
func (r *reading) encoders() {
	for _, c := range r.schema.Columns {
		e := newEncoder(c)
		if r.format.comma() {
			e.withComma()
		}
		r.cols = append(r.cols, e)
	}
}

// fresh reads the same table with encoders of its own.
func (r *reading) fresh() *reading {
	f := &reading{schema: r.schema, format: r.format}
	f.encoders()
	return f
}

// header is the first line of one file: its names, and the encoder of every field, nil for fields to ignore.
type header struct {
	names []string
	cols  []*encoder
	blind bool // no value of this line is refused, so a second header would pass for a row
}

// readFile reads one file to its end.
func (r *reading) readFile(ctx context.Context, in io.Reader, name string) error {
	counter := &countReader{r: in}
	text, err := plainText(counter, name, r.format.encoding())
	if err != nil {
		return err
	}
	sc := newScanner(text, r.format.separator())
	err = sc.next()
	if err == io.EOF {
		return &FileError{File: name, Want: "a header line with the column names; the file is empty"}
	}
	if err != nil {
		return sc.failure(name, err)
	}
	h, err := r.matchHeader(sc.fields(), name)
	if err != nil {
		return err
	}
	done := r.bytes
	r.taken = func() int64 { return done + counter.n }
	report := func() { r.report(r.taken(), int64(r.rows)) }
	if r.counts {
		err = r.countRecords(ctx, sc, name, report)
	} else if r.careful(h) || sc.eof && r.chunk == 0 {
		err = r.readOn(ctx, sc, h, name, report)
	} else {
		err = r.readChunks(ctx, sc, h, name, sc.crlf, report)
	}
	r.bytes = r.taken()
	return err
}

// careful reports whether only the careful reader can read the rows.
func (r *reading) careful(h *header) bool {
	for _, e := range r.cols {
		if e.separator != nil {
			return true
		}
	}
	return h.blind || r.found != nil || r.units != nil || r.keeps != nil
}

// readOn reads all records that are left, one after the other.
func (r *reading) readOn(ctx context.Context, sc *scanner, h *header, name string, report func()) error {
	for {
		if err := ctx.Err(); err != nil {
			return stopped(name, err)
		}
		before := r.delivered()
		err := r.readRows(ctx, sc, h, name, chunkRows)
		r.read = r.taken()
		if err != nil && err != io.EOF {
			return err
		}
		if rows := r.delivered() - before; rows > 0 {
			if err := r.deliver(rows); err != nil {
				return err
			}
		}
		if r.rows > 0 {
			report()
		}
		if err != nil {
			return nil
		}
	}
}

// delivered is how many rows went on, or will.
func (r *reading) delivered() int {
	if r.keeps != nil {
		return r.keeps.rows
	}
	return r.rows
}

// deliver gives the rows that were encoded last to where they go, and forgets them.
func (r *reading) deliver(rows int) error {
	parts := make([]part, len(r.cols))
	for i, e := range r.cols {
		parts[i] = e.out
		e.out.clear()
	}
	switch {
	case r.found != nil: // rows are only checked
		for _, e := range r.cols {
			e.items = nil
		}
	case r.sinks != nil:
		return r.sink(0)(parts, rows)
	default:
		r.kept.add(parts, r.rows, r.expected())
	}
	return nil
}

// readRows encodes at most a number of records; io.EOF after the last of the file.
func (r *reading) readRows(ctx context.Context, sc *scanner, h *header, name string, most int) error {
	for rows := 0; rows < most; rows, r.rows = rows+1, r.rows+1 {
		if rows%chunkRows == 0 {
			if err := ctx.Err(); err != nil {
				return stopped(name, err)
			}
		}
		err := sc.next()
		if err == io.EOF {
			return err
		}
		if err != nil {
			return sc.failure(name, err)
		}
		if len(sc.ends) != len(h.cols) {
			if err := r.refuse(&ValueError{File: name, Line: sc.line, Value: count(len(sc.ends), "field"),
				Want: count(len(h.cols), "field") + ", as in the header"}); err != nil {
				return err
			}
			continue
		}
		if h.blind && h.repeats(sc) {
			if err := r.refuse(secondHeader(name, sc.line)); err != nil {
				return err
			}
			continue
		}
		if r.units != nil && !r.units.add(sc) {
			if err := r.refuse(&ValueError{File: name, Line: sc.line, Column: r.units.key, Want: wantKey}); err != nil {
				return err
			}
		}
		for i := h.add(sc, 0); i >= 0; i = h.add(sc, i+1) {
			if h.repeats(sc) {
				if err := r.refuse(secondHeader(name, sc.line)); err != nil {
					return err
				}
				break
			}
			e, v := h.cols[i], string(sc.field(i))
			if err := r.refuse(&ValueError{File: name, Line: sc.line, Column: e.col.Name, Value: v,
				Want: e.why(v)}); err != nil {
				return err
			}
		}
		if r.keeps != nil {
			keep, err := r.keeps.row(sc)
			if err != nil {
				return err
			}
			for _, e := range r.cols {
				if !keep {
					e.out.dropLast()
				}
			}
		}
	}
	return nil
}

// add encodes the fields of a record from a place on, and returns the place of the first that does not fit, or -1.
func (h *header) add(sc *scanner, from int) int {
	if sc.marks {
		return h.addMarked(sc, from)
	}
	start, text := 0, sc.text
	if from > 0 {
		start = sc.ends[from-1] + 1
	}
	cols := h.cols[:len(sc.ends)]
	for i := from; i < len(cols); i++ {
		end := sc.ends[i]
		field := text[start:end]
		start = end + 1
		if e := cols[i]; e != nil && !e.add(field) {
			return i
		}
	}
	return -1
}

// addMarked is add for a record with quotes.
func (h *header) addMarked(sc *scanner, from int) int {
	for i := from; i < len(sc.ends); i++ {
		if e := h.cols[i]; e != nil && !e.addMarked(sc.field(i), sc.quotes[i]) {
			return i
		}
	}
	return -1
}

// refuse ends the reading with a value that does not fit, or only lists it.
func (r *reading) refuse(e *ValueError) error {
	if r.found == nil {
		return e
	}
	r.found.add(e)
	return nil
}

func secondHeader(name string, line int) *ValueError {
	return &ValueError{File: name, Line: line, Value: "the header a second time",
		Want: "one header line in a file; files that were put together can be read one by one as shards of one table: " +
			"LoadShards"}
}

// repeats reports whether the current record is the header again.
func (h *header) repeats(sc *scanner) bool {
	start := 0
	for i, end := range sc.ends {
		if string(sc.text[start:end]) != h.names[i] {
			return false
		}
		start = end + 1
	}
	return true
}

// frame is what was read.
func (r *reading) frame(from *source) *Frame {
	return &Frame{schema: r.schema, n: r.rows, cols: r.kept.cols, source: from}
}

// expected is about how many rows there will be, from how far the files were read; 0 if nobody knows how long they are.
func (r *reading) expected() int {
	if r.size <= 0 || r.read <= 0 {
		return 0
	}
	return int(min(float64(r.rows)*float64(r.size)/float64(r.read), 1<<40))
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

// matchHeader finds the encoder of every field of a file.
func (r *reading) matchHeader(fields [][]byte, name string) (*header, error) {
	h := &header{names: make([]string, len(fields)), cols: make([]*encoder, len(fields)), blind: true}
	others := false
	for i, f := range fields {
		h.names[i] = string(f)
		if !utf8.Valid(f) {
			return nil, &FileError{File: name, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
		if slices.Contains(h.names[:i], h.names[i]) {
			if _, _, err := r.schema.Column(h.names[i]); err == nil {
				return nil, &ColumnError{Step: "header of " + name, Column: h.names[i], Have: h.names[:i+1],
					Want: "it once; the header names it twice"}
			}
		}
	}
	for _, e := range r.cols {
		at := slices.Index(h.names, e.col.Name)
		if at >= 0 {
			h.cols[at] = e
			takes, asOther := e.takes(h.names[at])
			h.blind, others = h.blind && takes, others || asOther
			continue
		}
		err := r.lacks(e.col.Name, h.names, name)
		var lone *FileError
		if r.found == nil || errors.As(err, &lone) {
			return nil, err
		}
		r.found.lacks(name, e.col.Name)
	}
	for i, e := range h.cols {
		if e != nil || r.schema.ExtraColumns || h.names[i] == r.schema.UnitKey {
			continue
		}
		if r.found == nil {
			return nil, &ColumnError{Step: "header of " + name, Column: h.names[i], Have: h.names,
				Want: `a column of the schema, or "extra_columns": true to ignore others`}
		}
		r.found.extra(name, h.names[i])
	}
	if r.units != nil {
		if err := r.units.header(h.names, name); err != nil {
			return nil, err
		}
	}
	if r.keeps != nil {
		if err := r.keeps.header(h.names, name); err != nil {
			return nil, err
		}
	}
	h.blind = h.blind && others // else every name is a value of its column, and such a row is a row
	return h, nil
}

// lacks says that a header has no column of that name.
func (r *reading) lacks(column string, have []string, name string) error {
	if len(have) == 1 && len(r.cols) > 1 {
		for _, sep := range []string{";", "\t", "|", ","} {
			if strings.Contains(have[0], sep) {
				now := "commas"
				if s := r.format.separator(); s != ',' {
					now = strconv.Quote(string(s))
				}
				return &FileError{File: name, Found: fmt.Sprintf("text whose header has one field with %q in it", sep),
					Want: fmt.Sprintf("fields separated by %s, or \"format\": {\"separator\": %q} in the schema", now, sep)}
			}
		}
	}
	return &ColumnError{Step: "header of " + name, Column: column, Have: have}
}

// takes reports whether the column would read a text, and whether only as the other category. It leaves no trace.
func (e *encoder) takes(text string) (takes, asOther bool) {
	probe := newEncoder(e.col)
	if e.comma {
		probe.withComma()
	}
	takes = probe.add([]byte(text))
	return takes, takes && e.other >= 0 && e.dict.find([]byte(text)) == codeNone
}

// notUTF8 is what to do about bytes that are not UTF-8.
const notUTF8 = `UTF-8; if the file was written so, declare "format": {"encoding": "latin-1"}, "windows-1252" or ` +
	`"utf-16" in the schema`

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
