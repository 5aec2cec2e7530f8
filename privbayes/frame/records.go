package frame

import (
	"context"
	"io"
)

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
				Want: count(len(h.cols), "field") + ", as in the header" + oneMore(len(sc.ends), len(h.cols))}); err != nil {
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
		if r.found != nil {
			r.found.sawMarks(h, sc)
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

// oneMore says what may be meant by a field too many.
func oneMore(have, want int) string {
	if have != want+1 {
		return ""
	}
	return `; a separator inside a value stands between quotes, and row names of R need a name in the header ` +
		`(write.table with col.names = NA)`
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
	for i := range sc.ends {
		if string(sc.field(i)) != h.texts[i] {
			return false
		}
	}
	return true
}
