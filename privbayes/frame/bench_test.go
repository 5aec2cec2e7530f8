package frame

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

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
		if _, err := Read(context.Background(), bytes.NewReader(text), "bench", s); err != nil {
			b.Fatal(err)
		}
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
				if _, err := f.TablesPrivate(sets); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
