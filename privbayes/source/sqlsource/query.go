package sqlsource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/source"
)

// layout is what a query reads: a table and the columns of a shape, with the types that the database says they have.
type layout struct {
	dialect     Dialect
	table       string   // quoted
	all         []string // columns of the schema, quoted
	allTypes    []string // of them
	names       []string // quoted
	types       []string // as the driver names them
	nulls       []string // texts of what is not there, of all
	unit        string   // the key of a unit, quoted; "" for none
	unitType    string
	rowsPerUnit int
	part        *partOf
}

// partOf is a part of the rows, by a quoted key.
type partOf struct {
	source.Part
	quoted, typ string
}

// describe asks for the columns of a table: from the catalogue of PostgreSQL their names and types, elsewhere for no
// row of them, whose columns the driver describes.
func (d Dialect) describe(table string) string {
	if d == PostgreSQL {
		return "SELECT a.attname::text, upper(t.typname::text) FROM pg_catalog.pg_attribute AS a " +
			"JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid " +
			"WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped " +
			"AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attnum"
	}
	return "SELECT q.* FROM " + table + " AS q LIMIT 0"
}

// inner selects the columns as c0, c1, …, in the form that expr gives them, of the rows that count: no name of the
// table is in scope outside. Names are qualified, since SQLite takes an unknown name in quotes for a text.
func (l layout) inner(columns []int, expr func(expr, typ string) string) string {
	var parts []string
	for _, k := range columns {
		parts = append(parts, fmt.Sprintf("%s AS c%d", expr("q."+l.names[k], l.types[k]), k))
	}
	if l.unit != "" {
		parts = append(parts, l.unitColumns()...)
	}
	selected := "SELECT " + strings.Join(parts, ", ") + " FROM " + l.table + " AS q" + l.where()
	if l.unit == "" {
		return selected
	}
	return l.capped(columns, selected)
}

// groupingArgs is the most arguments that PostgreSQL's GROUPING takes.
const groupingArgs = 31

// groups counts the rows of every set of columns by their values, in one statement. A row of its answer has
//
//	the number of its set,  every column (null where it is not of the set),  the count
//
// where the number of the set is in words of groupingArgs bits, the first column highest: the bit of a column that is
// not of the set is 1. SQLite has no grouping sets: there the statement is a union, and the number is the place in
// sets.
func (l layout) groups(sets [][]int) string {
	columns := used(sets)
	if l.dialect == SQLite {
		return l.union(columns, sets)
	}
	var out, by []string
	for lo := 0; lo < len(columns); lo += groupingArgs {
		out = append(out, "GROUPING("+names(columns[lo:min(lo+groupingArgs, len(columns))])+")")
	}
	for _, k := range columns {
		out = append(out, fmt.Sprintf("c%d", k))
	}
	for _, set := range sets {
		by = append(by, "("+names(set)+")")
	}
	return fmt.Sprintf("SELECT %s, COUNT(*) FROM (%s) AS g GROUP BY GROUPING SETS (%s)", strings.Join(out, ", "),
		l.inner(columns, l.dialect.grouped), strings.Join(by, ", "))
}

// union groups in SQLite, where 1, 1.0 and '1' are told apart by their type.
func (l layout) union(columns []int, sets [][]int) string {
	parts := make([]string, len(sets))
	for i, set := range sets {
		out, by := []string{fmt.Sprint(i)}, []string{}
		for _, k := range columns {
			name := fmt.Sprintf("c%d", k)
			if !slices.Contains(set, k) {
				name = "NULL"
			}
			out = append(out, name)
		}
		for _, k := range set {
			by = append(by, fmt.Sprintf("typeof(c%d), c%d COLLATE BINARY", k, k))
		}
		parts[i] = fmt.Sprintf("SELECT %s, COUNT(*) FROM (%s) AS g GROUP BY %s", strings.Join(out, ", "),
			l.inner(set, l.dialect.grouped),
			strings.Join(by, ", "))
	}
	return strings.Join(parts, " UNION ALL ")
}

// rows selects every row.
func (l layout) rows(columns []int) string { return l.inner(columns, l.dialect.read) }

// count counts the rows.
func (l layout) count() string { return "SELECT COUNT(*) FROM " + l.table + " AS q" }

func names(columns []int) string {
	out := make([]string, len(columns))
	for i, k := range columns {
		out[i] = fmt.Sprintf("c%d", k)
	}
	return strings.Join(out, ", ")
}

// used lists the columns of any set, in order.
func used(sets [][]int) []int {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}

// of is the layout of the columns of a plan.
func (l layout) of(p *plan) layout {
	c := l
	c.names, c.types = at(l.names, p.columns), at(l.types, p.columns)
	return c
}
