package sqlsource

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// reader is one transaction, with what the database says of the table.
type reader struct {
	layout
	src   *Source
	ctx   context.Context
	total int64 // rows that were read, before filters
	*transaction
}

// transaction is a transaction with the connection that it is on.
type transaction struct {
	conn   *sql.Conn
	tx     *sql.Tx
	broken bool // by a panic of the driver
}

// begin starts a transaction in which every query sees the same rows. PostgreSQL's default would give every statement
// a snapshot of its own; DuckDB and SQLite have no other kind of transaction, and DuckDB's driver takes no options.
func (s *Source) begin(ctx context.Context) (t *transaction, err error) {
	t = &transaction{}
	defer s.guard(t, beginning, nil, &err)
	options := &sql.TxOptions{ReadOnly: true}
	switch s.dialect {
	case PostgreSQL:
		options.Isolation = sql.LevelRepeatableRead
	case DuckDB:
		options = nil
	}
	if t.conn, err = s.db.Conn(ctx); err != nil {
		return nil, s.failure(ctx, beginning, nil, err)
	}
	if t.tx, err = t.conn.BeginTx(ctx, options); err != nil {
		t.drop()
		return nil, s.failure(ctx, beginning, nil, err)
	}
	for _, q := range s.dialect.settings() {
		if _, err := t.tx.ExecContext(ctx, q); err != nil {
			t.drop()
			return nil, s.failure(ctx, beginning, nil, err)
		}
	}
	return t, nil
}

// drop ends a transaction that changed nothing, and gives its connection back: what the driver says of it does not
// matter. After a commit it only gives the connection back.
func (t *transaction) drop() {
	defer func() { _ = recover() }()
	if t.broken {
		return
	}
	if t.conn != nil {
		defer func() { _ = t.conn.Close() }()
	}
	if t.tx != nil {
		_ = t.tx.Rollback()
	}
}

// within reads in one transaction: the source's own if it holds one, else a new one.
func (s *Source) within(ctx context.Context, do func(*reader) error) (err error) {
	if s.err != nil {
		return s.err
	}
	if ctx.Err() != nil {
		return s.stopped(ctx)
	}
	if err := s.unchanged(ctx); err != nil {
		return err
	}
	var t *transaction
	if s.held != nil {
		s.held.mu.Lock()
		defer s.held.mu.Unlock()
		t = s.held.t
	} else {
		if t, err = s.begin(ctx); err != nil {
			return err
		}
		defer t.drop()
	}
	r := &reader{layout: layout{dialect: s.dialect, table: s.table}, src: s, ctx: ctx, transaction: t}
	if err := r.describe(); err != nil {
		return err
	}
	if err := do(r); err != nil {
		return err
	}
	if s.held == nil {
		if err := s.end(ctx, t); err != nil {
			return err
		}
	}
	return s.unchanged(ctx)
}

// unchanged asks whether the table is still the same, where somebody knows.
func (s *Source) unchanged(ctx context.Context) error {
	if s.same == nil {
		return nil
	}
	return s.same(ctx)
}

func (s *Source) end(ctx context.Context, t *transaction) (err error) {
	defer s.guard(t, ending, nil, &err)
	if t.broken {
		return s.failure(ctx, ending, nil, nil)
	}
	if err := t.tx.Commit(); err != nil {
		return s.failure(ctx, ending, nil, err)
	}
	return nil
}

