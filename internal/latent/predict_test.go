package latent

import (
	"math"
	"testing"
)

// Variances of marginals, predicted coverages and scores are those of a separate program.
func TestPredictions(t *testing.T) {
	var golden struct {
		Prior []struct {
			Levels  int
			Weights []float64
			Prior   string
			S, SD   float64
		}
		Predicted []struct {
			PriorSD  float64 `json:"prior_sd"`
			NoiseSD  float64 `json:"noise_sd"`
			Off      float64
			Coverage float64
		}
		Predictor []struct {
			Levels, Rows int
			N, Rate      float64
			Prior        string
			Public       struct{ Coverage float64 }
		}
		Conflict []struct {
			Y, Cells, N float64
			Levels      int
			Noise       float64 `json:"noise_variance"`
			PriorSD     float64 `json:"prior_sd"`
			Score       float64
		}
	}
	priorGoldens(t, &golden)
	near := func(what string, got, want, tol float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tol) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	of := func(kind string, levels, rows int, s float64) RowPrior {
		switch kind {
		case "shared":
			return SharedRows(levels, rows)
		case "bdeu":
			return IndependentRows(levels, s/float64(levels*rows))
		}
		return IndependentRows(levels, 1)
	}
	for _, g := range golden.Prior {
		squares := 0.0
		for _, w := range g.Weights {
			squares += w * w
		}
		near("sd of a marginal", math.Sqrt(of(g.Prior, g.Levels, len(g.Weights), g.S).Variance(squares)), g.SD, 1e-12)
	}
	for _, g := range golden.Predicted {
		near("coverage", Covers(g.PriorSD*g.PriorSD, g.NoiseSD*g.NoiseSD, g.Off), g.Coverage, 1e-9)
	}
	for _, g := range golden.Predictor {
		q, s := math.Exp(-g.Rate), 1.0 // BDeu of one record in all
		noise := 2 * q / ((1 - q) * (1 - q))
		near("public "+g.Prior, of(g.Prior, g.Levels, g.Rows, s).Coverage(g.Rows, g.N, noise), g.Public.Coverage, 1e-9)
	}
	for _, g := range golden.Conflict {
		z, _ := IndependentRows(g.Levels, 1).Conflict(g.Y, g.Cells, g.N, g.Noise, g.PriorSD*g.PriorSD)
		near("score", z, g.Score, 1e-12)
	}
	if n := len(golden.Prior) + len(golden.Predicted) + len(golden.Predictor) + len(golden.Conflict); n != 52 {
		t.Errorf("%d cases", n)
	}
}
