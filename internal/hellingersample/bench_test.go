package hellingersample_test

import (
	"context"
	"testing"

	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
)

func flat(d int, alpha float64, n int64) instance {
	c := instance{alpha: make([]float64, d), x: make([]int64, d)}
	for i := range c.x {
		c.alpha[i], c.x[i] = alpha, n/int64(d)
	}
	return c
}

func BenchmarkEnumerated400(b *testing.B) {
	alpha, x := []float64{7, 4, 5}, []int64{150, 130, 120}
	for b.Loop() {
		must.Get(hs.Enumerated(alpha, x, 20))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/80601, "ns/candidate")
}

func BenchmarkShellsSetUp(b *testing.B) {
	for b.Loop() {
		must.Get(hs.Shells([2]float64{1, 1}, [2]int64{50_000, 50_000}, 100))(b)
	}
}

func BenchmarkShellsDraw(b *testing.B) {
	s, _ := hs.Shells([2]float64{1, 1}, [2]int64{50_000, 50_000}, 100)
	src := source(1)
	for b.Loop() {
		_, _ = s.Draw(src)
	}
}

func benchmarkMixture(b *testing.B, c instance, a float64) {
	b.Run("setup", func(b *testing.B) {
		for b.Loop() {
			must.Get(hs.Mixture(context.Background(), c.alpha, c.x, a, nil))(b)
		}
	})
	b.Run("draw", func(b *testing.B) {
		s := must.Get(hs.Mixture(context.Background(), c.alpha, c.x, a, nil))(b)
		src := source(1)
		for b.Loop() {
			_, _ = s.Draw(src)
		}
		b.ReportMetric(s.Proposals(), "proposals")
		b.ReportMetric(s.Slack()*1e9, "nano-slack")
	})
}

func BenchmarkMixture(b *testing.B) {
	b.Run("d=100,n=1e4,A=5", func(b *testing.B) { benchmarkMixture(b, flat(100, 1, 10_000), 5) })
	b.Run("d=100,n=1e4,A=50", func(b *testing.B) { benchmarkMixture(b, flat(100, 1, 10_000), 50) })
	b.Run("d=100,n=1e4,A=2000", func(b *testing.B) { benchmarkMixture(b, flat(100, 1, 10_000), 2000) })
	b.Run("d=3,n=1e5,A=100", func(b *testing.B) { benchmarkMixture(b, flat(3, 1, 100_000), 100) })
}
