// Package sqlsource counts where the rows are: a table or a view of a database, through database/sql and a driver that
// the caller imports, is a [source.Source].
//
// Values are grouped as raw text in the database and encoded here, by the encoder of the schema that reads files: the
// database never sees a category, and the same rows give the same release as from a file. Text is compared byte by
// byte, whatever the collation of the database. One transaction, of repeatable reads, gives the number of rows and all
// tables; they must agree.
//
// # What stays private
//
// A driver's errors may quote values. None is passed on: a *[source.Failure] says in public words what was being done,
// and names columns only. Names of tables and columns are quoted, and no SQL is taken from anyone. A filter makes the
// number of rows private.
package sqlsource

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// defaultGroups is the most groups of equal rows that a table of a model may have in the database.
const defaultGroups = 1 << 20

// Source is a table or a view of a database under a public schema. Every step returns a new one, and passes on the
// first error; Size and Statistics return it.
type Source struct {
	db      *sql.DB
	dialect Dialect
	schema  *frame.Schema
	read    *frame.Schema // that the table is read under, before Present
	parts   []string      // of the table's name
	name    string        // the parts, with points
	table   string        // quoted
	limit   int
	grouped bool // by WithGroups
	byRows  bool
	filters []filter
	part    *source.Part
	held    *held
	copy    Copy
	same    func(context.Context) error
	err     error
}

// filter keeps the rows with some codes of a column.
type filter struct {
	column string
	codes  []int32
	step   frame.RowStep
}

// held is a transaction that several readings share.
type held struct {
	mu sync.Mutex
	t  *transaction
}

// New is the source of a table or view, named by the parts of its name: New(db, PostgreSQL, schema, "public", "adult").
// Parts are names and no SQL; every column of the schema must be there by its exact name. The connection is the
// caller's, who imports the driver; nothing is asked of it yet.
func New(db *sql.DB, d Dialect, s *frame.Schema, table ...string) *Source {
	if s != nil {
		s = s.Clone()
	}
	src := &Source{db: db, dialect: d, schema: s, read: s, parts: slices.Clone(table),
		name: strings.Join(table, "."), limit: defaultGroups}
	src.err = src.check(table)
	return src
}

func (s *Source) check(table []string) error {
	if s.db == nil {
		return domain.Refuse("sqlsource: New", "db", "none", "a *sql.DB")
	}
	if err := s.dialect.valid(); err != nil {
		return err
	}
	if s.schema == nil {
		return domain.Refuse("sqlsource: New", "schema", "none", "a schema: columns, categories and bounds are public inputs")
	}
	if err := s.schema.Validate(); err != nil {
		return err
	}
	if len(table) < 1 || len(table) > 3 {
		return domain.Refuse("sqlsource: New", "table", s.name, "one to three parts: a table, in a schema, in a database")
	}
	var parts []string
	for _, name := range table {
		q, err := s.dialect.quote("table", name)
		if err != nil {
			return err
		}
		parts = append(parts, q)
	}
	s.table = strings.Join(parts, ".")
	for _, c := range s.schema.Columns {
		if _, err := s.dialect.quote("column", c.Name); err != nil {
			return err
		}
	}
	return nil
}

// step is a copy with one thing changed, or an error kept.
func (s *Source) step(do func(*Source) error) *Source {
	c := *s
	if c.err == nil {
		c.err = do(&c)
	}
	return &c
}

// Where keeps the rows with these labels of a column: categories, bins such as "[0, 10)", or the missing category. How
// many there are is private, so only add-remove mechanisms accept what is counted. Error: *frame.ColumnError.
func (s *Source) Where(column string, labels ...string) *Source {
	return s.step(func(c *Source) error {
		col, _, err := c.schema.Column(column)
		if err != nil {
			return err
		}
		f := filter{column: column, step: frame.RowStep{Name: "Where", Column: column}}
		for code, name := range col.Labels() {
			if slices.Contains(labels, name) {
				f.codes, f.step.Labels = append(f.codes, int32(code)), append(f.step.Labels, name)
			}
		}
		if col.Kind == frame.KindSequence || len(f.codes) == 0 || len(f.codes) != len(labels) {
			return &frame.ColumnError{Step: "Where", Column: column, Want: "each of its labels once: " +
				safetext.List(col.Labels(), 12)}
		}
		c.filters = append(slices.Clip(c.filters), f)
		return nil
	})
}

