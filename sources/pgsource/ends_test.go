package pgsource

import (
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// A statement or a connection that the server ends gives an error that says so, in every way of reading and at every
// step; nothing of the rows stands in it, and the next reading has a connection.
func TestServersThatEndAReading(t *testing.T) {
	db := server(t)
	fresh(t, db, "TABLE", "ending", "(c text)")
	exec(t, db, "INSERT INTO ending SELECT CASE WHEN i = 50 THEN $1 ELSE 'a' END FROM generate_series(1, 60) AS r(i)",
		sourcetest.Secret)
	fresh(t, db, "VIEW", "endless", "AS SELECT c FROM ending WHERE pg_sleep(1) IS NOT NULL")
	s := &frame.Schema{Dataset: "v", Columns: []frame.Column{frame.Categorical("c", "a", "b")}}
	sh, err := model.NewShape(s, privbayes.Binary("c"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	limited, err := sql.Open("pgx", os.Getenv("PRIVBAYES_POSTGRES")+"&options=-c%20statement_timeout%3D300")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = limited.Close() })
	for _, end := range []struct {
		name, function, want string
		db                   *sql.DB
	}{
		{"a timeout", "", "the server cancelled the statement, by its statement_timeout or", limited},
		{"a cancellation", "pg_cancel_backend", "because somebody asked it to", db},
		{"a killed backend", "pg_terminate_backend", "the server ended the connection, because an administrator", db},
	} {
		for way, src := range ways(end.db, s, "endless") {
			for step, read := range map[string]func() error{
				"size":       func() error { _, err := src.Size(t.Context()); return err },
				"statistics": func() error { _, err := src.Statistics(t.Context(), sh); return err },
			} {
				failed := make(chan error, 1)
				go func() { failed <- read() }()
				err, ended := error(nil), false
				for !ended {
					select {
					case err = <-failed:
						ended = true
					case <-time.After(20 * time.Millisecond):
						if end.function != "" { // once a reading of rows runs
							exec(t, db, "SELECT "+end.function+"(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "+
								"AND query LIKE '%endless%' AND wait_event = 'PgSleep'")
						}
					}
				}
				var failure *source.Failure
				if !errors.As(err, &failure) || !strings.Contains(err.Error(), end.want) {
					t.Errorf("%s, %s, %s: %v; want a *Failure that says %q", end.name, way, step, err, end.want)
				}
				sourcetest.Quiet(t, way, err)
			}
			if _, err := ways(end.db, s, "ending")[way].Size(t.Context()); err != nil {
				t.Errorf("%s, %s: the next reading: %v", end.name, way, err)
			}
		}
	}
}
