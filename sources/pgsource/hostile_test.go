package pgsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
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

// ways reads a table in every way that PostgreSQL has.
func ways(db *sql.DB, s *frame.Schema, table ...string) map[string]*sqlsource.Source {
	grouped := sqlsource.New(db, sqlsource.PostgreSQL, s, table...)
	return map[string]*sqlsource.Source{"COPY": New(db, s, table...), "grouped": grouped, "by rows": grouped.ByRows()}
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

// fresh makes a table or view of that name, and has it dropped in the end.
func fresh(t testing.TB, db *sql.DB, kind, quoted, definition string) {
	t.Helper()
	exec(t, db, "DROP "+kind+" IF EXISTS "+quoted+" CASCADE")
	exec(t, db, "CREATE "+kind+" "+quoted+" "+definition)
	t.Cleanup(func() { _, _ = db.Exec("DROP " + kind + " IF EXISTS " + quoted + " CASCADE") })
}

// same checks that every way of reading a table counts what the frame has.
func same(t *testing.T, db *sql.DB, s *frame.Schema, f *frame.Frame, m model.Model, table ...string) {
	t.Helper()
	want, err := counted(t, source.OfFrame(f), m, f.Len())
	if err != nil {
		t.Fatal(err)
	}
	for way, src := range ways(db, s, table...) {
		if got, err := counted(t, src, m, f.Len()); err != nil || !sourcetest.Equal(got, want) {
			t.Errorf("%s, %s: %v, or other numbers than of the frame", way, m, err)
		}
	}
}

// Names are names, whatever stands in them; values come back as they are through COPY's escapes; a collation that takes
// texts for equal joins none; and what a role has set changes no text.
func TestHostileTables(t *testing.T) {
	db := server(t)
	odd := []string{"a\tb", "a\nb", `a\b`, `\N`, `\.`, "a\rb\v\f\b", "", "a", "A", "ä", `"`, "a\u0308"}
	// The last is ä in other letters: an alias means both.
	aliases := []frame.Alias{{Category: "0", Texts: odd[:8]}, {Category: "1", Texts: odd[8 : len(odd)-1]}}
	s := &frame.Schema{Dataset: "odd", Columns: []frame.Column{frame.Categorical(`c0"; DROP TABLE x; --`, "0", "1"),
		frame.Real("größe", 0, 1, 2), frame.Date("day", "2006-01-02", "2020-01-01", "2021-01-01", "2022-01-01")}}
	s.Columns[0].Aliases = aliases
	exec(t, db, "DROP COLLATION IF EXISTS same_letters")
	exec(t, db, "CREATE COLLATION same_letters (provider = icu, locale = 'und-u-ks-level1', deterministic = false)")
	t.Cleanup(func() { _, _ = db.Exec("DROP COLLATION IF EXISTS same_letters CASCADE") })
	fresh(t, db, "TABLE", `"rows""; --"`,
		`("c0""; DROP TABLE x; --" text COLLATE same_letters, "größe" double precision, day date)`)
	columns := map[string]any{s.Columns[0].Name: []string(nil), "größe": []float64(nil), "day": []string(nil)}
	texts, sizes, days := []string{}, []float64{}, []string{}
	for i, text := range odd {
		texts, sizes, days = append(texts, text), append(sizes, 1/float64(i+3)), append(days, fmt.Sprintf("202%d-02-03", i%2))
		exec(t, db, `INSERT INTO "rows""; --" VALUES ($1, $2, $3::date)`, text, sizes[i], days[i])
	}
	columns[s.Columns[0].Name], columns["größe"], columns["day"] = texts, sizes, days
	f, err := frame.FromColumns(s, columns)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"DateStyle = 'SQL, DMY'", "extra_float_digits = -15"} {
		exec(t, db, "ALTER ROLE CURRENT_USER SET "+setting)
	}
	t.Cleanup(func() { _, _ = db.Exec("ALTER ROLE CURRENT_USER RESET ALL") })
	db.SetMaxIdleConns(0) // new connections have the role's settings
	for _, m := range []privbayes.ModelSpec{privbayes.NaiveBayes(s.Columns[0].Name),
		privbayes.Exponential("größe").WithRange(.1, 1), privbayes.LinearRegression("größe", "day")} {
		same(t, db, s, f, m, `rows"; --`)
	}
	var e *dp.ParameterError
	if _, err := New(db, s, strings.Repeat("x", 64)).Size(t.Context()); !errors.As(err, &e) {
		t.Errorf("a name that PostgreSQL would cut: %v, want a *ParameterError", err)
	}
}

// More columns than GROUPING takes, and more tables than one statement groups by.
func TestWideTables(t *testing.T) {
	db, s, columns := server(t), &frame.Schema{Dataset: "wide"}, map[string]any{}
	names, rows := []string{}, make([][]string, 50)
	for i := range 70 {
		names = append(names, fmt.Sprintf("k%02d", i))
		s.Columns = append(s.Columns, frame.Categorical(names[i], "x", "y", "z"))
		column := []string{}
		for r := range rows {
			column = append(column, []string{"x", "y", "z"}[(r*r+i*r+i)%7%3])
			rows[r] = append(rows[r], "'"+column[r]+"'")
		}
		columns[names[i]] = column
	}
	f, err := frame.FromColumns(s, columns)
	if err != nil {
		t.Fatal(err)
	}
	fresh(t, db, "TABLE", "wide", "("+strings.Join(names, " text, ")+" text)")
	for _, row := range rows {
		exec(t, db, "INSERT INTO wide VALUES ("+strings.Join(row, ",")+")")
	}
	same(t, db, s, f, privbayes.NaiveBayes("k05"), "wide")
}

