package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver
	_ "modernc.org/sqlite"             // the driver

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
	"github.com/privbayes/privbayes-go/sources/arrow"
	"github.com/privbayes/privbayes-go/sources/beam"
	"github.com/privbayes/privbayes-go/sources/duckdb"
	"github.com/privbayes/privbayes-go/sources/parquet"
	"github.com/privbayes/privbayes-go/sources/pgsource"
)

func TestMain(m *testing.M) {
	beam.Worker()
	os.Exit(m.Run())
}

// hostile is a case of testdata/hostile.txt: values of one column v, maybe with keys k, and what every source makes of
// them under a schema.
type hostile struct {
	name, schema string
	types        [2]string // of k and v; "" for no key
	rows         [][2]string
	want         string // counts by code, or "refused", "column"
}

// null stands for a value that is not there.
const null = "null"

// sqlTypes are the types of PostgreSQL, DuckDB and SQLite, "" where a database has no such type.
var sqlTypes = map[string][3]string{
	"text": {"text", "VARCHAR", "TEXT"}, "float": {"double precision", "DOUBLE", "REAL"}, "single": {"real", "FLOAT", ""},
	"whole": {"bigint", "BIGINT", "INTEGER"}, "unsigned": {"", "UBIGINT", ""}, "numeric": {"numeric", "", ""},
	"decimal": {"numeric(30,2)", "DECIMAL(30,2)", ""}, "truth": {"boolean", "BOOLEAN", ""}, "day": {"date", "DATE", ""},
	"time": {"timestamp", "TIMESTAMP", ""}, "moment": {"timestamptz", "TIMESTAMPTZ", ""},
}

var arrowTypes = map[string]apache.DataType{
	"text": apache.BinaryTypes.String, "float": apache.PrimitiveTypes.Float64, "single": apache.PrimitiveTypes.Float32,
	"whole": apache.PrimitiveTypes.Int64, "unsigned": apache.PrimitiveTypes.Uint64,
	"truth": apache.FixedWidthTypes.Boolean, "decimal": &apache.Decimal128Type{Precision: 30, Scale: 2}, "day": apache.FixedWidthTypes.Date32,
	"time": &apache.TimestampType{Unit: apache.Microsecond}, "moment": apache.FixedWidthTypes.Timestamp_us,
}

// cases reads the table of cases: blocks of "case NAME", "schema JSON", "types [K] V", rows as "| [K ¦] V", and "want
// WHAT". A value of type "line" stands in CSV files only.
func cases(t *testing.T) (out []hostile) {
	t.Helper()
	f, err := os.Open("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var c hostile
	for lines := bufio.NewScanner(f); lines.Scan(); {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "case":
			c = hostile{name: rest}
		case "schema":
			c.schema = rest
		case "types":
			words := strings.Fields(" " + rest)
			copy(c.types[2-len(words):], words)
		case "|":
			var row [2]string
			fields := strings.Split(rest, " ¦ ")
			copy(row[2-len(fields):], fields)
			c.rows = append(c.rows, row)
		case "want":
			c.want = rest
			out = append(out, c)
		case "", "#":
		default:
			t.Fatalf("testdata/hostile.txt: %q", lines.Text())
		}
	}
	return out
}

// columns are the names of the columns that a case has, with their places.
func (c hostile) columns() (names []string, at []int) {
	if c.types[0] != "" {
		return []string{"k", "v"}, []int{0, 1}
	}
	return []string{"v"}, []int{1}
}

