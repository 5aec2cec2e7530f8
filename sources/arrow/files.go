package arrow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// What a file may ask for before its bytes are seen: memory of one decompressed buffer, and of one message's metadata,
// whose types nest.
const (
	maxBuffer   = 1 << 30
	maxMetadata = 16 << 20
)

// pinned is one file of a table, as it was when the source was made: a later reading must find it so.
type pinned struct {
	path string
	info os.FileInfo
}

// find lists the files of paths and patterns, each once.
func find(paths []string) (out []*origin, err error) {
	if len(paths) == 0 {
		return nil, domain.Refuse("arrow.Open", "paths", "none", "at least one file or pattern")
	}
	for _, path := range paths {
		found := []string{path}
		if _, err := os.Stat(path); err != nil && strings.ContainsAny(path, "*?[") {
			if found, err = filepath.Glob(path); err != nil || len(found) == 0 {
				return nil, &FileError{File: path, Want: "a pattern that some file matches, such as dir/*.arrow"}
			}
		}
		for i, name := range found {
			shown := path
			if name != path {
				shown = fmt.Sprintf("%s, file %d of %d", path, i+1, len(found))
			}
			info, err := os.Stat(name)
			if err != nil || !info.Mode().IsRegular() {
				return nil, &FileError{File: shown, Want: "a readable file in Arrow's IPC format, or a pattern"}
			}
			if slices.ContainsFunc(out, func(o *origin) bool { return os.SameFile(o.file.info, info) }) {
				return nil, domain.Refuse("arrow.Open", "paths", safetext.Short(shown)+" twice",
					"each file once, so that no row counts twice")
			}
			out = append(out, &origin{shown: shown, file: &pinned{name, info}})
		}
	}
	return out, nil
}

// same reports whether a file is still as it was pinned.
func (p *pinned) same(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && os.SameFile(info, p.info) && info.Size() == p.info.Size() &&
		info.ModTime().Equal(p.info.ModTime())
}

// read gives the schema of a file and then its record batches one after the other; a batch is valid until the function
// returns. The file is as it was pinned before and after.
func (o *origin) read(ctx context.Context, begin func(*apache.Schema) error,
	each func(apache.RecordBatch) error) error {
	if o.file == nil {
		return o.decoded(ctx, bytes.NewReader(o.bytes), int64(len(o.bytes)), begin, each)
	}
	changed := &FileError{File: o.shown, What: "it changed since the source was made",
		Want: "files that stay as they are"}
	file, err := os.Open(o.file.path)
	if err != nil {
		return changed
	}
	defer file.Close()
	if !o.file.same(file) {
		return changed
	}
	var damage *FileError
	err = o.decoded(ctx, file, o.file.info.Size(), begin, each)
	if (err == nil || errors.As(err, &damage)) && ctx.Err() == nil && !o.file.same(file) {
		return changed
	}
	return err
}

// decoded is read for what the bytes are in.
func (o *origin) decoded(ctx context.Context, from input, size int64, begin func(*apache.Schema) error,
	each func(apache.RecordBatch) error) error {
	f, mine, other := &reading{input: from, ctx: ctx}, error(nil), (*otherKind)(nil)
	err := guarded(o.shown, func() error {
		return f.decode(size, func(s *apache.Schema) error {
			mine = begin(s)
			return mine
		}, func(b apache.RecordBatch) error {
			mine = each(b)
			return mine
		})
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case mine != nil:
		return mine
	case errors.As(err, &other):
		return &FileError{File: o.shown, What: "it is " + other.name, Want: other.want}
	case errors.Is(err, errNoEnd):
		return &FileError{File: o.shown, What: "the stream does not end with its mark, or goes on after it",
			Want: "a whole stream, closed by its writer"}
	case err != nil:
		return damaged(o.shown)
	}
	return nil
}

var errNoEnd = errors.New("no end of stream")

// otherKind is a file of another format.
type otherKind struct{ start, name, want string }

func (k *otherKind) Error() string { return k.name }

var otherKinds = []*otherKind{
	{"FEA1", "a Feather file of version 1", "a file in Arrow's IPC format, which Feather version 2 is: " +
		"read it with pyarrow.feather, and write it again"},
	{"PAR1", "a Parquet file", "a file in Arrow's IPC format; parquet.Open reads Parquet"},
	{"\x1f\x8b", "gzip data", "a file in Arrow's IPC format, not compressed as a whole"},
	{"\x28\xb5\x2f\xfd", "zstd data", "a file in Arrow's IPC format, not compressed as a whole"},
}

// input is the bytes of a file or of a stream.
type input interface {
	io.Reader
	io.ReaderAt
	io.Seeker
}

// reading is an input that is read until a context ends.
type reading struct {
	input
	ctx context.Context
}

func (f *reading) ReadAt(b []byte, off int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.input.ReadAt(b, off)
}

func (f *reading) Read(b []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.input.Read(b)
}

// decode reads a file, which begins with its magic, or a stream.
func (f *reading) decode(size int64, begin func(*apache.Schema) error, each func(apache.RecordBatch) error) error {
	options := []ipc.Option{ipc.WithAllocator(bounded{memory.NewGoAllocator(), int(max(size, maxBuffer))}),
		ipc.WithMetadataSizeLimit(min(size+1, maxMetadata)), ipc.WithBodySizeLimit(size + 1)}
	magic := make([]byte, len(ipc.Magic))
	if _, err := f.ReadAt(magic, 0); err != nil {
		return err
	}
	if string(magic) == string(ipc.Magic) {
		f.fileClaims(size)
		r, err := ipc.NewFileReader(f, options...)
		if err != nil {
			return err
		}
		defer r.Close()
		if err := begin(r.Schema()); err != nil {
			return err
		}
		for range r.NumRecords() {
			b, err := r.Read()
			if err != nil {
				return err
			}
			if err := each(b); err != nil {
				return err
			}
		}
		return nil
	}
	for _, k := range otherKinds {
		if strings.HasPrefix(string(magic), k.start) {
			return k
		}
	}
	if err := f.streamClaims(size); err != nil {
		return err
	}
	r, err := ipc.NewReaderFromMessageReader(ipc.NewMessageReader(f, options...), options...)
	if err != nil {
		return err
	}
	defer r.Release()
	if err := begin(r.Schema()); err != nil {
		return err
	}
	for r.Next() {
		if err := each(r.RecordBatch()); err != nil {
			return err
		}
	}
	return r.Err()
}

// bounded refuses buffers that are longer than both maxBuffer and the file: how long one gets by decompression is only
// what the file claims.
type bounded struct {
	memory.Allocator
	limit int
}

func (a bounded) Allocate(size int) []byte {
	if size < 0 || size > a.limit {
		panic("too large a buffer")
	}
	return a.Allocator.Allocate(size)
}

func (a bounded) Reallocate(size int, b []byte) []byte {
	if size < 0 || size > a.limit {
		panic("too large a buffer")
	}
	return a.Allocator.Reallocate(size, b)
}
