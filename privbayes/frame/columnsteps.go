package frame

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Steps on columns turn every row into one row, by a rule that is fixed before any row is read: n, the unit and the
// number of its rows stay as they are. The rule is tabulated on the public labels and written into the schema's Steps,
// so that a release says how its columns were made.

// with is the frame with other columns, and one more step in its schema.
func (f *Frame) with(schema []Column, cols []column, step string) (*Frame, error) {
	s := f.schema.Clone()
	s.Columns, s.Steps = schema, append(s.Steps, step)
	if w := s.Weighted(); w != nil {
		if _, _, err := s.Column(w.Column); err != nil {
			return nil, &ColumnError{Step: step, Column: w.Column, Have: s.Names(), Want: "the weight's column unchanged; " +
				"Unweighted() before steps that change it"}
		}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	g := *f
	g.schema, g.cols = s.filled(), cols
	return &g, nil
}

// coding makes codes of rows.
func coding(n, levels int, code func(row int) int) Codes {
	c := Codes{Levels: levels}
	if levels > 256 {
		c.U16 = make([]uint16, n)
		for i := range c.U16 {
			c.U16[i] = uint16(code(i))
		}
		return c
	}
	c.U8 = make([]uint8, n)
	for i := range c.U8 {
		c.U8[i] = uint8(code(i))
	}
	return c
}

// maxCombinations is how many combinations of labels a function of several columns is asked for.
const maxCombinations = 1 << 16

// Derive adds a categorical column that is a function of others: value is asked once for every combination of their
// public labels (categories, bins such as "[0, 18)", the missing category), never for a row, so that its categories are
// public; they stand in the order in which they come up. n and the unit stay. Errors: *ColumnError; an argument error
// above 65536 combinations; *SchemaError for a value that is no category, such as an empty one, and for a name that is
// taken.
func (f *Frame) Derive(name string, from []string, value func(labels []string) string) (*Frame, error) {
	return f.derive("Derive", name, from, value)
}

func (f *Frame) derive(step, name string, from []string, value func(labels []string) string) (*Frame, error) {
	if len(from) == 0 || value == nil {
		return nil, domain.Refuse(step, "from, value", "none", "columns, and a function of their labels")
	}
	out := Column{Name: name, Kind: KindCategorical}
	labels, codes, combinations := make([][]string, len(from)), make([]Codes, len(from)), 1
	for i, c := range from {
		col, of, err := f.coded(step, c)
		if err != nil {
			return nil, err
		}
		labels[i], codes[i] = of.Labels(), col.codes
		if e := out.findsAs(of); e != nil {
			return nil, e
		}
		if combinations *= len(labels[i]); combinations > maxCombinations {
			return nil, domain.Refuse(step, "from", strings.Join(from, ", "), "columns with at most 65536 combinations of "+
				"labels: Cut or Recode them first")
		}
	}
	rule, codeOf := &mapping{}, map[string]int{}
	table, at := make([]int, combinations), make([]string, len(from))
	for k := range table {
		rest := k
		for i := len(from) - 1; i >= 0; i-- {
			at[i] = labels[i][rest%len(labels[i])]
			rest /= len(labels[i])
		}
		v := value(slices.Clone(at))
		code, known := codeOf[v]
		if !known {
			if e := checkName("categories", v); e != nil {
				e.Column, e.Value = name, fmt.Sprintf("%s for %s", e.Value, safetext.List(at, len(at)))
				return nil, e
			}
			code = len(out.Categories)
			out.Categories, codeOf[v] = append(out.Categories, v), code
		}
		table[k] = code
		rule.add(at, v)
	}
	data := column{codes: coding(f.n, len(out.Categories), func(row int) int {
		k := 0
		for i, c := range codes {
			k = k*len(labels[i]) + c.At(row)
		}
		return table[k]
	})}
	return f.with(append(slices.Clone(f.schema.Columns), out), append(slices.Clone(f.cols), data),
		fmt.Sprintf("%s(%s from %s: %s)", step, safetext.Quote(name), safetext.List(from, len(from)), rule))
}

// GroupBy adds a column with a category for every combination of the labels of others, such as "1st, Female": the class
// of a naive Bayes model by group. n and the unit stay. Errors are those of Derive.
func (f *Frame) GroupBy(name string, columns ...string) (*Frame, error) {
	seen := map[string]bool{}
	twice := ""
	g, err := f.derive("GroupBy", name, columns, func(labels []string) string {
		group := strings.Join(labels, ", ")
		if seen[group] {
			twice = group
		}
		seen[group] = true
		return group
	})
	if err == nil && twice != "" {
		err = domain.Refuse("GroupBy", "columns", strings.Join(columns, ", "), "labels that tell groups apart; "+
			safetext.Short(twice)+" is two of them")
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// mapping is a rule on labels, as text.
type mapping struct {
	pairs [][]string
}

func (m *mapping) add(from []string, to string) {
	m.pairs = append(m.pairs, append(slices.Clone(from), to))
}

// String writes the rule out, or, where that is long, its size and the SHA-256 of its JSON: a list with one list of
// labels, and the value last, for every combination.
func (m *mapping) String() string {
	var b strings.Builder
	for i, p := range m.pairs {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(safetext.List(p[:len(p)-1], len(p)) + " → " + safetext.Quote(p[len(p)-1]))
		if b.Len() > 2000 {
			break
		}
	}
	if text := b.String(); utf8.RuneCountInString(text) <= 500 {
		return text
	}
	text, _ := json.Marshal(m.pairs)
	return fmt.Sprintf("%d combinations with SHA-256 %x", len(m.pairs), sha256.Sum256(text))
}

// Recode gives categories of a column other names; those that get one name become one category, and those not named
// stay. The missing category may be recoded, too. n and the unit stay. Errors: *ColumnError (not categorical); an
// argument error for a label that the column has not; *SchemaError for a name that cannot be one.
func (f *Frame) Recode(name string, names map[string]string) (*Frame, error) {
	return f.recode("Recode", name, names)
}

// Collapse makes one category of several: Recode to one name. An argument error for no category.
func (f *Frame) Collapse(name, into string, categories ...string) (*Frame, error) {
	if len(categories) == 0 {
		return nil, domain.Refuse("Collapse", "categories", "none", "the categories to become one")
	}
	names := map[string]string{}
	for _, c := range categories {
		names[c] = into
	}
	return f.recode("Collapse", name, names)
}

func (f *Frame) recode(step, name string, names map[string]string) (*Frame, error) {
	col, c, err := f.column(step, name)
	if err != nil {
		return nil, err
	}
	if c.Kind != KindCategorical {
		return nil, &ColumnError{Step: step, Column: name, Have: f.schema.Names(),
			Want: "a categorical column; this one is " + string(c.Kind) + ": Cut gives numbers other bins"}
	}
	labels := c.Labels()
	for from := range names {
		if !slices.Contains(labels, from) {
			return nil, domain.Refuse(step, "category", safetext.Short(from), "one of "+safetext.List(labels, 12))
		}
	}
	out, rule := c.clone(), &mapping{}
	out.Categories, out.Aliases, out.Within = nil, nil, nil
	hasMissing, missing := c.HasMissing(), c.MissingCategory
	if to, ok := names[missing]; hasMissing && ok && to != missing {
		hasMissing, out.OnMissing, out.MissingCategory, out.QuotedMissing, out.Missing = false, "", "", "", nil
	}
	isMissing := func(to string) bool { return hasMissing && to == missing } // a target "" is a name, and refused as one
	target := make([]string, len(labels))
	for i, l := range labels {
		to, named := names[l]
		if !named {
			to = l
		}
		if target[i] = to; named {
			rule.add([]string{l}, to)
		}
		if !isMissing(to) && !slices.Contains(out.Categories, to) {
			out.Categories = append(out.Categories, to)
		}
	}
	codes := make([]int, len(labels))
	for i, to := range target {
		if codes[i] = slices.Index(out.Categories, to); isMissing(to) {
			codes[i] = len(out.Categories)
		}
	}
	if out.Other != "" {
		if out.Other = target[slices.Index(labels, out.Other)]; isMissing(out.Other) {
			out.Other, out.OnOutOfDomain = "", ""
		}
	}
	data := column{codes: coding(f.n, out.Levels(), func(row int) int { return codes[col.codes.At(row)] })}
	return f.replaced(name, out, data, fmt.Sprintf("%s(%s: %s)", step, safetext.Quote(name), rule))
}

// replaced is the frame with another column in the place of one.
func (f *Frame) replaced(name string, c Column, data column, step string) (*Frame, error) {
	schema, cols := slices.Clone(f.schema.Columns), slices.Clone(f.cols)
	for i := range schema {
		if schema[i].Name == name {
			schema[i], cols[i] = c, data
		}
	}
	return f.with(schema, cols, step)
}

// Cut gives a column of numbers other bins, with public edges from its lower bound to its upper one; of dates they are
// days since 1970-01-01. The values stay, and so do n and the unit. Errors: *ColumnError; an argument error for edges
// that do not go from bound to bound; *SchemaError for edges that do not increase.
func (f *Frame) Cut(name string, edges ...float64) (*Frame, error) {
	col, c, err := f.column("Cut", name)
	if err != nil {
		return nil, err
	}
	if !c.Numeric() {
		return nil, &ColumnError{Step: "Cut", Column: name, Have: f.schema.Names(), Want: "an integer or real column; this " +
			"one is " + string(c.Kind) + ": Collapse makes one category of several"}
	}
	texts := make([]string, len(edges))
	for i, x := range edges {
		texts[i] = c.edge(x)
	}
	if len(edges) < 2 || edges[0] != c.Min || edges[len(edges)-1] != c.Max &&
		edges[len(edges)-1] != c.Edges[len(c.Edges)-1] {
		return nil, domain.Refuse("Cut", "edges", strings.Join(texts, ", "), fmt.Sprintf("edges from %s to %s, the declared "+
			"bounds", c.edge(c.Min), c.edge(c.Max)))
	}
	out := c.clone()
	out.Edges, out.DateEdges = slices.Clone(edges), nil
	out.fill()
	if e := out.check(); e != nil {
		e.Column = name
		return nil, e
	}
	e := newEncoder(out)
	data := column{values: col.values, codes: coding(f.n, out.Levels(), func(row int) int {
		if x := col.values.at(row); x == x {
			return int(e.bin(x))
		}
		return int(e.missing)
	})}
	return f.replaced(name, out, data, fmt.Sprintf("Cut(%s: %s)", safetext.Quote(name), strings.Join(texts, ", ")))
}

// The names of steps after which a column stands under a new name.
const (
	StepRename, StepDerive, StepGroupBy, StepLookup = "Rename", "Derive", "GroupBy", "Lookup"
)

// StepOf is the first of the schema's steps that has one of these names, or "".
func (s *Schema) StepOf(names ...string) string {
	for _, step := range s.Steps {
		if name, _, _ := strings.Cut(step, "("); slices.Contains(names, name) {
			return step
		}
	}
	return ""
}

// Rename gives a column another name. n and the unit stay. Errors: *ColumnError, *SchemaError (a name that is taken or
// cannot be one).
func (f *Frame) Rename(name, to string) (*Frame, error) {
	col, c, err := f.column("Rename", name)
	if err != nil {
		return nil, err
	}
	out := c.clone()
	out.Name = to
	return f.replaced(name, out, *col, fmt.Sprintf("Rename(%s to %s)", safetext.Quote(name), safetext.Quote(to)))
}

// Drop leaves the named columns out: Select of the others. n and the unit stay. Errors: *ColumnError; an argument error
// if no column is left.
func (f *Frame) Drop(names ...string) (*Frame, error) {
	for _, name := range names {
		if _, _, err := f.column("Drop", name); err != nil {
			return nil, err
		}
		if w := f.schema.Weighted(); w != nil && w.Column == name {
			return nil, &ColumnError{Step: "Drop", Column: name, Have: f.schema.Names(), Want: "Unweighted(), which leaves " +
				"the weight out"}
		}
	}
	left := slices.DeleteFunc(f.schema.Names(), func(name string) bool { return slices.Contains(names, name) })
	if len(left) == 0 {
		return nil, domain.Refuse("Drop", "names", "all", "at least one column that stays")
	}
	return f.Select(left...)
}

// AsPublic declares that the rows are public, and why: "table 3 of the census report", say. They may then be copied out
// and looked up, and what is computed from them as a diagnostic says so in place of "private: do not publish".
// Releases,
// plans and certificates stay as those of private rows are, to the last bit. Nothing can check it: whoever declares
// private rows public has published them. Synthetic records come declared. An argument error for a reason that is no
// line of text.
func (f *Frame) AsPublic(why string) (*Frame, error) {
	if safetext.Check(why) != nil {
		return nil, domain.Refuse("AsPublic", "why", safetext.Short(why), "in a few words, where the rows are published")
	}
	g := *f
	g.public = why
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
			return nil, &TogetherError{"Lookup", "the table has two rows for " + safetext.Short(labels[i]),
				"one row for every label of " + safetext.Short(key)}
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
		return nil, &TogetherError{"Lookup", "the table has no row for " + safetext.List(absent, 6),
			"one row for every label of " + safetext.Short(key)}
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
		safetext.List(added, len(added)), safetext.Quote(table.schema.Dataset), safetext.Quote(key), count(table.n, "row"),
		table.content(), safetext.Quote(table.public)))
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

// Under puts the rows of a frame under another schema with the same columns in the same order: numbers by their
// values, categories by their names, missing values as missing. Whether n is public stays as it was, and so do the
// steps that made the columns and what was inferred. Errors: *SchemaError, also for another data set or unit, or fewer
// rows of a unit than the frame may hold; *ColumnError where a column is absent or of another kind, or a sequence;
// *ValueError for a value that the new schema has no code for.
func (f *Frame) Under(s *Schema) (*Frame, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	switch has := f.schema; {
	case s.Dataset != has.Dataset:
		return nil, bad("dataset", safetext.Short(s.Dataset),
			safetext.Short(has.Dataset)+", as in the frame: budgets are kept by it")
	case s.UnitName() != has.UnitName():
		return nil, bad("unit", safetext.Quote(s.UnitName()), safetext.Quote(has.UnitName())+", as in the frame")
	case s.RowsPerUnit < has.RowsPerUnit:
		return nil, bad("rows_per_unit", strconv.Itoa(s.RowsPerUnit), "at least "+strconv.Itoa(has.RowsPerUnit)+
			", which a unit may have in the frame")
	case s.UnitKey != has.UnitKey || s.PadUnits != has.PadUnits:
		return nil, bad("unit_key", safetext.Short(s.UnitKey), safetext.Short(has.UnitKey)+
			", by which the rows of the frame were or were not capped")
	}
	s.Inferred = s.Inferred || f.schema.Inferred
	if k := len(f.schema.Steps); len(s.Steps) < k || !slices.Equal(s.Steps[:k], f.schema.Steps) {
		s.Steps = slices.Concat(f.schema.Steps, s.Steps)
	}
	if len(s.Columns) != len(f.cols) {
		return nil, &ColumnError{Step: "Under", Column: fmt.Sprintf("%d columns", len(s.Columns)),
			Have: f.schema.Names(), Want: count(len(f.cols), "column") + ", as the frame has"}
	}
	g := &Frame{schema: s, n: f.n, cols: make([]column, len(f.cols)), privateBy: f.privateBy, who: f.who, slots: f.slots,
		block: f.block, lineage: f.lineage, source: f.source, places: f.places, public: f.public}
	for i, to := range s.Columns {
		from := f.schema.Columns[i]
		if to.Name != from.Name || to.Kind != from.Kind || to.Kind == KindSequence {
			return nil, &ColumnError{Step: "Under", Column: to.Name, Have: f.schema.Names(),
				Want: fmt.Sprintf("column %d to be %q, %s, as in the frame, and no sequence", i, from.Name, from.Kind)}
		}
		e := newEncoder(to)
		if err := e.recode(f.n, f.cols[i], from); err != nil {
			return nil, err
		}
		g.cols[i] = e.out.column(to)
		if f.n == 0 {
			g.cols[i].codes = Codes{U8: []uint8{}, Levels: to.Levels()}
		}
	}
	return g, nil
}

// recode encodes the rows of a column that was encoded as from.
func (e *encoder) recode(n int, col column, from Column) error {
	labels := from.Labels()
	missing := -1
	if from.HasMissing() {
		missing = len(labels) - 1
	}
	for i := range n {
		code := col.codes.At(i)
		ok, shown := false, labels[code]
		switch {
		case code == missing:
			if ok = e.missing >= 0; ok && e.numeric {
				ok = e.addMissing(e.missing)
			} else if ok {
				e.push(e.missing)
			}
		case e.numeric:
			shown = formatFloat(col.values.at(i))
			ok = e.addNumber(col.values.at(i))
		default:
			ok = e.add([]byte(shown))
		}
		if !ok {
			return e.refused("", i+1, shown)
		}
	}
	return nil
}
