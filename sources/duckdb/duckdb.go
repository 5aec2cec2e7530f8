// Package duckdb reads Parquet, CSV and DuckDB's own files through DuckDB, in this process: a source of private
// releases for files that are larger than the memory, and for files elsewhere.
//
// The database groups raw texts, and each group is encoded by the schema in Go: see package sqlsource, which also says
// what filters and errors do. Nothing is written, and nothing is fetched that was not asked for: DuckDB would download
// an extension when a file needs one, and here it may not. For files behind http or s3 load the extension httpfs from
// the disk with [WithStatement].
//
// DuckDB is a C++ library: this module needs cgo.
package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"

	_ "github.com/duckdb/duckdb-go/v2" // the driver

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
)

// DB is a DuckDB without a file of its own, through which files are read. Close it when its sources are done with.
type DB struct {
	db *sql.DB
	mu sync.Mutex
	n  int // views and attached files so far, which number their names
}

// Option sets what a DB may use.
type Option func(*options)

type options struct {
	settings   []setting
	statements []string
}

type setting struct{ name, value string }

// WithThreads bounds the number of threads; one for every core by default.
func WithThreads(n int) Option {
	return func(o *options) { o.settings = append(o.settings, setting{"threads", fmt.Sprint(n)}) }
}

// WithMemory bounds the memory, as DuckDB writes it: "4GB"; four fifths of the machine's by default.
func WithMemory(size string) Option {
	return func(o *options) { o.settings = append(o.settings, setting{"memory_limit", size}) }
}

// WithStatement runs a statement of the caller's once, before any file is read: LOAD of an extension from the disk, or
// CREATE SECRET for files elsewhere. Statements run in their order, without a right to download extensions by
// themselves.
func WithStatement(sql string) Option {
	return func(o *options) { o.statements = append(o.statements, sql) }
}

// Open starts DuckDB. Errors: *source.Failure, which names the option that failed, and no more: a statement may hold a
// password.
func Open(ctx context.Context, opts ...Option) (*DB, error) {
	var o options
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, &source.Failure{Source: "DuckDB", Doing: "starting", Want: "a build with cgo"}
	}
	d := &DB{db: db}
	run := func(doing, statement string) error { return d.exec(ctx, "DuckDB", doing, statement) }
	// No extension by itself, no file in the home directory, no progress on the terminal. Nothing of files is kept from
	// one reading to the next: DuckDB takes a file for the same whose time did not change, though its length did.
	for _, s := range append([]setting{{"autoinstall_known_extensions", "false"}, {"autoload_known_extensions", "false"},
		{"allow_community_extensions", "false"}, {"enable_external_file_cache", "false"}}, o.settings...) {
		if err := run("setting "+s.name, fmt.Sprintf("SET %s = %s", s.name, text(s.value))); err != nil {
			_ = db.Close()
			return nil, err
		}
	}
	for i, s := range o.statements {
		if err := run(fmt.Sprintf("statement %d of WithStatement", i+1), s); err != nil {
			_ = db.Close()
			return nil, err
		}
	}
	if err := run("locking the configuration", "SET lock_configuration = true"); err != nil {
		_ = db.Close()
		return nil, err
	}
	return d, nil
}

// Close ends the database. Sources made from it fail afterwards.
func (d *DB) Close() error {
	if d.db.Close() != nil {
		return &source.Failure{Source: "DuckDB", Doing: "closing"}
	}
	return nil
}

// Parquet is the source of Parquet files, given by paths or patterns such as "visits/*.parquet" or
// "visits/**/*.parquet": columns are matched by name, and folders such as "year=2024" are columns too. The files are
// found now, and pinned: one that is changed before a reading ends is refused. A path with "://" is passed to DuckDB as
// it is, and neither found nor pinned. Errors: *frame.FileError for a pattern without a file, or one file twice;
// *source.Failure.
func (d *DB) Parquet(ctx context.Context, s *frame.Schema, patterns ...string) (*sqlsource.Source, error) {
	return d.files(ctx, s, patterns, func([]string) string {
		return "read_parquet(%s, union_by_name = true, hive_types_autocast = false)"
	}, func(path string) ([]string, error) { return d.footerNames(ctx, path) })
}

