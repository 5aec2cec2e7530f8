package parquet_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// count opens files and counts all columns.
func count(ctx context.Context, s *frame.Schema, paths ...string) error {
	src, err := parquet.Open(ctx, s, paths)
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

// typedError reports whether an error is one that callers can tell, whose text is public.
func typedError(err error) bool {
	var file *parquet.FileError
	var domain *frame.OutOfDomainError
	var column *frame.ColumnError
	return errors.As(err, &file) || errors.As(err, &domain) || errors.As(err, &column)
}

// TestDamaged: files cut at every length, and files with bytes changed, give a typed error or, where the change cannot
// be seen, counts; never a panic.
func TestDamaged(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Schema(t), t.TempDir()
	random, refused := rand.New(rand.NewPCG(1, 2)), 0
	for _, b := range [][]byte{
		write(t, head, body[:40], typed, asIs, 25, nil),
		write(t, head, body[:40], typed, func(n pq.Node) pq.Node {
			return pq.Compressed(pq.Encoded(n, &pq.RLEDictionary), &pq.Snappy)
		}, 40, nil, pq.DataPageVersion(1)),
		write(t, head, body[:40], texts, func(n pq.Node) pq.Node {
			return pq.Compressed(pq.Encoded(n, &pq.DeltaByteArray), &pq.Zstd)
		}, 40, nil),
	} {
		if err := count(t.Context(), s, put(t, b, dir, "whole.parquet")); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < len(b); n += 1 + n/200 {
			if err := count(t.Context(), s, put(t, b[:n], dir, "cut.parquet")); !typedError(err) {
				t.Fatalf("cut at %d of %d: %v", n, len(b), err)
			}
		}
		for range 1500 {
			bad := append([]byte(nil), b...)
			for range 1 + random.IntN(4) {
				bad[random.IntN(len(bad))] = byte(random.Uint32())
			}
			if err := count(t.Context(), s, put(t, bad, dir, "bad.parquet")); err != nil {
				if refused++; !typedError(err) {
					t.Fatalf("bytes changed: %v", err)
				}
			}
		}
	}
	if refused < 500 {
		t.Errorf("only %d of 4500 changed files were refused: the test does not reach the checks", refused)
	}
}

// TestRefusals: what a source cannot be made of, and what it says; no text has a value of the table.
func TestRefusals(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Schema(t), t.TempDir()
	good := put(t, write(t, head, body, typed, asIs, 100, nil), dir, "good.parquet")
	type nodes = func(pq.Node) pq.Node
	file := func(name string, body [][]string, kinds func(string) kind, change nodes, less ...string) []string {
		return []string{put(t, write(t, head, body, kinds, change, 100, less), dir, name)}
	}
	secret := func(column int, text string) [][]string {
		out := append([][]string(nil), body...)
		out[77] = append([]string(nil), out[77]...)
		out[77][column] = text
		return out
	}
	linked := filepath.Join(dir, "link.parquet")
	if err := os.Symlink(good, linked); err != nil {
		t.Fatal(err)
	}
	other := func(node pq.Node, value func(string) any) func(string) kind {
		return func(name string) kind {
			if name == "age" {
				return kind{node, value}
			}
			return typed(name)
		}
	}
	strict := *s
	strict.ExtraColumns = false
	bare := write(t, head, body, typed, asIs, 100, []string{"colour"})
	hive := put(t, bare, dir, "hive", "colour=SECRET-9f3", "a.parquet")
	const misfit = `column "colour" has a value that does not fit`
	never, first := func(string) any { return nil }, func(string) any { return int32(1) }
	for _, c := range []struct {
		name   string
		schema *frame.Schema
		paths  []string
		want   string
	}{
		{"no path", s, nil, "at least one file"},
		{"no file", s, []string{filepath.Join(dir, "absent.parquet")}, "there is none of that name"},
		{"no match", s, []string{filepath.Join(dir, "*.orc")}, "or a pattern"},
		{"bad pattern", s, []string{filepath.Join(dir, "[a-")}, "a pattern such as"},
		{"twice", s, []string{good, good}, "each file once"},
		{"linked", s, []string{good, linked}, "each file once"},
		{"extra column", &strict, []string{good}, "ExtraColumns"},
		{"missing column", s, file("less.parquet", body, typed, asIs, "wage"), "no column \"wage\""},
		{"nested", s, file("nested.parquet", body, other(pq.Repeated(pq.Int(64)), never), asIs), "nested or repeated"},
		{"wrong type", s, file("date.parquet", body, other(pq.Date(), first), asIs), "the file has INT32"},
		{"text out of the domain", s, file("secret.parquet", secret(2, "SECRET-9f3"), typed, asIs), misfit},
		{"text out of the domain, plain", s, file("plain.parquet", secret(2, "SECRET-9f3"), typed, plainly), misfit},
		{"number out of the domain", s, file("old.parquet", secret(3, "9931"), typed, asIs), "a whole number from 18 to 100"},
		{"folder out of the domain", s, []string{filepath.Join(dir, "hive")}, misfit},
		{"path out of the domain", s, []string{filepath.Dir(filepath.Dir(hive)) + "/*/*"}, misfit},
	} {
		err := count(t.Context(), c.schema, c.paths...)
		var argument *dp.ParameterError
		if err == nil || !typedError(err) && !errors.As(err, &argument) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q does not say %q", c.name, err, c.want)
		}
		if strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "9931") {
			t.Errorf("%s: %q has a value of the table", c.name, err)
		}
	}
}

func plainly(n pq.Node) pq.Node { return pq.Encoded(n, &pq.Plain) }

// TestChanged: files that change after the source was made are refused.
func TestChanged(t *testing.T) {
	head, body := rows(t)
	path := put(t, write(t, head, body, typed, asIs, 100, nil), t.TempDir(), "a.parquet")
	src := open(t, sourcetest.Schema(t), path)
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	sh, err := source.Shape(src, source.Size{N: len(body)}, privbayes.Categorical("class"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = src.Statistics(t.Context(), sh); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a changed file: %v", err)
	}
}

// TestContextEnds: a context that has ended ends the reading.
func TestContextEnds(t *testing.T) {
	head, body := rows(t)
	path := put(t, write(t, head, body, typed, asIs, 100, nil), t.TempDir(), "a.parquet")
	src := open(t, sourcetest.Schema(t), path)
	sh, err := source.Shape(src, source.Size{N: len(body)}, privbayes.Categorical("class"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := src.Statistics(ctx, sh); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if _, err := parquet.Open(ctx, sourcetest.Schema(t), []string{path}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// FuzzFile: no bytes of a file make the reading panic or run away.
func FuzzFile(f *testing.F) {
	head, body := rows(f)
	f.Add(write(f, head, body[:3], typed, asIs, 2, nil))
	f.Add(write(f, head, body[:3], texts, plainly, 2, nil, pq.DataPageVersion(1)))
	s := sourcetest.Schema(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		path := put(t, b, t.TempDir(), "a.parquet")
		if err := count(ctx, s, path); err != nil && !typedError(err) && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
}
