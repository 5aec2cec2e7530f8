package source_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// written are files with the given texts; a name that ends with gz is compressed.
func written(t testing.TB, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		var b bytes.Buffer
		if strings.HasSuffix(name, "gz") {
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(text))
			must.Do(t, z.Close())
		} else {
			b.WriteString(text)
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600))
	}
	return dir
}

// parts cuts a table into files that each have the header.
func parts(text string, cut ...int) (out []string) {
	lines := strings.SplitAfter(text, "\n")
	for i, at := range append(cut, len(lines)) {
		from := 1
		if i > 0 {
			from = cut[i-1]
		}
		out = append(out, lines[0]+strings.Join(lines[from:at], ""))
	}
	return out
}

func files(t testing.TB, s *frame.Schema, paths ...string) source.Divisible {
	t.Helper()
	return must.Get(source.Files(s, paths...))(t)
}

// Files give the releases of the frame that is loaded from them: one file, shards, compressed ones, a pattern.
func TestReleasesOfFilesAreThoseOfAFrame(t *testing.T) {
	text, s := sourcetest.CSV(), sourcetest.Schema(t)
	p := parts(text, 5, 40)
	dir := written(t, map[string]string{"all.csv": text, "p1.csv": p[0], "p2.csv.gz": p[1], "p3.csv": p[2]})
	for _, paths := range [][]string{{"all.csv"}, {"p1.csv", "p2.csv.gz", "p3.csv"}, {"p?.csv*"}} {
		for i := range paths {
			paths[i] = filepath.Join(dir, paths[i])
		}
		sourcetest.Same(t, source.OfFrame(sourcetest.Frame(t)), files(t, s, paths...))
	}
	for _, k := range []int{1, 3} {
		for _, pad := range []bool{false, true} {
			capped := sourcetest.Units(t, k, pad)
			sourcetest.Same(t, source.OfFrame(sourcetest.FrameUnder(t, capped)), files(t, capped, filepath.Join(dir, "p*")))
		}
	}
}

// A table of many chunks, some of which have quotes, gives the counts of the frame, on one processor and on several;
// its parts by key add up to it.
func TestCountsOfManyChunks(t *testing.T) {
	s, lines := sourcetest.Schema(t), strings.SplitAfter(sourcetest.CSV(), "\n")
	var b strings.Builder
	b.WriteString(lines[0])
	for b.Len() < 3<<20 {
		for _, line := range lines[1:] {
			if b.Len() > 2<<20 || !strings.Contains(line, `"`) {
				b.WriteString(line)
			}
		}
	}
	path := filepath.Join(written(t, map[string]string{"many.csv": b.String()}), "many.csv")
	f := must.Get(frame.Load(t.Context(), path, s))(t)
	src := files(t, s, path)
	size, err := src.Size(t.Context())
	if n, public := size.Public(); err != nil || !public || n != f.Len() {
		t.Fatalf("%d rows of %d, %v", n, f.Len(), err)
	}
	if kind, _ := src.Rows().Overlap(f.Selection(), true); kind != frame.OverlapSame {
		t.Errorf("the rows of the files and of their frame: %v", kind)
	}
	for _, m := range []model.Model{model.NaiveBayes("class"), model.LinearRegression("wage", "seen")} {
		sh := must.Get(source.Shape(src, size, m))(t)
		want := must.Get(model.Count(sh, f))(t)
		got := must.Get(src.Statistics(t.Context(), sh))(t)
		key := access.Mine()
		if !slices.EqualFunc(got.Open(key), want.Open(key), slices.Equal[[]int64]) ||
			!slices.Equal(got.OpenSums(key), want.OpenSums(key)) {
			t.Fatalf("%v: other statistics", m)
		}
		train := must.Get(source.NewPart("id", 0.7, 3))(t)
		rows := 0
		for _, p := range []source.Part{train, train.Rest()} {
			part := must.Get(src.Part(p))(t)
			size := must.Get(part.Size(t.Context()))(t)
			if _, public := size.Public(); public {
				t.Fatal("the number of rows of a part is public")
			}
			sh := must.Get(source.Shape(part, size, m))(t)
			st := must.Get(part.Statistics(t.Context(), sh))(t)
			if st.Rows(key) == 0 {
				t.Fatal("a part without rows")
			}
			rows += st.Rows(key)
		}
		if rows != f.Len() {
			t.Fatalf("parts have %d rows of %d", rows, f.Len())
		}
	}
}

