package frame

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// cutGzip is the gzip of a table without its last bytes.
func cutGzip(t *testing.T, text string, without int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()[:b.Len()-without]
}

// A file whose end is missing is refused, wherever it breaks off, and is never read as a smaller table.
func TestTruncatedFilesAreRefused(t *testing.T) {
	s := &Schema{Dataset: "d", Columns: []Column{Categorical("a", "x", "y"), Categorical("b", "x", "y")}}
	text := "a,b\n" + strings.Repeat("x,y\ny,y\nx,x\n", 1<<15)
	ctx := context.Background()
	if f, err := Read(ctx, bytes.NewReader(cutGzip(t, text, 0)), "t", s); err != nil || f.Len() != 3<<15 {
		t.Fatal("the whole file:", err)
	}
	refused := func(name string, err error) {
		t.Helper()
		if !typed(err, &FileError{}) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, without := range []int{1, 4, 8, 9, 200} { // 8 bytes of check sum and length, then the data
		b := cutGzip(t, text, without)
		_, err := Read(ctx, bytes.NewReader(b), "t", s)
		refused("Read", err)
		path := filepath.Join(t.TempDir(), "t.csv.gz")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = Load(ctx, path, s)
		refused("Load", err)
		_, err = Check(ctx, bytes.NewReader(b), "t", s)
		refused("Check", err)
		_, err = CheckFiles(ctx, []string{path}, s)
		refused("CheckFiles", err)
		_, err = InferSchema(bytes.NewReader(b), "t")
		refused("InferSchema", err)
	}
	_, err := SchemaSkeleton(bytes.NewReader(cutGzip(t, "a,b\n", 8)), "t")
	refused("SchemaSkeleton", err)
	// nor does a reader that fails in this way by itself pass for one that ends
	failing := io.MultiReader(strings.NewReader("a,b\nx,y\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	_, err = Read(ctx, failing, "t", s)
	refused("a failing reader", err)
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// Short reads are no end, and a reader that never gives anything does not hang.
func TestReadersInPieces(t *testing.T) {
	f, err := Read(context.Background(), iotest.OneByteReader(strings.NewReader(peopleCSV)), "t.csv", people())
	if err != nil || !sameFrame(f, mustRead(t, peopleCSV, people())) {
		t.Error("one byte at a time:", err)
	}
	sc := newScanner(idle{}, ',')
	if err := sc.next(); err != io.ErrNoProgress {
		t.Error("no byte at all:", err)
	}
}
