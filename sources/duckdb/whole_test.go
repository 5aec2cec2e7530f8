package duckdb

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/privbayes/source/sqlsource"
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

// Every file has every column of the schema once, in itself or in the name of a folder: a view of several files has
// nulls for what one of them lacks, and the folder's value for what it has as well.
func TestColumnsOfEveryFile(t *testing.T) {
	d, s := open(t, WithThreads(1)), one(frame.Categorical("y", "a", "b"))
	s.Columns[0].Missing, s.Columns[0].OnMissing, s.ExtraColumns = []string{"none"}, "category", true
	for name, c := range map[string]struct {
		paths   []string
		refused bool
	}{
		"two files":             {[]string{"1", "2"}, false},
		"a file without it":     {[]string{"1", "3"}, true},
		"a folder with it":      {[]string{"y=b/4"}, false},
		"a file and its folder": {[]string{"y=b/1"}, true},
		"a folder of another":   {[]string{"z=b/1"}, false},
	} {
		dir := t.TempDir()
		content := map[string]string{"1": "x,y\n1,a\n", "2": "y,x\nb,2\n", "3": "x,Y\n3,b\n", "4": "x\n4\n"}
		var csv, columnar []string
		for _, path := range c.paths {
			at := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
				t.Fatal(err)
			}
			csv = append(csv, write(t, at+".csv", content[filepath.Base(path)]))
			run(t, d, "COPY (FROM read_csv("+text(marks.Replace(at+".csv"))+
				", all_varchar = true, hive_partitioning = false)) TO "+text(at+".parquet"))
			columnar = append(columnar, at+".parquet")
		}
		for kind, open := range map[string]func() (*sqlsource.Source, error){
			"CSV":     func() (*sqlsource.Source, error) { return d.CSV(t.Context(), s, csv...) },
			"Parquet": func() (*sqlsource.Source, error) { return d.Parquet(t.Context(), s, columnar...) },
		} {
			src, err := open()
			var e *frame.ColumnError
			if c.refused != errors.As(err, &e) {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
			if err == nil {
				if _, err = counted(t, src, privbayes.Categorical("y"), len(c.paths)); err != nil {
					t.Errorf("%s, %s: %v", name, kind, err)
				}
			}
		}
	}
}

// texts are all texts of a few letters.
func texts(letters []string, longest int) []string {
	out := []string{""}
	for from := 0; longest > 0; longest-- {
		to := len(out)
		for _, text := range out[from:to] {
			for _, letter := range letters {
				out = append(out, text+letter)
			}
		}
		from = to
	}
	return out
}

// Of every short text with quotes, separators and ends of lines of either kind, DuckDB and source.Files count the same
// rows, or one refuses it. What DuckDB takes and source.Files refuses are rows with a separator too many at their end,
// and files with both kinds of lines.
func TestShortTexts(t *testing.T) {
	d, path := open(t, WithThreads(1)), filepath.Join(t.TempDir(), "x.csv")
	alone := one(frame.Categorical("x", "a", "b"))
	two := &frame.Schema{Dataset: "two", Columns: []frame.Column{frame.Categorical("x", "a", "b"),
		frame.Categorical("y", "a", "b")}}
	both := 0
	for s, head := range map[*frame.Schema]string{alone: "x", two: "x,y"} {
		for i := range s.Columns {
			s.Columns[i].Missing, s.Columns[i].OnMissing = []string{""}, "category"
		}
		m := model.Model(privbayes.Categorical("x"))
		if s == two {
			m = privbayes.NaiveBayes("x")
		}
		for _, end := range []string{"\n", "\r\n", "\r"} {
			for _, body := range texts([]string{"a", ",", `"`, "\n", "\r"}, 3) {
				content := head + end + body
				write(t, path, content)
				files, err := source.Files(s, path)
				if err != nil {
					t.Fatal(err)
				}
				want, refused := counted(t, files, m, -1)
				table, err := d.CSV(t.Context(), s, path)
				if err != nil {
					continue
				}
				got, err := counted(t, table, m, -1)
				lines := strings.ReplaceAll(content, "\r\n", "")
				mixed := strings.Contains(content, "\r\n") && strings.ContainsAny(lines, "\r\n") ||
					strings.Contains(lines, "\r") && strings.Contains(lines, "\n")
				switch {
				case err != nil:
				case refused == nil:
					if both++; !sourcetest.Equal(got, want) {
						t.Errorf("%q: other counts than of source.Files", content)
					}
				case !mixed && !strings.HasSuffix(strings.TrimRight(body, "\r\n"), ",") && !strings.Contains(body, ","+end):
					t.Errorf("%q: DuckDB takes what source.Files refuses: %v", content, refused)
				}
			}
		}
	}
	if both < 100 {
		t.Errorf("only %d texts were taken by both", both)
	}
}
