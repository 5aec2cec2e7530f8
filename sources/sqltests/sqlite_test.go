package sqltests

import (
	"database/sql"
	"encoding/csv"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

func sqlite(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func exec(t testing.TB, db *sql.DB, q string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), q, args...); err != nil {
		t.Fatal(err)
	}
}

// fill makes a table of texts of CSV.
func fill(t testing.TB, db *sql.DB, table, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "CREATE TABLE "+table+" ("+strings.Join(rows[0], " text, ")+" text)")
	for _, row := range rows[1:] {
		quoted := make([]string, len(row))
		for i, v := range row {
			quoted[i] = "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		exec(t, db, "INSERT INTO "+table+" VALUES ("+strings.Join(quoted, ",")+")")
	}
}

func TestSQLiteGivesTheReleasesOfTheFrame(t *testing.T) {
	db := sqlite(t)
	fill(t, db, "visits", sourcetest.CSV())
	sourcetest.Database(t, func(s *frame.Schema) *sqlsource.Source {
		return sqlsource.New(db, sqlsource.SQLite, s, "visits")
	})
}
