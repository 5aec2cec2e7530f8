package frame

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// inChunks reads in chunks of a size, also where a table is small.
func inChunks(size int) ReadOption { return func(c *readConfig) { c.chunk = size } }

// plainSchema has a column of every kind that a scanner reads, and of kinds that it leaves to encoders.
func plainSchema() *Schema {
	mark := func(c Column, marks ...string) Column {
		c.Missing, c.OnMissing = marks, MissingAsCategory
		return c
	}
	clamp := Integer("clamp", 0, 10, 1000)
	clamp.OnOutOfDomain = DomainClamp
	wide := make([]string, 300)
	for i := range wide {
		wide[i] = fmt.Sprint("w", i)
	}
	short := Categorical("short", "1", "10", "11", "100", "1000", "a,b", "q\"q")
	short.Aliases = []Alias{{"1", []string{"one", "uno"}}, {"10", []string{"ten"}}}
	other := Categorical("other", "x", "y", "rest")
	other.OnOutOfDomain, other.Other = DomainOther, "rest"
	return &Schema{Dataset: "test", ExtraColumns: true, Columns: []Column{
		mark(Categorical("work", "Private", "Self-emp-not-inc", "Self-emp-inc", "State-gov"), "?", ""),
		Categorical("long", "Married-civ-spouse", "Married-AF-spouse", "a category with more than thirty-two bytes", "é"),
		short, other, Integer("age", 17, 30, 65, 100), mark(Integer("signed", -1e6, 0, 3000000), "NA"),
		Real("real", -1000, -0.5, 0, 0.125, 1000), mark(Real("99", 0, 50, 100), "99"), clamp, Categorical("wide", wide...),
	}}
}

// quotedLine is a plainLine whose texts stand between quotes.
func quotedLine(pick func(of int) int, usual bool) string {
	line := plainLine(pick, usual)
	fields := strings.Split(line, ",")
	if strings.Contains(line, `"`) || len(fields) != 11 {
		return line
	}
	for _, i := range []int{0, 1, 2, 3, 9} {
		if fields[i] != "?" || pick(2) == 0 {
			fields[i] = `"` + fields[i] + `"`
		}
	}
	if pick(3) == 0 {
		k := pick(9)
		fields[k] = `"` + strings.Trim(fields[k], `"`) + `"`
	}
	return strings.Join(fields, ",")
}

// plainLine is a row of plainSchema and one column that it does not name, with line end; usual says that it fits.
func plainLine(pick func(of int) int, usual bool) string {
	choose := func(from ...string) string { return from[pick(len(from))] }
	number := func() string { return fmt.Sprint(pick(100) - 20) }
	fields := []string{
		choose("Private", "Self-emp-not-inc", "Self-emp-inc", "State-gov", "?", ""),
		choose("Married-civ-spouse", "Married-AF-spouse", "a category with more than thirty-two bytes", "é"),
		choose("1", "10", "11", "100", "1000", "one", "uno", "ten", "\"a,b\"", "\"q\"\"q\""),
		choose("x", "y", "rest", "zzz", "", "\"x\""),
		fmt.Sprint(17 + pick(84)),
		choose("NA", "12", "-7", "+7", "007", "1e3", "2.0", "\"NA\"", "2999999", "-0"),
		choose("0.125", "-0.5", "7", "7.", ".5", "-.5", "999.9999", "12.345678901", "1e-3", "-0.0", "0.1249"),
		choose("99", "99.0", "98", "0", "099", "100"),
		choose("5", "12345678", "1001", "-4", "999", "1000.5"[:4]),
		"w" + fmt.Sprint(pick(300)),
		choose("", "1234567", "12345678", "text", "\"a\nb\"", "\"a,\r\nb\"", "a b"),
	}
	if !usual {
		switch k := pick(len(fields)); pick(7) {
		case 0:
			fields[k] = choose("", "?", "NA", number(), "Private ", "\"", "a\"b", "\"a\"b", "1e400", "--1", ".", "-", "\xff",
				"\x00")
		case 1:
			fields = slices.Delete(fields, k, k+1)
		case 2:
			fields = append(fields, "more")
		case 3:
			return choose("", "\r", "\n", " ", plainHeader()) + choose("\n", "\r\n")
		case 4:
			fields[k] += choose("\r", " ", ",", "x", "\n")
		case 5:
			fields[k] = "\"" + fields[k]
		}
	}
	return strings.Join(fields, ",") + choose("\n", "\n", "\n", "\r\n")
}

func plainHeader() string { return strings.Join(plainSchema().Names(), ",") + ",id" }

