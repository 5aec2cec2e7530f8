package sqltests

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// Two tables of a database are the frame of the two CSV files that mean the same, whatever their types.
func TestLinkedTables(t *testing.T) {
	db := sqlite(t)
	exec(t, db, "PRAGMA synchronous = OFF")
	sourcetest.LinkedDatabase(t, db, sqlsource.SQLite)
}

// Both tables are read in one transaction: what others write between the two is not seen, and rows of a choice, names
// that are none and schemas of one table are refused.
func TestLinkedTablesAreOneSnapshot(t *testing.T) {
	db := sqlite(t)
	exec(t, db, "PRAGMA journal_mode = WAL")
	s := sourcetest.Census(t, "refuse")
	sourcetest.Table(t, db, "households", true, [][]string{{"hid", "region"}, {"0", "n"}})
	sourcetest.Table(t, db, "persons", true, [][]string{{"of", "age", "income", "job"}, {"0", "3", "NA", "it's"}})
	read := func() (*frame.Frame, error) {
		return sqlsource.Tables(t.Context(), db, sqlsource.SQLite, s, []string{"households"}, []string{"persons"})
	}
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() { // a parent and its child come together
		for i := 1; ; i++ {
			tx, err := db.Begin()
			if err == nil {
				_, e1 := tx.Exec(fmt.Sprintf("INSERT INTO households VALUES (%d, 'n')", i))
				_, e2 := tx.Exec(fmt.Sprintf("INSERT INTO persons VALUES (%d, 3, NULL, 'it''s')", i))
				err = errors.Join(e1, e2, tx.Commit())
			}
			select {
			case <-done:
				ended <- err
				return
			default:
			}
		}
	}()
	for range 20 {
		if _, err := read(); err != nil {
			t.Errorf("a child without its parent, while others write: %v", err)
		}
	}
	close(done)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	own, err := s.TableSchema("households")
	if err != nil {
		t.Fatal(err)
	}
	var argument *dp.ParameterError
	chosen := sqlsource.New(db, sqlsource.SQLite, own, "households").Where("region", "n")
	if err := chosen.CSV(t.Context(), &strings.Builder{}); !errors.As(err, &argument) {
		t.Errorf("chosen rows as a text: %v", err)
	}
	if _, err := source.Tables(t.Context(), s, []source.Written{chosen, chosen}); err == nil {
		t.Error("chosen rows are counted as all units")
	}
	var failed *source.Failure
	if _, err := sqlsource.Tables(t.Context(), db, sqlsource.SQLite, s, []string{"households"},
		[]string{"nobody"}); !errors.As(err, &failed) || failed.Source != "nobody" {
		t.Errorf("no such table: %v", err)
	}
	if _, err := sqlsource.Tables(t.Context(), db, sqlsource.SQLite, s, nil, nil); !errors.As(err, &argument) {
		t.Errorf("no names: %v", err)
	}
	var schema *frame.SchemaError
	if _, err := sqlsource.Tables(t.Context(), db, sqlsource.SQLite, own, nil, nil); !errors.As(err, &schema) {
		t.Errorf("one table: %v", err)
	}
}
