package sampling

import (
	"context"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func BenchmarkOptimalError(b *testing.B) { // 176,851 compositions
	f := must[*Family](b)(NewGrid(5, false, 10))
	c := must[*Contest](b)(f.Contest(4, 5))
	for b.Loop() {
		must[float64](b)(c.OptimalError(100))
	}
}

func BenchmarkPlayFinite(b *testing.B) { // 1000 games of 100 samples
	f := must[*Family](b)(NewGrid(5, false, 10))
	benchmarkPlay(b, must[*Contest](b)(f.Contest(4, 5)))
}

func BenchmarkPlayBeta(b *testing.B) {
	benchmarkPlay(b, must[*Contest](b)(BetaContest(100, 50, 1, 1, .05, .95)))
}

func benchmarkPlay(b *testing.B, c *Contest) {
	for b.Loop() {
		must[[]Round](b)(Play(context.Background(), c, dp.Seeded(1),
			PlayOptions{Samples: []int{1, 10, 100}, Trials: 1000}))
	}
}

func BenchmarkRobustnessOf101DataSets(b *testing.B) {
	f := must[*Family](b)(NewGrid(20, false, 100))
	for b.Loop() {
		must[Robustness](b)(f.Worst(1, f.Uniform()))
	}
}
