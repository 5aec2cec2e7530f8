package frame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

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
			return nil, domain.Refuse(step, "category", label.Short(from), "one of "+suggest.List(labels, 12))
		}
	}
	out, rule := c.clone(), &mapping{}
	out.Categories, out.Aliases = nil, nil
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
	return f.replaced(name, out, data, fmt.Sprintf("%s(%s: %s)", step, label.Quote(name), rule))
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
	return f.replaced(name, out, data, fmt.Sprintf("Cut(%s: %s)", label.Quote(name), strings.Join(texts, ", ")))
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
	return f.replaced(name, out, *col, fmt.Sprintf("Rename(%s to %s)", label.Quote(name), label.Quote(to)))
}

// Drop leaves the named columns out: Select of the others. n and the unit stay. Errors: *ColumnError; an argument error
// if no column is left.
func (f *Frame) Drop(names ...string) (*Frame, error) {
	for _, name := range names {
		if _, _, err := f.column("Drop", name); err != nil {
			return nil, err
		}
	}
	left := slices.DeleteFunc(f.schema.Names(), func(name string) bool { return slices.Contains(names, name) })
	if len(left) == 0 {
		return nil, domain.Refuse("Drop", "names", "all", "at least one column that stays")
	}
	return f.Select(left...)
}
