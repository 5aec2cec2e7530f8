package frame

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// shownRows is how many rows a public frame shows.
const shownRows = 10

// Parts are the first rows of a frame whose rows are public, such as synthetic records; of a private one there are
// none.
func (f *Frame) Parts() []*table.Table {
	if f.public == "" || f.n == 0 {
		return nil
	}
	cells, err := f.cells(min(f.n, shownRows), false)
	if err != nil {
		return nil
	}
	t := table.New("First rows: "+f.public, f.names()...)
	for _, r := range cells {
		row := make([]any, len(r))
		for i, cell := range r {
			row[i] = cell
		}
		t.Add(row...)
	}
	if f.n > shownRows {
		t.Note(fmt.Sprintf("%s in all: WriteCSV writes them.", table.Count(f.n, "row")))
	}
	return []*table.Table{t}
}

// WriteCSV writes the rows of a public frame, such as synthetic records, as CSV with a header, in the order of the
// schema's columns and in the schema's Format. A missing value is what the schema names so first, and reading the text
// back under the schema gives the same codes. Errors: *PrivateRowsError for private rows, the encoding's for a
// character that it does not have, the writer's.
func (f *Frame) WriteCSV(w io.Writer) error {
	records, err := f.records(f.schema.Format.comma())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	c.Comma = rune(f.schema.Format.separator())
	for _, r := range records {
		if len(r) == 1 && r[0] == "" { // a line without anything is no record
			c.Flush()
			b.WriteString("\"\"\n")
			continue
		}
		if err := c.Write(r); err != nil {
			return err
		}
	}
	c.Flush()
	text, err := encoded(b.Bytes(), f.schema.Format.encoding())
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// encoded is text in an encoding, the reverse of plainText.
func encoded(text []byte, enc Encoding) ([]byte, error) {
	switch enc {
	case Latin1:
		return charmap.ISO8859_1.NewEncoder().Bytes(text)
	case Windows1252:
		return charmap.Windows1252.NewEncoder().Bytes(text)
	case UTF16:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(text)
	}
	return text, nil
}

// Records are the header and the rows of a public frame as plain CSV has them, whatever the schema's Format. Error:
// *PrivateRowsError for private rows.
func (f *Frame) Records() ([][]string, error) { return f.records(false) }

func (f *Frame) records(comma bool) ([][]string, error) {
	if f.public == "" {
		return nil, &PrivateRowsError{Step: "Records"}
	}
	cells, err := f.cells(f.n, comma)
	return append([][]string{f.names()}, cells...), err
}

func (f *Frame) names() (out []string) {
	for _, c := range f.schema.Columns {
		out = append(out, c.Name)
	}
	return out
}

// cells are the first k rows as they stand in a file, with a decimal comma or a point.
func (f *Frame) cells(k int, comma bool) ([][]string, error) {
	out := make([][]string, k)
	for i := range out {
		out[i] = make([]string, len(f.schema.Columns))
	}
	for j, c := range f.schema.Columns {
		text, err := f.texts(c, comma)
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i][j] = text(i)
		}
	}
	return out, nil
}

// texts gives the value of a column in any row as it stands in a file.
func (f *Frame) texts(c Column, comma bool) (func(row int) string, error) {
	missing := ""
	if len(c.Missing) > 0 {
		missing = c.Missing[0]
	}
	switch c.Kind {
	case KindSequence:
		seqs, err := f.Sequences(c.Name)
		return func(i int) string {
			items := make([]string, len(seqs[i]))
			for k, code := range seqs[i] {
				items[k] = c.Categories[code]
			}
			return strings.Join(items, c.Separator)
		}, err
	case KindInteger, KindReal:
		values, err := f.Values(c.Name)
		return func(i int) string {
			if math.IsNaN(values[i]) {
				return missing
			}
			if comma && c.Date == "" {
				return strings.Replace(c.Text(values[i]), ".", ",", 1)
			}
			return c.Text(values[i])
		}, err
	}
	codes, err := f.Codes(c.Name)
	return func(i int) string {
		if k := codes.At(i); k < len(c.Categories) {
			return c.Categories[k]
		}
		return missing
	}, err
}
