package parquet_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// TestSameReleases: whatever the types, codecs, encodings and row groups of the files, the same seed gives the release
// of the frame, byte for byte.
func TestSameReleases(t *testing.T) {
	head, body := rows(t)
	want := sourcetest.Releases(t, source.OfFrame(sourcetest.Frame(t)))
	s := sourcetest.Schema(t)
	encoded := func(e encoding.Encoding) func(pq.Node) pq.Node {
		return func(n pq.Node) pq.Node {
			can := map[pq.Kind]func(encoding.Encoding) bool{
				pq.Int32: encoding.CanEncodeInt32, pq.Int64: encoding.CanEncodeInt64,
				pq.Double: encoding.CanEncodeDouble, pq.ByteArray: encoding.CanEncodeByteArray}[n.Type().Kind()]
			if e.Encoding() != pq.RLEDictionary.Encoding() && !can(e) {
				return n
			}
			return pq.Encoded(n, e)
		}
	}
	packed := func(c compress.Codec) func(pq.Node) pq.Node {
		return func(n pq.Node) pq.Node { return pq.Compressed(pq.Encoded(n, &pq.RLEDictionary), c) }
	}
	for _, c := range []struct {
		name    string
		kinds   func(string) kind
		change  func(pq.Node) pq.Node
		rows    int
		options []pq.WriterOption
	}{
		{"texts, dictionary", texts, encoded(&pq.RLEDictionary), 1000, nil},
		{"texts, plain", texts, encoded(&pq.Plain), 100, nil},
		{"texts, delta length", texts, encoded(&pq.DeltaLengthByteArray), 100, nil},
		{"texts, delta", texts, encoded(&pq.DeltaByteArray), 100, nil},
		{"typed, dictionary", typed, encoded(&pq.RLEDictionary), 1000, nil},
		{"typed, dictionary, version 1, small pages", typed, encoded(&pq.RLEDictionary), 97,
			[]pq.WriterOption{pq.DataPageVersion(1), pq.PageBufferSize(64)}},
		{"typed, plain, version 1", typed, encoded(&pq.Plain), 7, []pq.WriterOption{pq.DataPageVersion(1)}},
		{"typed, plain, version 2", typed, encoded(&pq.Plain), 64, []pq.WriterOption{pq.DataPageVersion(2)}},
		{"typed, delta", typed, encoded(&pq.DeltaBinaryPacked), 64, nil},
		{"typed, split", typed, encoded(&pq.ByteStreamSplit), 64, nil},
		{"exact, dictionary", exact, encoded(&pq.RLEDictionary), 50, nil},
		{"exact, plain", exact, encoded(&pq.Plain), 50, nil},
		{"exact, delta", exact, encoded(&pq.DeltaBinaryPacked), 50, nil},
		{"snappy", typed, packed(&pq.Snappy), 100, nil},
		{"snappy, version 1", typed, packed(&pq.Snappy), 100, []pq.WriterOption{pq.DataPageVersion(1)}},
		{"gzip", typed, packed(&pq.Gzip), 100, nil},
		{"brotli", typed, packed(&pq.Brotli), 100, nil},
		{"zstd", typed, packed(&pq.Zstd), 100, nil},
		{"LZ4", typed, packed(&pq.Lz4Raw), 100, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := write(t, head, body, c.kinds, c.change, c.rows, nil, c.options...)
			same(t, want, open(t, s, put(t, b, t.TempDir(), "table.parquet")))
		})
	}
}

// same checks the releases of a source.
func same(t *testing.T, want [][]byte, src source.Source) {
	t.Helper()
	for i, b := range sourcetest.Releases(t, src) {
		if !bytes.Equal(b, want[i]) {
			t.Errorf("release %d differs from that of the frame", i)
		}
	}
}

// TestFolders: one table in one file, in files of a folder, by a pattern and divided as Hive does gives one release.
func TestFolders(t *testing.T) {
	head, body := rows(t)
	want, s := sourcetest.Releases(t, source.OfFrame(sourcetest.Frame(t))), sourcetest.Schema(t)
	dir := t.TempDir()
	parts, named := filepath.Join(dir, "parts"), filepath.Join(dir, "named")
	put(t, []byte("not a table"), parts, "_metadata.parquet")
	put(t, []byte("not a table"), parts, ".hidden", "x.parquet")
	put(t, []byte("not a table"), parts, "notes.txt")
	put(t, write(t, head, body[:100], texts, asIs, 30, nil), parts, "a.parquet")
	put(t, write(t, head, body[100:], typed, asIs, 1000, nil), parts, "deeper", "b.parquet")
	byPlace := map[string][][]string{}
	for _, r := range body {
		colour := map[string]string{"red": "red", "blue, pale": "blue%2C%20pale", "green": "green",
			"?": "__HIVE_DEFAULT_PARTITION__"}[r[2]]
		folder := "class=" + r[1] + "/colour=" + colour
		byPlace[folder] = append(byPlace[folder], r)
	}
	for folder, some := range byPlace {
		put(t, write(t, head, some, typed, asIs, 1000, []string{"class", "colour"}), named, folder, "part-0.parquet")
	}
	if len(byPlace) != 12 {
		t.Fatalf("%d folders, want every class and colour", len(byPlace))
	}
	for _, paths := range [][]string{
		{parts},
		{filepath.Join(parts, "*.parquet"), filepath.Join(parts, "deeper", "b.parquet")},
		{named},
		{filepath.Join(named, "class=*", "colour=*", "*.parquet")},
		{filepath.Join(named, "class=[bg]*")},
	} {
		same(t, want, open(t, s, paths...))
	}
}

// TestColumnsInFolders: a column that a file has and the name of its folder, too, is refused by its name, in the schema
// and as the key of its units: either value would be silently dropped.
func TestColumnsInFolders(t *testing.T) {
	head, body := rows(t)
	table := write(t, head, body[:100], texts, asIs, 1000, nil)
	for _, c := range []struct {
		folder, column string
		schema         *frame.Schema
	}{
		{"class=good", "class", sourcetest.Schema(t)},
		{"id=3", "id", sourcetest.Units(t, 2, false)},
		{"id=3", "", sourcetest.Schema(t)}, // no column of this schema, which ignores others
		{"year=2024", "", sourcetest.Schema(t)},
	} {
		dir := t.TempDir()
		put(t, table, dir, c.folder, "part-0.parquet")
		_, err := parquet.Open(t.Context(), c.schema, []string{dir})
		var e *frame.ColumnError
		if c.column == "" && err != nil || c.column != "" && (!errors.As(err, &e) || e.Column != c.column) {
			t.Errorf("%s: %v, want a *ColumnError of column %q", c.folder, err, c.column)
		}
	}
}
