package frame

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

var schemaHead = []string{"column", "kind", "levels", "domain", "missing", "out of domain", "description"}

// rows is the schema as a table, one row per column.
func (s *Schema) rows() [][]string {
	var rows [][]string
	for _, c := range s.filled().Columns {
		missing, outside := "refused", "refused"
		switch {
		case c.OnMissing == MissingOmitted:
			missing = safetext.List(c.Missing, 3) + " omitted"
		case c.OnMissing == MissingImputed:
			if missing = safetext.List(c.Missing, 3) + " → unset"; c.Impute != nil {
				missing = safetext.List(c.Missing, 3) + " → " + c.edge(*c.Impute)
			}
		case c.HasMissing():
			missing = safetext.List(c.Missing, 3) + " → " + safetext.Quote(c.MissingCategory)
		case len(c.Missing) > 0:
			missing = "refused: " + safetext.List(c.Missing, 3)
		}
		switch c.OnOutOfDomain {
		case DomainOther:
			outside = "→ " + safetext.Quote(c.Other)
		case DomainClamp:
			outside = "clamped"
		}
		rows = append(rows, []string{c.Name, string(c.Kind), fmt.Sprint(c.Levels()), c.domain(), missing, outside,
			safetext.Prose(c.Description)})
	}
	return rows
}

// domain names the values of a filled column in a few words.
func (c Column) domain() string {
	switch c.Kind {
	case KindCategorical:
		return few(c.Categories, 6)
	case KindSequence:
		return fmt.Sprintf("up to %d of %s", c.MaxLength, few(c.Categories, 4))
	}
	s := fmt.Sprintf("%s to %s", c.edge(c.Min), c.edge(c.Max))
	if c.Bounds != "" {
		s = safetext.Word(c.Bounds)
	}
	if c.Kind == KindInteger && c.Date == "" {
		s += ", whole"
	}
	return s
}

// few lists the first names and the last. One that has a comma or a quote of its own is quoted, so that the list reads
// in one way.
func few(names []string, k int) string {
	rest := len(names) > k
	shown := slices.Clone(names)
	if rest {
		shown = append(shown[:k-1], names[len(names)-1])
	}
	for i, name := range shown {
		if strings.ContainsAny(name, ",\"") {
			shown[i] = safetext.Quote(name)
		}
	}
	if rest {
		shown = slices.Insert(shown, k-1, "…")
	}
	return strings.Join(shown, ", ")
}

// facts says in one line what holds for the whole schema.
func (s *Schema) facts() string {
	s = s.filled()
	facts := fmt.Sprintf("%s; unit: %s", count(len(s.Columns), "column"), safetext.Quote(s.Unit))
	switch {
	case s.PadUnits:
		facts += fmt.Sprintf(", %s each, padded, by %s", count(s.RowsPerUnit, "row"), safetext.Quote(s.UnitKey))
	case s.UnitKey != "":
		facts += fmt.Sprintf(", at most %s each, enforced by %s", count(s.RowsPerUnit, "row"), safetext.Quote(s.UnitKey))
	case s.RowsPerUnit > 1:
		facts += fmt.Sprintf(", at most %d rows each", s.RowsPerUnit)
	}
	if of := s.Links(); of != "" {
		facts += "; " + of
	}
	if s.ApproximateRows > 0 {
		facts += fmt.Sprintf(", about %d rows in all", s.ApproximateRows)
	}
	if s.Sampling != "" {
		facts += fmt.Sprintf("; the rows are a %s", s.Sampling)
	}
	if w := s.Weight; w != nil {
		facts += fmt.Sprintf("; weight: %s, from %s to %s, computed from the %s", safetext.Quote(w.Column), w.Min, w.Max,
			w.Computed)
		if w.Unused {
			facts += ", set aside"
		}
	}
	if s.Population > 0 {
		facts += fmt.Sprintf("; population %d", s.Population)
	}
	if d := s.Design; d != nil {
		facts += fmt.Sprintf("; drawn by %s, rate %s at most, in secret", d.Method, d.Rate)
	}
	if s.Inferred {
		facts += "; inferred from data: nothing made under it is private"
	}
	return facts
}

