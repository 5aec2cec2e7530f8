package frame

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// AsPublic declares that the rows are public, and why: "table 3 of the census report", say. They may then be copied out
// and looked up, and their number is public. Nothing can check it: whoever declares private rows public has published
// them. Synthetic records come declared. An argument error for a reason that is no line of text.
func (f *Frame) AsPublic(why string) (*Frame, error) {
	if label.Check(why) != nil {
		return nil, domain.Refuse("AsPublic", "why", label.Short(why), "in a few words, where the rows are published")
	}
	g := *f
	if f.who != nil { // no place says which rows these are: they are a table of their own
		g.source, g.places = &source{}, nil
	}
	g.public, g.privateBy, g.who, g.slots, g.block = why, "", nil, nil, 0
	return &g, nil
}

// Public is why the rows are public, and whether they are.
func (f *Frame) Public() (why string, ok bool) { return f.public, f.public != "" }

// Lookup adds the columns of a public table to the rows: those of its row with the same label in the key column, which
// both have. The table has exactly one row for every label, so that each row of f stays one row: n and the unit stay.
//
// A table that is not public is refused. In a join of two private tables one person's row can meet any number of rows
// of the other table, so no number of rows bounds what one person changes; a table of its own, made before the schema,
// with RowsPerUnit bounding each person's rows, has such a bound. Errors: *TogetherError, *ColumnError, *SchemaError.
func (f *Frame) Lookup(key string, table *Frame) (*Frame, error) {
	if table == nil || table.public == "" {
		return nil, &TogetherError{"Lookup", "the table to look up in is private, and in a join of two private tables one " +
			"person's row can meet any number of rows of the other",
			"a public table (see AsPublic), or one private table that is joined before its schema is written, with " +
				`"rows_per_unit"`}
	}
	col, c, err := f.coded("Lookup", key)
	if err != nil {
		return nil, err
	}
	keys, k, err := table.coded("Lookup", key)
	if err != nil {
		return nil, err
	}
	labels := c.Labels()
	rowOf := make([]int, len(labels))
	for i := range rowOf {
		rowOf[i] = -1
	}
	there := k.Labels()
	for row := range table.n {
		i := slices.Index(labels, there[keys.codes.At(row)])
		if i < 0 {
			continue
		}
		if rowOf[i] >= 0 {
			return nil, &TogetherError{"Lookup", "the table has two rows for " + label.Short(labels[i]),
				"one row for every label of " + label.Short(key)}
		}
		rowOf[i] = row
	}
	var absent []string
	for i, row := range rowOf {
		if row < 0 {
			absent = append(absent, labels[i])
		}
	}
	if len(absent) > 0 {
		return nil, &TogetherError{"Lookup", "the table has no row for " + suggest.List(absent, 6),
			"one row for every label of " + label.Short(key)}
	}
	schema, cols, added := slices.Clone(f.schema.Columns), slices.Clone(f.cols), []string{}
	rows := make([]int, f.n)
	for i := range rows {
		rows[i] = rowOf[col.codes.At(i)]
	}
	for i, d := range table.cols {
		name := table.schema.Columns[i].Name
		if name == key {
			continue
		}
		added = append(added, name)
		schema = append(schema, table.schema.Columns[i].clone())
		cols = append(cols, column{codes: Codes{pick(d.codes.U8, rows), pick(d.codes.U16, rows), d.codes.Levels},
			values: d.values.pick(rows), seqs: pick(d.seqs, rows)})
	}
	return f.with(schema, cols, fmt.Sprintf("Lookup(%s from %s by %s: %s with SHA-256 %x; public: %s)",
		suggest.List(added, len(added)), label.Quote(table.schema.Dataset), label.Quote(key), count(table.n, "row"),
		table.content(), label.Quote(table.public)))
}

// content is the SHA-256 of schema and rows, one line a row, fields in quotes between commas: labels, values and
// sequences of codes.
func (f *Frame) content() [32]byte {
	h := sha256.New()
	_, _ = h.Write(append(f.schema.JSON(), '\n'))
	for row := range f.n {
		var line []string
		for i, c := range f.schema.Columns {
			switch d := f.cols[i]; {
			case d.seqs != nil:
				line = append(line, fmt.Sprint(d.seqs[row]))
			case d.values != nil:
				line = append(line, formatFloat(d.values.at(row)))
			default:
				line = append(line, fmt.Sprintf("%q", c.Labels()[d.codes.At(row)]))
			}
		}
		_, _ = h.Write([]byte(strings.Join(line, ",") + "\n"))
	}
	return [32]byte(h.Sum(nil))
}
