package parquet_test

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// fileOf writes a table with its header.
func fileOf(t testing.TB, typed bool, rows [][]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows[0], sourcetest.Cells(typed, rows)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// joined is a joiner of Parquet files.
func joined(t testing.TB, typed bool) sourcetest.Joiner {
	dir := t.TempDir()
	return sourcetest.Joined(t, func(own *frame.Schema, table string, rows [][]string) (source.Written, error) {
		return parquet.Open(t.Context(), own, []string{put(t, fileOf(t, typed, rows), dir, table+".parquet")})
	})
}

// Two Parquet files are the frame of the two CSV files that mean the same, whatever their types; and joins that look at
// the order of a file, or at rows without a parent, are found out.
func TestLinkedTables(t *testing.T) {
	sourcetest.Linked(t, joined(t, false))
	sourcetest.Linked(t, joined(t, true))
	s, right := sourcetest.Census(t, "drop"), joined(t, true)
	for name, mutant := range map[string]sourcetest.Joiner{
		"the first two children in the file stay": func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error) {
			seen, kept := map[string]int{}, children[:1:1]
			for _, row := range children[1:] {
				if seen[row[1]]++; seen[row[1]] <= 2 {
					kept = append(kept, row)
				}
			}
			return right(s, parents, kept)
		},
		"two children a parent stay in all": func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error) {
			rows := slices.SortedFunc(slices.Values(children[1:]), func(a, b []string) int { return cmp.Compare(a[1], b[1]) })
			return right(s, parents, append(children[:1:1], rows[:min(len(rows), 2*len(parents)-2)]...))
		},
		"orphans go to the first parent": func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error) {
			given := children[:1:1]
			for _, row := range children[1:] {
				if row = slices.Clone(row); row[1] == "9" {
					row[1] = parents[1][0]
				}
				given = append(given, row)
			}
			return right(s, parents, given)
		},
		"the first parent in the file stays": func(s *frame.Schema, parents, children [][]string) (*frame.Frame, error) {
			seen, kept := map[string]bool{}, parents[:1:1]
			for _, row := range parents[1:] {
				if !seen[row[0]] {
					seen[row[0]], kept = true, append(kept, row)
				}
			}
			return right(s, kept, children)
		},
	} {
		if sourcetest.LinkedFault(s, mutant) == "" {
			t.Errorf("%s: not found", name)
		}
	}
}

// What cannot be two tables is refused before a row is read, and an error of a file is the file's.
func TestLinkedTablesRefused(t *testing.T) {
	s, dir := sourcetest.Census(t, "drop"), t.TempDir()
	h := put(t, fileOf(t, true, [][]string{{"hid", "region"}, {"1", "n"}}), dir, "h.parquet")
	open := func(name string, change func(*frame.Schema)) *parquet.Source {
		own, err := s.TableSchema(name)
		if err != nil {
			t.Fatal(err)
		}
		change(own)
		src, err := parquet.Open(t.Context(), own, []string{h})
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	right := open("households", func(*frame.Schema) {})
	var schema *frame.SchemaError
	other := open("households", func(o *frame.Schema) { o.RowsPerUnit = 7 })
	if _, err := source.Tables(t.Context(), s, []source.Written{other, right}); !errors.As(err, &schema) {
		t.Errorf("another schema: %v", err)
	}
	if _, err := source.Tables(t.Context(), right.Schema(), []source.Written{right, right}); !errors.As(err, &schema) {
		t.Errorf("no tables: %v", err)
	}
	if _, err := s.TableSchema("pets"); !errors.As(err, &schema) {
		t.Errorf("no such table: %v", err)
	}
	changed := sourcetest.Census(t, "drop")
	changed.Columns = changed.Columns[1:]
	if _, err := changed.TableSchema("households"); !errors.As(err, &schema) {
		t.Errorf("columns that do not follow: %v", err)
	}
	quotes := sourcetest.Census(t, "drop")
	quotes.Columns = nil
	quotes.Tables[1].Columns[1].QuotedMissing = frame.QuotedIsValue
	if _, err := source.Tables(t.Context(), quotes, []source.Written{right, right}); !errors.As(err, &schema) ||
		schema.Field != "quoted_missing" {
		t.Errorf("quotes that mean something: %v", err)
	}
	var argument *dp.ParameterError
	for _, tables := range [][]source.Written{{right}, {right, nil}} {
		if _, err := source.Tables(t.Context(), s, tables); err == nil || len(tables) == 1 && !errors.As(err, &argument) {
			t.Errorf("%d tables: %v", len(tables), err)
		}
	}
	own, err := s.TableSchema("persons")
	if err != nil {
		t.Fatal(err)
	}
	p := put(t, fileOf(t, true, [][]string{{"of", "age", "income", "job"}, {"1", "3", "NA", "it's"}}), dir, "p.parquet")
	children, err := parquet.Open(t.Context(), own, []string{p})
	if err != nil {
		t.Fatal(err)
	}
	f, err := source.Tables(t.Context(), s, []source.Written{right, children})
	again, other2 := source.Tables(t.Context(), s, []source.Written{right, children})
	if err := errors.Join(err, other2); err != nil || !f.Selection().SameSource(again.Selection()) {
		t.Errorf("read twice: %v, or not of one source", err)
	}
	v, err := source.CheckTables(t.Context(), s, []source.Written{right, children})
	if err != nil || v.Rows != 2 || v.Count() != 0 {
		t.Errorf("check: %v, %v", v, err)
	}
	put(t, []byte("changed since"), dir, filepath.Base(p))
	var file *parquet.FileError
	if _, err := source.Tables(t.Context(), s, []source.Written{right, children}); !errors.As(err, &file) {
		t.Errorf("a changed file: %v", err)
	}
}

// The text of files is the table, also under a schema that caps the rows of a person and of files with columns in their
// paths; what no text means is refused.
func TestCSV(t *testing.T) {
	head, body := rows(t)
	for _, s := range []*frame.Schema{sourcetest.Schema(t), sourcetest.Units(t, 2, false)} {
		file := put(t, write(t, head, body, agreeing, dictionaries, 31, nil), t.TempDir(), "a.parquet")
		var b bytes.Buffer
		if err := open(t, s, file).CSV(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		f, err := frame.Read(t.Context(), &b, "written", s, frame.WithFormat(frame.Format{}))
		if err != nil {
			t.Fatal(err)
		}
		want := sourcetest.Releases(t, source.OfFrame(sourcetest.FrameUnder(t, s)))
		for i, r := range sourcetest.Releases(t, source.OfFrame(f)) {
			if !bytes.Equal(r, want[i]) {
				t.Errorf("release %d of the text differs from that of the frame", i)
			}
		}
	}
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{{Name: "x", Kind: frame.KindSequence,
		Categories: []string{"a"}, Separator: ";", MaxLength: 2}}}
	file := put(t, fileOf(t, false, [][]string{{"x"}, {"a;a"}}), t.TempDir(), "a.parquet")
	var column *frame.ColumnError
	if err := open(t, s, file).CSV(t.Context(), io.Discard); !errors.As(err, &column) || column.Column != "x" {
		t.Errorf("a sequence: %v", err)
	}
}
