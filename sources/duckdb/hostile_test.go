package duckdb

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// counted are the sealed statistics of a model on a source, of a public number of rows where n is not negative.
func counted(t testing.TB, s source.Source, m model.Model, n int) (*model.Statistics, error) {
	t.Helper()
	sh, err := model.NewShape(s.Schema(), m, max(n, 0), n >= 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s.Statistics(t.Context(), sh)
}

// one is the schema of one column.
func one(c frame.Column) *frame.Schema {
	return &frame.Schema{Dataset: "one", Columns: []frame.Column{c}}
}

// No extension is fetched when a file needs one: neither by DuckDB itself, nor since somebody asks for a file
// elsewhere. A server that stands for the place of extensions is not asked; with DuckDB's own settings it is.
func TestNothingIsFetched(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	from := []Option{WithStatement("SET extension_directory = " + text(t.TempDir())),
		WithStatement("SET custom_extension_repository = " + text(server.URL)),
		WithStatement("SET autoinstall_extension_repository = " + text(server.URL))}
	s := one(frame.Categorical("x", "a", "b"))
	elsewhere := []string{server.URL + "/x.parquet", "s3://bucket/x.parquet", "https://127.0.0.1:1/x.parquet"}
	read := func(d *DB) {
		for _, path := range elsewhere {
			var failed *source.Failure
			if _, err := d.Parquet(t.Context(), s, path); !errors.As(err, &failed) || failed.Source != path {
				t.Errorf("%s: %v, want a *Failure of the path", path, err)
			}
			if _, err := d.CSV(t.Context(), s, path); !errors.As(err, &failed) {
				t.Errorf("%s: %v, want a *Failure", path, err)
			}
		}
	}
	d := open(t, from...)
	read(d)
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests for extensions", n)
	}
	if _, err := d.db.ExecContext(t.Context(), "SET autoinstall_known_extensions = true"); err == nil {
		t.Error("the configuration is not locked")
	}
	read(open(t, append(from, WithStatement("SET autoinstall_known_extensions = true"),
		WithStatement("SET autoload_known_extensions = true"))...))
	if asked.Load() == 0 {
		t.Error("the server is not asked either way: the test sees nothing")
	}
}

// What an option says is not repeated, since it may hold a password, nor what DuckDB says of it.
func TestOptionsThatFail(t *testing.T) {
	_, err := Open(t.Context(), WithStatement("SET threads = 1"), WithStatement("NO STATEMENT "+sourcetest.Secret))
	sourcetest.Quiet(t, "statement", err)
	if err == nil || !strings.Contains(err.Error(), "statement 2") {
		t.Errorf("%v, want the number of the statement", err)
	}
	_, err = Open(t.Context(), WithMemory(sourcetest.Secret))
	sourcetest.Quiet(t, "memory", err)
	d := open(t, WithThreads(1), WithMemory("200MB"))
	var threads int
	if err := d.db.QueryRowContext(t.Context(), "SELECT current_setting('threads')").Scan(&threads); err != nil || threads != 1 {
		t.Errorf("%d threads, %v", threads, err)
	}
}

