package steps

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkSample is a posterior after four steps, four chains to agreement.
func BenchmarkSample(b *testing.B) {
	for name, c := range scenarios(b) {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			s := c.draw(r, 10000, false)
			first, last := s.steps(b, r, 1)
			sweeps := 0
			for i := range b.N {
				out, err := s.design.Sample(b.Context(), first, last, [32]byte{byte(i)})
				if err != nil {
					b.Fatal(err)
				}
				sweeps += out.Sweeps
			}
			b.ReportMetric(float64(sweeps)/float64(b.N), "sweeps")
		})
	}
}