// sameReading reads a text in chunks and by the careful reader alone: the frames must be equal, or the errors.
func sameReading(t interface{ Fatalf(string, ...any) }, text []byte, s *Schema, size int) (*Frame, error) {
	want, wantErr := Read(context.Background(), bytes.NewReader(text), "t.csv", s)
	got, err := Read(context.Background(), bytes.NewReader(text), "t.csv", s, inChunks(size))
	switch {
	case fmt.Sprint(err) != fmt.Sprint(wantErr) || fmt.Sprintf("%T", err) != fmt.Sprintf("%T", wantErr):
		t.Fatalf("chunks of %d: %v; the careful reader: %v\n%q", size, err, wantErr, text)
	case err == nil && !sameFrame(got, want):
		t.Fatalf("chunks of %d: another frame\n%q", size, text)
	}
	return got, err
}

// Reading in chunks gives what the careful reader gives: the same codes, values and refusals, with their lines.
func TestChunksAreTheCarefulReader(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plainSchema()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rows, odd := rapid.IntRange(1, 120).Draw(t, "rows"), rapid.IntRange(0, 3).Draw(t, "odd lines")
		var b strings.Builder
		b.WriteString(plainHeader() + "\n")
		line := rapid.SampledFrom([]func(func(int) int, bool) string{plainLine, quotedLine}).Draw(t, "line")
		if rapid.Bool().Draw(t, "marks between quotes are values") {
			s = s.Clone()
			s.Columns[0].QuotedMissing = QuotedIsValue
			s.Columns[5].QuotedMissing = QuotedIsValue
		}
		for range rows {
			b.WriteString(line(rng.IntN, rng.IntN(rows) >= odd))
		}
		text := []byte(b.String())
		if rapid.Bool().Draw(t, "no last line end") {
			text = bytes.TrimRight(text, "\r\n")
		}
		_, _ = sameReading(t, text, s, rapid.SampledFrom([]int{7, 100, 300, 1000, 5000, chunkBytes}).Draw(t, "chunk"))
	})
}

// The scanner itself, and not the careful reader in its stead, reads a plain chunk, and one with simple quotes; signs,
// marks and texts of awkward length do not make it give up.
func TestScannerReadsPlainChunks(t *testing.T) {
	s := plainSchema()
	for _, quoted := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(5, 6))
		var b strings.Builder
		rows := 0
		for rows < 2000 {
			line := plainLine(rng.IntN, true)
			if quoted {
				line = quotedLine(rng.IntN, true)
			}
			if strings.Contains(line, `"`) == quoted && !strings.Contains(line, `""`) && strings.Count(line, "\n") == 1 {
				b.WriteString(line)
				rows++
			}
		}
		r := must.Get(newReading(s, nil))(t)
		h := must.Get(r.matchHeader(bytes.Split([]byte(plainHeader()), []byte{','}), "t.csv"))(t)
		plan, place := r.plan(h, false, quotedFields([]byte(b.String()), ','))
		w := r.worker("t.csv", h, plan, place)
		n := copy(w.scan.Buffer()[:], b.String())
		if !w.scan.Scan(n) || w.scan.Rows() != rows {
			t.Fatalf("quotes %v: %d rows of %d, or none", quoted, w.scan.Rows(), rows)
		}
	}
}

// A table of one column: an empty line is no row, whatever an empty field means.
func TestChunksOfOneColumn(t *testing.T) {
	c := Categorical("c", "a", "b")
	c.Missing, c.OnMissing = []string{""}, MissingAsCategory
	s := &Schema{Dataset: "test", Columns: []Column{c}}
	for _, text := range []string{"c\na\n\nb\n\"\"\n", "c\r\na\r\n\r\nb", "c\na\n\n\n", "c\n\n", "c\n\"\"",
		"c\na\r\r\nb"} {
		for _, size := range []int{1, 2, 5, 100} {
			_, _ = sameReading(t, []byte(text), s, size)
		}
	}
}

