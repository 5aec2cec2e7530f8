package maxent

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

func BenchmarkShapes(b *testing.B) {
	for name, levels := range map[string][]int{"births": {2, 6, 9, 12, 12, 32}, "b": {2, 7, 6, 15, 16, 16}, "c": {2, 2, 3, 3, 4, 8, 16}, "d": {4, 4, 4, 4, 4, 4, 4, 4}} {
		b.Run(name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			p, records := mixture(r, levels, 10000)
			for i := range levels {
				p.measure(r, records, 100, i)
				for j := range i {
					p.measure(r, records, 100, j, i)
				}
			}
			m := p.model(b)
			must.Do(b, m.prepare(context.Background()))
			theta := m.potentials()
			for b.Loop() {
				m.tree.infer(theta)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.tree.largest), "ns/cell")
		})
	}
}
