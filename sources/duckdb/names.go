package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// compressions are what CSV files are compressed with: the bytes they begin with, and how their names end.
var compressions = []struct{ name, start, end string }{
	{"gzip data", "\x1f\x8b", ".gz"},
	{"zstd data", "\x28\xb5\x2f\xfd", ".zst"},
	{"bzip2 data", "BZh", ".bz2"},
	{"xz data", "\xfd7zXZ\x00", ".xz"},
}

// compressed is what a file is compressed with, "" if nothing: by its first bytes, or by its name where it is
// elsewhere.
func compressed(path string) string {
	var head [8]byte
	n := 0
	if f, err := os.Open(path); err == nil && !elsewhere(path) {
		n, _ = io.ReadFull(f, head[:])
		_ = f.Close()
	}
	for _, c := range compressions {
		named := elsewhere(path) && strings.HasSuffix(strings.ToLower(path), c.end)
		if named || strings.HasPrefix(string(head[:n]), c.start) {
			return c.name
		}
	}
	return ""
}

// headerNames are the fields of the first line of a CSV file, by a call of read_csv that takes no line for a header.
func (d *DB) headerNames(ctx context.Context, path, reads string) (names []string, err error) {
	err = d.ask(ctx, path, "SELECT * FROM "+fmt.Sprintf(reads, "["+quotedPath(path)+"]")+" LIMIT 1",
		func(rows *sql.Rows) error {
			columns, err := rows.Columns()
			if err != nil {
				return err
			}
			fields, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
			for i := range fields {
				into[i] = &fields[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			for _, f := range fields {
				names = append(names, f.String)
			}
			return nil
		})
	return names, err
}

// footerNames are the columns of a Parquet file; those within columns that are nested have no name here.
func (d *DB) footerNames(ctx context.Context, path string) (names []string, err error) {
	var open []int64 // children that are still to come of the elements above
	err = d.ask(ctx, path, "SELECT name, COALESCE(num_children, 0) FROM parquet_schema("+quotedPath(path)+")",
		func(rows *sql.Rows) error {
			var name string
			var children int64
			if err := rows.Scan(&name, &children); err != nil {
				return err
			}
			if len(open) == 1 {
				names = append(names, name)
			}
			if len(open) > 0 {
				open[len(open)-1]--
			}
			open = append(open, children)
			for len(open) > 1 && open[len(open)-1] == 0 {
				open = open[:len(open)-1]
			}
			return nil
		})
	return names, err
}

// ask reads the answer of a statement about a file, row by row.
func (d *DB) ask(ctx context.Context, path, statement string, row func(*sql.Rows) error) error {
	rows, err := d.db.QueryContext(ctx, statement)
	if err != nil {
		return failed(ctx, path, "opening")
	}
	defer rows.Close()
	for rows.Next() {
		if row(rows) != nil {
			return failed(ctx, path, "opening")
		}
	}
	if rows.Err() != nil {
		return failed(ctx, path, "opening")
	}
	return nil
}

// eachOnce refuses a file that has not every column of the schema, and the key of its units, exactly once: in itself or
// in the name of a folder such as year=2024.
func eachOnce(s *frame.Schema, path string, names []string) error {
	if s == nil {
		return nil // refused when it is read
	}
	folders := strings.Split(filepath.ToSlash(path), "/")
	for _, folder := range folders[:len(folders)-1] {
		if name, _, found := strings.Cut(folder, "="); found {
			names = append(slices.Clip(names), name)
		}
	}
	columns := s.Names()
	if s.UnitKey != "" {
		columns = append(columns, s.UnitKey)
	}
	for _, name := range columns {
		at := slices.Index(names, name)
		switch {
		case at < 0:
			return &frame.ColumnError{Step: "header of " + path, Column: name, Have: names}
		case slices.Contains(names[at+1:], name):
			return &frame.ColumnError{Step: "header of " + path, Column: name, Have: names,
				Want: "it once; the file and the names of its folders have it twice"}
		}
	}
	return nil
}

// quotedPath writes a path in SQL as the name of one file.
func quotedPath(path string) string {
	if elsewhere(path) {
		return text(path)
	}
	return text(marks.Replace(path))
}
