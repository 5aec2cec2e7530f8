package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
		r, err := f.Values("r")
		if err != nil {
			t.Fatal(err)
		}
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
