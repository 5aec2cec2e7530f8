package sqlsource

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
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

// Dialect says how a database writes what this package asks of it.
type Dialect string

// The dialects that the package writes.
const (
	PostgreSQL Dialect = "PostgreSQL"
	DuckDB     Dialect = "DuckDB"
	SQLite     Dialect = "SQLite"
)

// valid refuses other dialects.
func (d Dialect) valid() error {
	if !slices.Contains([]Dialect{PostgreSQL, DuckDB, SQLite}, d) {
		return domain.Refuse("sqlsource: New", "dialect", safetext.Short(string(d)), "PostgreSQL, DuckDB or SQLite")
	}
	return nil
}

// longestName is the number of bytes after which PostgreSQL cuts a name off, so that it would be another one.
const longestName = 63

// quote writes a name as an identifier. Error: *dp.ParameterError for a name that no table can have.
func (d Dialect) quote(what, name string) (string, error) {
	want := ""
	switch {
	case name == "":
		want = "a name"
	case strings.ContainsRune(name, 0):
		want = "a name without a zero byte"
	case !utf8.ValidString(name):
		want = "a name in UTF-8"
	case d == PostgreSQL && len(name) > longestName:
		want = fmt.Sprintf("a name of at most %d bytes, where PostgreSQL cuts names off", longestName)
	default:
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`, nil
	}
	return "", domain.Refuse("sqlsource: New", what, safetext.Short(name), want)
}

// integers are the types whose values have one text each, as drivers name them: they are grouped as numbers, which is
// faster. Every statement answers in texts and in numbers of 64 bits, whatever the table has: a driver that remembers
// a statement is not surprised when somebody changes a column's type.
var integers = []string{"INT2", "INT4", "INT8", "TINYINT", "SMALLINT", "INTEGER", "BIGINT"}

// grouped is the expression that a column is grouped by: its text, compared byte by byte whatever collation the column
// or the database has, or the whole number itself.
//
// SQLite keeps a type with every value and no cast of a real number keeps all digits, so values are read as they are.
// The plus takes the declared type away, by which drivers convert texts to times.
func (d Dialect) grouped(expr, typ string) string {
	switch {
	case d == SQLite:
		return "(+" + expr + ") COLLATE BINARY"
	case slices.Contains(integers, typ):
		return "CAST(" + expr + " AS bigint)"
	}
	return "CAST(" + expr + " AS " + d.textType() + ") COLLATE " + d.bytewise()
}

// read is the expression that a column is read by, row by row: what grouped groups by, without a collation.
func (d Dialect) read(expr, typ string) string {
	switch {
	case d == SQLite:
		return "+" + expr
	case slices.Contains(integers, typ):
		return "CAST(" + expr + " AS bigint)"
	}
	return "CAST(" + expr + " AS " + d.textType() + ")"
}

// textType is the type of texts of any length.
func (d Dialect) textType() string {
	if d == PostgreSQL {
		return "text"
	}
	return "VARCHAR"
}

// settings make the texts of dates, times and numbers independent of what the session, the role or the database have
// set: ISO dates, times in UTC, and the shortest digits that give the number back.
func (d Dialect) settings() []string {
	switch d {
	case PostgreSQL:
		return []string{"SELECT set_config('DateStyle', 'ISO, YMD', true), set_config('IntervalStyle', 'postgres', true), " +
			"set_config('TimeZone', 'UTC', true), set_config('extra_float_digits', '1', true), " +
			"set_config('bytea_output', 'hex', true), set_config('client_encoding', 'UTF8', true)"}
	}
	return nil
}
