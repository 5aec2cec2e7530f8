// Package pgsource reads a table of PostgreSQL by COPY, in one pass whatever the model: a source of private releases
// for wide models, where grouping in the database, as package sqlsource does, would group by every pair of columns.
//
// Rows travel in COPY's text format inside a read-only transaction with isolation level REPEATABLE READ, and each is
// encoded and counted as it comes: the memory does not grow with the table. See package sqlsource for what the table
// must have, for filters and snapshots, and for what errors say.
package pgsource

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5/stdlib"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// New is the source of a table or view, named by the parts of its name: New(db, schema, "public", "adult"). The
// database must be opened with the driver of pgx: sql.Open("pgx", url), or stdlib.OpenDB. Errors are those of
// sqlsource.Source.
func New(db *sql.DB, s *frame.Schema, table ...string) *sqlsource.Source {
	return sqlsource.New(db, sqlsource.PostgreSQL, s, table...).WithCopy(copyRows)
}

// errDriver says that a database was not opened with pgx, or sends what it should not. It is not shown.
var errDriver = errors.New("pgsource: not a connection of pgx")

// copyRows is a sqlsource.Copy.
func copyRows(ctx context.Context, conn *sql.Conn, query string, columns int, row func(fields [][]byte) error) error {
	return conn.Raw(func(driver any) error {
		c, ok := driver.(*stdlib.Conn)
		if !ok {
			return errDriver
		}
		w := newLines(columns, row)
		if _, err := c.Conn().PgConn().CopyTo(ctx, w, "COPY ("+query+") TO STDOUT"); err != nil {
			return err
		}
		if len(w.rest) > 0 {
			return errDriver
		}
		return nil
	})
}

// lines cuts the text format of COPY into rows and fields: tabs between fields, a newline at the end, \N for null, and
// a backslash before what would be taken for one of these.
type lines struct {
	row     func(fields [][]byte) error
	fields  [][]byte
	rest    []byte // of a line that goes on in the next message
	scratch []byte // unescaped fields
}

func newLines(columns int, row func(fields [][]byte) error) *lines {
	// A scratch that is not nil: an empty field is no null.
	return &lines{row: row, fields: make([][]byte, columns), scratch: make([]byte, 0, 256)}
}

// Write takes what a message of the server holds: mostly one row, but nothing promises it.
func (l *lines) Write(p []byte) (int, error) {
	n := len(p)
	if len(l.rest) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.rest = append(l.rest, p...)
			return n, nil
		}
		l.rest = append(l.rest, p[:end+1]...)
		p = p[end+1:]
		if err := l.line(l.rest[:len(l.rest)-1]); err != nil {
			return 0, err
		}
		l.rest = l.rest[:0]
	}
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.rest = append(l.rest, p...)
			break
		}
		if err := l.line(p[:end]); err != nil {
			return 0, err
		}
		p = p[end+1:]
	}
	return n, nil
}

func (l *lines) line(b []byte) error {
	l.scratch = l.scratch[:0]
	escaped := bytes.IndexByte(b, '\\') >= 0
	for i := range l.fields {
		end := len(b)
		if i+1 < len(l.fields) {
			if end = bytes.IndexByte(b, '\t'); end < 0 {
				return errDriver
			}
		} else if bytes.IndexByte(b, '\t') >= 0 {
			return errDriver
		}
		field := b[:end]
		if escaped {
			var err error
			if field, err = l.unescape(field); err != nil {
				return err
			}
		}
		l.fields[i] = field
		if end < len(b) {
			end++
		}
		b = b[end:]
	}
	return l.row(l.fields)
}

// escapes are the letters behind a backslash that are not themselves.
var escapes = [256]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// unescape gives a field back as it was; nil for null. Fields keep their places: the scratch only grows within a line.
func (l *lines) unescape(b []byte) ([]byte, error) {
	if len(b) == 2 && b[0] == '\\' && b[1] == 'N' {
		return nil, nil
	}
	start := len(l.scratch)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '\\' {
			if i++; i == len(b) {
				return nil, errDriver
			}
			if c = b[i]; escapes[c] != 0 {
				c = escapes[c]
			}
		}
		l.scratch = append(l.scratch, c)
	}
	return l.scratch[start:len(l.scratch):len(l.scratch)], nil
}
