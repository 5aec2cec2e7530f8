package frame

import (
	"bytes"
	"context"
	"io"

	"github.com/privbayes/privbayes-go/internal/csvscan"
	"github.com/privbayes/privbayes-go/internal/seal"
)

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
func (p Pass) Run(ctx context.Context, key seal.Key) (rows int, err error) {
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
func (p Pass) Count(ctx context.Context, key seal.Key) (rows int, err error) {
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

func (p Pass) reading(key seal.Key) (*reading, []shard, error) {
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
