package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/csvscan"
)

const (
	mostWorkers = 32
	wholeCodes  = 1 << 17 // largest table of the codes of whole numbers
	noLimit     = math.MaxInt
)

// plain says how a scanner reads the fields of a column. What it does not say is for the encoder itself, field by
// field.
func (e *encoder) plain(values, quoted bool) csvscan.Column {
	c := csvscan.Column{Wide: e.wide, Quoted: quoted, Values: values && e.numeric}
	switch {
	case e.wide:
	case !e.numeric:
		for i, code := range e.codes {
			if code >= 0 && (i < e.marks || !quoted || e.unmarked == nil) {
				c.Texts, c.Codes = append(c.Texts, e.texts[i]), append(c.Codes, code)
			}
		}
	case e.special || len(e.inner) > 255:
	case e.integer && e.col.Max >= 0 && e.col.Max < wholeCodes:
		c.Whole = make([]uint16, int(e.col.Max)+1)
		bin := 0
		for i := range c.Whole {
			x := float64(i)
			for bin < len(e.inner) && e.inner[bin] <= x {
				bin++
			}
			if c.Whole[i] = uint16(bin); x < e.col.Min {
				c.Whole[i] = csvscan.NoCode
			}
		}
	default:
		c.Edges, c.Min, c.Max, c.Integer = e.inner, e.col.Min, e.col.Max, e.integer
		if c.Edges == nil {
			c.Edges = []float64{}
		}
	}
	return c
}

// worker reads chunks of one file: with a scanner where it can, else with the careful reader.
type worker struct {
	scan    *csvscan.Scanner
	careful *reading
	header  *header
	name    string
	place   []int // of the schema's columns in a record
	sink    sink
	chunk   int // its bytes
	read    int64
	done    chan struct{}

	parts       []part
	rows, lines int
	err         error // its lines count from the beginning of the chunk
}

// plan is how a scanner reads the records of a file, and the places of the schema's columns in them.
func (r *reading) plan(h *header, crlf bool, quoted []bool) (*csvscan.Plan, []int) {
	fields, place := make([]csvscan.Column, len(h.cols)), make([]int, len(r.cols))
	for at, e := range h.cols {
		fields[at] = csvscan.Column{Skip: e == nil}
		for i := range r.cols {
			if r.cols[i] == e {
				place[i], fields[at] = at, e.plain(r.wants(e.col.Name), at < len(quoted) && quoted[at])
			}
		}
	}
	return csvscan.NewPlan(fields, r.format.separator(), crlf), place
}

// quotedFields tells which fields of the first record stand between quotes.
func quotedFields(text []byte, sep byte) (quoted []bool) {
	inside, start := false, true
	for _, b := range text {
		if start {
			quoted = append(quoted, b == '"')
		}
		start = b == sep && !inside
		switch {
		case b == '"':
			inside = !inside
		case b == '\n' && !inside:
			return quoted
		}
	}
	return quoted
}

// worker is a new one for a file.
func (r *reading) worker(name string, h *header, plan *csvscan.Plan, place []int) *worker {
	w := &worker{careful: r.fresh(), name: name, place: place, parts: make([]part, len(r.cols)),
		done: make(chan struct{}, 1)}
	w.header = &header{names: h.names, texts: h.texts, cols: make([]*encoder, len(h.cols)), blind: h.blind}
	slow := make([]csvscan.Slow, len(h.cols))
	for i, own := range w.careful.cols {
		w.header.cols[place[i]], slow[place[i]] = own, own.one
	}
	w.scan = plan.New(slow)
	return w
}

// run reads the chunk.
func (w *worker) run(ctx context.Context) {
	defer func() { w.done <- struct{}{} }()
	w.err = nil
	n, buf := w.chunk, w.scan.Buffer()
	end := n
	if buf[n-1] != '\n' {
		buf[n] = '\n' // the last line of the text
		end++
	}
	if !loneCR(buf[:n]) && w.scan.Scan(end) {
		w.rows, w.lines = w.scan.Rows(), w.scan.Rows()
		for i, e := range w.careful.cols {
			at := w.place[i]
			w.parts[i] = part{codes: Codes{U8: w.scan.U8(at), U16: w.scan.U16(at), Levels: e.out.codes.Levels},
				values: w.scan.Values(at)}
		}
		w.deliver()
		return
	}
	r := w.careful
	for i, e := range r.cols {
		e.out.clear()
		w.parts[i] = part{}
	}
	sc := r.format.scanner(bytes.NewReader(nil))
	sc.buf, sc.end, sc.eof, sc.blank = buf[:n:n], n, true, w.header.readsBlank()
	r.rows = 0
	if err := r.readRows(ctx, sc, w.header, w.name, noLimit); err != io.EOF {
		w.err = err
		return
	}
	w.rows, w.lines = r.rows, sc.lines
	for i, e := range r.cols {
		w.parts[i] = e.out
	}
	w.deliver()
}

