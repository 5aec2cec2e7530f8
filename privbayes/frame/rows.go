package frame

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
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
// schema's columns and in the schema's Format. A missing value is what the schema names so first, where QuotedMissing
// is "value" the first mark that a file can hold without quotes; reading the text back under the schema gives the same
// codes. Errors: *PrivateRowsError for private rows, *ColumnError for a missing value without such a mark, the
// encoding's for a character that it does not have, the writer's.
func (f *Frame) WriteCSV(w io.Writer) error {
	records, err := f.records(f.schema.Format.comma())
	if err != nil {
		return err
	}
	c := csvText{separator: f.schema.Format.separator()}
	c.line(records[0], nil)
	bare := make([]func(row int) bool, len(f.schema.Columns))
	for j, col := range f.schema.Columns {
		if col.QuotedMissing == QuotedIsValue && col.HasMissing() {
			if err := f.bareMarks(j, records[1:], &c); err != nil {
				return err
			}
			bare[j] = f.missingRows(j)
		}
	}
	quote := make([]bool, len(bare))
	for i, r := range records[1:] {
		for j, missing := range bare {
			quote[j] = missing != nil && !missing(i) && slices.Contains(f.schema.Columns[j].Missing, r[j])
		}
		c.line(r, quote)
	}
	text, err := encoded(c.text.Bytes(), f.schema.Format.encoding())
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// missingRows says of a row whether its value in a column is missing.
func (f *Frame) missingRows(j int) func(row int) bool {
	codes, missing := f.cols[j].codes, f.schema.Columns[j].Levels()-1
	return func(row int) bool { return codes.At(row) == missing }
}

// bareMarks puts a mark that can stand without quotes in the place of missing values, since between quotes it would be
// a value.
func (f *Frame) bareMarks(j int, records [][]string, c *csvText) error {
	col, missing := f.schema.Columns[j], f.missingRows(j)
	at := slices.IndexFunc(col.Missing, func(mark string) bool {
		return !c.needsQuotes(mark, len(f.schema.Columns) == 1)
	})
	for i, r := range records {
		if !missing(i) {
			continue
		}
		if at < 0 {
			return &ColumnError{Step: "WriteCSV", Column: col.Name, Have: f.schema.Names(), Want: `a missing mark that a ` +
				`file can hold without quotes, such as "NA": between quotes it is a value`}
		}
		r[j] = col.Missing[at]
	}
	return nil
}

// csvText is CSV in the making, as RFC 4180 has it but for its separator and its line ends, which are LF.
type csvText struct {
	text      bytes.Buffer
	separator byte
}

// line adds a record; quote, unless nil, says which fields stand between quotes though they need none.
func (c *csvText) line(fields []string, quote []bool) {
	for i, field := range fields {
		if i > 0 {
			c.text.WriteByte(c.separator)
		}
		if quote != nil && quote[i] || c.needsQuotes(field, len(fields) == 1) {
			c.text.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
			continue
		}
		c.text.WriteString(field)
	}
	c.text.WriteByte('\n')
}

// needsQuotes reports whether a field is read back only between quotes. A line without anything is no record.
func (c *csvText) needsQuotes(field string, alone bool) bool {
	return field == "" && alone || strings.ContainsAny(field, "\"\r\n"+string(rune(c.separator))) ||
		strings.HasPrefix(field, " ") || strings.HasPrefix(field, "\t")
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
