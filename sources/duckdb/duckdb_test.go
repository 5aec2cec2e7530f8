package duckdb

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

func open(t testing.TB, opts ...Option) *DB {
	t.Helper()
	d, err := Open(t.Context(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t testing.TB, d *DB, statement string) {
	t.Helper()
	if _, err := d.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func TestFilesGiveTheReleasesOfTheFrame(t *testing.T) {
	dir, d := t.TempDir(), open(t)
	path := write(t, filepath.Join(dir, "visits [1]*'?.csv"), sourcetest.CSV())
	parquet := filepath.Join(dir, "visits.parquet")
	run(t, d, "COPY (FROM read_csv("+text(marks.Replace(path))+", all_varchar = true, nullstr = 'none')) TO "+text(parquet))
	for name, of := range map[string]func(context.Context, *frame.Schema, ...string) (*sqlsource.Source, error){
		path: d.CSV, parquet: d.Parquet,
	} {
		sourcetest.Database(t, func(s *frame.Schema) *sqlsource.Source {
			src, err := of(t.Context(), s, name)
			if err != nil {
				t.Fatal(err)
			}
			return src
		})
	}
}

// Two tables are the frame of the two CSV files that mean the same, whatever their types.
func TestLinkedTables(t *testing.T) {
	sourcetest.LinkedDatabase(t, open(t, WithThreads(1)).db, sqlsource.DuckDB)
}