// CSV is the source of plain CSV files with the schema's separator. Fields are texts as they stand in the file, so that
// the schema decides what is missing. DuckDB reads compressed text that is cut off or damaged without a word, as far as
// it gets, so compressed files are refused: source.Files reads CSV.gz, and checks its end, length and checksum.
//
// Errors: those of Parquet; *frame.FileError for a compressed file; *frame.SchemaError for a format that this reading
// has not: another encoding than UTF-8, a decimal comma, marks for thousands, blanks to leave out, marks between quotes
// that are values.
func (d *DB) CSV(ctx context.Context, s *frame.Schema, patterns ...string) (*sqlsource.Source, error) {
	separator := ","
	if s != nil {
		for _, c := range s.Columns {
			if c.QuotedMissing == frame.QuotedIsValue {
				return nil, &frame.SchemaError{Column: c.Name, Field: "quoted_missing", Value: c.QuotedMissing,
					Want: `"missing", since DuckDB does not tell texts between quotes from others`}
			}
		}
		if f := s.Format; f != nil {
			if f.Separator != "" {
				separator = f.Separator
			}
			if f.Decimal == "," {
				return nil, &frame.SchemaError{Field: "format.decimal", Value: f.Decimal, Want: "a point"}
			}
			if f.Thousands != "" {
				return nil, &frame.SchemaError{Field: "format.thousands", Value: strconv.Quote(f.Thousands), Want: "none; " +
					"source.Files reads such numbers"}
			}
			if f.Trim {
				return nil, &frame.SchemaError{Field: "format.trim", Value: "true", Want: "false; source.Files leaves blanks out"}
			}
			if f.Encoding != "" && f.Encoding != frame.UTF8 {
				return nil, &frame.SchemaError{Field: "format.encoding", Value: string(f.Encoding), Want: "utf-8"}
			}
		}
	}
	// Nothing is guessed, no file is taken for compressed by its name, and no text is null: one of two control
	// characters, which no category may have, stands for it. DuckDB leaves empty lines out, unless the files have one
	// column and an empty text is null.
	read := func(options string) string {
		return "read_csv(%s, union_by_name = true, hive_types_autocast = false, " + options +
			", all_varchar = true, compression = 'none', delim = " + text(separator) +
			`, quote = '"', escape = '"', allow_quoted_nulls = false, comment = '', skip = 0, ignore_errors = false, ` +
			"null_padding = false, strict_mode = true)"
	}
	const plain = "nullstr = '\x01\x02'"
	whole := func(names []string) string {
		if len(names) == 1 {
			if c, err := frame.NewCoder(access.Mine(), s, names[0]); err == nil && c.ReadsEmpty() {
				return read("header = true, nullstr = ['\x01\x02', ''], force_not_null = [" + text(names[0]) + "]")
			}
		}
		return read("header = true, " + plain)
	}
	return d.files(ctx, s, patterns, whole, func(path string) ([]string, error) {
		if found := compressed(path); found != "" {
			return nil, &frame.FileError{File: path, Found: found, Want: "plain text, since DuckDB reads compressed text " +
				"that is cut off or damaged as far as it gets; source.Files reads CSV.gz and checks that it is whole"}
		}
		return d.headerNames(ctx, path, read("header = false, "+plain))
	})
}

// Table is the source of a table or view in a DuckDB file, which is opened for reading only. The table is named by the
// parts of its name: Table(ctx, schema, "hospital.duckdb", "main", "visits"). For a database that this process has open
// already use sqlsource.New. Errors: *frame.FileError, *source.Failure.
func (d *DB) Table(ctx context.Context, s *frame.Schema, path string, table ...string) (*sqlsource.Source, error) {
	pins, err := pin([]string{path})
	if err != nil {
		return nil, err
	}
	name := d.next("file")
	if err := d.exec(ctx, path, "opening", fmt.Sprintf(`ATTACH %s AS %s (READ_ONLY)`, text(path), name)); err != nil {
		return nil, err
	}
	if len(table) == 1 {
		table = []string{"main", table[0]}
	}
	return sqlsource.New(d.db, sqlsource.DuckDB, s, append([]string{name}, table...)...).
		Named(path + ": " + strings.Join(table, ".")).Checked(pins.check), nil
}

// files makes a view of files, and a source of the view: reads is the call that reads them, by the names of the first
// one's columns. names are those of a file's columns, or why it is not read: the view would have a name that stands
// there twice once as it is, and once with a number, and nulls for one that a file has not.
func (d *DB) files(ctx context.Context, s *frame.Schema, patterns []string, reads func(names []string) string,
	names func(path string) ([]string, error)) (*sqlsource.Source, error) {
	if len(patterns) == 0 {
		return nil, domain.Refuse("duckdb", "patterns", "none", "at least one file or pattern")
	}
	paths, err := find(patterns)
	if err != nil {
		return nil, err
	}
	pins, err := pin(paths)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(paths))
	var first []string
	for i, p := range paths {
		list[i] = quotedPath(p)
		have, err := names(p)
		if err == nil {
			err = eachOnce(s, p, have)
		}
		if i == 0 {
			first = have
		}
		if err != nil {
			return nil, err
		}
	}
	view, name := d.next("view"), strings.Join(patterns, ", ")
	err = d.exec(ctx, name, "opening", "CREATE VIEW "+view+" AS SELECT * FROM "+
		fmt.Sprintf(reads(first), "["+strings.Join(list, ", ")+"]"))
	if err != nil {
		return nil, err
	}
	return sqlsource.New(d.db, sqlsource.DuckDB, s, view).Named(name).Checked(pins.check), nil
}

// marks takes their meaning from the marks of a pattern: the files are found already.
var marks = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// exec runs one statement. What the driver says is dropped: it quotes what it reads.
func (d *DB) exec(ctx context.Context, name, doing, statement string) error {
	if _, err := d.db.ExecContext(ctx, statement); err != nil {
		return failed(ctx, name, doing)
	}
	return nil
}

// failed says what was being done.
func failed(ctx context.Context, name, doing string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("source %s: %s stopped: %w", safetext.File(name), doing, ctx.Err())
	}
	want := "what DuckDB can read and use"
	if elsewhere(name) || doing != "opening" {
		want += "; an extension that it needs must be loaded from the disk by WithStatement"
	}
	return &source.Failure{Source: name, Doing: doing, Want: want}
}

func (d *DB) next(what string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.n++
	return fmt.Sprintf("%s%d", what, d.n)
}

// text writes a text in SQL.
func text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
