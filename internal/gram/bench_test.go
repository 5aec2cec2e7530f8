package gram

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkSample is a posterior of four chains to agreement: slopes of numbers, and of factors of three levels.
func BenchmarkSample(b *testing.B) {
	for _, at := range []struct {
		name    string
		columns string
		d       float64
	}{
		{"1 slope", "1 x", 2}, {"5 slopes", "1 x y z u v", 6}, {"number and factor", "1 x a1 a2", 3},
		{"10 slopes", "1 g h i j k l m n o p", 11},
		{"35 slopes", "1 " + strings.Join(strings.Split("ghijklmnopqrstuvwxyzABCDEGHIJKLMNOQ", ""), " "), 36},
	} {
		b.Run(at.name, func(b *testing.B) {
			columns := columnsOf(at.columns)
			w := make([]float64, len(columns))
			for j := range w {
				w[j] = .3 * float64(j%3)
			}
			sweeps := 0
			for i := range b.N {
				p := ofRows(rand.New(rand.NewPCG(1, uint64(i))), columns, at.d, 3000, 7.9, w, .2, -.6, .6, false)
				out, err := Sample(b.Context(), p, [32]byte{byte(i)})
				if err != nil {
					b.Fatal(err)
				}
				sweeps += out.Sweeps
			}
			b.ReportMetric(float64(sweeps)/float64(b.N), "sweeps")
		})
	}
}
