package frame

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
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
		return strings.Join(firstFew(c.Categories, 6), ", ")
	case KindSequence:
		return fmt.Sprintf("up to %d of %s", c.MaxLength, strings.Join(firstFew(c.Categories, 4), ", "))
	}
	s := fmt.Sprintf("%s to %s", c.edge(c.Min), c.edge(c.Max))
	if c.Kind == KindInteger && c.Date == "" {
		s += ", whole"
	}
	return s
}

func firstFew(names []string, k int) []string {
	if len(names) <= k {
		return names
	}
	return append(names[:k-1:k-1], "…", names[len(names)-1])
}

// facts says in one line what holds for the whole schema.
func (s *Schema) facts() string {
	s = s.filled()
	facts := fmt.Sprintf("%s; unit: %s", count(len(s.Columns), "column"), label.Quote(s.Unit))
	if s.RowsPerUnit > 1 {
		facts += fmt.Sprintf(", at most %d rows each", s.RowsPerUnit)
	}
	if s.AboutRows > 0 {
		facts += fmt.Sprintf(", about %d rows in all", s.AboutRows)
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

// String is the schema as a plain-text table, with its warnings.
func (s *Schema) String() string {
	return plainTable(s.title(), s.facts(), schemaHead, s.rows()) + s.Warnings().String()
}

// HTML is the schema as an HTML table, with its warnings.
func (s *Schema) HTML() string {
	return htmlTable(s.title(), s.facts(), schemaHead, s.rows()) + s.Warnings().HTML()
}

func (f *Frame) publicFacts() string {
	n := fmt.Sprintf("n = %d (public)", f.n)
	if f.privateBy != "" {
		n = "n is private since " + f.privateBy
	}
	return n + "; " + f.schema.facts()
}

// String shows public facts only, as plain text: the schema, and n where it is public.
func (f *Frame) String() string {
	return plainTable("private frame under the "+f.schema.title(), f.publicFacts(), schemaHead, f.schema.rows()) +
		f.schema.Warnings().String()
}

// HTML shows what String shows as an HTML table.
func (f *Frame) HTML() string {
	return htmlTable("private frame under the "+f.schema.title(), f.publicFacts(), schemaHead, f.schema.rows()) +
		f.schema.Warnings().HTML()
}

// DescribePrivate counts the codes of every column that is not a sequence, and the items of sequences. Private: do not
// publish.
func (f *Frame) DescribePrivate() string {
	head := []string{"column", "label", "count"}
	var rows [][]string
	for i, c := range f.schema.Columns {
		counts := make([]int64, c.Levels())
		for _, seq := range f.cols[i].seqs {
			for _, code := range seq {
				counts[code]++
			}
		}
		if c.Kind != KindSequence {
			counts, _ = f.Table1(c.Name)
		}
		labels := c.Labels()
		for k, label := range labels {
			if k == 20 && len(labels) > 24 {
				rows = append(rows, []string{"", fmt.Sprintf("… %d more", len(labels)-k), ""})
				break
			}
			name := c.Name
			if k > 0 {
				name = ""
			}
			rows = append(rows, []string{name, label, fmt.Sprint(counts[k])})
		}
	}
	return plainTable("private: do not publish", fmt.Sprintf("%s; n = %d", f.schema.title(), f.n), head, rows)
}

// plainTable aligns columns under a title, with facts below.
func plainTable(title, facts string, head []string, rows [][]string) string {
	width := make([]int, len(head))
	all := make([][]string, 0, len(rows)+1)
	for _, r := range append([][]string{head}, rows...) {
		line := make([]string, len(r))
		for i, cell := range r {
			line[i] = label.Line(cell) // a schema built in code is shown before it is validated
			width[i] = max(width[i], utf8.RuneCountInString(line[i]))
		}
		all = append(all, line)
	}
	var b strings.Builder
	b.WriteString(label.Line(title) + "\n")
	for _, r := range all {
		var line strings.Builder
		for i, cell := range r {
			line.WriteString("  " + cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	b.WriteString(label.Line(facts) + "\n")
	return b.String()
}

// htmlTable sets every column to the left, which notebooks would set to the right: most are text.
func htmlTable(title, facts string, head []string, rows [][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<table>\n<caption>%s<br>%s</caption>\n<tr>", label.HTML(label.Line(title)), label.HTML(facts))
	for _, h := range head {
		fmt.Fprintf(&b, `<th align="left">%s</th>`, label.HTML(label.Line(h)))
	}
	b.WriteString("</tr>\n")
	for _, r := range rows {
		b.WriteString("<tr>")
		for _, cell := range r {
			fmt.Fprintf(&b, `<td align="left">%s</td>`, label.HTML(label.Line(cell)))
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	return b.String()
}