// Present keeps the rows that have a value in a column, as frame.Frame.Present does: how many there are is private.
// Errors: those of frame.Schema.Present.
func (s *Source) Present(column string) *Source {
	return s.step(func(c *Source) (err error) {
		if c.schema, err = c.schema.Present(column); err != nil {
			c.schema = s.schema
			return err
		}
		f := filter{column: column, step: frame.RowStep{Name: "Present", Column: column}}
		col, _, _ := c.schema.Column(column)
		for code := range int32(col.Levels()) {
			f.codes = append(f.codes, code)
		}
		c.filters = append(slices.Clip(c.filters), f)
		return nil
	})
}

// WithGroups sets the most groups of equal rows that the database may send for one table of a model, 2^20 by default.
// SQLite, which sorts rows to group them and sends none over a wire, groups only after it: see Statistics.
func (s *Source) WithGroups(most int) *Source {
	return s.step(func(c *Source) error {
		if most < 1 {
			return domain.Refuse("sqlsource: WithGroups", "most", most, "at least 1")
		}
		c.limit, c.grouped = most, true
		return nil
	})
}

// ByRows reads rows one by one in place of grouping them in the database: slower, and with no limit on the number of
// different values.
func (s *Source) ByRows() *Source {
	return s.step(func(c *Source) error { c.byRows = true; return nil })
}

// Snapshot begins one transaction that all later readings of the returned source share: they see the rows as they are
// now, whatever others write, so that the number of rows stays that of the tables. close ends it. A source without it
// reads each time in a transaction of its own, and refuses what does not add up. Errors: those of Size.
func (s *Source) Snapshot(ctx context.Context) (snap *Source, closeIt func() error, err error) {
	if s.err != nil {
		return nil, nil, s.err
	}
	t, err := s.begin(context.WithoutCancel(ctx))
	if err != nil {
		return nil, nil, err
	}
	c := *s
	c.held = &held{t: t}
	if err := c.within(ctx, func(*reader) error { return nil }); err != nil { // the first query fixes what is seen
		t.drop()
		return nil, nil, err
	}
	return &c, func() error {
		c.held.mu.Lock()
		defer c.held.mu.Unlock()
		defer t.drop()
		return s.end(context.WithoutCancel(ctx), t)
	}, nil
}

// Named gives the table another public name in errors and selections, such as the files behind a view.
func (s *Source) Named(name string) *Source {
	return s.step(func(c *Source) error { c.name = name; return nil })
}

// Checked has a function asked before and after every reading whether the table is still the same, such as files behind
// a view. Its errors are passed on, so they must be public.
func (s *Source) Checked(check func(context.Context) error) *Source {
	return s.step(func(c *Source) error { c.same = check; return nil })
}

// Copy is a faster way to read rows than database/sql has: it runs a query on the driver's own connection and gives
// the texts of every row, nil where one is null, valid until the function returns. It returns the function's error, or
// the driver's, which is not shown.
type Copy func(ctx context.Context, conn *sql.Conn, query string, columns int, row func(fields [][]byte) error) error

// WithCopy reads row by row, by another way than database/sql.
func (s *Source) WithCopy(by Copy) *Source {
	return s.step(func(c *Source) error { c.copy, c.byRows = by, true; return nil })
}

// Part is the source of a part of the rows, by a key column of the table, which need not be in the schema: see
// source.Part. It is what SplitByKey of a chain asks for. Error: *dp.ParameterError for a name that no column can have.
func (s *Source) Part(p source.Part) (source.Source, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.part != nil {
		return nil, domain.Refuse("sqlsource: Part", "part", p.Step().String(), "one division of a table")
	}
	if _, err := s.dialect.quote("column", p.Column); err != nil {
		return nil, err
	}
	c := *s
	c.part = &p
	return &c, nil
}

