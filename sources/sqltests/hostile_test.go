package sqltests

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// ways reads a source grouped and row by row.
func ways(s *sqlsource.Source) map[string]*sqlsource.Source {
	return map[string]*sqlsource.Source{"grouped": s.WithGroups(1 << 20), "by rows": s.ByRows()}
}

// counted are the sealed statistics of a model on a source, of a public number of rows where n is not negative.
func counted(t testing.TB, s source.Source, m model.Model, n int) (*model.Statistics, error) {
	t.Helper()
	sh, err := model.NewShape(s.Schema(), m, max(n, 0), n >= 0, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s.Statistics(t.Context(), sh)
}

// Names of tables and columns are names, whatever stands in them: quotes, statements, the package's own aliases, and
// letters of any script.
func TestHostileNames(t *testing.T) {
	names := []string{`a"; DROP TABLE victims; --`, "c0", "q", `q."c0"`, "größe 数", "select", "'", "a b", "u", "i", "r", "j"}
	table := `rows"); DROP TABLE victims; --`
	db := sqlite(t)
	exec(t, db, "CREATE TABLE victims (x text)")
	s, quoted, row := &frame.Schema{Dataset: "names"}, []string{}, []string{}
	for i, name := range names {
		s.Columns = append(s.Columns, frame.Categorical(name, "x", "y"))
		quoted = append(quoted, `"`+strings.ReplaceAll(name, `"`, `""`)+`" text`)
		row = append(row, []string{"'x'", "'y'"}[i%2])
	}
	exec(t, db, `CREATE TABLE "rows""); DROP TABLE victims; --" (`+strings.Join(quoted, ", ")+")")
	exec(t, db, `INSERT INTO "rows""); DROP TABLE victims; --" VALUES (`+strings.Join(row, ", ")+")")
	columns := map[string]any{}
	for i, name := range names {
		columns[name] = []string{[]string{"x", "y"}[i%2]}
	}
	f, err := frame.FromColumns(s, columns)
	if err != nil {
		t.Fatal(err)
	}
	for way, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, table)) {
		for _, name := range names[:3] {
			want, err := counted(t, source.OfFrame(f), privbayes.NaiveBayes(name), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := counted(t, src, privbayes.NaiveBayes(name), 1); err != nil || !sourcetest.Equal(got, want) {
				t.Errorf("%s, target %q: %v, or other counts", way, name, err)
			}
		}
	}
	exec(t, db, "INSERT INTO victims VALUES ('still there')")
	for _, name := range []string{"", "a\x00b", "a\xffb"} {
		var e *dp.ParameterError
		if _, err := sqlsource.New(db, sqlsource.SQLite, s, name).Size(t.Context()); !errors.As(err, &e) {
			t.Errorf("table %q: %v, want a *ParameterError", name, err)
		}
	}
}

// A column that is not there is refused by its name. SQLite would take the name in quotes for a text, and another case
// for the same column.
func TestColumnsThatAreNotThere(t *testing.T) {
	db := sqlite(t)
	exec(t, db, `CREATE TABLE v ("Age" text, class text)`)
	exec(t, db, "INSERT INTO v VALUES ('age', 'a')")
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("age", "age", "x"),
		frame.Categorical("class", "a", "b")}}
	for way, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, "v")) {
		var e *frame.ColumnError
		if _, err := src.Size(t.Context()); !errors.As(err, &e) || e.Column != "age" {
			t.Errorf("%s: %v, want a *ColumnError of age", way, err)
		}
	}
	s.Columns = s.Columns[1:]
	var extra *frame.ColumnError
	if _, err := sqlsource.New(db, sqlsource.SQLite, s, "v").Size(t.Context()); !errors.As(err, &extra) || extra.Column != "Age" {
		t.Errorf("%v, want a *ColumnError of the column that the schema has not", err)
	}
	s.ExtraColumns = true
	if size, err := sqlsource.New(db, sqlsource.SQLite, s, "v").Size(t.Context()); err != nil || size.N != 1 {
		t.Errorf("extra columns allowed: %+v, %v", size, err)
	}
	var failed *source.Failure
	if _, err := sqlsource.New(db, sqlsource.SQLite, s, "nobody").Size(t.Context()); !errors.As(err, &failed) ||
		failed.Source != "nobody" {
		t.Errorf("%v, want a *Failure of the table", err)
	}
}

