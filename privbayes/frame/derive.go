package frame

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// Steps on columns turn every row into one row, by a rule that is fixed before any row is read: n, the unit and the
// number of its rows stay as they are. The rule is tabulated on the public labels and written into the schema's Steps,
// so that a release says how its columns were made.

// with is the frame with other columns, and one more step in its schema.
func (f *Frame) with(schema []Column, cols []column, step string) (*Frame, error) {
	s := f.schema.Clone()
	s.Columns, s.Steps = schema, append(s.Steps, step)
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
	labels, codes, combinations := make([][]string, len(from)), make([]Codes, len(from)), 1
	for i, c := range from {
		col, of, err := f.coded(step, c)
		if err != nil {
			return nil, err
		}
		labels[i], codes[i] = of.Labels(), col.codes
		if combinations *= len(labels[i]); combinations > maxCombinations {
			return nil, domain.Refuse(step, "from", strings.Join(from, ", "), "columns with at most 65536 combinations of "+
				"labels: Cut or Recode them first")
		}
	}
	out, rule, codeOf := Column{Name: name, Kind: KindCategorical}, &mapping{}, map[string]int{}
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
				e.Column, e.Value = name, fmt.Sprintf("%s for %s", e.Value, suggest.List(at, len(at)))
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
		fmt.Sprintf("%s(%s from %s: %s)", step, label.Quote(name), suggest.List(from, len(from)), rule))
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
			label.Short(twice)+" is two of them")
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
		b.WriteString(suggest.List(p[:len(p)-1], len(p)) + " → " + label.Quote(p[len(p)-1]))
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
