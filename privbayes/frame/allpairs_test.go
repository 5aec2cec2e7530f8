package frame

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkAllPairs counts the tables of all columns and all pairs of 100 columns, as learning a structure does, and
// reports the time of a row and pair.
func BenchmarkAllPairs(b *testing.B) {
	const columns, rows = 100, 1 << 16
	for _, most := range []int{2, 4, 8, 16, 24, 0} { // 0: of 2 to 16 levels
		b.Run(fmt.Sprintf("levels%d", most), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(5, uint64(most)))
			levels, codes, sets := make([]int, columns), make([]Codes, columns), [][]int{}
			for i := range columns {
				levels[i] = most
				if most == 0 {
					levels[i] = 2 + i%15
				}
				codes[i] = Codes{Levels: levels[i], U8: make([]uint8, rows)}
				for r := range codes[i].U8 {
					codes[i].U8[r] = uint8(min(rng.IntN(levels[i]), rng.IntN(levels[i])))
				}
				sets = append(sets, []int{i})
			}
			for i := range columns {
				for k := i + 1; k < columns; k++ {
					sets = append(sets, []int{i, k})
				}
			}
			c, err := NewCounter(levels, sets)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := c.Add(codes, rows); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows/float64(len(sets)-columns), "ns/row-pair")
		})
	}
}
