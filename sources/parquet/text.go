package parquet

import (
	"context"
	"encoding/csv"
	"io"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// texts holds what the rows of a column are as a plain CSV file would write them. A nil text is what none can hold.
type texts struct {
	empty []byte // the text of what is missing

	words     [][]byte // of the dictionary
	wordBytes []byte
	cells     [][]byte // of the block
	cellBytes []byte
}

// textColumn finds the key of units or a column of the schema as column does, to be read as texts.
func (f *pinned) textColumn(s *frame.Schema, name string, key bool) (place int, c *column, err error) {
	place, inPath, err := f.place(name)
	if err != nil {
		return 0, nil, err
	}
	own, coder := frame.Column{Name: name, Kind: frame.KindCategorical}, (*frame.Coder)(nil)
	if col, _, err := s.Column(name); err == nil {
		own = *col
		if coder, err = frame.NewCoder(access.Mine(), s, name); err != nil {
			return 0, nil, err
		}
	}
	t := &texts{}
	if !key {
		t.empty = coder.NullText()
	}
	if inPath {
		word := []byte(f.parts[name])
		if f.parts[name] == nullFolder {
			word = t.empty
		}
		t.cells = make([][]byte, blockRows)
		for i := range t.cells {
			t.cells[i] = word
		}
		return -1, &column{name: name, convert: &converter{coder: coder}, asText: t}, nil
	}
	if err := f.flat(place, name); err != nil {
		return 0, nil, err
	}
	c = &column{name: name, asText: t}
	if c.convert, err = newConverter(own, f.meta.columns[place], coder); err != nil {
		return 0, nil, err
	}
	c.pages.optional = f.meta.columns[place].repetition == optional
	return place, c, nil
}

// append writes the text of a value behind others; those before stay where they are.
func (t *texts) append(c *converter, b, raw []byte) (bytes, text []byte) {
	if b == nil {
		b = make([]byte, 0, 1<<10) // so that an empty text is not nil
	}
	n := len(b)
	b, is := c.text(b, raw)
	switch is {
	case isText:
		return b, b[n:len(b):len(b)]
	case isNull:
		return b[:n], t.empty
	}
	return b[:n], nil
}

// word adds an entry of the dictionary; false if the texts are longer than any page.
func (t *texts) word(c *converter, raw []byte) bool {
	var text []byte
	t.wordBytes, text = t.append(c, t.wordBytes, raw)
	t.words = append(t.words, text)
	return len(t.wordBytes) <= maxPage
}

// readTexts decodes the next n rows into cells, which are valid until the next ones.
func (c *column) readTexts(n int) error {
	t := c.asText
	t.cells, t.cellBytes = grown(t.cells, n), t.cellBytes[:0]
	for at := 0; at < n; {
		if c.left == 0 {
			if err := c.nextPage(); err != nil {
				return err
			}
			continue
		}
		m := min(n-at, c.left)
		if err := c.partTexts(t.cells[at : at+m]); err != nil {
			return err
		}
		at += m
		c.left -= m
	}
	return nil
}

// partTexts decodes rows of the current page.
func (c *column) partTexts(to [][]byte) error {
	if !c.pages.optional {
		return c.presentTexts(to)
	}
	c.sparse = grown(c.sparse, len(to))
	k, ok := c.levels.levels(c.sparse)
	if !ok {
		return damaged("the levels of a page")
	}
	if err := c.presentTexts(to[:k]); err != nil {
		return err
	}
	for i := len(to) - 1; i >= 0; i-- { // from the end, so that what is to be moved is not written over
		if c.sparse[i] {
			k--
			to[i] = to[k]
		} else {
			to[i] = c.asText.empty
		}
	}
	return nil
}

// presentTexts decodes values that are there.
func (c *column) presentTexts(to [][]byte) error {
	t := c.asText
	switch {
	case len(to) == 0:
	case c.dictionary:
		c.index = grown(c.index, len(to))
		if !c.indices.numbers(c.index) {
			return damaged("the indices of a page")
		}
		for i, k := range c.index {
			if int64(k) >= int64(len(t.words)) {
				return damaged("an index of a dictionary")
			}
			to[i] = t.words[k]
		}
	case c.convert.kind == typeBoolean:
		if len(to) > 8*len(c.plain)-c.bit {
			return damaged("the values of a page")
		}
		for i := range to {
			bit := []byte{c.plain[c.bit>>3] >> (c.bit & 7) & 1}
			t.cellBytes, to[i] = t.append(c.convert, t.cellBytes, bit)
			c.bit++
		}
	default:
		for i := range to {
			raw, rest, ok := c.cut(c.plain)
			if !ok {
				return damaged("the values of a page")
			}
			c.plain = rest
			t.cellBytes, to[i] = t.append(c.convert, t.cellBytes, raw)
		}
	}
	return nil
}

// CSV writes the rows as the plain CSV file that means the same under the schema: its unit key and its columns, null as
// the first mark of missing values, or as an empty field where the column has none. It is for steps that need rows,
// such as a prediction. frame.Read takes it. Where the schema has a form of files, frame.WithFormat(frame.Format{}) is
// needed. Row groups are written one after the other, and memory is that of a few pages.
//
// Errors: *frame.OutOfDomainError for a value that has no text, *frame.ColumnError for a sequence; *FileError; those
// of w and of the context.
func (s *Source) CSV(ctx context.Context, w io.Writer) error {
	for _, c := range s.schema.Columns {
		if c.Kind == frame.KindSequence {
			return &frame.ColumnError{Step: "CSV", Column: c.Name, Want: "no sequence, which has several values a row"}
		}
	}
	names, key := s.schema.Names(), s.schema.UnitKey
	keyed := key != "" && !slices.Contains(names, key)
	if keyed {
		names = textNames(s.schema)
	}
	out, record := csv.NewWriter(w), make([]string, len(names))
	if err := out.Write(names); err != nil {
		return err
	}
	reader := &worker{schema: s.schema, names: names, keyed: keyed,
		row: func(_ string, first []byte, rest [][]byte) error {
			record[0] = string(first)
			for i, text := range rest {
				record[i+1] = string(text)
			}
			return out.Write(record)
		}}
	defer reader.close()
	for _, t := range s.tasks() {
		if err := reader.do(ctx, s.files[t.file], t.group); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