// inSQL makes a table of a case; ok is false where the database has no such types.
func (c hostile) inSQL(t *testing.T, db *sql.DB, dialect int) (ok bool) {
	t.Helper()
	names, at := c.columns()
	var types, fields []string
	for i, name := range names {
		typ := sqlTypes[c.types[at[i]]][dialect]
		if typ == "" {
			return false
		}
		types, fields = append(types, typ), append(fields, name+" "+typ)
	}
	run := func(q string, args ...any) {
		if _, err := db.ExecContext(t.Context(), q, args...); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	run("DROP TABLE IF EXISTS hostile")
	run("CREATE TABLE hostile (" + strings.Join(fields, ", ") + ")")
	for _, row := range c.rows {
		var values []string
		for i := range names {
			text := row[at[i]]
			switch infinite := strings.HasSuffix(text, "Infinity"); {
			case text == null, dialect == 2 && text == "NaN": // SQLite has no NaN
				values = append(values, "NULL")
			case dialect == 2 && infinite && c.types[at[i]] == "float":
				values = append(values, strings.Replace(text, "Infinity", "9e999", 1))
			default:
				values = append(values, "CAST('"+strings.ReplaceAll(text, "'", "''")+"' AS "+types[i]+")")
			}
		}
		run("INSERT INTO hostile VALUES (" + strings.Join(values, ", ") + ")")
	}
	return true
}

// inMemory are the columns of a case for frame.FromColumns; nil where it takes no such type, or takes numbers for days.
func (c hostile) inMemory(t *testing.T) map[string]any {
	t.Helper()
	if strings.Contains(c.schema, `"date"`) && c.types[1] != "text" {
		return nil
	}
	out := map[string]any{}
	names, at := c.columns()
	for i, name := range names {
		switch c.types[at[i]] {
		case "text":
			out[name] = column(t, c.rows, at[i], func(s string) (string, error) { return s, nil })
		case "float":
			out[name] = column(t, c.rows, at[i], func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
		case "single":
			out[name] = column(t, c.rows, at[i], func(s string) (float32, error) {
				x, err := strconv.ParseFloat(s, 32)
				return float32(x), err
			})
		case "whole":
			out[name] = column(t, c.rows, at[i], func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
		case "truth":
			out[name] = column(t, c.rows, at[i], strconv.ParseBool)
		}
		if out[name] == nil {
			return nil
		}
	}
	return out
}

// column is nil where a value is not there.
func column[T any](t *testing.T, rows [][2]string, at int, of func(string) (T, error)) any {
	t.Helper()
	out := []T{}
	for _, row := range rows {
		if row[at] == null {
			return nil
		}
		v, err := of(row[at])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// inArrow is a record batch of a case; nil where Arrow has no such type.
func (c hostile) inArrow(t *testing.T) apache.RecordBatch {
	t.Helper()
	names, at := c.columns()
	var fields []apache.Field
	for i, name := range names {
		if arrowTypes[c.types[at[i]]] == nil {
			return nil
		}
		fields = append(fields, apache.Field{Name: name, Type: arrowTypes[c.types[at[i]]], Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, apache.NewSchema(fields, nil))
	for _, row := range c.rows {
		for i := range names {
			if row[at[i]] == null {
				b.Field(i).AppendNull()
			} else if err := b.Field(i).AppendValueFromString(row[at[i]]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.NewRecordBatch()
}

// opened are the sources of a case by name: all that have its types.
func (c hostile) opened(t *testing.T, s *frame.Schema, pg, lite *sql.DB, duck *sql.DB, d *duckdb.DB) map[string]func() (
	source.Source, error) {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	out := map[string]func() (source.Source, error){}
	ways := func(name string, src *sqlsource.Source) {
		out[name+", grouped"] = func() (source.Source, error) { return src.WithGroups(1000), nil }
		out[name+", by rows"] = func() (source.Source, error) { return src.ByRows(), nil }
	}
	if c.inSQL(t, pg, 0) {
		ways("PostgreSQL", sqlsource.New(pg, sqlsource.PostgreSQL, s, "hostile"))
		out["PostgreSQL, COPY"] = func() (source.Source, error) { return pgsource.New(pg, s, "hostile"), nil }
	}
	if c.inSQL(t, lite, 2) {
		ways("SQLite", sqlsource.New(lite, sqlsource.SQLite, s, "hostile"))
	}
	if c.inSQL(t, duck, 1) {
		ways("DuckDB", sqlsource.New(duck, sqlsource.DuckDB, s, "hostile"))
		path := filepath.Join(dir, "hostile.parquet")
		if _, err := duck.ExecContext(ctx, "COPY hostile TO '"+path+"' (FORMAT parquet)"); err != nil {
			t.Fatal(err)
		}
		out["DuckDB on Parquet"] = func() (source.Source, error) { return d.Parquet(ctx, s, path) }
		out["Parquet"] = func() (source.Source, error) { return parquet.Open(ctx, s, []string{path}) }
		if c.types[0] == "" { // a cluster takes no Parquet files with keys
			out["Beam on Parquet"] = func() (source.Source, error) { return beam.Open(ctx, s, beam.Prism(), path) }
		}
	}
	if columns := c.inMemory(t); columns != nil {
		out["columns in memory"] = func() (source.Source, error) {
			f, err := frame.FromColumns(s, columns)
			if err != nil {
				return nil, err
			}
			return source.OfFrame(f), nil
		}
	}
	if batch := c.inArrow(t); batch != nil {
		out["Arrow"] = func() (source.Source, error) { return arrow.Records(s, []apache.RecordBatch{batch}) }
	}
	if path := c.inCSV(t, dir); path != "" {
		out["frame of CSV"] = func() (source.Source, error) {
			f, err := frame.Load(ctx, path, s)
			if err != nil {
				return nil, err
			}
			return source.OfFrame(f), nil
		}
		out["CSV files"] = func() (source.Source, error) { return source.Files(s, path) }
		out["Beam on CSV"] = func() (source.Source, error) { return beam.Open(ctx, s, beam.Prism(), path) }
		out["DuckDB on CSV"] = func() (source.Source, error) { return d.CSV(ctx, s, path) }
	}
	return out
}

// inCSV is a file of a case of texts, with no value quoted that need not be; "" for other cases.
func (c hostile) inCSV(t *testing.T, dir string) string {
	t.Helper()
	names, at := c.columns()
	text := strings.Join(names, ",") + "\n"
	for _, i := range at {
		if c.types[i] != "text" && c.types[i] != "line" {
			return ""
		}
	}
	for _, row := range c.rows {
		var fields []string
		for _, i := range at {
			if row[i] == null || strings.ContainsAny(row[i], ",\"\n") {
				return ""
			}
			fields = append(fields, row[i])
		}
		text += strings.Join(fields, ",") + "\n"
	}
	path := filepath.Join(dir, "hostile.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// counted is what a source makes of a case: the counts of v by code, or the kind of its refusal.
func counted(t *testing.T, open func() (source.Source, error)) (got string, err error) {
	t.Helper()
	counts, err := func() ([]int64, error) {
		src, err := open()
		if err != nil {
			return nil, err
		}
		size, err := src.Size(t.Context())
		if err != nil {
			return nil, err
		}
		n, public := size.Public()
		sh, err := model.NewShape(src.Schema(), model.Categorical("v"), n, public, size.PrivateBy)
		if err != nil {
			return nil, err
		}
		st, err := src.Statistics(t.Context(), sh)
		if err != nil {
			return nil, err
		}
		return st.Open(access.Mine())[0], nil
	}()
	var outside *frame.OutOfDomainError
	var value *frame.ValueError
	var column *frame.ColumnError
	switch {
	case err == nil:
		return strings.Trim(fmt.Sprint(counts), "[]"), nil
	case errors.As(err, &outside), errors.As(err, &value):
		return "refused", err
	case errors.As(err, &column):
		return "column", err
	}
	return "another error", err
}

// TestHostileValues: every source makes the same of values at the edges, by one rule each, of
// docs/howto/sources.md.
func TestHostileValues(t *testing.T) {
	pg, lite, d := postgresDB(t), sqliteDB(t), duckDB(t)
	duck, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = duck.Close() })
	tried := map[string]int{}
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			s, err := frame.ParseSchema([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			sources := c.opened(t, s, pg, lite, duck, d)
			for _, name := range slices.Sorted(maps.Keys(sources)) {
				tried[name]++
				got, err := counted(t, sources[name])
				if got != c.want {
					t.Errorf("%s: %s, want %s (%v)", name, got, c.want, err)
				}
				// Only errors of frames, which are the data holder's own, show a value.
				if err != nil && strings.Contains(err.Error(), "SECRET") && !strings.Contains(name, "frame") &&
					!strings.Contains(name, "memory") {
					t.Errorf("%s: an error shows a value: %v", name, err)
				}
			}
		})
	}
	if len(tried) < 15 {
		t.Errorf("only %d kinds of sources were tried: %v", len(tried), tried)
	}
}

func postgresDB(t *testing.T) *sql.DB {
	t.Helper()
	url := os.Getenv("PRIVBAYES_POSTGRES")
	if url == "" {
		const why = "no PostgreSQL: make test-sources starts one, and sets PRIVBAYES_POSTGRES to its URL"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return database(t, "pgx", url)
}

func sqliteDB(t *testing.T) *sql.DB {
	t.Helper()
	return database(t, "sqlite", filepath.Join(t.TempDir(), "hostile.db"))
}

func database(t *testing.T, driver, at string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func duckDB(t *testing.T) *duckdb.DB {
	t.Helper()
	d, err := duckdb.Open(t.Context(), duckdb.WithThreads(1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}
