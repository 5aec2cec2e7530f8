package synthetic

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// example looks for numbers that every set has, for the README: a logarithm of an empty cell is none. Levels are
// categories, which stand in the file as they are called; bins and marks of missing values do not.
type example struct {
	tables []*twoWay // of the edges, or without any of the first two columns; of pairs that were measured
	shares []*twoWay // of single columns, with themselves
}

// twoWay keeps, for two columns and a level of each, the smallest cell of their 2 × 2 table in any set.
type twoWay struct {
	outcome, exposure string
	rows, columns     []string // their categories
	least             []int    // by outcome, then exposure; nil before the first set
}

func newExample(g *bayesnet.DAG, of *Learned) *example {
	e := &example{}
	for i := range g.Len() {
		e.shares = append(e.shares, &twoWay{outcome: g.Node(i).Name, exposure: g.Node(i).Name})
	}
	if of != nil {
		for _, p := range of.Pairs {
			e.tables = append(e.tables, &twoWay{outcome: p[1], exposure: p[0]})
		}
		return e
	}
	for i := range g.Len() {
		for _, p := range g.Node(i).Parents {
			e.tables = append(e.tables, &twoWay{outcome: g.Node(i).Name, exposure: p})
		}
	}
	if len(e.tables) == 0 && g.Len() > 1 {
		e.tables = []*twoWay{{outcome: g.Node(0).Name, exposure: g.Node(1).Name}}
	}
	return e
}

// see takes in a set. Errors: the context's, of columns that there are not.
func (e *example) see(ctx context.Context, f *frame.Frame) error {
	cells := func(n, row, column, all int) int { return min(n, row-n, column-n, all-row-column+n) }
	for _, t := range e.tables {
		if err := t.see(ctx, f, cells); err != nil {
			return err
		}
	}
	for _, t := range e.shares {
		if err := t.see(ctx, f, func(n, _, _, all int) int { return min(n, all-n) }); err != nil {
			return err
		}
	}
	return nil
}

// see counts the table of all levels, and what is smallest of a pair with n records, its row, its column and all.
func (t *twoWay) see(ctx context.Context, f *frame.Frame, smallest func(n, row, column, all int) int) error {
	y, ys, rows, err := levelsOf(f, t.outcome)
	if err != nil {
		return err
	}
	x, xs, columns, err := levelsOf(f, t.exposure)
	if err != nil {
		return err
	}
	n, row, column := make([]int, ys*xs), make([]int, ys), make([]int, xs)
	for i := range f.Len() {
		if i%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		a, b := y.At(i), x.At(i)
		n[a*xs+b]++
		row[a]++
		column[b]++
	}
	first := t.least == nil
	if first {
		t.rows, t.columns, t.least = rows, columns, make([]int, len(rows)*len(columns))
	}
	for a := range t.rows {
		for b := range t.columns {
			k, at := smallest(n[a*xs+b], row[a], column[b], f.Len()), a*len(t.columns)+b
			if first || k < t.least[at] {
				t.least[at] = k
			}
		}
	}
	return nil
}

// levelsOf are the codes of a column, how many there are, and the categories that the first of them stand for.
func levelsOf(f *frame.Frame, name string) (codes frame.Codes, levels int, categories []string, err error) {
	c, _, err := f.Schema().Column(name)
	if err != nil {
		return codes, 0, nil, err
	}
	if c.Kind == frame.KindCategorical {
		categories = c.Categories
	}
	codes, err = f.Codes(name)
	return codes, len(c.Labels()), categories, err
}

// best is the pair with the largest smallest cell, of several the first table's, its last levels; no levels if every
// pair has an empty cell in some set.
func best(tables []*twoWay, same bool) (outcome, exposure Level, found bool) {
	most := 0
	for _, t := range tables {
		for at := len(t.least) - 1; at >= 0; at-- {
			a, b := at/len(t.columns), at%len(t.columns)
			if t.least[at] > most && (!same || a == b) {
				most, found = t.least[at], true
				outcome, exposure = Level{t.outcome, t.rows[a]}, Level{t.exposure, t.columns[b]}
			}
		}
	}
	return outcome, exposure, found
}

// chosen is the example: "odds", a log odds ratio, if there is one without an empty cell; else "share", that of a level
// which is neither everywhere nor nowhere; of columns of numbers "mean", whose missing values the file marks so.
func (e *example) chosen(f *frame.Frame) (kind string, outcome, exposure Level, missing string, err error) {
	if y, x, ok := best(e.tables, false); ok {
		return "odds", y, x, "", nil
	}
	if y, _, ok := best(e.shares, true); ok {
		return "share", y, Level{}, "", nil
	}
	for _, c := range f.Schema().Columns {
		if c.Numeric() && c.Date == "" {
			if len(c.Missing) > 0 {
				missing = c.Missing[0]
			}
			return "mean", Level{Column: c.Name}, Level{}, missing, nil
		}
	}
	// Dates, or constants: the share of what the first record has.
	rows, err := f.Records()
	if err == nil {
		outcome = Level{rows[0][0], rows[1][0]} // a set has a row at least
	}
	return "share", outcome, Level{}, "", err
}