// What LoadShards refuses is refused, without the values and the places of rows; a file that changes, or is named
// twice, is refused.
func TestFilesThatAreRefused(t *testing.T) {
	text, s := sourcetest.CSV(), sourcetest.Schema(t)
	lines := strings.SplitAfter(text, "\n")
	bad := strings.Repeat(strings.Join(lines[1:], ""), 1+(1<<20)/len(text)) + strings.Replace(lines[1], ",", ",SECRET", 1)
	dir := written(t, map[string]string{"a.csv": text, "bad.csv": lines[0] + bad, "empty.csv": lines[0],
		"text.csv": "x\n1\n", "ragged.csv": lines[0] + "SECRET,b\n", "quote.csv": lines[0] + "\"SECRET\"x\n"})
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, paths := range [][]string{{"bad.csv"}, {"a.csv", "bad.csv"}, {"text.csv"}, {"ragged.csv"}, {"quote.csv"}} {
		for i := range paths {
			paths[i] = path(paths[i])
		}
		_, want := frame.LoadShards(t.Context(), paths, s)
		src := files(t, s, paths...)
		size, err := src.Size(t.Context())
		if err == nil {
			var sh *model.Shape
			if sh, err = source.Shape(src, size, model.NaiveBayes("class")); err == nil {
				_, err = src.Statistics(t.Context(), sh)
			}
		}
		var value *frame.ValueError
		var outside *frame.OutOfDomainError
		var file *frame.FileError
		switch {
		case !errors.As(want, &value):
			if fmt.Sprint(err) != fmt.Sprint(want) || want == nil {
				t.Errorf("%v, the frame says %v", err, want)
			}
		case value.Column != "":
			if !errors.As(err, &outside) || outside.Column != value.Column || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%v, the frame says %v", err, want)
			}
		case !errors.As(err, &file) || strings.Contains(err.Error(), "SECRET"):
			t.Errorf("%v, the frame says %v", err, want)
		}
	}
	empty := files(t, s, path("empty.csv")) // a table of no rows
	if size, err := empty.Size(t.Context()); err != nil || size.N != 0 {
		t.Errorf("%+v, %v", size, err)
	}
	for _, paths := range [][]string{nil, {path("a.csv"), filepath.Join(dir, ".", "a.csv")}, {path("none.csv")}, {dir},
		{path("none*.csv")}} {
		if _, err := source.Files(s, paths...); err == nil {
			t.Errorf("%q was taken", paths)
		}
	}
	if _, err := source.Files(nil, path("a.csv")); err == nil {
		t.Error("no schema was taken")
	}
	src := files(t, s, path("a.csv"))
	size := must.Get(src.Size(t.Context()))(t)
	sh := must.Get(source.Shape(src, size, model.NaiveBayes("class")))(t)
	later := time.Now().Add(time.Hour)
	must.Do(t, os.Chtimes(path("a.csv"), later, later))
	var changed *model.ChangedError
	if _, err := src.Statistics(t.Context(), sh); !errors.As(err, &changed) {
		t.Errorf("a file that changed: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := files(t, s, path("a.csv")).Size(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	pass := frame.Pass{Schema: s, Paths: []string{path("a.csv")}}
	if _, err := pass.Run(t.Context(), access.Key{}); !errors.Is(err, frame.ErrSealed) {
		t.Errorf("no key: %v", err)
	}
	if _, err := pass.Count(t.Context(), access.Key{}); !errors.Is(err, frame.ErrSealed) {
		t.Errorf("no key: %v", err)
	}
}

// Where rows of units are capped by their texts, a schema under which texts do not say all is refused.
func TestFilesCapPlainTextsOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	must.Do(t, os.WriteFile(path, []byte("id,x\n1,\"1,5\"\n"), 0o600))
	comma := &frame.Schema{Dataset: "x", UnitKey: "id", RowsPerUnit: 2, Format: &frame.Format{Decimal: ","},
		Columns: []frame.Column{frame.Real("x", 0, 5, 10)}}
	quoted := &frame.Schema{Dataset: "x", UnitKey: "id", RowsPerUnit: 2, Columns: []frame.Column{{Name: "x",
		Kind: frame.KindCategorical, Categories: []string{"a", "b"}, Missing: []string{"NA"}, OnMissing: frame.MissingAsCategory,
		QuotedMissing: frame.QuotedIsValue}}}
	for name, s := range map[string]*frame.Schema{"decimal comma": comma, "quoted marks": quoted} {
		f := must.Get(source.Files(s, path))(t)
		sh := must.Get(model.NewShape(s, model.Categorical("x"), 0, false, "unit key"))(t)
		var e *frame.SchemaError
		if _, err := f.Statistics(t.Context(), sh); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A fraction that rounds up to the whole keeps all.
func TestPartsOfNearlyAll(t *testing.T) {
	p := must.Get(source.NewPart("id", 1-0x1p-53, 1))(t)
	for i := range 1000 {
		if !p.Keeps(fmt.Appendf(nil, "%d", i)) {
			t.Fatal("a row of nearly all is left out")
		}
	}
}
