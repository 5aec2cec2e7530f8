package arrow_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

func open(t testing.TB, s *frame.Schema, paths ...string) *arrow.Source {
	t.Helper()
	src, err := arrow.Open(t.Context(), s, paths)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func records(t testing.TB, s *frame.Schema, some []apache.RecordBatch) *arrow.Source {
	t.Helper()
	src, err := arrow.Records(s, some)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// TestSameReleases: whatever the types, batches and compression, files, streams and batches in memory give the release
// of the frame under the same seed, byte for byte.
func TestSameReleases(t *testing.T) {
	head, body := rows(t)
	want, s, dir := sourcetest.Releases(t, source.OfFrame(sourcetest.Frame(t))), sourcetest.Schema(t), t.TempDir()
	for _, c := range []struct {
		kinds string
		each  int // rows of a batch
		of    func(t testing.TB, some []apache.RecordBatch, options ...ipc.Option) []byte
		how   []ipc.Option
	}{
		{"texts", 100, file, nil},
		{"large texts", 7, stream, nil},
		{"views", 100, file, []ipc.Option{ipc.WithLZ4()}},
		{"dictionaries", 1000, file, nil},
		{"dictionaries", 7, stream, []ipc.Option{ipc.WithDictionaryDeltas(true)}},
		{"dictionaries", 7, stream, []ipc.Option{ipc.WithZstd()}}, // dictionaries that replace others
		{"typed", 100, file, []ipc.Option{ipc.WithZstd()}},
		{"typed", 7, nil, nil},
		{"typed dictionaries", 1000, stream, []ipc.Option{ipc.WithLZ4()}},
		{"typed dictionaries", 7, nil, nil},
		{"exact", 100, stream, nil},
		{"short", 100, nil, nil},
		{"milliseconds", 1000, file, nil},
	} {
		some := batches(t, head, body, tables[c.kinds], c.each)
		src := records(t, s, some)
		if c.of != nil {
			src = open(t, s, put(t, c.of(t, some, c.how...), dir, "a.arrow"))
		}
		for i, b := range sourcetest.Releases(t, src) {
			if !bytes.Equal(b, want[i]) {
				t.Errorf("%s, batches of %d: release %d differs from that of the frame", c.kinds, c.each, i)
			}
		}
	}
}

// TestNoType: a column of the type null has missing values alone.
func TestNoType(t *testing.T) {
	head, body := rows(t)
	s, at := sourcetest.Schema(t), slices.Index(head, "colour")
	for i := range body {
		body[i] = slices.Clone(body[i])
		body[i][at] = "?"
	}
	want := records(t, s, batches(t, head, body, nil, 100))
	some := batches(t, head, body, map[string]kind{"colour": {of: apache.Null, null: "?"}}, 100)
	sourcetest.Same(t, want, records(t, s, some))
	sourcetest.Same(t, want, open(t, s, put(t, stream(t, some), t.TempDir(), "a.arrow")))
}

// TestFiles: a table in several files, of both kinds, and in slices of batches, is one table.
func TestFiles(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Schema(t), t.TempDir()
	put(t, file(t, batches(t, head, body[:50], tables["typed"], 20)), dir, "a.arrow")
	put(t, stream(t, batches(t, head, body[50:], tables["dictionaries"], 1000)), dir, "b.arrow")
	sourcetest.Same(t, source.OfFrame(sourcetest.Frame(t)), open(t, s, filepath.Join(dir, "*.arrow")))
	for _, kinds := range []string{"views", "typed dictionaries"} {
		whole := batches(t, head, body, tables[kinds], 1000)[0]
		sourcetest.Same(t, source.OfFrame(sourcetest.Frame(t)),
			records(t, s, []apache.RecordBatch{whole.NewSlice(101, 240), whole.NewSlice(0, 101)}))
	}
}

// TestUnits: rows of one person are capped as those of the frame, wherever they stand.
func TestUnits(t *testing.T) {
	head, body := rows(t)
	for i, u := range []struct {
		k   int
		pad bool
	}{{1, false}, {2, false}, {2, true}, {9, false}} {
		s := sourcetest.Units(t, u.k, u.pad)
		some := batches(t, head, body, tables[[]string{"texts", "large texts", "dictionaries", "views"}[i]], 31)
		src := records(t, s, some)
		if i%2 == 0 {
			src = open(t, s, put(t, stream(t, some), t.TempDir(), "a.arrow"))
		}
		sourcetest.Same(t, source.OfFrame(sourcetest.FrameUnder(t, s)), src)
	}
	weights := sourcetest.Weighted(sourcetest.Units(t, 2, false))
	sourcetest.Same(t, source.OfFrame(sourcetest.FrameUnder(t, weights)),
		records(t, weights, batches(t, head, body, tables["texts"], 31)))
	s := sourcetest.Units(t, 2, false) // types change texts, such as 12.50: rows of its own choice, but always the same
	sourcetest.Same(t, records(t, s, batches(t, head, body, tables["typed"], 31)),
		records(t, s, batches(t, head, body, tables["typed dictionaries"], 1000)))
}

// TestParts: both parts by key are those of another source, with all rows of a key in one of them.
func TestParts(t *testing.T) {
	head, body := rows(t)
	train, err := source.NewPart("id", .6, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*frame.Schema{sourcetest.Schema(t), sourcetest.Units(t, 2, false)} {
		for _, p := range []source.Part{train, train.Rest()} {
			want, err := sourcetest.NewGroups(t, s, 1, 3).Part(p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := records(t, s, batches(t, head, body, tables["dictionaries"], 31)).Part(p)
			if err != nil {
				t.Fatal(err)
			}
			sourcetest.Same(t, want, got)
		}
	}
}
