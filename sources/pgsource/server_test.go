package pgsource

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// server opens the PostgreSQL that scripts/sources.sh starts. Without one the test is skipped, but where the project is
// tested as a whole that is a failure.
func server(t testing.TB) *sql.DB {
	t.Helper()
	url := os.Getenv("PRIVBAYES_POSTGRES")
	if url == "" {
		const why = "no PostgreSQL: make test-sources starts one, and sets PRIVBAYES_POSTGRES to its URL"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal("PRIVBAYES_POSTGRES is no URL of a database")
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// fill makes a table of the rows of a CSV, with the types that its columns are given; text by default.
func fill(t testing.TB, db *sql.DB, table, content string, types map[string]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := make([]string, len(rows[0]))
	for i, name := range rows[0] {
		if columns[i] = `"` + name + `" ` + types[name]; types[name] == "" {
			columns[i] += "text"
		}
	}
	exec(t, db, "DROP TABLE IF EXISTS "+table)
	exec(t, db, "CREATE TABLE "+table+" ("+strings.Join(columns, ", ")+")")
	t.Cleanup(func() { _, _ = db.Exec("DROP TABLE IF EXISTS " + table) })
	var values []string
	for _, row := range rows[1:] {
		quoted := make([]string, len(row))
		for i, v := range row {
			quoted[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		values = append(values, "("+strings.Join(quoted, ",")+")")
	}
	exec(t, db, fmt.Sprintf("INSERT INTO %s VALUES %s", table, strings.Join(values, ",")))
}