// describe finds the columns of the schema among those of the table, by their exact names: DuckDB and SQLite would take
// "Age" for "age", and SQLite any name in quotes that it does not know for a text.
func (r *reader) describe() error {
	s := r.src
	have, types, err := r.columns()
	if err != nil {
		return err
	}
	quoted := func(name string) (string, string, error) {
		at := slices.Index(have, name)
		if at < 0 {
			return "", "", &frame.ColumnError{Step: "table " + s.name, Column: name, Have: have}
		}
		q, err := s.dialect.quote("column", name)
		return q, types[at], err
	}
	for _, c := range s.schema.Columns {
		name, typ, err := quoted(c.Name)
		if err != nil {
			return err
		}
		r.names, r.types = append(r.names, name), append(r.types, typ)
		if k := s.dialect.kind(typ); k == asZoned || k == asTime && c.Date == "" {
			return &frame.ColumnError{Step: "table " + s.name, Column: c.Name, Want: "text, numbers, truth values, dates or, " +
				"for a column of dates, times without a zone; the table has " + typ + ": have a view say which day it is"}
		}
	}
	r.all, r.allTypes = r.names, r.types
	known := []string{s.schema.UnitKey}
	if s.schema.UnitKey != "" {
		if r.unit, r.unitType, err = quoted(s.schema.UnitKey); err != nil {
			return err
		}
		for i := range s.schema.Columns {
			c, err := r.cell(i)
			if err != nil {
				return err
			}
			r.nulls = append(r.nulls, string(c.coder.NullText()))
		}
		r.rowsPerUnit = max(s.schema.RowsPerUnit, 1)
	}
	if s.part != nil {
		key, typ, err := quoted(s.part.Column)
		if err != nil {
			return err
		}
		r.layout.part, known = &partOf{*s.part, key, typ}, append(known, s.part.Column)
	}
	for _, name := range have {
		if _, _, err := s.schema.Column(name); err != nil && !s.schema.ExtraColumns && !slices.Contains(known, name) {
			return &frame.ColumnError{Step: "table " + s.name, Column: name, Have: have,
				Want: `a column of the schema, or "extra_columns": true to ignore others`}
		}
	}
	return nil
}

// columns are the names and types of all columns of the table.
func (r *reader) columns() (names, types []string, err error) {
	s := r.src
	if s.dialect == DuckDB {
		if err := r.exists(); err != nil {
			return nil, nil, err
		}
	}
	var args []any
	if s.dialect == PostgreSQL {
		args = []any{s.table}
	}
	err = r.query(describing, nil, s.dialect.describe(s.table), func(rows *sql.Rows) error {
		if s.dialect == PostgreSQL {
			var name, typ string
			for rows.Next() {
				if err := rows.Scan(&name, &typ); err != nil {
					return s.failure(r.ctx, describing, nil, err)
				}
				names, types = append(names, name), append(types, typ)
			}
			return nil
		}
		columns, err := rows.ColumnTypes()
		if err != nil {
			return s.failure(r.ctx, describing, nil, err)
		}
		for _, c := range columns {
			names, types = append(names, c.Name()), append(types, c.DatabaseTypeName())
		}
		for rows.Next() { // to its end, which may be an error
		}
		return nil
	}, args...)
	if err == nil && len(names) == 0 {
		err = s.failure(r.ctx, describing, nil, nil)
	}
	return names, types, err
}

// query runs one statement, has its answer read, and closes it. Whatever the driver says becomes a public error.
func (r *reader) query(step string, columns []string, q string, read func(*sql.Rows) error,
	args ...any) (err error) {
	s := r.src
	defer s.guard(r.transaction, step, columns, &err)
	if r.broken {
		return s.failure(r.ctx, step, columns, nil)
	}
	rows, err := r.tx.QueryContext(r.ctx, q, args...)
	if err != nil {
		return s.failure(r.ctx, step, columns, err)
	}
	defer func() {
		if rows.Close() != nil && err == nil {
			err = s.failure(r.ctx, step, columns, nil)
		}
	}()
	if err := read(rows); err != nil {
		return err
	}
	if e := rows.Err(); e != nil {
		return s.failure(r.ctx, step, columns, e)
	}
	return nil
}

// exists refuses names that are no table or view of DuckDB, which reads a file for a table that is named like one.
func (r *reader) exists() error {
	var n int64
	s := r.src
	where, args := "lower(table_name) = lower($1)", []any{s.parts[len(s.parts)-1]}
	if len(s.parts) > 1 {
		where += " AND lower($2) IN (lower(table_schema), lower(table_catalog))"
		args = append(args, s.parts[len(s.parts)-2])
	}
	err := r.query(describing, nil, "SELECT COUNT(*) FROM information_schema.tables WHERE "+where,
		func(rows *sql.Rows) error { return r.scan(rows, describing, nil, &n) }, args...)
	if err == nil && n == 0 {
		err = s.failure(r.ctx, describing, nil, nil)
	}
	return err
}