// Files are found once and pinned: a file that comes later is not read, one that is changed or named twice is refused.
func TestFilesArePinned(t *testing.T) {
	d, dir, s := open(t), t.TempDir(), one(frame.Categorical("x", "a", "b"))
	if err := os.MkdirAll(filepath.Join(dir, "year=2024", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	first := write(t, filepath.Join(dir, "year=2024", "deep", "1.csv"), "x\na\nb\n")
	write(t, filepath.Join(dir, "2.csv"), "x\na\n")
	s.ExtraColumns = true // the folder's year
	src, err := d.CSV(t.Context(), s, filepath.Join(dir, "**", "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "3.csv"), "x\na\n")
	if size, err := src.Size(t.Context()); err != nil || size.N != 3 {
		t.Errorf("%+v, %v, want the three rows of the files that were there", size, err)
	}
	write(t, first, "x\na\nb\na\n")
	var file *frame.FileError
	if _, err := src.Size(t.Context()); !errors.As(err, &file) || file.File != first {
		t.Errorf("%v, want a *FileError of the file that changed", err)
	}
	if err := os.Symlink(first, filepath.Join(dir, "again.csv")); err != nil {
		t.Fatal(err)
	}
	for _, patterns := range [][]string{{first, first}, {first, filepath.Join(dir, "again.csv")}, {filepath.Join(dir, "none*")}} {
		if _, err := d.CSV(t.Context(), s, patterns...); !errors.As(err, &file) {
			t.Errorf("%q: %v, want a *FileError", patterns, err)
		}
	}
}

// A name in quotes is a table, though DuckDB would read a file of that name; another case is another column; a
// collation that takes texts for equal joins none.
func TestNamesAndCollations(t *testing.T) {
	d := open(t)
	t.Chdir(t.TempDir())
	write(t, "private.csv", "x\na\n")
	s := one(frame.Categorical("x", "a", "A"))
	var failed *source.Failure
	if _, err := sqlsource.New(d.db, sqlsource.DuckDB, s, "private.csv").Size(t.Context()); !errors.As(err, &failed) {
		t.Errorf("a file for a table: %v, want a *Failure", err)
	}
	table := `rows"); DROP TABLE victims; --`
	run(t, d, "CREATE TABLE victims (x int)")
	run(t, d, `CREATE TABLE "rows""); DROP TABLE victims; --" (x text COLLATE NOCASE, "Y" text)`)
	run(t, d, `INSERT INTO "rows""); DROP TABLE victims; --" VALUES ('a', 'x'), ('A', 'x'), ('a', 'x')`)
	s.ExtraColumns = true
	f, err := frame.FromColumns(s, map[string]any{"x": []string{"a", "A", "a"}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := counted(t, source.OfFrame(f), privbayes.Binary("x"), 3)
	if err != nil {
		t.Fatal(err)
	}
	src := sqlsource.New(d.db, sqlsource.DuckDB, s, table)
	for way, src := range map[string]*sqlsource.Source{"grouped": src, "by rows": src.ByRows()} {
		if got, err := counted(t, src, privbayes.Binary("x"), 3); err != nil || !sourcetest.Equal(got, want) {
			t.Errorf("%s: %v, or other counts", way, err)
		}
	}
	s.Columns[0].Name = "y"
	var missing *frame.ColumnError
	if _, err := sqlsource.New(d.db, sqlsource.DuckDB, s, table).Size(t.Context()); !errors.As(err, &missing) {
		t.Errorf("%v, want a *ColumnError: the table has Y", err)
	}
	run(t, d, "INSERT INTO victims VALUES (1)")
}

// DuckDB's words quote what they are about: a cast, a line of a file. None is passed on.
func TestWordsOfDuckDBAreWithheld(t *testing.T) {
	d, dir := open(t), t.TempDir()
	run(t, d, "CREATE TABLE raw AS SELECT * FROM (VALUES ('1'), ("+text(sourcetest.Secret)+")) AS v(x)")
	run(t, d, "CREATE VIEW casts AS SELECT CAST(x AS INTEGER) AS x FROM raw")
	_, err := d.db.ExecContext(t.Context(), "SELECT sum(x) FROM casts")
	if err == nil || !strings.Contains(err.Error(), sourcetest.Secret) {
		t.Fatalf("DuckDB does not quote: %v", err)
	}
	s := one(frame.Integer("x", 0, 5, 10))
	src := sqlsource.New(d.db, sqlsource.DuckDB, s, "casts")
	for way, src := range map[string]*sqlsource.Source{"grouped": src, "by rows": src.ByRows()} {
		_, err := counted(t, src, privbayes.Categorical("x"), -1)
		sourcetest.Quiet(t, way, err)
	}
	for name, content := range map[string]string{"ragged": "x\n1\n" + sourcetest.Secret + ",2,3\n", "quotes": "x\n1\n\"" + sourcetest.Secret,
		"bytes": "x\n1\n\xff\xfe" + sourcetest.Secret + "\n", "value": "x\n" + sourcetest.Secret + "\n"} {
		src, err := d.CSV(t.Context(), s, write(t, filepath.Join(dir, name+".csv"), content))
		if err == nil {
			_, err = counted(t, src, privbayes.Categorical("x"), -1)
		}
		sourcetest.Quiet(t, name, err)
	}
	_, err = d.Parquet(t.Context(), s, write(t, filepath.Join(dir, "x.parquet"), "PAR1 "+sourcetest.Secret+" PAR1"))
	sourcetest.Quiet(t, "no Parquet", err)
}

// Formats that this reading has not are refused before a file is opened.
func TestFormatsThatAreRefused(t *testing.T) {
	d := open(t)
	path := write(t, filepath.Join(t.TempDir(), "x.csv"), "x\na\n")
	quoted := one(frame.Categorical("x", "a", "b"))
	quoted.Columns[0].QuotedMissing, quoted.Columns[0].Missing = frame.QuotedIsValue, []string{"b"}
	comma, latin := one(frame.Real("x", 0, 1)), one(frame.Categorical("x", "a", "b"))
	comma.Format = &frame.Format{Decimal: ",", Separator: ";"}
	latin.Format = &frame.Format{Encoding: frame.Latin1}
	thousands, blanks := one(frame.Real("x", 0, 1)), one(frame.Real("x", 0, 1))
	thousands.Format, blanks.Format = &frame.Format{Thousands: ","}, &frame.Format{Trim: true}
	for _, s := range []*frame.Schema{quoted, comma, latin, thousands, blanks} {
		var e *frame.SchemaError
		if _, err := d.CSV(t.Context(), s, path); !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *SchemaError", s.JSON(), err)
		}
	}
	for _, s := range []*frame.Schema{nil, one(frame.Categorical("x"))} {
		if src, err := d.CSV(t.Context(), s, path); err == nil {
			if _, err = src.Size(t.Context()); err == nil {
				t.Errorf("schema %v is taken", s)
			}
		}
	}
}

// A file of DuckDB's own, opened for reading only, is a source of its tables; a snapshot of a database that others
// write to sees the rows of its beginning.
func TestTablesAndSnapshots(t *testing.T) {
	d, path := open(t), filepath.Join(t.TempDir(), "visits '1.duckdb")
	run(t, d, "ATTACH "+text(path)+" AS made")
	run(t, d, "CREATE TABLE made.visits AS SELECT CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END AS x FROM range(9) AS r(i)")
	run(t, d, "DETACH made")
	s := one(frame.Categorical("x", "a", "b"))
	for _, table := range [][]string{{"visits"}, {"main", "visits"}} {
		src, err := d.Table(t.Context(), s, path, table...)
		if err != nil {
			t.Fatal(err)
		}
		if size, err := src.Size(t.Context()); err != nil || size.N != 9 {
			t.Errorf("%q: %+v, %v", table, size, err)
		}
	}
	run(t, d, "CREATE TABLE busy AS SELECT 'a' AS x")
	src := sqlsource.New(d.db, sqlsource.DuckDB, s, "busy")
	snap, end, err := src.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run(t, d, "INSERT INTO busy VALUES ('b')")
	var changed *model.ChangedError
	if _, err := counted(t, src, privbayes.Binary("x"), 1); !errors.As(err, &changed) {
		t.Errorf("%v, want a *ChangedError", err)
	}
	stop := sourcetest.Writing(t, d.db, "INSERT INTO busy VALUES ('b')")
	for range 5 {
		if size, err := snap.Size(t.Context()); err != nil || size.N != 1 {
			t.Errorf("in the snapshot: %+v, %v", size, err)
		}
		if _, err := counted(t, snap, privbayes.Binary("x"), 1); err != nil {
			t.Errorf("in the snapshot: %v", err)
		}
	}
	if err := errors.Join(stop(), end()); err != nil {
		t.Error(err)
	}
}

// A context that ends stops DuckDB; more groups than a source takes are refused without the memory of all of them.
func TestContextsAndManyGroups(t *testing.T) {
	d := open(t, WithThreads(1))
	run(t, d, "CREATE VIEW long AS SELECT CAST(hash(a.i * 1000003 + b.i) % 1000003 AS DOUBLE) / 1000003 AS x "+
		"FROM range(100000000) AS a(i), range(1000) AS b(i)")
	run(t, d, "CREATE VIEW many AS SELECT i / 3 AS x FROM range(300000) AS r(i)")
	s := one(frame.Real("x", 0, 50000, 1e6))
	sh, err := model.NewShape(s, privbayes.Categorical("x"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	long := sqlsource.New(d.db, sqlsource.DuckDB, s, "long")
	for way, src := range map[string]*sqlsource.Source{"grouped": long, "by rows": long.ByRows()} {
		ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if _, err := src.Statistics(ctx, sh); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want the deadline", way, err)
		}
		stop()
	}
	many := sqlsource.New(d.db, sqlsource.DuckDB, s, "many")
	var groups *sqlsource.GroupsError
	if _, err := many.WithGroups(250000).Statistics(t.Context(), sh); !errors.As(err, &groups) || groups.Limit != 250000 {
		t.Errorf("%v, want a *GroupsError", err)
	}
	a, err := many.Statistics(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := many.WithGroups(1).ByRows().Statistics(t.Context(), sh); err != nil || !sourcetest.Equal(a, b) {
		t.Errorf("by rows: %v, or other counts", err)
	}
}
