package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
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
		case c.HasMissing():
			missing = suggest.List(c.Missing, 3) + " → " + label.Quote(c.MissingCategory)
		case len(c.Missing) > 0:
			missing = "refused: " + suggest.List(c.Missing, 3)
		}
		switch c.OnOutOfDomain {
		case DomainOther:
			outside = "→ " + label.Quote(c.Other)
		case DomainClamp:
			outside = "clamped"
		}
		rows = append(rows, []string{c.Name, string(c.Kind), fmt.Sprint(c.Levels()), c.domain(), missing, outside,
			label.Prose(c.Description)})
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
			shown[i] = label.Quote(name)
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
	facts := fmt.Sprintf("%s; unit: %s", count(len(s.Columns), "column"), label.Quote(s.Unit))
	switch {
	case s.PadUnits:
		facts += fmt.Sprintf(", %s each, padded, by %s", count(s.RowsPerUnit, "row"), label.Quote(s.UnitKey))
	case s.UnitKey != "":
		facts += fmt.Sprintf(", at most %s each, enforced by %s", count(s.RowsPerUnit, "row"), label.Quote(s.UnitKey))
	case s.RowsPerUnit > 1:
		facts += fmt.Sprintf(", at most %d rows each", s.RowsPerUnit)
	}
	if s.ApproximateRows > 0 {
		facts += fmt.Sprintf(", about %d rows in all", s.ApproximateRows)
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
	return "schema of " + label.Quote(s.Dataset)
}

// Table is the schema, one row a column; what holds for all of it is the note.
func (s *Schema) Table() *table.Table { return described(s.title(), s.facts(), s.rows()) }

// String is the schema as text, with its warnings.
func (s *Schema) String() string { return table.Text(s) }

// Table shows what is declared of the column.
func (c Column) Table() *table.Table {
	t := table.New("column "+label.Quote(c.Name), "item", "value")
	for i, cell := range (&Schema{Columns: []Column{c}}).rows()[0][1:] {
		if cell != "" {
			t.Add(schemaHead[i+1], label.Line(cell))
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
		out = append(out, label.Line(fmt.Sprintf("step %s: %s", step, effect)))
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
	t := table.New(label.Line(title), schemaHead...)
	for _, r := range rows {
		line := make([]string, len(r))
		for i, cell := range r {
			line[i] = label.Line(cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t.Note(label.Line(facts))
}

// DescribePrivate counts the codes of every column that is not a sequence, and the items of sequences. Private: do not
// publish.
func (f *Frame) DescribePrivate() string {
	t := table.New("private: do not publish", "column", "label", "count")
	for i, c := range f.schema.Columns {
		counts := make([]int64, c.Levels())
		for _, seq := range f.cols[i].seqs {
			for _, code := range seq {
				counts[code]++
			}
		}
		if c.Kind != KindSequence {
			counts, _ = f.CountPrivate(c.Name)
		}
		labels := c.Labels()
		for k, level := range labels {
			if k == 20 && len(labels) > 24 {
				t.Add("", fmt.Sprintf("… %d more", len(labels)-k))
				break
			}
			name := c.Name
			if k > 0 {
				name = ""
			}
			t.Add(label.Line(name), label.Line(level), counts[k])
		}
	}
	return t.Note(fmt.Sprintf("%s; n = %d", f.schema.title(), f.n)).String()
}
