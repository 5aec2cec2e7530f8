package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/sources/arrow"
	"github.com/privbayes/privbayes-go/sources/beam"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// format is one way to write a table to a file, and how the file is read.
type format struct {
	name    string // of the file
	content []byte
	checks  bool // a flipped bit is refused, or changes nothing
	never   bool // also whole files are refused
	readers map[string]func(path string) (source.Source, error)
}

// openers are the sources of a file, by the name of what reads it.
type openers = map[string]func(path string) (source.Source, error)

// formats write values of a column v in every compressed format that a source reads.
func formats(t *testing.T, s *frame.Schema, values []string) (out []format) {
	t.Helper()
	ctx, dir, d := t.Context(), t.TempDir(), duckDB(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ofCluster := func(path string) (source.Source, error) { return beam.Open(ctx, s, beam.Prism(), path) }

	text := []byte("v\n" + strings.Join(values, "\n") + "\n")
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(text)
	must(errors.Join(err, z.Close()))
	out = append(out, format{name: "t.csv.gz", content: packed.Bytes(), checks: true, readers: openers{
		"frame": func(path string) (source.Source, error) {
			f, err := frame.Load(ctx, path, s)
			if err != nil {
				return nil, err
			}
			return source.OfFrame(f), nil
		},
		"CSV files": func(path string) (source.Source, error) { return source.Files(s, path) },
		"Beam":      ofCluster,
	}}, format{name: "d.csv.gz", content: packed.Bytes(), never: true, readers: openers{
		"DuckDB": func(path string) (source.Source, error) { return d.CSV(ctx, s, path) },
	}})

	ofParquet := openers{
		"Parquet": func(path string) (source.Source, error) { return parquet.Open(ctx, s, []string{path}) },
		"Beam":    ofCluster,
	}
	checked, err := checkedPages(values)
	must(err)
	out = append(out, format{name: "checked.parquet", content: checked, checks: true, readers: ofParquet})
	ofParquet = maps.Clone(ofParquet)
	ofParquet["DuckDB"] = func(path string) (source.Source, error) { return d.Parquet(ctx, s, path) }
	duck, err := sql.Open("duckdb", "")
	must(err)
	defer duck.Close()
	plain := filepath.Join(dir, "plain.csv")
	must(os.WriteFile(plain, text, 0o600))
	for _, codec := range []string{"uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"} {
		path := filepath.Join(dir, codec+".parquet")
		_, err := duck.ExecContext(ctx, "COPY (FROM read_csv('"+plain+"', all_varchar = true)) TO '"+path+
			"' (FORMAT parquet, COMPRESSION "+codec+")")
		must(err)
		b, err := os.ReadFile(path)
		must(err)
		out = append(out, format{name: codec + ".parquet", content: b, readers: ofParquet})
		if codec != "snappy" { // the cluster reads by the same code, and more slowly
			ofParquet = maps.Clone(ofParquet)
			delete(ofParquet, "Beam")
		}
	}

	of := apache.NewSchema([]apache.Field{{Name: "v", Type: apache.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, of)
	b.Field(0).(*array.StringBuilder).AppendValues(values, nil)
	batch := b.NewRecordBatch()
	for name, option := range map[string]ipc.Option{"LZ4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
		var file, stream bytes.Buffer
		w, err := ipc.NewFileWriter(&file, ipc.WithSchema(of), option)
		must(err)
		must(errors.Join(w.Write(batch), w.Close()))
		sw := ipc.NewWriter(&stream, ipc.WithSchema(of), option)
		must(errors.Join(sw.Write(batch), sw.Close()))
		for kind, content := range map[string][]byte{"file": file.Bytes(), "stream": stream.Bytes()} {
			out = append(out, format{name: name + " " + kind + ".arrow", content: content, readers: openers{
				"Arrow": func(path string) (source.Source, error) { return arrow.Open(ctx, s, []string{path}) }}})
		}
	}
	return out
}

// checkedPages is a Parquet file whose pages have checksums.
func checkedPages(values []string) ([]byte, error) {
	type row struct {
		V string `parquet:"v,dict,snappy"`
	}
	var out bytes.Buffer
	w := pq.NewGenericWriter[row](&out)
	rows := make([]row, len(values))
	for i, v := range values {
		rows[i].V = v
	}
	_, err := w.Write(rows)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// typed reports whether an error is one that callers can tell, whose text is public.
func typed(err error) bool {
	var a *frame.FileError
	var b *parquet.FileError
	var c *arrow.FileError
	var d *source.Failure
	var e *frame.ColumnError
	var f *frame.OutOfDomainError
	var g *frame.ValueError
	var h *dp.ParameterError
	return errors.As(err, &a) || errors.As(err, &b) || errors.As(err, &c) || errors.As(err, &d) || errors.As(err, &e) ||
		errors.As(err, &f) || errors.As(err, &g) || errors.As(err, &h)
}

// TestDamagedFiles: a compressed file that was cut off is refused by every source, wherever it was cut. So is one with
// a flipped bit, or nothing changes, where the format has checksums: gzip, and Parquet whose writer gives its pages
// some. Elsewhere a flipped bit gives counts or a typed error.
func TestDamagedFiles(t *testing.T) {
	s, err := frame.ParseSchema([]byte(`{"dataset":"t","columns":[
		{"name":"v","kind":"integer","edges":[0,250,500,750,1000]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(33, 8))
	var values []string
	for range 2000 {
		values = append(values, fmt.Sprint(random.IntN(1000)))
	}
	for _, f := range formats(t, s, values) {
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), f.name)
			read := func(by string, b []byte) (string, error) {
				t.Helper()
				if err := os.WriteFile(path, b, 0o600); err != nil {
					t.Fatal(err)
				}
				got, err := counted(t, func() (source.Source, error) { return f.readers[by](path) })
				if err != nil && !typed(err) {
					t.Errorf("%s: %T is no typed error: %v", by, err, err)
				}
				return got, err
			}
			for _, by := range slices.Sorted(maps.Keys(f.readers)) {
				n, changed, refused := len(f.content), 0, 0
				whole, err := read(by, f.content)
				if f.never != (err != nil) {
					t.Fatalf("%s: a whole file: %s, %v", by, whole, err)
				}
				cuts := []int{0, 1, 4, n / 2, n - 8, n - 4, n - 1}
				for range 8 {
					cuts = append(cuts, random.IntN(n))
				}
				for _, at := range cuts {
					if got, err := read(by, f.content[:at]); err == nil {
						t.Errorf("%s: cut at %d of %d: %s", by, at, n, got)
					}
				}
				flips := []int{n - 8, n - 5, n - 4, n - 1}
				for range 20 {
					flips = append(flips, random.IntN(n))
				}
				for _, at := range flips {
					b := bytes.Clone(f.content)
					b[at] ^= 1 << random.IntN(8)
					got, err := read(by, b)
					switch {
					case err != nil:
						refused++
					case f.checks && got != whole:
						t.Errorf("%s: a bit flipped at %d of %d: %s, and %s of the whole file", by, at, n, got, whole)
					case got != whole:
						changed++
					}
				}
				if again, err := read(by, f.content); again != whole {
					t.Errorf("%s: the whole file at last: %s, %v", by, again, err)
				}
				if refused == 0 {
					t.Errorf("%s: no flipped bit is refused", by)
				}
				t.Logf("%s: of %d flipped bits %d are refused, and %d change counts", by, len(flips), refused, changed)
			}
		})
	}
}
