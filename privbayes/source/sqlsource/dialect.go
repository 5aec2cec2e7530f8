package sqlsource

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

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
