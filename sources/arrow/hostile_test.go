package arrow_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

// count counts all columns of a source.
func count(ctx context.Context, src *arrow.Source, err error) error {
	if err != nil {
		return err
	}
	size, err := src.Size(ctx)
	if err != nil {
		return err
	}
	sh, err := source.Shape(src, size, privbayes.NaiveBayes("class"))
	if err != nil {
		return err
	}
	_, err = src.Statistics(ctx, sh)
	return err
}

func countFiles(ctx context.Context, s *frame.Schema, paths ...string) error {
	src, err := arrow.Open(ctx, s, paths)
	return count(ctx, src, err)
}

// typedError reports whether an error is one that callers can tell, whose text is public.
func typedError(err error) bool {
	var file *arrow.FileError
	var domain *frame.OutOfDomainError
	var column *frame.ColumnError
	var argument *dp.ParameterError
	return errors.As(err, &file) || errors.As(err, &domain) || errors.As(err, &column) || errors.As(err, &argument)
}

// TestDamaged: files cut at every length, and files with bytes changed, give a typed error or, where the change cannot
// be seen, counts; never a panic, and no memory that the file is not long enough for.
func TestDamaged(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Schema(t), t.TempDir()
	random, refused := rand.New(rand.NewPCG(1, 2)), 0
	for _, b := range [][]byte{
		file(t, batches(t, head, body[:40], tables["typed"], 25)),
		file(t, batches(t, head, body[:40], tables["typed dictionaries"], 40), ipc.WithZstd()),
		stream(t, batches(t, head, body[:40], tables["dictionaries"], 25)),
		stream(t, batches(t, head, body[:40], tables["views"], 25), ipc.WithLZ4()),
	} {
		if err := countFiles(t.Context(), s, put(t, b, dir, "whole.arrow")); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(b); n += 1 + n/200 {
			if err := countFiles(t.Context(), s, put(t, b[:n], dir, "cut.arrow")); !typedError(err) {
				t.Fatalf("cut at %d of %d: %v", n, len(b), err)
			}
		}
		for range 250 {
			bad := slices.Clone(b)
			for range 1 + random.IntN(4) {
				bad[random.IntN(len(bad))] = byte(random.Uint32())
			}
			if err := countFiles(t.Context(), s, put(t, bad, dir, "bad.arrow")); err != nil {
				if refused++; !typedError(err) {
					t.Fatalf("bytes changed: %v", err)
				}
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d of 1000 changed files were refused: the test does not reach the checks", refused)
	}
}

// TestCutBetweenBatches: a stream that ends after a whole batch, without its mark, is refused, and so is one that goes
// on after it; the library takes both for whole.
func TestCutBetweenBatches(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Schema(t), t.TempDir()
	one := stream(t, batches(t, head, body[:100], nil, 100))
	for name, b := range map[string][]byte{"cut": one[:len(one)-8], "on": append(slices.Clone(one), one...)} {
		err := countFiles(t.Context(), s, put(t, b, dir, name))
		var e *arrow.FileError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "its mark") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRefusals: what a source cannot be made of, and what it says; no text has a value of the table.
func TestRefusals(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Schema(t), t.TempDir()
	units, strict := sourcetest.Units(t, 2, false), *s
	strict.ExtraColumns = false
	table := func(body [][]string, kinds map[string]kind) string {
		f, err := os.CreateTemp(dir, "*.arrow")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return put(t, file(t, batches(t, head, body, kinds, 1000)), f.Name())
	}
	good := table(body, tables["typed"])
	linked := filepath.Join(dir, "link.arrow")
	if err := os.Symlink(good, linked); err != nil {
		t.Fatal(err)
	}
	with := func(column int, text string) [][]string {
		out := slices.Clone(body)
		out[77] = slices.Clone(out[77])
		out[77][column] = text
		return out
	}
	only := func(column string, of apache.DataType) map[string]kind { return map[string]kind{column: {of: of}} }
	put(t, file(t, batches(t, head, with(2, "SECRET-9f3"), nil, 1000)), dir, "SECRET-9f3.one")
	put(t, file(t, batches(t, head, body, nil, 1000))[:999], dir, "SECRET-9f3.two")
	const misfit = `column "colour" has a value that does not fit`
	for name, c := range map[string]struct {
		schema *frame.Schema
		paths  []string
		want   string
	}{
		"no schema":    {nil, []string{good}, "a public schema"},
		"no path":      {s, nil, "at least one file"},
		"no file":      {s, []string{filepath.Join(dir, "absent.arrow")}, "a readable file"},
		"folder":       {s, []string{dir}, "a readable file"},
		"no match":     {s, []string{filepath.Join(dir, "*.orc")}, "some file matches"},
		"bad pattern":  {s, []string{filepath.Join(dir, "[a-")}, "some file matches"},
		"twice":        {s, []string{good, good}, "each file once"},
		"linked":       {s, []string{good, linked}, "each file once"},
		"extra column": {&strict, []string{good}, "ExtraColumns"},
		"missing column": {s, []string{put(t, file(t, batches(t, head[:5], body, nil, 999)), dir, "less")},
			`no column "seen"`},
		"column twice": {s, []string{put(t, file(t, batches(t, append(slices.Clone(head[:5]), "seen", "age"),
			twice(body), nil,
			999)), dir, "more")}, "there are several"},
		"binary": {s, []string{table(nil, only("colour", apache.BinaryTypes.Binary))},
			"the table has type binary"},
		"list": {s, []string{table(nil, only("age", apache.ListOf(text)))}, "the table has type list"},
		"time": {s, []string{table(nil, only("age", apache.FixedWidthTypes.Time32s))},
			"the table has type time32"},
		"timestamp of a sum": {s, []string{table(nil, only("wage", apache.FixedWidthTypes.Timestamp_s))},
			"the table has type"},
		"text":               {s, []string{table(with(2, "SECRET-9f3"), nil)}, misfit},
		"dictionary":         {s, []string{table(with(2, "SECRET-9f3"), tables["dictionaries"])}, misfit},
		"number":             {s, []string{table(with(3, "99317"), tables["typed"])}, "a whole number from 18 to 100"},
		"not at midnight":    {s, []string{table(with(5, "2024-01-05T17:31:09"), tables["exact"])}, "a date like"},
		"file of a pattern":  {s, []string{filepath.Join(dir, "*.one"), good}, "has a value that does not fit"},
		"damaged of pattern": {s, []string{good, filepath.Join(dir, "*.two")}, "not as the format has it"},
		"unit's text":        {units, []string{table(with(2, "SECRET-9f3"), nil)}, misfit},
		"no key": {units, []string{table(with(0, "?"), map[string]kind{"id": {null: "?"}})},
			"the unit of every row"},
		"no key's column": {units, []string{put(t, file(t, batches(t, head[1:], less(body), nil, 999)), dir,
			"keyless")}, `no column "id"`},
	} {
		err := countFiles(t.Context(), c.schema, c.paths...)
		if err == nil || !typedError(err) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, secret := range []string{"SECRET", "99317", "17:31", "arrow/ipc"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %q has %q, a value or the library's text", name, err, secret)
			}
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q does not say %q", name, err, c.want)
		}
	}
}

func twice(body [][]string) (out [][]string) {
	for _, r := range body {
		out = append(out, append(slices.Clone(r), r[3]))
	}
	return out
}

func less(body [][]string) (out [][]string) {
	for _, r := range body {
		out = append(out, r[1:])
	}
	return out
}

// TestRecordsRefused: batches that no table can be made of, such as one whose indices its dictionary does not have.
func TestRecordsRefused(t *testing.T) {
	head, body := rows(t)
	s := sourcetest.Schema(t)
	good := batches(t, head, body, tables["dictionaries"], 1000)[0]
	at := good.Schema().FieldIndices("colour")[0]
	indices := array.NewUint32Builder(memory.DefaultAllocator)
	for range body {
		indices.Append(1 << 31)
	}
	columns := slices.Clone(good.Columns())
	columns[at] = array.NewDictionaryArray(columns[at].DataType(), indices.NewArray(),
		columns[at].(*array.Dictionary).Dictionary())
	wild := array.NewRecordBatch(good.Schema(), columns, good.NumRows())
	for name, some := range map[string][]apache.RecordBatch{
		"none": nil, "nil": {nil}, "twice": {good, good}, "wild indices": {good, wild}} {
		src, err := arrow.Records(s, some)
		if err := count(t.Context(), src, err); !typedError(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	src := records(t, s, []apache.RecordBatch{good})
	p, err := source.NewPart("absent", .5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Part(p); !typedError(err) {
		t.Errorf("a part by a column that is not there: %v", err)
	}
	p.Column = "id"
	part, err := src.Part(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.(*arrow.Source).Part(p); !typedError(err) {
		t.Errorf("a part of a part: %v", err)
	}
}

// TestChanged: files that change after the source was made are refused.
func TestChanged(t *testing.T) {
	head, body := rows(t)
	path := put(t, file(t, batches(t, head, body, nil, 100)), t.TempDir(), "a.arrow")
	src := open(t, sourcetest.Schema(t), path)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	sh := shape(t, src, len(body))
	if _, err := src.Statistics(t.Context(), sh); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a changed file: %v", err)
	}
	short := records(t, sourcetest.Schema(t), batches(t, head, body[1:], nil, 100))
	var e *model.ChangedError
	if _, err := short.Statistics(t.Context(), sh); !errors.As(err, &e) {
		t.Errorf("other rows than the public number of them: %v", err)
	}
}

func shape(t *testing.T, src *arrow.Source, n int) *model.Shape {
	t.Helper()
	sh, err := source.Shape(src, source.Size{N: n}, privbayes.Categorical("class"))
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// TestContextEnds: a context that has ended ends the reading, of files and of memory.
func TestContextEnds(t *testing.T) {
	head, body := rows(t)
	some := batches(t, head, body, tables["typed"], 100)
	path := put(t, stream(t, some), t.TempDir(), "a.arrow")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, src := range []*arrow.Source{open(t, sourcetest.Schema(t), path), records(t, sourcetest.Schema(t), some)} {
		if _, err := src.Statistics(ctx, shape(t, src, len(body))); !errors.Is(err, context.Canceled) {
			t.Errorf("an ended context: %v", err)
		}
		if _, err := src.Size(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("an ended context: %v", err)
		}
	}
	if _, err := arrow.Open(ctx, sourcetest.Schema(t), []string{path}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// FuzzFile: no bytes of a file make the reading panic or run away.
func FuzzFile(f *testing.F) {
	head, body := rows(f)
	f.Add(file(f, batches(f, head, body[:3], tables["typed"], 2)))
	f.Add(stream(f, batches(f, head, body[:3], tables["dictionaries"], 2)))
	s := sourcetest.Schema(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		err := countFiles(ctx, s, put(t, b, t.TempDir(), "a.arrow"))
		if err != nil && !typedError(err) && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
}
