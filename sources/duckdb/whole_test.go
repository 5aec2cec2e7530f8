package duckdb

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// DuckDB reads a cut or damaged .csv.gz as far as it gets, and calls that the table: so no compressed text reaches it,
// whatever its name and wherever it is, whole or not. The test sees that DuckDB itself takes some of the damaged files.
func TestCompressedTextIsRefused(t *testing.T) {
	d, dir := open(t, WithThreads(1)), t.TempDir()
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	_, err := z.Write([]byte("x\n" + strings.Repeat("a\nb\na\n", 20000)))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	s, random, taken := one(frame.Categorical("x", "a", "b")), rand.New(rand.NewPCG(33, 7)), 0
	refused := func(path string) {
		t.Helper()
		var e *frame.FileError
		_, err := d.CSV(t.Context(), s, path)
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "source.Files reads CSV.gz") {
			t.Errorf("%v, want a *FileError that names source.Files", err)
		}
	}
	for i := range 24 {
		b := bytes.Clone(whole.Bytes())
		switch i % 3 {
		case 0: // whole
		case 1:
			b = b[:4+random.IntN(len(b)-4)]
		default:
			b[10+random.IntN(len(b)-10)] ^= 1 << random.IntN(8)
		}
		path := write(t, filepath.Join(dir, "cut.csv.gz"), string(b))
		if i%2 == 0 {
			path = write(t, filepath.Join(dir, "cut.csv"), string(b))
		}
		refused(path)
		var n int
		if i%3 == 1 && d.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM read_csv("+text(path)+
			", compression = 'gzip', header = true, all_varchar = true)").Scan(&n) == nil && n < 60000 {
			taken++
		}
	}
	if taken == 0 {
		t.Error("DuckDB refuses every file that is cut off: the test is not needed")
	}
	for _, head := range []string{"\x28\xb5\x2f\xfd", "BZh91AY&SY", "\xfd7zXZ\x00"} {
		refused(write(t, filepath.Join(dir, "x.csv"), head+"x\na\n"))
	}
	refused("https://127.0.0.1:1/x.csv.gz")
	// The names of text do not matter.
	src, err := d.CSV(t.Context(), s, write(t, filepath.Join(dir, "text.csv.gz"), "x\na\nb\n"))
	if err != nil {
		t.Fatal(err)
	}
	if size, err := src.Size(t.Context()); err != nil || size.N != 2 {
		t.Errorf("%+v, %v", size, err)
	}
}

// A file whose last row breaks off within a quote or has too few fields is refused. One that breaks off elsewhere is a
// shorter file: plain text has no end.
func TestTextThatBreaksOff(t *testing.T) {
	d, dir := open(t, WithThreads(1)), t.TempDir()
	s := &frame.Schema{Dataset: "cut", Columns: []frame.Column{frame.Categorical("x", "a", "b, c"),
		frame.Integer("y", 0, 50, 100)}}
	for _, rest := range []string{"\"b, ", "a", "\"b, c\""} {
		src, err := d.CSV(t.Context(), s, write(t, filepath.Join(dir, "x.csv"), "x,y\na,1\n\"b, c\",2\n"+rest))
		if err == nil {
			_, err = counted(t, src, privbayes.NaiveBayes("x"), -1)
		}
		var failed *source.Failure
		if !errors.As(err, &failed) {
			t.Errorf("%q: %v, want a *Failure", rest, err)
		}
	}
}

// A column that stands twice in a file is refused where the schema has it: a view would have the first of the two.
func TestColumnsThatStandTwice(t *testing.T) {
	d, dir := open(t, WithThreads(1)), t.TempDir()
	nested := filepath.Join(dir, "nested.parquet")
	run(t, d, "COPY (SELECT {'x': 1, 'y': 2} AS x, [1, 2] AS z, 'a' AS y, 'b' AS q) TO "+text(nested))
	s := one(frame.Categorical("y", "a", "b"))
	s.ExtraColumns = true
	if _, err := d.Parquet(t.Context(), s, nested); err != nil {
		t.Errorf("names within other columns: %v", err)
	}
	for content, twice := range map[string]bool{"y,x,y\na,1,b\n": true, "x,y,x\n1,a,2\n": false, "x,y,Y\n1,a,2\n": false} {
		src, err := d.CSV(t.Context(), s, write(t, filepath.Join(dir, "x.csv"), content))
		var e *frame.ColumnError
		if twice != (errors.As(err, &e) && strings.Contains(err.Error(), "twice")) {
			t.Errorf("%q: %v", content, err)
		}
		if err == nil {
			if size, err := src.Size(t.Context()); err != nil || size.N != 1 {
				t.Errorf("%q: %+v, %v", content, size, err)
			}
		}
	}
	s.UnitKey, s.RowsPerUnit = "x", 1
	_, err := d.CSV(t.Context(), s, write(t, filepath.Join(dir, "x.csv"), "x,y,x\n1,a,"+sourcetest.Secret+"\n"))
	var e *frame.ColumnError
	if sourcetest.Quiet(t, "key", err); !errors.As(err, &e) {
		t.Errorf("a key that stands twice: %v", err)
	}
}