// GroupsError says that grouping gave more groups than a source takes, as a column of numbers with many different
// values does. That there are more is all that it tells of the data.
type GroupsError struct {
	Table   string
	Columns []string
	Limit   int
}

func (e *GroupsError) Error() string {
	return fmt.Sprintf("source %s: more than %d groups of equal rows in %s; want ByRows, which reads rows one by one, "+
		"or a larger limit in WithGroups", safetext.File(e.Table), e.Limit, safetext.List(e.Columns, 12))
}

// Steps that a database is asked for, as errors name them.
const (
	beginning  = "beginning a snapshot"
	describing = "describing the table"
	counting   = "counting the rows"
	grouping   = "grouping the rows by"
	reading    = "reading the rows of"
	ending     = "ending the snapshot"
)

// withheld ends what a Failure wants: its cause is not to be found in it.
const withheld = " (the driver's own words are withheld, since they may quote values: run the query as the data holder)"

var wants = map[string]string{
	beginning:  "a database that answers",
	describing: "a table or view of that name that may be read",
	counting:   "a table that can be read to its end" + withheld,
	grouping:   "a table that can be read to its end" + withheld,
	reading:    "a table that can be read to its end" + withheld,
	ending:     "a connection that lasts as long as the reading",
}

// failure is the public side of a driver's error, which is dropped: *source.Failure, or the context's own error.
func (s *Source) failure(ctx context.Context, step string, columns []string, err error) error {
	if ctx.Err() != nil {
		return s.stopped(ctx)
	}
	f := &source.Failure{Source: s.name, Doing: step, Want: wants[step]}
	if len(columns) > 0 {
		f.Doing += " " + safetext.List(columns, 12)
	}
	if why, row := why(err); why != "" && (row || step == beginning || step == describing) {
		f.Want = strings.TrimSuffix(f.Want, withheld) + ": " + why
	}
	return f
}

// stopped says that a context ended. Its cause is the context's, not the driver's.
func (s *Source) stopped(ctx context.Context) error {
	return fmt.Errorf("source %s: reading stopped: %w", safetext.File(s.name), ctx.Err())
}

// guard turns a panic of a driver, whose text may hold values as well, into a public error. The transaction is left as
// it is: database/sql may hold locks of it, and ending it would wait for ever.
func (s *Source) guard(t *transaction, step string, columns []string, err *error) {
	if recover() == nil {
		return
	}
	if t != nil {
		t.broken = true
	}
	*err = s.failure(context.Background(), step, columns, nil)
}

// states are SQLSTATE codes of PostgreSQL that say why a table cannot even be described. They are fixed words about
// names and rights, of steps that read no row.
var states = map[string]string{
	"42P01": "there is no such table", "3F000": "there is no such schema", "3D000": "there is no such database",
	"42501": "this user may not read it", "28000": "this user may not connect", "28P01": "the password is wrong",
	"53300": "it has too many connections", "57P03": "it is starting up",
}

// ends are SQLSTATE codes of a server that ends a statement or a connection for reasons of its own, whatever the rows.
var ends = map[string]string{
	"57014": "the server cancelled the statement, by its statement_timeout or because somebody asked it to",
	"57P01": "the server ended the connection, because an administrator asked it to", "57P02": "the server crashed",
	"57P05": "the server ended the connection, which was idle too long", "53100": "the server's disk is full",
	"53200": "the server is out of memory", "40001": "others changed the table; try again",
	"25P03": "the server ended the transaction, which was idle too long", "25P04": "the server's transaction_timeout",
}

// lost is what a connection's end looks like where the server could not say why.
const lost = "the connection was lost"

// why is the reason of a failure, where it is one of states, ends, or a lost connection. always tells that it may be
// said of any step.
func why(err error) (text string, always bool) {
	var e interface{ SQLState() string }
	var network net.Error
	switch {
	case err == nil:
		return "", false
	case errors.As(err, &e):
		if text, always = ends[e.SQLState()]; !always {
			text = states[e.SQLState()]
		}
		return text, always
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.As(err, &network):
		return lost, true
	}
	return "", false
}
