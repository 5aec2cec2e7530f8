package pgsource

import (
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// The same table gives the same releases, byte for byte, in memory, by COPY, grouped in the database, and row by row;
// as texts, and as the types that a database would have for them.
func TestPostgreSQLGivesTheReleasesOfTheFrame(t *testing.T) {
	db, s := server(t), sourcetest.Schema(t)
	want := source.OfFrame(sourcetest.Frame(t))
	for _, types := range []map[string]string{
		nil,
		{"class": "varchar(9)", "age": "int", "wage": "numeric(9,2)", "seen": "date"},
		{"age": "smallint", "wage": "double precision"},
		{"age": "bigint", "wage": "double precision"},
		{"age": "real", "class": "varchar"},
	} {
		fill(t, db, "visits", sourcetest.CSV(), types)
		sourcetest.Same(t, want, New(db, s, "visits"))
		sourcetest.Same(t, want, sqlsource.New(db, sqlsource.PostgreSQL, s, "public", "visits"))
		sourcetest.Same(t, want, sqlsource.New(db, sqlsource.PostgreSQL, s, "visits").ByRows())
	}
	fill(t, db, "visits", sourcetest.CSV(), nil)
	sourcetest.Database(t, func(s *frame.Schema) *sqlsource.Source {
		return sqlsource.New(db, sqlsource.PostgreSQL, s, "visits")
	})
	sourcetest.Database(t, func(s *frame.Schema) *sqlsource.Source { return New(db, s, "visits") })
}

// Two tables are the frame of the two CSV files that mean the same, whatever their types.
func TestLinkedTables(t *testing.T) {
	db := server(t)
	t.Cleanup(func() { _, _ = db.Exec("DROP TABLE IF EXISTS households, persons") })
	sourcetest.LinkedDatabase(t, db, sqlsource.PostgreSQL)
}
