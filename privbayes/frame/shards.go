package frame

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
)

// shard is one file of a table.
type shard struct {
	name string
	open func() (io.ReadCloser, error)
	size int64 // 0 if nobody knows
}

// Shard is one of several readers of a table, with the name that stands for it in errors.
type Shard struct {
	Name   string
	Reader io.Reader
}

// files are shards to open by path.
func files(paths ...string) []shard {
	var out []shard
	for _, path := range paths {
		var size int64
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			size = info.Size()
		}
		out = append(out, shard{name: path, size: size, open: func() (io.ReadCloser, error) {
			file, err := os.Open(path)
			if err != nil {
				var p *os.PathError
				if errors.As(err, &p) {
					err = p.Err
				}
				return nil, &FileError{File: path, Want: "a readable CSV or CSV.gz file", Err: err}
			}
			return file, nil
		}})
	}
	return out
}

// reader is one shard.
func reader(r io.Reader, name string) []shard {
	return []shard{{name: name, open: func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}}
}

// LoadShards reads several files as one table, in the order given: each has its own header, whose columns may stand in
// an order of their own, and may have no rows if another has. A unit may have rows in several files; RowsPerUnit counts
// all of them. Errors: those of Load, with the name of the file, and an argument error for no file or one that is named
// twice, whose rows would count twice.
func LoadShards(ctx context.Context, paths []string, s *Schema, opts ...ReadOption) (*Frame, error) {
	if err := eachOnce("LoadShards", paths); err != nil {
		return nil, err
	}
	return readAll(ctx, files(paths...), s, opts)
}

// eachOnce refuses a file that is named twice, by another path or by a link.
func eachOnce(step string, paths []string) error {
	var seen []os.FileInfo
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue // opening it says what is wrong
		}
		if slices.ContainsFunc(seen, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			return domain.Refuse(step, "paths", label.Short(path)+" twice", "each file once, so that no row counts twice")
		}
		seen = append(seen, info)
	}
	return nil
}

// ReadShards is LoadShards for readers.
func ReadShards(ctx context.Context, shards []Shard, s *Schema, opts ...ReadOption) (*Frame, error) {
	var in []shard
	for _, sh := range shards {
		if absent(sh.Reader) {
			return nil, &FileError{File: sh.Name, Want: "a reader of a table; this one is nil"}
		}
		in = append(in, reader(sh.Reader, sh.Name)...)
	}
	return readAll(ctx, in, s, opts)
}

// readAll reads the files of a table one after the other.
func readAll(ctx context.Context, shards []shard, s *Schema, opts []ReadOption) (*Frame, error) {
	r, err := newReading(s, opts)
	if err != nil {
		return nil, err
	}
	rows, err := r.all(ctx, shards)
	if err != nil {
		return nil, err
	}
	if r.units != nil { // how many rows of each file are kept is private
		rows = nil
	}
	return r.frame(sourceOf(shards, rows)).capped(r.units)
}

// all reads them and says how many rows each has.
func (r *reading) all(ctx context.Context, shards []shard) (each []int, err error) {
	if len(shards) == 0 {
		return nil, domain.Refuse("LoadShards", "shards", "none", "at least one file")
	}
	for _, sh := range shards {
		r.size += sh.size
	}
	for _, sh := range shards {
		in, err := sh.open()
		if err != nil {
			return nil, err
		}
		before := r.rows
		err = r.readFile(ctx, in, sh.name)
		_ = in.Close()
		each = append(each, r.rows-before)
		if err != nil {
			return nil, err
		}
	}
	return each, nil
}

// sourceOf names what was read, by absolute paths where they are files; "input" names nothing. Several files are its
// parts, each with its number of rows, unless that is private (nil).
func sourceOf(shards []shard, rows []int) *source {
	all := &source{}
	var names []string
	for k, sh := range shards {
		part := &source{}
		if sh.name != "input" && sh.name != "" {
			part.name = sh.name
			if abs, err := filepath.Abs(sh.name); err == nil {
				part.name = abs
			}
			names = append(names, part.name)
		}
		if len(shards) == 1 {
			return part
		}
		if rows == nil {
			continue
		}
		all.parts = append(all.parts, Selection{source: part, publicN: true, n: rows[k]})
	}
	if len(names) == len(shards) {
		all.name = strings.Join(names, "\x00")
	}
	return all
}
