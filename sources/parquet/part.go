package parquet

import (
	"context"
	"os"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Part is one row group of one file, as a cluster hands it to a worker. It says where rows are and nothing of them but
// the values in the path.
type Part struct {
	Path  string            // to be found by the worker
	Shown string            // the file's name in errors
	Size  int64             // of the file as it was pinned
	Time  time.Time         // of its last change, likewise
	Group int               // the row group's place in the file
	Rows  int64             // of the row group
	In    map[string]string // column values from the folders' names
}

// Parts are all row groups of the source.
func (s *Source) Parts() []Part {
	var out []Part
	for _, f := range s.files {
		for i, g := range f.meta.groups {
			out = append(out, Part{f.path, f.shown, f.size, f.time, i, g.rows, f.parts})
		}
	}
	return out
}

// Reader counts parts into a tally: what a worker of a cluster does. Not safe for concurrent use.
type Reader struct {
	w    *worker
	last *pinned
}

// NewReader counts rows read under a schema. The key keeps it inside this library. Error: model.ErrSealed without it.
func NewReader(key access.Key, s *frame.Schema, t *model.Tally) (*Reader, error) {
	if !key.Opens() {
		return nil, model.ErrSealed
	}
	if capped, _ := s.CapsRows(); capped {
		return nil, &frame.SchemaError{Field: "unit_key", Value: s.UnitKey, Want: "none where row groups are counted apart"}
	}
	return &Reader{w: newWorker(s, t)}, nil
}

// Count adds the rows of a part. Errors: those of Source.Statistics, and *FileError for a file that is not as it was.
func (r *Reader) Count(ctx context.Context, p Part) error {
	f := r.last
	if f == nil || f.path != p.Path || f.size != p.Size || !f.time.Equal(p.Time) || f.shown != p.Shown {
		f = &pinned{path: p.Path, shown: p.Shown, parts: p.In, size: p.Size, time: p.Time}
		info, err := os.Stat(p.Path)
		if err != nil || !f.same(info) {
			return f.changed()
		}
		if err := f.open(r.w.schema); err != nil {
			return err
		}
		r.last = f
	}
	if p.Group < 0 || p.Group >= len(f.meta.groups) || f.meta.groups[p.Group].rows != p.Rows {
		return f.changed()
	}
	return r.w.do(ctx, f, p.Group)
}

// Close closes the file that is open.
func (r *Reader) Close() { r.w.close() }
