package parquet_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// agreeing writes numbers, decimals and dates whose texts are those of the CSV file, and missing values as null.
func agreeing(column string) kind {
	switch column {
	case "wage", "seen":
		return exact(column)
	}
	return typed(column)
}

// dictionaries are of every column that can have one.
func dictionaries(n pq.Node) pq.Node { return pq.Encoded(n, &pq.RLEDictionary) }

// csvOf is the text of a table.
func csvOf(t testing.TB, head []string, body [][]string) string {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(append([][]string{head}, body...)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// shuffled are the rows in another order.
func shuffled(body [][]string, seed uint64) [][]string {
	out := slices.Clone(body)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Under a unit key the same rows stay as in the frame, whatever the types, the row groups, the files and their order:
// releases agree byte for byte.
func TestUnitsAreThoseOfTheFrame(t *testing.T) {
	head, body := rows(t)
	for i, u := range []struct {
		k   int
		pad bool
	}{{1, false}, {2, false}, {2, true}, {9, false}, {2, false}} {
		s := sourcetest.Units(t, u.k, u.pad)
		if i == 4 {
			s = sourcetest.Weighted(s)
		}
		f := sourcetest.FrameUnder(t, s)
		want := sourcetest.Releases(t, source.OfFrame(f))
		check := func(name string, src *parquet.Source) {
			t.Helper()
			size, err := src.Size(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			n, public := size.Public()
			if wantN, wantPublic := f.PublicN(); public != wantPublic || public && n != wantN {
				t.Errorf("%+v, %s: n = %d, public %v; want %d, %v", u, name, n, public, wantN, wantPublic)
			}
			got := sourcetest.Releases(t, src)
			if len(got) != len(want) {
				t.Fatalf("%+v, %s: %d releases, want %d", u, name, len(got), len(want))
			}
			for r := range got {
				if string(got[r]) != string(want[r]) {
					t.Errorf("%+v, %s: release %d differs from that of the frame", u, name, r)
				}
			}
		}
		dir := t.TempDir()
		check("texts", open(t, s, put(t, write(t, head, body, texts, dictionaries, 31, nil), dir, "one", "a.parquet")))
		mixed := shuffled(body, uint64(i))
		some := []string{
			put(t, write(t, head, mixed[200:], exact, plainly, 7, nil), dir, "some", "c.parquet"),
			put(t, write(t, head, mixed[:90], agreeing, dictionaries, 20, nil, pq.DataPageVersion(1)), dir, "some", "a.parquet"),
			put(t, write(t, head, mixed[90:200], agreeing, plainly, 1000, nil, pq.PageBufferSize(64)), dir, "some", "b.parquet"),
		}
		check("files of several types", open(t, s, some...))
		slices.Reverse(some)
		check("files in another order", open(t, s, some...))
		check("a folder", open(t, s, filepath.Join(dir, "some")))
		byColour := map[string][][]string{}
		for _, r := range mixed {
			folder := "colour=" + map[string]string{"blue, pale": "blue%2C pale", "?": "__HIVE_DEFAULT_PARTITION__"}[r[2]]
			if folder == "colour=" {
				folder += r[2]
			}
			byColour[folder] = append(byColour[folder], r)
		}
		for folder, part := range byColour {
			put(t, write(t, head, part, agreeing, asIs, 16, []string{"colour"}), dir, "hive", folder, "a.parquet")
		}
		check("folders by a column", open(t, s, filepath.Join(dir, "hive")))
	}
}

// A key may be a number, or stand in the files' paths, and it needs no ExtraColumns.
func TestKeys(t *testing.T) {
	head, body := rows(t)
	for i := range body {
		body[i] = slices.Clone(body[i])
		body[i][0] = strings.TrimLeft(body[i][0], "p0")
	}
	s := sourcetest.Units(t, 2, true)
	s.ExtraColumns = false
	f, err := frame.Read(t.Context(), strings.NewReader(csvOf(t, head, body)), "t.csv", s)
	if err != nil {
		t.Fatal(err)
	}
	want, dir := sourcetest.Releases(t, source.OfFrame(f)), t.TempDir()
	for i, node := range []pq.Node{pq.Int(64), pq.Uint(32), pq.Decimal(0, 9, pq.Int32Type), pq.Leaf(pq.DoubleType),
		pq.Optional(pq.Int(32))} {
		numbers := func(column string) kind {
			if column != "id" {
				return agreeing(column)
			}
			return kind{node, func(text string) any {
				switch node.Type().Kind() {
				case pq.Int64:
					return whole(text)
				case pq.Double:
					return float64(whole(text))
				}
				return int32(whole(text))
			}}
		}
		name := fmt.Sprintf("%d.parquet", i)
		same(t, want, open(t, s, put(t, write(t, head, body, numbers, dictionaries, 50, nil), dir, name)))
	}
	byKey := map[string][][]string{}
	for _, r := range body {
		byKey["id="+r[0]] = append(byKey["id="+r[0]], r)
	}
	for folder, part := range byKey {
		put(t, write(t, head, part, agreeing, asIs, 2, []string{"id"}), dir, "hive", folder, "a.parquet")
	}
	same(t, want, open(t, s, filepath.Join(dir, "hive")))
}

// By brute force: a column that names the unit shows how many rows of each are counted, which is the lesser of k and
// what the unit has.
func TestNoUnitCountsMoreThanItsRows(t *testing.T) {
	head, body := rows(t)
	head = append(slices.Clone(head), "who")
	has := map[string]int{}
	for i, r := range body {
		body[i] = append(slices.Clone(r), r[0])
		has[r[0]]++
	}
	for range 30 { // copies of one row, too
		body, has["p007"] = append(body, body[6]), has["p007"]+1
	}
	var names []string
	for name := range has {
		names = append(names, name)
	}
	slices.Sort(names)
	dir := t.TempDir()
	for _, k := range []int{1, 2, 3, 9, 100} {
		s := sourcetest.Units(t, k, false)
		s.Columns = append(s.Columns, frame.Column{Name: "who", Kind: frame.KindCategorical, Categories: names})
		var paths []string
		mixed := shuffled(body, uint64(k))
		for i, part := range [][][]string{mixed[:100], mixed[100:130], mixed[130:]} {
			paths = append(paths, put(t, write(t, head, part, agreeing, dictionaries, 9, nil), dir,
				fmt.Sprintf("%d-%d.parquet", k, i)))
		}
		src := open(t, s, paths...)
		size, err := src.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sh, err := source.Shape(src, size, privbayes.Categorical("who"))
		if err != nil {
			t.Fatal(err)
		}
		st, err := src.Statistics(t.Context(), sh)
		if err != nil {
			t.Fatal(err)
		}
		counts := st.Open(access.Mine())[0]
		if len(counts) != len(names) {
			t.Fatalf("%d counts, want %d", len(counts), len(names))
		}
		for i, n := range counts {
			if int(n) != min(k, has[names[i]]) {
				t.Errorf("k = %d: %v rows of a unit of %d are counted", k, n, has[names[i]])
			}
		}
	}
}

// What cannot be capped is refused before anything is counted, in words without a value.
func TestUnitRefusals(t *testing.T) {
	head, body := rows(t)
	dir := t.TempDir()
	without := shuffled(body, 1)
	without[50] = append([]string{""}, without[50][1:]...)
	null := func(column string) kind {
		if column == "id" {
			return kind{pq.Optional(pq.String()), unless("", func(t string) any { return t })}
		}
		return texts(column)
	}
	secret := shuffled(body, 1)
	secret[50] = slices.Clone(secret[50])
	secret[50][2] = "SECRET-9f3"
	other := func(node pq.Node, value any) func(string) kind {
		return func(column string) kind {
			if column == "id" {
				return kind{node, func(string) any { return value }}
			}
			return texts(column)
		}
	}
	sequence := sourcetest.Units(t, 2, false)
	sequence.Columns = append(sequence.Columns, frame.Column{Name: "path", Kind: frame.KindSequence, Separator: " ",
		Categories: []string{"a", "b"}, MaxLength: 3})
	padless := sourcetest.Units(t, 2, true)
	padless.Columns[0].Pad = "SECRET-9f3"
	padded, one, two := sourcetest.Units(t, 2, true), sourcetest.Units(t, 1, false), sourcetest.Units(t, 2, false)
	files := 0
	file := func(body [][]string, kinds func(string) kind, less ...string) string {
		files++
		return put(t, write(t, head, body, kinds, dictionaries, 40, less), dir, fmt.Sprintf("%d.parquet", files))
	}
	bare := put(t, write(t, head, body, texts, asIs, 40, []string{"id"}), dir, "hive",
		"id=__HIVE_DEFAULT_PARTITION__", "a.parquet")
	for _, c := range []struct {
		name   string
		schema *frame.Schema
		path   string
		want   string
	}{
		{"no key's column", two, file(body, texts, "id"), `no column "id"`},
		{"an empty key", two, file(without, texts), "a row without one could belong to any"},
		{"a null key", two, file(without, null), "a row without one could belong to any"},
		{"an empty key where units are counted", one, file(without, texts), "a row without one could belong to any"},
		{"a null key where units are counted", padded, file(without, null), "a row without one could belong to any"},
		{"a key that is no number", two, file(body, other(pq.Leaf(pq.DoubleType), math.NaN())), "could belong to any"},
		{"a key that is null in the path", two, filepath.Dir(filepath.Dir(bare)), "could belong to any"},
		{"a repeated key", two, file(body, other(pq.Repeated(pq.String()), nil)), "nested or repeated"},
		{"a key of times", two, file(body, other(pq.TimestampAdjusted(pq.Microsecond, false), int64(1))), "the file has INT64"},
		{"a text out of the domain", two, file(secret, texts), `column "colour" has a value that does not fit`},
		{"a sequence", sequence, file(body, texts), "no sequence where the rows of a unit are capped"},
		{"a pad that does not fit", padless, file(body, texts), "class"},
	} {
		if strings.Contains(c.name, "units are counted") {
			if _, err := open(t, c.schema, c.path).Size(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: the size: %v", c.name, err)
			}
		}
		err := countOf(t.Context(), c.schema, "colour", c.path)
		if c.name == "a pad that does not fit" {
			err = countOf(t.Context(), c.schema, "class", c.path)
		}
		var schema *frame.SchemaError
		if err == nil || !typedError(err) && !errors.As(err, &schema) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		} else if strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), "p0") {
			t.Errorf("%s: %q has a value of the table", c.name, err)
		}
	}
}

// countOf opens files and counts one column.
func countOf(ctx context.Context, s *frame.Schema, column string, paths ...string) error {
	src, err := parquet.Open(ctx, s, paths, parquet.Workers(2))
	if err != nil {
		return err
	}
	size, err := src.Size(ctx)
	if err != nil {
		return err
	}
	sh, err := source.Shape(src, size, privbayes.Categorical(column))
	if err != nil {
		return err
	}
	_, err = src.Statistics(ctx, sh)
	return err
}

// Files with bytes changed give a typed error or counts where rows are read as texts, too; never a panic.
func TestDamagedUnits(t *testing.T) {
	head, body := rows(t)
	s, dir := sourcetest.Units(t, 2, true), t.TempDir()
	random, refused := rand.New(rand.NewPCG(3, 4)), 0
	for _, b := range [][]byte{
		write(t, head, body[:40], agreeing, dictionaries, 25, nil),
		write(t, head, body[:40], agreeing, plainly, 25, nil, pq.DataPageVersion(1)),
	} {
		for range 500 {
			bad := slices.Clone(b)
			for range 1 + random.IntN(4) {
				bad[random.IntN(len(bad))] = byte(random.Uint32())
			}
			if err := countOf(t.Context(), s, "class", put(t, bad, dir, "bad.parquet")); err != nil {
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
