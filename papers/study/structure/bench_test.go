package structure

import (
	"context"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// BenchmarkLearn learns from tables in memory: noise, rounds, the last fit and the network. Adult needs data.External.
func BenchmarkLearn(b *testing.B) {
	for _, name := range []string{"votes", "shopper", "adult"} {
		b.Run(name, func(b *testing.B) {
			set, err := Load(context.Background(), name)
			if err != nil {
				b.Skip(err)
			}
			j, err := NewScorer(set)
			if err != nil {
				b.Fatal(err)
			}
			r, err := NewReleases(context.Background(), set, j, model.MaxEntropy().Always(),
				dp.ApproxDP(1, Delta).Under(dp.AddRemove))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				drawn, err := r.plan.Draw(context.Background(), r.st, "bench", dp.Seeded(1))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := r.plan.Estimate(context.Background(), drawn); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