func (w *worker) deliver() {
	if w.sink != nil {
		w.err = w.sink(w.parts, w.rows)
	}
}

// readChunks reads what follows a header, chunk by chunk, on all processors. It goes through the results in the order
// of the file, so that the first value that does not fit is the one that is refused.
func (r *reading) readChunks(ctx context.Context, sc *scanner, h *header, name string, crlf bool, report func()) error {
	in := &chunker{r: sc.r, rest: bytes.Clone(sc.buf[sc.pos:sc.end]), eof: sc.eof, size: r.chunkSize()}
	plan, place := r.plan(h, crlf, quotedFields(in.rest, sc.sep))
	lines := sc.lines
	var busy, idle []*worker
	finish := func() error { // the first of the busy ones
		w := busy[0]
		busy, idle = busy[1:], append(idle, w)
		<-w.done
		if w.err != nil {
			var e *ValueError
			if errors.As(w.err, &e) {
				e.Line += lines
			}
			return w.err
		}
		lines += w.lines
		r.rows += w.rows
		r.read = w.read
		if w.sink == nil {
			r.kept.add(w.parts, r.rows, r.expected())
		}
		report()
		return nil
	}
	finishAll := func() (err error) {
		for len(busy) > 0 {
			if e := finish(); err == nil {
				err = e
			}
		}
		return err
	}
	most := min(runtime.GOMAXPROCS(0), mostWorkers) + 1
	for {
		if len(busy) == most {
			if err := finish(); err != nil {
				_ = finishAll()
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			_ = finishAll()
			return stopped(name, err)
		}
		if in.done() {
			return finishAll()
		}
		if len(idle) == 0 {
			w := r.worker(name, h, plan, place)
			if r.sinks != nil {
				w.sink = r.sink(len(busy))
			}
			idle = append(idle, w)
		}
		w := idle[len(idle)-1]
		var err error
		if w.chunk, _, err = in.next(w.scan.Buffer()); err != nil || w.chunk == 0 {
			switch refused := finishAll(); {
			case refused != nil:
				return refused
			case err == io.EOF:
				return nil
			case err != nil:
				return sc.failure(name, err)
			}
			break
		}
		w.read = r.taken()
		idle = idle[:len(idle)-1]
		busy = append(busy, w)
		go w.run(ctx)
	}
	// A record that is longer than a chunk: the careful reader goes on alone.
	return r.readOn(ctx, in.scanner(sc, lines), h, name, report)
}

func stopped(name string, err error) error { return fmt.Errorf("%s: reading stopped: %w", name, err) }

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

// Block is some rows of a table, by the columns of its schema. It is private, and overwritten by the next one.
type Block struct {
	Rows   int
	Codes  []Codes     // empty for sequences
	Values [][]float64 // of columns whose values are wanted, NaN where missing
}

// Pass is one reading of the files of a table that keeps no rows. It reads what LoadShards reads and refuses what that
// refuses, in memory that does not grow with the rows.
type Pass struct {
	Schema *Schema
	Paths  []string
	// Sink makes a function that takes blocks: one for every goroutine, at most some dozens, and blocks come in any
	// order.
	Sink func() func(*Block) error
	// Values says whose values are wanted.
	Values func(column string) bool
	// Keep says which rows go on, by the texts of the columns named by Texts, which need not be of the schema. The rows
	// then come in their order, to one sink.
	Texts []string
	Keep  func(texts [][]byte) (bool, error)
}

// Run reads the files once and counts the rows that went on. The key keeps it inside this module. Errors: ErrSealed
// without it; those of LoadShards, Keep and Sink.
func (p Pass) Run(ctx context.Context, key access.Key) (rows int, err error) {
	r, shards, err := p.reading(key)
	if err != nil {
		return 0, err
	}
	if p.Values != nil {
		r.wants = p.Values
	}
	r.sinks = func() sink {
		take, b := p.Sink(), &Block{Codes: make([]Codes, len(r.cols)), Values: make([][]float64, len(r.cols))}
		return func(parts []part, rows int) error {
			b.Rows = rows
			for i, p := range parts {
				b.Codes[i], b.Values[i] = p.codes, p.values
			}
			return take(b)
		}
	}
	if p.Keep != nil {
		r.keeps = &keeper{names: p.Texts, texts: make([][]byte, len(p.Texts)), keep: p.Keep}
	}
	if _, err := r.all(ctx, shards); err != nil {
		return 0, err
	}
	if r.keeps != nil {
		return r.keeps.rows, nil
	}
	return r.rows, nil
}

// Count counts the records of the files without reading their fields. Errors are those of Run, but for fields: a table
// that Count takes may still be refused by Run.
func (p Pass) Count(ctx context.Context, key access.Key) (rows int, err error) {
	r, shards, err := p.reading(key)
	if err != nil {
		return 0, err
	}
	r.counts = true
	if _, err := r.all(ctx, shards); err != nil {
		return 0, err
	}
	return r.rows, nil
}

func (p Pass) reading(key access.Key) (*reading, []shard, error) {
	if !key.Opens() {
		return nil, nil, ErrSealed
	}
	if err := eachOnce("Files", p.Paths); err != nil {
		return nil, nil, err
	}
	r, err := newReading(p.Schema, nil)
	if err != nil {
		return nil, nil, err
	}
	r.units = nil // whoever caps rows does so by Keep
	return r, files(p.Paths...), nil
}

// OfFiles says that rows are those of files, and which steps chose them: a frame that was loaded from the same files is
// of the same source.
func OfFiles(paths []string, steps ...RowStep) Selection {
	return Selection{source: sourceOf(files(paths...), nil), steps: steps}
}

// keeper chooses rows by texts.
type keeper struct {
	names []string
	at    []int // in the current file
	texts [][]byte
	keep  func([][]byte) (bool, error)
	rows  int
}

// header finds the columns of the texts in a file.
func (k *keeper) header(names []string, file string) error {
	k.at = k.at[:0]
	for _, name := range k.names {
		at := place(names, name)
		if at < 0 {
			return &ColumnError{Step: "header of " + file, Column: name, Have: names}
		}
		if place(names[at+1:], name) >= 0 {
			return &ColumnError{Step: "header of " + file, Column: name, Have: names, Want: "it once; the header names it twice"}
		}
		k.at = append(k.at, at)
	}
	return nil
}

// row asks about the current record.
func (k *keeper) row(sc *scanner) (bool, error) {
	for i, at := range k.at {
		k.texts[i] = sc.field(at)
	}
	keep, err := k.keep(k.texts)
	if keep {
		k.rows++
	}
	return keep, err
}

// countRecords counts what is left of a file.
func (r *reading) countRecords(ctx context.Context, sc *scanner, name string, report func()) error {
	in := &chunker{r: sc.r, rest: bytes.Clone(sc.buf[sc.pos:sc.end]), eof: sc.eof, size: r.chunkSize()}
	buf := new(csvscan.Buffer)
	lines := sc.lines
	for {
		if err := ctx.Err(); err != nil {
			return stopped(name, err)
		}
		n, plain, err := in.next(buf)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return sc.failure(name, err)
		}
		chunk := buf[:n]
		if plain && n > 0 && !loneCR(chunk) {
			rows, empty := countLines(chunk)
			if sc.blank {
				rows, empty = rows+empty, 0
			}
			r.rows += rows
			lines += rows + empty
			report()
			continue
		}
		rest := r.format.scanner(bytes.NewReader(nil))
		rest.blank = sc.blank
		if rest.buf, rest.end, rest.eof, rest.lines = chunk, n, true, lines; n == 0 {
			rest = in.scanner(sc, lines) // to the end of the file
		}
		for {
			if err := rest.next(); err == io.EOF {
				break
			} else if err != nil {
				return rest.failure(name, err)
			}
			r.rows++
		}
		if report(); n == 0 {
			return nil
		}
		lines = rest.lines
	}
}

// countLines counts the lines of text without quotes: those with something before their end, and empty ones.
func countLines(b []byte) (rows, empty int) {
	for len(b) > 0 {
		k := bytes.IndexByte(b, '\n')
		if k < 0 {
			k = len(b)
		}
		if k == 0 || k == 1 && b[0] == '\r' {
			empty++
		} else {
			rows++
		}
		b = b[min(k+1, len(b)):]
	}
	return rows, empty
}

// scanner goes on behind the chunks.
func (c *chunker) scanner(sc *scanner, lines int) *scanner {
	buf := make([]byte, max(scanBuffer, 2*len(c.rest)))
	return &scanner{r: c.r, buf: buf, end: copy(buf, c.rest), eof: c.eof, sep: sc.sep, seps: sc.seps, trim: sc.trim,
		blank: sc.blank, lines: lines}
}