// Values of SQLite have types of their own, whatever the column says, and its collations join what a schema tells
// apart: each value is read as a file would have it, and one that does not fit is refused by its column alone.
func TestTypesAndCollations(t *testing.T) {
	db := sqlite(t)
	exec(t, db, "CREATE TABLE v (c text COLLATE NOCASE, x)")
	exec(t, db, "INSERT INTO v VALUES ('a', 1), ('A', 1.0), ('a', '1'), ('A', x'31'), ('a', 2.5), ('A', 9007199254740993), "+
		"('a', 1e300), ('a', '3')")
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("c", "a", "A"), frame.Real("x", 0, 2, 5)}}
	s.Columns[1].OnOutOfDomain = frame.DomainClamp
	f, err := frame.Read(t.Context(), strings.NewReader(
		"c,x\na,1\nA,1.0\na,1\nA,1\na,2.5\nA,9007199254740993\na,1e300\na,3\n"), "v.csv", s)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []privbayes.ModelSpec{privbayes.NaiveBayes("c"), privbayes.Exponential("x").WithRange(.1, 1)} {
		want, err := counted(t, source.OfFrame(f), m, 8)
		if err != nil {
			t.Fatal(err)
		}
		for way, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, "v")) {
			if got, err := counted(t, src, m, 8); err != nil || !sourcetest.Equal(got, want) {
				t.Errorf("%s, %s: %v, or other numbers than of the file", m, way, err)
			}
		}
	}
	exec(t, db, "INSERT INTO v VALUES ('a', '"+sourcetest.Secret+"')")
	for way, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, "v")) {
		var e *frame.OutOfDomainError
		_, err := counted(t, src, privbayes.NaiveBayes("c"), 9)
		if !errors.As(err, &e) || e.Column != "x" {
			t.Errorf("%s: %v, want an *OutOfDomainError of x", way, err)
		}
		sourcetest.Quiet(t, way, err)
	}
}

// SQLite's own words quote what it stumbles over: a view that fails at one row is refused without them.
func TestWordsOfTheDatabaseAreWithheld(t *testing.T) {
	db := sqlite(t)
	exec(t, db, "CREATE TABLE raw (x text)")
	exec(t, db, "INSERT INTO raw VALUES ('$.a'), ('"+sourcetest.Secret+"')")
	exec(t, db, "CREATE VIEW v AS SELECT json_extract('{\"a\":\"a\"}', x) AS c FROM raw")
	rows, err := db.QueryContext(t.Context(), "SELECT c FROM v")
	if err == nil {
		for rows.Next() {
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	if err == nil || !strings.Contains(err.Error(), sourcetest.Secret) {
		t.Fatalf("SQLite does not quote: %v", err)
	}
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("c", "a", "b")}}
	for way, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, "v")) {
		_, err := counted(t, src, privbayes.Binary("c"), -1)
		var failed *source.Failure
		if !errors.As(err, &failed) {
			t.Errorf("%s: %v, want a *Failure", way, err)
		}
		sourcetest.Quiet(t, way, err)
	}
}

// A context that ends stops the database, and the error is the context's own.
func TestContextsThatEnd(t *testing.T) {
	db := sqlite(t)
	exec(t, db, "CREATE VIEW endless AS WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k) "+
		"SELECT CASE WHEN i % 2 THEN 'a' ELSE 'b' END AS c FROM k")
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("c", "a", "b")}}
	sh, err := model.NewShape(s, privbayes.Binary("c"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	for way, src := range ways(sqlsource.New(db, sqlsource.SQLite, s, "endless")) {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := src.Statistics(ctx, sh); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want the deadline", way, err)
		}
		stop()
		ctx, stop = context.WithCancel(t.Context())
		stop()
		if _, err := src.Size(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was cancelled", way, err)
		}
	}
}

// Without a snapshot a table that changes between its size and its counts is refused; in one, all readings see the rows
// of its beginning, whatever others write, over more tables than one statement groups by.
func TestSnapshots(t *testing.T) {
	db := sqlite(t)
	exec(t, db, "PRAGMA journal_mode = WAL")
	s, names := &frame.Schema{Dataset: "wide"}, []string{}
	for i := range 40 {
		names = append(names, fmt.Sprintf("k%02d", i))
		s.Columns = append(s.Columns, frame.Categorical(names[i], "x", "y"))
	}
	exec(t, db, `CREATE TABLE wide ("`+strings.Join(names, `" text, "`)+`" text)`)
	insert := "INSERT INTO wide VALUES (" + strings.TrimSuffix(strings.Repeat("'x',", 40), ",") + ")"
	exec(t, db, insert)
	src := sqlsource.New(db, sqlsource.SQLite, s, "wide")
	size, err := src.Size(t.Context())
	if err != nil || size.N != 1 {
		t.Fatalf("%+v, %v", size, err)
	}
	snap, end, err := src.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, insert)
	m := privbayes.NaiveBayes(names[0])
	var changed *model.ChangedError
	if _, err := counted(t, src, m, size.N); !errors.As(err, &changed) {
		t.Errorf("%v, want a *ChangedError", err)
	}
	for range 3 {
		exec(t, db, insert)
		if size, err := snap.Size(t.Context()); err != nil || size.N != 1 {
			t.Errorf("in the snapshot: %+v, %v", size, err)
		}
		if _, err := counted(t, snap, m, 1); err != nil {
			t.Errorf("in the snapshot: %v", err)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	if size, err := src.Size(t.Context()); err != nil || size.N != 5 {
		t.Errorf("after it: %+v, %v", size, err)
	}
	end = sourcetest.Writing(t, db, insert)
	for range 5 {
		if _, err := counted(t, src, m, -1); err != nil { // its tables add up to one number of rows
			t.Errorf("while others write: %v", err)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}