// What is not there, may not be read, does not fit or fails at a row is refused with names alone.
func TestRefusals(t *testing.T) {
	db, ctx := server(t), t.Context()
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Integer("x", 0, 5, 10)}}
	fresh(t, db, "TABLE", "raw", "(x text)")
	exec(t, db, "INSERT INTO raw VALUES ('1'), ($1)", sourcetest.Secret)
	fresh(t, db, "VIEW", "casts", "AS SELECT x::int AS x FROM raw")
	if _, err := db.ExecContext(ctx, "SELECT sum(x) FROM casts"); err == nil || !strings.Contains(err.Error(), sourcetest.Secret) {
		t.Fatalf("PostgreSQL does not quote the value: %v", err)
	}
	for way, src := range ways(db, s, "casts") {
		_, err := counted(t, src, privbayes.Categorical("x"), -1)
		var failed *source.Failure
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%s: %v, want a *Failure that names the column", way, err)
		}
		sourcetest.Quiet(t, way, err)
	}
	for way, src := range ways(db, s, "raw") {
		_, err := counted(t, src, privbayes.Categorical("x"), 2)
		var outside *frame.OutOfDomainError
		if !errors.As(err, &outside) || outside.Column != "x" {
			t.Errorf("%s: %v, want an *OutOfDomainError", way, err)
		}
		sourcetest.Quiet(t, way, err)
	}
	fresh(t, db, "TABLE", "other", `("X" int)`)
	for way, src := range ways(db, s, "other") {
		var missing *frame.ColumnError
		if _, err := src.Size(ctx); !errors.As(err, &missing) || missing.Column != "x" || !slices.Equal(missing.Have, []string{"X"}) {
			t.Errorf("%s: %v, want a *ColumnError", way, err)
		}
		var failed *source.Failure
		if _, err := ways(db, s, "nobody")[way].Size(ctx); !errors.As(err, &failed) || failed.Source != "nobody" {
			t.Errorf("%s: %v, want a *Failure of the table", way, err)
		}
	}
	closed, err := sql.Open("pgx", "postgres://u:"+sourcetest.Secret+"@127.0.0.1:1/none?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	_, err = New(closed, s, "raw").Size(ctx)
	sourcetest.Quiet(t, "no server", err)
}

// A column that this user may not read is as good as not there.
func TestRights(t *testing.T) {
	db := server(t)
	fresh(t, db, "TABLE", "guarded", "(x text, hidden text)")
	exec(t, db, "INSERT INTO guarded VALUES ('a', 'b')")
	exec(t, db, "DROP ROLE IF EXISTS guest")
	exec(t, db, "CREATE ROLE guest")
	t.Cleanup(func() { _, _ = db.Exec("DROP OWNED BY guest; DROP ROLE guest") })
	exec(t, db, "GRANT SELECT (x) ON guarded TO guest")
	db.SetMaxOpenConns(1)
	exec(t, db, "SET ROLE guest")
	defer func() { exec(t, db, "RESET ROLE") }()
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("x", "a", "b")}}
	for way, src := range ways(db, s, "guarded") {
		if _, err := counted(t, src, privbayes.Binary("x"), 1); err != nil {
			t.Errorf("%s: %v", way, err)
		}
	}
	s.Columns[0].Name = "hidden"
	var missing *frame.ColumnError
	if _, err := New(db, s, "guarded").Size(t.Context()); !errors.As(err, &missing) {
		t.Errorf("%v, want a *ColumnError", err)
	}
}

// A context that ends stops the server, and the error is the context's own; the next reading has a connection.
func TestContextsThatEnd(t *testing.T) {
	db := server(t)
	fresh(t, db, "VIEW", "slow", "AS SELECT CASE WHEN pg_sleep(1) IS NULL THEN 'a' ELSE 'b' END AS c FROM generate_series(1, 60)")
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("c", "a", "b")}}
	sh, err := model.NewShape(s, privbayes.Binary("c"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	for way, src := range ways(db, s, "slow") {
		ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if _, err := src.Statistics(ctx, sh); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, want the deadline", way, err)
		}
		stop()
	}
	exec(t, db, "SELECT 1")
}

// Without a snapshot a table that changes between its size and its counts is refused; in one, all readings see the rows
// of its beginning. While others write, the tables of a wide model, which several statements count, still add up.
func TestSnapshots(t *testing.T) {
	db := server(t)
	s, names := &frame.Schema{Dataset: "wide"}, []string{}
	for i := range 40 {
		names = append(names, fmt.Sprintf("k%02d", i))
		s.Columns = append(s.Columns, frame.Categorical(names[i], "x", "y"))
	}
	fresh(t, db, "TABLE", "busy", "("+strings.Join(names, " text DEFAULT 'x', ")+" text DEFAULT 'x')")
	insert := "INSERT INTO busy DEFAULT VALUES"
	exec(t, db, insert)
	m := privbayes.NaiveBayes(names[0])
	for way, src := range ways(db, s, "busy") {
		size, err := src.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		snap, end, err := src.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		exec(t, db, insert)
		var changed *model.ChangedError
		if _, err := counted(t, src, m, size.N); !errors.As(err, &changed) {
			t.Errorf("%s: %v, want a *ChangedError", way, err)
		}
		stop := sourcetest.Writing(t, db, insert)
		for range 3 {
			if _, err := counted(t, snap, m, size.N); err != nil {
				t.Errorf("%s, in the snapshot: %v", way, err)
			}
			if again, err := snap.Size(t.Context()); err != nil || again != size {
				t.Errorf("%s, in the snapshot: %+v, %v", way, again, err)
			}
			if _, err := counted(t, src, m, -1); err != nil {
				t.Errorf("%s, while others write: %v", way, err)
			}
		}
		if err := errors.Join(stop(), end()); err != nil {
			t.Error(err)
		}
	}
}