func (s *Schema) title() string {
	if s.Dataset == "" {
		return "schema"
	}
	return "schema of " + safetext.Quote(s.Dataset)
}

// Table is the schema, one row a column; what holds for all of it is the note.
func (s *Schema) Table() *table.Table { return described(s.title(), s.facts(), s.rows()) }

// String is the schema as text, with its warnings.
func (s *Schema) String() string { return table.Text(s) }

// Table shows what is declared of the column.
func (c Column) Table() *table.Table {
	t := table.New("column "+safetext.Quote(c.Name), "item", "value")
	for i, cell := range (&Schema{Columns: []Column{c}}).rows()[0][1:] {
		if cell != "" {
			t.Add(schemaHead[i+1], safetext.Line(cell))
		}
	}
	return t
}

// String is the column as text.
func (c Column) String() string { return table.Text(c) }

func (f *Frame) publicFacts() string {
	n := fmt.Sprintf("n = %d (public)", f.n)
	if f.privateBy != "" {
		n = "n is private since " + f.privateBy
	}
	return n + "; " + f.schema.facts()
}

// Table shows public facts only: the schema, n where it is public, and what each step did to n and to the unit.
func (f *Frame) Table() *table.Table {
	kind := "private"
	if f.public != "" {
		kind = "public"
	}
	t := described(kind+" frame under the "+f.schema.title(), f.publicFacts(), f.schema.rows())
	t.Notes = append(t.Notes, f.effects()...)
	return t
}

// effects says of each step what it did to n and to the unit: first those on columns, then those on rows.
func (f *Frame) effects() (out []string) {
	say := func(step, effect string) {
		if runes := []rune(step); len(runes) > 100 {
			step = string(runes[:99]) + "…"
		}
		out = append(out, safetext.Line(fmt.Sprintf("step %s: %s", step, effect)))
	}
	for _, step := range f.schema.Steps {
		say(step, "n and the unit stay")
	}
	hidden := f.privateBy == RowsPerUnit
	for _, s := range f.lineage {
		n := "n follows from it and stays public"
		switch {
		case hidden:
			n = "n stays private"
		case f.privateBy == s.Name: // Append of units with keys
			n, hidden = "n is private from here", true
		case s.HidesN() && f.privateBy == "":
			n = "n is public by the declaration that the rows are"
		case s.HidesN():
			n, hidden = "n is private from here", true
		}
		switch unit := f.schema.RowsPerUnit; s.Name {
		case stepAppend:
			if !hidden {
				n = "n adds up"
			}
			n += fmt.Sprintf("; the rows of a unit add up, to at most %d", unit)
		case stepDisjoint:
			if !hidden {
				n = "n adds up"
			}
			n += fmt.Sprintf("; the units are declared disjoint, so a unit has at most %s still", count(unit, "row"))
		default:
			n += "; the unit stays"
		}
		say(s.String(), n)
	}
	return out
}

// Warnings are those of the schema, and of what made the rows.
func (f *Frame) Warnings() warning.List { return f.schema.Warnings().And(f.warned) }

// Warned is the same frame with warnings about what made its rows.
func (f *Frame) Warned(list ...warning.Warning) *Frame {
	g := *f
	g.warned = f.warned.And(list)
	return &g
}

// String is what Table shows, as text.
func (f *Frame) String() string { return table.Text(f) }

// described is a table of columns; a schema built in code is shown before it is validated.
func described(title, facts string, rows [][]string) *table.Table {
	t := table.New(safetext.Line(title), schemaHead...)
	for _, r := range rows {
		line := make([]string, len(r))
		for i, cell := range r {
			line[i] = safetext.Line(cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t.Note(safetext.Line(facts))
}

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
	if enc == UTF16 {
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes(text)
	}
	if bytewise := bytewise(enc); bytewise != nil {
		return bytewise.NewEncoder().Bytes(text)
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
