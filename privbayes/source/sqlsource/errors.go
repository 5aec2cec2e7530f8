package sqlsource

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

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