// scan reads an answer of one row.
func (r *reader) scan(rows *sql.Rows, step string, columns []string, into ...any) error {
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return r.src.failure(r.ctx, step, columns, err)
		}
	}
	return nil
}

// cell takes the values of one column as a driver gives them, and encodes them as reading a file does. As a sql.Scanner
// it gets them before database/sql would put them into an error, and never returns one.
type cell struct {
	coder   *frame.Coder // nil of a key that is no column of the schema
	kind    kind
	date    *frame.Column // of a column of dates
	scratch []byte
	// of the last value
	code  int32
	value float64
	ok    bool // it fits the column
}

// Scan implements sql.Scanner.
func (c *cell) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		c.code, c.value, c.ok = c.coder.Null()
	case string:
		c.scratch = append(c.scratch[:0], v...)
		c.text(c.scratch)
	case []byte:
		c.scratch = append(c.scratch[:0], v...)
		c.text(c.scratch)
	case int64:
		c.code, c.value, c.ok = c.coder.Whole(v)
	case int32:
		c.code, c.value, c.ok = c.coder.Whole(int64(v))
	case int16:
		c.code, c.value, c.ok = c.coder.Whole(int64(v))
	case int8:
		c.code, c.value, c.ok = c.coder.Whole(int64(v))
	case float64:
		c.code, c.value, c.ok = c.coder.Number(v)
	case bool:
		c.code, c.value, c.ok = c.coder.Truth(v)
	default:
		c.ok = false
	}
	return nil
}

// text encodes the text that a database writes for a value.
func (c *cell) text(b []byte) {
	if c.kind == asText {
		c.code, c.value, c.ok = c.coder.Text(b)
		return
	}
	switch v := c.kind.value(b).(type) {
	case nil:
		c.code, c.value, c.ok = c.coder.Null()
	case float64:
		c.code, c.value, c.ok = c.coder.Number(v)
	case bool:
		c.code, c.value, c.ok = c.coder.Truth(v)
	case time.Time:
		if c.date != nil {
			c.code, c.value, c.ok = c.coder.Time(v)
			break
		}
		c.code, c.value, c.ok = c.coder.Text(b) // a day; times are refused before
	default:
		c.code, c.value, c.ok = c.coder.Text(b)
	}
}

// file is the text that a plain CSV file would have for a value, appended to b: what frame.UnitCap hashes. A key that
// is not there has none.
func (c *cell) file(b []byte, src any) []byte {
	switch v := src.(type) {
	case string:
		return c.file(b, []byte(v))
	case []byte:
		if src = c.kind.value(v); src == nil || c.kind.typed() {
			break
		}
		return append(b, v...)
	case int32:
		src = int64(v)
	case int16:
		src = int64(v)
	case int8:
		src = int64(v)
	}
	switch v := src.(type) {
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		if !math.IsNaN(v) {
			return strconv.AppendFloat(b, v+0, 'f', -1, 64)
		}
	case bool:
		return append(b, c.coder.TruthText(v)...)
	case time.Time:
		if c.date != nil {
			return v.AppendFormat(b, c.date.Date)
		}
		return v.AppendFormat(b, time.DateOnly)
	}
	if c.coder == nil {
		return b
	}
	return append(b, c.coder.NullText()...)
}

// kind is what the text of a database's value stands for.
type kind int

const (
	asText  kind = iota
	asReal       // a number in floating point
	asExact      // a number with all its digits, which PostgreSQL lets be none
	asTruth
	asDay
	asTime  // without a zone
	asZoned // a moment
)

// kinds are those of types, as drivers name them. SQLite has values of a type and no columns of one.
var kinds = map[string]kind{
	"FLOAT4": asReal, "FLOAT8": asReal, "FLOAT": asReal, "DOUBLE": asReal, "REAL": asReal, "NUMERIC": asExact,
	"BOOL": asTruth, "BOOLEAN": asTruth, "DATE": asDay, "TIMESTAMP": asTime, "TIMESTAMP_S": asTime, "TIMESTAMP_MS": asTime,
	"TIMESTAMP_NS": asTime, "TIMESTAMPTZ": asZoned,
}

