package model

import (
	"fmt"
	"regexp"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Table shows what is measured: the tables, or the sums over rows.
func (s *Shape) Table() *table.Table {
	if len(s.sums) > 0 {
		t := table.New("Model: "+s.model.String(), "sum over rows")
		for _, sum := range s.sums {
			t.Add(sum)
		}
		return t
	}
	t := table.New("Model: "+s.model.String(), "table", "columns", "cells")
	for _, c := range s.tables {
		t.Add(c.Name, c.Columns, c.Cells())
	}
	return t
}

// String shows what Table shows.
func (s *Shape) String() string { return table.Text(s) }

// Table shows what was learned of the target, as Summary does.
func (f *Fitted) Table() *table.Table { return f.Summary() }

// Parts are the conditional distributions, the first of many: Conditionals gives each.
func (f *Fitted) Parts() []*table.Table {
	if m, ok := f.shape.model.(counted); ok {
		return m.shown(f)
	}
	return nil
}

// String shows what Table and Parts show.
func (f *Fitted) String() string { return table.Text(f) }

// bin is the label of a bin.
var bin = regexp.MustCompile(`^\[[-+0-9.e]+, [-+0-9.e]+[\])]$`)

// plain is a name as it is where it is a word or a bin, and else in quotes that it cannot close: a title must not be
// taken for a guarantee.
func plain(name string) string {
	if bin.MatchString(name) {
		return name
	}
	return safetext.Word(name)
}

func plains(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = plain(n)
	}
	return out
}

// What is shown of conditional distributions: rows of a naive Bayes model, nodes of a network.
const (
	shownRows  = 20
	shownNodes = 6
)

// shown is one table of all features, a row for each level.
func (ofCounts) shown(f *Fitted) []*table.Table {
	if len(f.cond) == 0 {
		return nil
	}
	t := table.New("Posterior means given "+plain(f.class.Name),
		append([]string{"feature", "level"}, plains(f.class.Labels)...)...)
	for k, c := range f.shape.columns[1:] {
		for l, level := range c.Labels() {
			row := []any{plain(c.Name), plain(level)}
			for _, d := range f.cond[k] {
				row = append(row, d.Mean()[l])
			}
			t.Add(row...)
		}
	}
	if more := len(t.Rows) - shownRows; more > 0 {
		t.Rows = t.Rows[:shownRows]
		t.Note(fmt.Sprintf("%s more: Conditionals(feature) has them.", table.Count(more, "row")))
	}
	return []*table.Table{t}
}

// shown are the tables of the first nodes.
func (m NetworkModel) shown(f *Fitted) (out []*table.Table) {
	for i := range min(f.shape.dag.Len(), shownNodes) {
		if t, err := m.conditionalTable(f, f.shape.dag.Node(i).Name); err == nil {
			out = append(out, t)
		}
	}
	if more := f.shape.dag.Len() - shownNodes; more > 0 {
		out[len(out)-1].Note(fmt.Sprintf("%s more: Conditionals(node) has them.", table.Count(more, "node")))
	}
	return out
}
