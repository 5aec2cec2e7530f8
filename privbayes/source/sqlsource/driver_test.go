package sqlsource

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// secret stands for a value of a row.
const secret = "SECRET-9f3"

// places are where a driver can fail.
var places = []string{"connect", "begin", "settings", "describe", "describe rows", "count", "count rows", "count value",
	"query", "rows", "value", "more columns", "close", "commit", "copy"}

// fake is a driver for tests: a table of two columns, a and b, and an error in one place.
type fake struct {
	dialect Dialect
	fails   string // one of places
	panics  bool   // in place of an error
	reached map[string]int
	queries []string
	groups  [][]driver.Value
	n       int64
}

func (f *fake) open(t testing.TB) *sql.DB {
	db := sql.OpenDB(f)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// leak is an error that quotes a value in every way it can.
type leak struct{ Detail, Code string }

func (l *leak) Error() string    { return "cannot cast " + secret }
func (l *leak) Unwrap() error    { return errors.New("invalid input " + secret) }
func (l *leak) SQLState() string { return secret }

func (f *fake) at(place string) error {
	if f.reached == nil {
		f.reached = map[string]int{}
	}
	f.reached[place]++
	if f.fails != place {
		return nil
	}
	if f.panics {
		panic("driver: " + secret)
	}
	return fmt.Errorf("driver: %w", &leak{secret, secret})
}

func (f *fake) Connect(context.Context) (driver.Conn, error) { return &fakeConn{f}, f.at("connect") }
func (f *fake) Driver() driver.Driver                        { return nil }

type fakeConn struct{ *fake }

func (c *fakeConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New(secret) }
func (c *fakeConn) Close() error                        { return nil }
func (c *fakeConn) Begin() (driver.Tx, error)           { return nil, errors.New(secret) }
func (c *fakeConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) {
	return fakeTx(*c), c.at("begin")
}

type fakeTx fakeConn

func (t fakeTx) Commit() error   { return t.at("commit") }
func (t fakeTx) Rollback() error { return errors.New(secret) }

func (c *fakeConn) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(0), c.at("settings")
}

func (c *fakeConn) QueryContext(_ context.Context, q string, _ []driver.NamedValue) (driver.Rows, error) {
	c.queries = append(c.queries, q)
	switch {
	case strings.Contains(q, "information_schema"):
		return &fakeRows{fake: c.fake, columns: 1, rows: [][]driver.Value{{int64(1)}}}, nil
	case strings.Contains(q, "pg_attribute"):
		return &fakeRows{fake: c.fake, columns: 2, next: "describe rows",
			rows: [][]driver.Value{{"a", "TEXT"}, {"b", "INT4"}}}, c.at("describe")
	case strings.HasSuffix(q, "LIMIT 0"):
		return &fakeRows{fake: c.fake, columns: 2, next: "describe rows"}, c.at("describe")
	case strings.HasPrefix(q, "SELECT COUNT(*)"):
		value := driver.Value(c.n)
		if c.at("count value") != nil {
			value = secret
		}
		return &fakeRows{fake: c.fake, columns: 1, next: "count rows", rows: [][]driver.Value{{value}}}, c.at("count")
	}
	rows := &fakeRows{fake: c.fake, next: "rows", close: "close", rows: c.groups}
	if rows.columns = 4; strings.HasPrefix(q, "SELECT +") || strings.HasPrefix(q, "SELECT CAST(q.") {
		rows.columns = 2
	}
	if c.at("more columns") != nil {
		rows.columns++
	}
	if c.at("value") != nil {
		rows.rows = [][]driver.Value{{secret, secret, secret, secret}}
	}
	return rows, c.at("query")
}

type fakeRows struct {
	*fake
	columns     int
	next, close string
	rows        [][]driver.Value
}

func (r *fakeRows) Columns() []string { return []string{"a", "b", "c", "d", "e"}[:r.columns] }

func (r *fakeRows) Close() error {
	if r.close == "" {
		return nil
	}
	return r.at(r.close)
}

func (r *fakeRows) Next(into []driver.Value) error {
	if r.next != "" {
		if err := r.at(r.next); err != nil {
			return err
		}
	}
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(into, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}