func (d Dialect) kind(typ string) kind {
	if d == SQLite {
		return asText
	}
	return kinds[typ]
}

// typed reports whether the text that a database writes is not always the one that a file would have.
func (k kind) typed() bool { return !slices.Contains([]kind{asText, asExact}, k) }

// value is what a text stands for: nil for a number that is none, a float64, a bool, a time.Time, or the text itself.
func (k kind) value(text []byte) any {
	switch k {
	case asReal, asExact:
		x, err := strconv.ParseFloat(string(text), 64)
		switch {
		case err == nil && math.IsNaN(x):
			return nil
		case err == nil && (k == asReal || math.IsInf(x, 0)):
			return x
		}
	case asTruth:
		return string(text) == "true"
	case asDay, asTime:
		layout := time.DateOnly
		if k == asTime {
			layout = time.DateTime
		}
		if t, err := time.Parse(layout, string(text)); err == nil {
			return t
		}
	}
	return text
}

// blockRows is how many rows are encoded before they are added up.
const blockRows = 1 << 12

// rowByRow reads every row of the columns of a shape.
func (r *reader) rowByRow(sh *model.Shape, p *plan, tally *model.Tally) error {
	cells, err := r.cells(p)
	if err != nil {
		return err
	}
	into, all := make([]any, len(cells)), make([]int, len(cells))
	for i, c := range cells {
		into[i], all[i] = c, i
	}
	b := newBlock(sh)
	encoded := func() error {
		for _, c := range cells {
			if !c.ok {
				return c.coder.Refusal(r.src.name)
			}
		}
		if r.total++; !r.src.keeps(p, cells) {
			return nil
		}
		if b.add(cells); b.n == blockRows {
			return b.flush(tally)
		}
		return nil
	}
	q := r.layout.of(p).rows(all)
	if r.src.copy != nil {
		err = r.copied(q, p.names, cells, encoded)
	} else {
		err = r.query(reading, p.names, q, func(rows *sql.Rows) error {
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return r.src.failure(r.ctx, reading, p.names, err)
				}
				if err := encoded(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return b.flush(tally)
}

// copied reads rows by the source's other way.
func (r *reader) copied(q string, names []string, cells []*cell, encoded func() error) (err error) {
	defer r.src.guard(r.transaction, reading, names, &err)
	var own error
	err = r.src.copy(r.ctx, r.conn, q, len(cells), func(fields [][]byte) error {
		for i, c := range cells {
			if fields[i] == nil {
				c.code, c.value, c.ok = c.coder.Null()
			} else {
				c.text(fields[i])
			}
		}
		own = encoded()
		return own
	})
	if own == nil && err != nil {
		return r.src.failure(r.ctx, reading, names, err)
	}
	return own
}

// block holds encoded rows of the columns of a shape, which come first among the cells.
type block struct {
	n      int
	codes  []frame.Codes
	values [][]float64
}

func newBlock(sh *model.Shape) *block {
	b := &block{}
	for _, c := range sh.Columns() {
		k := frame.Codes{Levels: c.Levels()}
		if k.Levels > 256 {
			k.U16 = make([]uint16, 0, blockRows)
		} else {
			k.U8 = make([]uint8, 0, blockRows)
		}
		b.codes, b.values = append(b.codes, k), append(b.values, make([]float64, 0, blockRows))
	}
	return b
}

func (b *block) add(cells []*cell) {
	b.n++
	for i := range b.codes {
		k := &b.codes[i]
		if k.U16 != nil {
			k.U16 = append(k.U16, uint16(cells[i].code))
		} else {
			k.U8 = append(k.U8, uint8(cells[i].code))
		}
		b.values[i] = append(b.values[i], cells[i].value)
	}
}

func (b *block) flush(tally *model.Tally) error {
	if err := tally.Block(b.n, b.codes, b.values); err != nil {
		return err
	}
	b.n = 0
	for i := range b.codes {
		k := &b.codes[i]
		k.U8, k.U16, b.values[i] = k.U8[:0], k.U16[:0], b.values[i][:0]
	}
	return nil
}
