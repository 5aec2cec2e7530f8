package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// ReadOption changes how a table is read.
type ReadOption func(*readConfig)

type readConfig struct {
	progress func(bytesRead, rows int64)
	format   *Format
	keys     func(key string, row int)
	chunk    int // of tests: the size of a chunk, also of a small table
}

// WithProgress calls back now and then, and once at the end, with the bytes read from the source (compressed, if it is)
// and the rows. Both tell how many rows there are: where an adjacency will hide that, what is shown of them is for the
// data holder only.
func WithProgress(report func(bytesRead, rows int64)) ReadOption {
	return func(c *readConfig) { c.progress = report }
}

// WithKeys calls back with the key of every unit of two linked tables and the row of the frame that it is, in the order
// in which the keys come in the parents' table: so predictions can be given back by key. Keys are private, as the rows
// are. It does nothing where one table is read.
func WithKeys(tell func(key string, row int)) ReadOption {
	return func(c *readConfig) { c.keys = tell }
}

// Load reads a CSV or CSV.gz file under its schema, see Read.
func Load(ctx context.Context, path string, s *Schema, opts ...ReadOption) (*Frame, error) {
	return readAll(ctx, files(path), s, opts)
}

// Read reads CSV from r in one streaming pass; name stands for it in errors. The format is RFC 4180 in UTF-8 unless the
// schema's Format or WithFormat says otherwise: a header line, commas, quoted fields with doubled quotes and line ends
// inside, LF or CRLF, with or without byte-order mark; gzip is recognised by its first bytes. Lines end in CR alone if
// the header does; a file with both kinds of lines is refused. Columns may stand in any order. Empty lines are skipped;
// in a file of one column an empty line is an empty field where the column reads one, as a missing mark "" does. A
// header without rows is a table of no rows: a refusal would tell it from one of one row.
//
// Errors: *SchemaError; *FileError (empty, damaged, no text); *ColumnError (header and schema disagree);
// *ValueError (line, column, value and expectation of the first value that does not fit: the one refusal that depends
// on private data; Check lists all of them); ctx.Err().
func Read(ctx context.Context, r io.Reader, name string, s *Schema, opts ...ReadOption) (*Frame, error) {
	if absent(r) {
		return nil, &FileError{File: name, Want: "a reader of a table; this one is nil"}
	}
	return readAll(ctx, reader(r, name), s, opts)
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
	units  *unitRows // nil where no rows are capped
	keys   func(key string, row int)
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
	r := &reading{schema: s.filled(), format: format, report: cfg.progress, chunk: cfg.chunk, keys: cfg.keys,
		wants: func(string) bool { return true }}
	r.kept = newStore(r.schema)
	r.encoders()
	r.units, err = newUnitRows(r.schema)
	return r, err
}

// encoders makes new ones.
func (r *reading) encoders() {
	for _, c := range r.schema.Columns {
		r.cols = append(r.cols, r.schema.encoder(c).written(r.format))
	}
}

// fresh reads the same table with encoders of its own.
func (r *reading) fresh() *reading {
	f := &reading{schema: r.schema, format: r.format}
	f.encoders()
	return f
}

// readFile reads one file to its end.
func (r *reading) readFile(ctx context.Context, in io.Reader, name string) error {
	counter := &countReader{r: in}
	text, err := plainText(counter, name, r.format.encoding())
	if err != nil {
		return err
	}
	sc, err := r.format.begin(text, name)
	if err != nil {
		return err
	}
	h, err := r.matchHeader(sc.fields(), name)
	if err != nil {
		return err
	}
	sc.blank = h.readsBlank()
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
	case errLoneCR:
		return &ValueError{File: name, Line: s.line, Value: "a line end of another kind, outside quotes",
			Want: "lines that end alike, as the header does: all in LF or CR LF, or all in CR"}
	case errBareQuote, errQuote, errOpenQuote, errBlank:
		line := s.buf[s.pos:s.end]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i]
		}
		return &ValueError{File: name, Line: s.line, Value: string(line[:min(len(line), 80)]),
			Want: "quotes as in RFC 4180, but there is " + err.Error() + asTrim(err)}
	case errTooLong:
		return &FileError{File: name, Want: "records of at most 256 MiB; a quote may never be closed", Err: err}
	}
	return &FileError{File: name, Want: "a file that can be read to its end", Err: err}
}

