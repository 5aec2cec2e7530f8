package beam

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

func openUnits(t *testing.T, s *frame.Schema, files ...string) *Source {
	t.Helper()
	table, err := Open(t.Context(), s, Prism(), files...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// Units whose rows lie in several files give the releases of the frame, byte for byte, and its size.
func TestUnitsGiveTheReleasesOfTheFrameOnPrism(t *testing.T) {
	for _, c := range []struct {
		k   int
		pad bool
		n   int // files
	}{{1, false, 3}, {2, false, 5}, {2, true, 4}, {9, false, 2}} {
		s := sourcetest.Units(t, c.k, c.pad)
		f := sourcetest.FrameUnder(t, s)
		table := openUnits(t, s, shards(t, c.n))
		sourcetest.Same(t, source.OfFrame(f), table)
		size, err := table.Size(t.Context())
		n, public := f.PublicN()
		if err != nil || (size.PrivateBy == "") != public || public && size.N != n {
			t.Errorf("%+v: size %+v, %v; of the frame %d, %v", c, size, err, n, public)
		}
	}
}

// Weights give the releases of the frame, byte for byte, and its size, also where the rows of a unit are capped.
func TestWeightsGiveTheReleasesOfTheFrameOnPrism(t *testing.T) {
	for i, s := range []*frame.Schema{sourcetest.Schema(t), sourcetest.Units(t, 1, false), sourcetest.Units(t, 2, true),
		sourcetest.Units(t, 3, false)} {
		s = sourcetest.Weighted(s)
		f := sourcetest.FrameUnder(t, s)
		table := openUnits(t, s, shards(t, 1+i))
		sourcetest.Same(t, source.OfFrame(f), table)
		size, err := table.Size(t.Context())
		n, public := f.PublicN()
		if err != nil || (size.PrivateBy == "") != public || public && size.N != n {
			t.Errorf("%d: size %+v, %v; of the frame %d, %v", i, size, err, n, public)
		}
	}
}

// bench is the worker's functions on a schema, for a shape whose numbers begin with the rows.
type bench struct {
	read readRows
	cap  capUnits
}

func newBench(t *testing.T, s *frame.Schema, parts int) *bench {
	t.Helper()
	sh, err := model.NewShape(s, model.Categorical("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	shape, err := sh.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return &bench{readRows{shape, s.JSON(), parts}, capUnits{Shape: shape, Schema: s.JSON(), Parts: parts}}
}

// grouped reads parts and brings rows together by unit, as a runner does.
func (b *bench) grouped(t *testing.T, parts []part) (units map[string][][]byte, read result) {
	t.Helper()
	batch, err := json.Marshal(parts)
	if err != nil {
		t.Fatal(err)
	}
	units = map[string][][]byte{}
	read, err = b.read.read(t.Context(), string(batch), func(unit, row []byte) {
		units[string(unit)] = append(units[string(unit)], row)
	})
	if err != nil || read.refused != nil {
		t.Fatal(err, read.refused)
	}
	return units, read
}

// capped counts some units in one bundle.
func (b *bench) capped(t *testing.T, units map[string][][]byte) (out result) {
	t.Helper()
	none := func([]byte) {}
	if err := b.cap.StartBundle(none); err != nil {
		t.Fatal(err)
	}
	for unit, rows := range units {
		next := func(row *[]byte) bool {
			if len(rows) == 0 {
				return false
			}
			*row, rows = rows[0], rows[1:]
			return true
		}
		if err := b.cap.ProcessElement([]byte(unit), next, none); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.cap.FinishBundle(func(text []byte) {
		var ok bool
		if out, ok = parse(text); !ok || out.refused != nil {
			t.Fatalf("%+v", out)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// Every unit of the table by itself: it contributes its rows up to k, and exactly k where units are padded. A worker
// that caps file by file would give more: rows of units do lie in several files.
func TestNoUnitContributesMoreThanK(t *testing.T) {
	for _, pad := range []bool{false, true} {
		for _, k := range []int{1, 2, 9} {
			s := sourcetest.Units(t, k, pad)
			table := openUnits(t, s, shards(t, 3))
			b := newBench(t, s, 3)
			all, read := b.grouped(t, table.parts)
			over, sum := false, result{counted: slices.Clone(read.counted), numbers: slices.Clone(read.numbers)}
			for unit, rows := range all {
				out := b.capped(t, map[string][][]byte{unit: rows})
				want := int64(min(k, len(rows)))
				if pad {
					want = int64(k)
				}
				if out.numbers[0] != want || out.counted[3] != -int64(len(rows)) {
					t.Errorf("k = %d, padded %v: %d rows of a unit of %d", k, pad, out.numbers[0], len(rows))
				}
				for i, v := range out.numbers {
					sum.numbers[i] += v
				}
				sum.counted[3] += out.counted[3]
			}
			// units in one bundle add up to units by themselves
			if whole := b.capped(t, all); !slices.Equal(whole.numbers, sum.numbers) || sum.counted[3] != 0 {
				t.Errorf("k = %d, padded %v: a bundle of all units gives other numbers", k, pad)
			}
			if _, err := checked(sum.bytes(), 3, true); err != nil {
				t.Errorf("k = %d, padded %v: %v", k, pad, err)
			}
			apart := map[string]int64{} // the mutant
			for _, p := range table.parts {
				units, _ := b.grouped(t, []part{p})
				for unit, rows := range units {
					apart[unit] += b.capped(t, map[string][][]byte{unit: rows}).numbers[0]
				}
			}
			for _, n := range apart {
				over = over || n > int64(k)
			}
			if !over && k < 9 {
				t.Errorf("k = %d, padded %v: capping file by file would do", k, pad)
			}
		}
	}
}

// A person who floods every file moves the number of rows by k.
func TestAUnitThatFloodsOnPrism(t *testing.T) {
	s := sourcetest.Units(t, 2, false)
	sh, err := model.NewShape(s, model.Categorical("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	pattern := shards(t, 3)
	before, err := openUnits(t, s, pattern).count(t.Context(), sh)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, path, string(text)+strings.Repeat(record(t, string(text), "flood"), 400+i))
	}
	after, err := openUnits(t, s, pattern).count(t.Context(), sh)
	if err != nil || after[0]-before[0] != 2 {
		t.Errorf("%d rows more, %v, want 2", after[0]-before[0], err)
	}
}

// record is a record of a file, under another key.
func record(t *testing.T, text, id string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	row := rows[1]
	row[slices.Index(rows[0], "id")] = id
	var out strings.Builder
	w := csv.NewWriter(&out)
	if err := w.Write(row); err != nil {
		t.Fatal(err)
	}
	w.Flush()
	return out.String()
}

// Rows without a unit, values that do not fit, broken files and schemas that are not capped by texts are refused, in
// public words.
func TestUnitRefusals(t *testing.T) {
	s := sourcetest.Units(t, 2, false)
	sh, err := model.NewShape(s, model.NaiveBayes("class"), 0, false, "test")
	if err != nil {
		t.Fatal(err)
	}
	pattern := shards(t, 3)
	bad := strings.Replace(pattern, "*", "visits-01", 1)
	text, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	header, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Count(header, ",")
	for name, c := range map[string]struct{ content, column string }{
		"no unit":         {string(text) + record(t, string(text), ""), "id"},
		"a value":         {header + "\n" + strings.Repeat("SECRET-9f3,", fields) + "SECRET-9f3\n", "class"},
		"a quote":         {string(text) + "\"SECRET-9f3\n", ""},
		"fields":          {string(text) + "SECRET-9f3\n", ""},
		"without its key": {strings.Replace(string(text), "id", "SECRET-9f3", 1), ""},
		"nothing":         {"", ""},
	} {
		put(t, bad, c.content)
		_, err := openUnits(t, s, pattern).Statistics(t.Context(), sh)
		var column *frame.OutOfDomainError
		var file *frame.FileError
		if c.column != "" && (!errors.As(err, &column) || column.Column != c.column || column.Source != "visits-01.csv") ||
			!errors.As(err, &column) && !errors.As(err, &file) {
			t.Errorf("%s: %v", name, err)
		}
		if shown := fmt.Sprintf("%v %+v", err, err); strings.Contains(shown, "SECRET") {
			t.Errorf("%s: the error quotes a value: %s", name, shown)
		}
	}
	put(t, bad, string(text))
	comma := sourcetest.Units(t, 2, false)
	comma.Format = &frame.Format{Decimal: ",", Separator: ";"}
	var schema *frame.SchemaError
	if _, err := Open(t.Context(), comma, Prism(), bad); !errors.As(err, &schema) {
		t.Errorf("a decimal comma: %v", err)
	}
	columnar := filepath.Join(t.TempDir(), "visits.parquet")
	put(t, columnar, "PAR1")
	if _, err := Open(t.Context(), s, Prism(), columnar); !errors.As(err, &schema) {
		t.Errorf("a Parquet file: %v", err)
	}
}

// A runner that takes no rows ends the run; rows that are lost or doubled on the way give nothing.
func TestUnitsMustAddUp(t *testing.T) {
	s := sourcetest.Units(t, 2, false)
	table := openUnits(t, s, shards(t, 2))
	b := newBench(t, s, 2)
	batch, err := json.Marshal(table.parts)
	if err != nil {
		t.Fatal(err)
	}
	err = b.read.ProcessElement(context.Background(), string(batch), func([]byte, []byte) { panic("SECRET-9f3") },
		func([]byte) { t.Error("a result") })
	if !errors.Is(err, errStopped) {
		t.Errorf("a runner that takes no rows: %v", err)
	}
	units, read := b.grouped(t, table.parts)
	for name, change := range map[string]func(unit string){
		"lost":    func(u string) { units[u] = units[u][1:] },
		"doubled": func(u string) { units[u] = append(units[u], units[u][0], units[u][0]) },
	} {
		for unit := range units {
			change(unit)
			break
		}
		out := sum(read.bytes(), b.capped(t, units).bytes())
		var changed *model.ChangedError
		if _, err := checked(out, 2, true); !errors.As(err, &changed) {
			t.Errorf("a row that is %s: %v", name, err)
		}
	}
}

func FuzzUnpacked(f *testing.F) {
	f.Add([]byte{})
	f.Add(packed([][]byte{[]byte("a"), nil, []byte("b,c")}))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, row []byte) {
		texts, ok := unpacked(row, nil)
		if again, fits := unpacked(packed(texts), nil); !fits || !slices.EqualFunc(again, texts, bytes.Equal) {
			t.Fatalf("%q, %v: %q", texts, ok, again)
		}
		fields := [][]byte{row, nil, row}
		if got, ok := unpacked(packed(fields), nil); !ok || !slices.EqualFunc(got, fields, bytes.Equal) {
			t.Fatalf("%q: %q, %v", fields, got, ok)
		}
		if len(row) > 0 {
			if _, ok := unpacked(packed(fields)[:len(packed(fields))-1], nil); ok {
				t.Fatal("a row that was cut off is taken")
			}
		}
	})
}