// Errors of a reader, and a context that ends, are told as ever, and the workers are done when Read returns.
func TestChunksStop(t *testing.T) {
	s, text := benchTable(2000)
	in := io.MultiReader(bytes.NewReader(text), &failing{})
	if _, err := Read(context.Background(), in, "t.csv", s, inChunks(1000)); !typed(err, &FileError{}) {
		t.Fatalf("%v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Read(ctx, bytes.NewReader(text), "t.csv", s, inChunks(1000), WithProgress(func(_, rows int64) {
		if rows > 500 {
			cancel()
		}
	}))
	if err == nil || ctx.Err() == nil || !strings.Contains(err.Error(), "reading stopped") {
		t.Fatalf("%v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

// FuzzChunks compares reading in chunks with the careful reader, and with encoding/csv where the fields are text.
func FuzzChunks(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 12 {
		var b strings.Builder
		for range 6 {
			line := plainLine
			if i > 8 {
				line = quotedLine
			}
			b.WriteString(line(rng.IntN, rng.IntN(i+1) < 2))
		}
		f.Add([]byte(b.String()), uint16(50*i+20))
	}
	s := plainSchema()
	f.Fuzz(func(t *testing.T, rows []byte, size uint16) {
		text := append([]byte(plainHeader()+"\n"), rows...)
		fr, err := sameReading(t, text, s, int(size)%2000+1)
		if err != nil {
			return
		}
		r := csv.NewReader(bytes.NewReader(text))
		records, err := r.ReadAll()
		if err != nil || len(records) != fr.Len()+1 {
			t.Fatalf("%d rows; encoding/csv: %d records, %v", fr.Len(), len(records), err)
		}
		long, real := fr.cols[1].codes, fr.cols[6].values
		for i, record := range records[1:] {
			if want := s.Columns[1].Categories[long.At(i)]; record[1] != want {
				t.Fatalf("row %d: %q, encoding/csv %q", i, want, record[1])
			}
			if x, ok := parseNumber([]byte(record[6])); !ok || x != real.at(i) || math.Signbit(x) != math.Signbit(real.at(i)) {
				t.Fatalf("row %d: %v, encoding/csv %q", i, real.at(i), record[6])
			}
		}
	})
}

// Counting records agrees with reading them, whatever the line ends, quotes and chunks.
func TestCountRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a,1", "\n", "\r\n", "\"x\ny\",2", "\r", "\n\n", "b,"}), 0, 200).
			Draw(t, "text")
		all := "h,i\n" + strings.Join(text, "")
		sc := newScanner(strings.NewReader(all), ',')
		want := -1
		for err := error(nil); err == nil; want++ {
			err = sc.next()
			if err != nil && err != io.EOF {
				want = math.MinInt
			}
		}
		r := &reading{schema: plainSchema(), chunk: rapid.IntRange(1, 50).Draw(t, "chunk")}
		sc = newScanner(strings.NewReader(all), ',')
		must.Do(t, sc.next())
		err := r.countRecords(context.Background(), sc, "t.csv", func() {})
		if (err == nil) != (want > 0) || err == nil && r.rows != want-1 {
			t.Fatalf("%d records, %v; want %d of %q", r.rows, err, want-1, all)
		}
	})
}

// Rows beyond one chunk, and exactly a whole number of chunks, come back in order, for every kind of column.
func TestReadAcrossChunks(t *testing.T) {
	wide := make([]string, 300)
	for i := range wide {
		wide[i] = fmt.Sprint("w", i)
	}
	real := Real("r", -1e6, 0, 1e6)
	real.Missing, real.OnMissing, real.MissingCategory = []string{""}, MissingAsCategory, "missing"
	s := &Schema{Dataset: "test", Columns: []Column{Categorical("c", "a", "b", "c"), Categorical("w", wide...), real,
		{Name: "s", Kind: KindSequence, Categories: []string{"x", "y"}, Separator: " ", MaxLength: 3}}}
	for _, n := range []int{chunkRows - 1, chunkRows, 2 * chunkRows, 2*chunkRows + 3} {
		var b strings.Builder
		b.WriteString("c,w,r,s\n")
		value := func(i int) string {
			if i%7 == 0 {
				return ""
			}
			return strconv.FormatFloat(float64(i-9000)/8, 'f', -1, 64)
		}
		for i := range n {
			fmt.Fprintf(&b, "%c,w%d,%s,%s\n", "abc"[i%3], i%300, value(i), strings.TrimSpace(strings.Repeat("x ", i%4)))
		}
		f := mustRead(t, b.String(), s)
		if f.Len() != n {
			t.Fatalf("%d rows, want %d", f.Len(), n)
		}
		c, _ := f.Codes("c")
		w, _ := f.Codes("w")
		r := must.Get(f.Values("r"))(t)
		q := f.cols[3].seqs
		if c.Len() != n || w.Len() != n || len(r) != n || len(q) != n || c.Levels != 3 || w.Levels != 300 {
			t.Fatalf("%d rows: columns of %d, %d, %d, %d", n, c.Len(), w.Len(), len(r), len(q))
		}
		for i := range n {
			want, err := strconv.ParseFloat(value(i), 64)
			if c.At(i) != i%3 || w.At(i) != i%300 || len(q[i]) != i%4 || (err != nil) != math.IsNaN(r[i]) ||
				err == nil && r[i] != want {
				t.Fatalf("row %d of %d: %d, %d, %v, %v", i, n, c.At(i), w.At(i), r[i], q[i])
			}
		}
	}
}