// asTrim is how a blank next to a quote can be read.
func asTrim(err error) string {
	if err != errBlank {
		return ""
	}
	return `; "format": {"trim": true} in the schema leaves it out`
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

// shard is one file of a table.
type shard struct {
	name string
	open func() (io.ReadCloser, error)
	size int64 // 0 if nobody knows
}

// Shard is one of several readers of a table, with the name that stands for it in errors.
type Shard struct {
	Name   string
	Reader io.Reader
}

// files are shards to open by path.
func files(paths ...string) []shard {
	var out []shard
	for _, path := range paths {
		var size int64
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		out = append(out, shard{name: path, size: size, open: func() (io.ReadCloser, error) {
			file, err := os.Open(path)
			if err != nil {
				var p *os.PathError
				if errors.As(err, &p) {
					err = p.Err
				}
				return nil, &FileError{File: path, Want: "a readable CSV or CSV.gz file", Err: err}
			}
			return file, nil
		}})
	}
	return out
}

// reader is one shard.
func reader(r io.Reader, name string) []shard {
	return []shard{{name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}}
}

// LoadShards reads several files as one table, in the order given: each has its own header, whose columns may stand in
// an order of their own, and may have no rows if another has. A unit may have rows in several files; RowsPerUnit counts
// all of them. Errors: those of Load, with the name of the file, and an argument error for no file or one that is named
// twice, whose rows would count twice.
func LoadShards(ctx context.Context, paths []string, s *Schema, opts ...ReadOption) (*Frame, error) {
	if err := eachOnce("LoadShards", paths); err != nil {
		return nil, err
	}
	return readAll(ctx, files(paths...), s, opts)
}

// eachOnce refuses a file that is named twice, by another path or by a link.
func eachOnce(step string, paths []string) error {
	var seen []os.FileInfo
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue // opening it says what is wrong
		}
		if slices.ContainsFunc(seen, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			return domain.Refuse(step, "paths", safetext.Short(path)+" twice", "each file once, so that no row counts twice")
		}
		seen = append(seen, info)
	}
	return nil
}

// ReadShards is LoadShards for readers.
func ReadShards(ctx context.Context, shards []Shard, s *Schema, opts ...ReadOption) (*Frame, error) {
	var in []shard
	if len(shards) > 0 { // else readAll says what is wrong
		var err error
		if in, err = (Input{Readers: shards}).shards("ReadShards"); err != nil {
			return nil, err
		}
	}
	return readAll(ctx, in, s, opts)
}

// readAll reads the files of a table one after the other.
func readAll(ctx context.Context, shards []shard, s *Schema, opts []ReadOption) (*Frame, error) {
	r, err := newReading(s, opts)
	if err != nil {
		return nil, err
	}
	rows, err := r.all(ctx, shards)
	if err != nil {
		return nil, err
	}
	if r.units != nil { // how many rows of each file are kept is private
		rows = nil
	}
	return r.frame(sourceOf(shards, rows)).capped(r.units)
}

// all reads them and says how many rows each has.
func (r *reading) all(ctx context.Context, shards []shard) (each []int, err error) {
	if len(shards) == 0 {
		return nil, domain.Refuse("LoadShards", "shards", "none", "at least one file")
	}
	for _, sh := range shards {
		r.size += sh.size
	}
	for _, sh := range shards {
		in, err := sh.open()
		if err != nil {
			return nil, err
		}
		before := r.rows
		err = r.readFile(ctx, in, sh.name)
		_ = in.Close()
		each = append(each, r.rows-before)
		if err != nil {
			return nil, err
		}
	}
	return each, nil
}

// sourceOf names what was read, by absolute paths where they are files; "input" names nothing. Several files are its
// parts, each with its number of rows, unless that is private (nil).
func sourceOf(shards []shard, rows []int) *source {
	all := &source{}
	var names []string
	for k, sh := range shards {
		part := &source{}
		if sh.name != "input" && sh.name != "" {
			part.name = sh.name
			if abs, err := filepath.Abs(sh.name); err == nil {
				part.name = abs
			}
			names = append(names, part.name)
		}
		if len(shards) == 1 {
			return part
		}
		if rows == nil {
			continue
		}
		all.parts = append(all.parts, Selection{source: part, publicN: true, n: rows[k]})
	}
	if len(names) == len(shards) {
		all.name = strings.Join(names, "\x00")
	}
	return all
}
