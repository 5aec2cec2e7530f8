package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"

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