// Every short text of an alphabet is the same number, or none, with and without bytes behind it; strconv is the judge
// of texts that only have digits and a point.
func TestShortNumbers(t *testing.T) {
	const alphabet = "0159.-+e /:"
	for length := range 6 {
		text := make([]byte, length)
		for k, end := 0, int(math.Pow(float64(len(alphabet)), float64(length))); k < end; k++ {
			for i, rest := 0, k; i < length; i, rest = i+1, rest/len(alphabet) {
				text[i] = alphabet[rest%len(alphabet)]
			}
			checkNumber(t, text)
		}
	}
	for _, s := range []string{"1234567", "12345678", "123456789", "99999999", "1.234567", "123456.7", ".1234567",
		"1234567.", "-1234.5678", "12.34.56", "1234567x", "00000000"} {
		checkNumber(t, []byte(s))
	}
}

func checkNumber(t *testing.T, text []byte) {
	t.Helper()
	tight := slices.Clip(slices.Clone(text))
	roomy := append(slices.Clone(text), "99999999"...)[:len(text)]
	a, okA := parseNumber(tight[:len(tight):len(tight)])
	b, okB := parseNumber(roomy)
	if okA != okB || math.Float64bits(a) != math.Float64bits(b) {
		t.Fatalf("%q: %v %v alone, %v %v in a buffer", text, a, okA, b, okB)
	}
	if strings.Trim(string(text), "0123456789.") == "" {
		want, err := strconv.ParseFloat(string(text), 64)
		if okB != (err == nil) || okB && b != want {
			t.Fatalf("%q: %v %v, strconv %v %v", text, b, okB, want, err)
		}
	}
}

// benchTable writes n rows of 15 columns: a class, ten categorical, two whole and two real numbers.
func benchTable(n int) (*Schema, []byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	cats := []string{"private", "self-employed", "federal", "state", "none", "unknown to us", "x", "y"}
	s := &Schema{Dataset: "test", Columns: []Column{Categorical("class", "no", "yes")}}
	for i := range 10 {
		s.Columns = append(s.Columns, Categorical(fmt.Sprintf("c%d", i), cats[:2+rng.IntN(7)]...))
	}
	s.Columns = append(s.Columns, Integer("i0", 0, 20, 40, 60, 80, 100), Integer("i1", 0, 10000, 20000, 50000, 100000),
		Real("r0", 0, 0.25, 0.5, 0.75, 1), Real("r1", -100, -10, 0, 10, 100))
	var b bytes.Buffer
	for i, c := range s.Columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(c.Name)
	}
	b.WriteByte('\n')
	for range n {
		for _, c := range s.Columns[:11] {
			b.WriteString(c.Categories[rng.IntN(len(c.Categories))] + ",")
		}
		fmt.Fprintf(&b, "%d,%d,%.3f,%.2f\n", rng.IntN(101), rng.IntN(100001), rng.Float64(), 200*rng.Float64()-100)
	}
	return s, b.Bytes()
}

func BenchmarkRead15Columns(b *testing.B) {
	const n = 100_000
	s, text := benchTable(n)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(Read(context.Background(), bytes.NewReader(text), "bench", s))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

// BenchmarkTables counts 14 columns against a class, for 2 classes × 8 values (one byte a cell) and 10 × 100
// (wider tables).
func BenchmarkTables(b *testing.B) {
	const n = 1_000_000
	for _, levels := range [][2]int{{2, 8}, {10, 100}} {
		b.Run(fmt.Sprintf("%dx%d", levels[0], levels[1]), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			f := &Frame{schema: &Schema{}, n: n}
			var sets [][]string
			for k := range 15 {
				l := levels[1]
				if k == 0 {
					l = levels[0]
				}
				cats := make([]string, l)
				for i := range cats {
					cats[i] = fmt.Sprint(i)
				}
				codes := make([]uint8, n)
				for i := range codes {
					codes[i] = uint8(rng.IntN(l))
				}
				f.schema.Columns = append(f.schema.Columns, Categorical(fmt.Sprint(k), cats...))
				f.cols = append(f.cols, column{codes: Codes{U8: codes, Levels: l}})
				if k > 0 {
					sets = append(sets, []string{"0", fmt.Sprint(k)})
				}
			}
			for b.Loop() {
				must.Get(f.TablesPrivate(sets))(b)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
