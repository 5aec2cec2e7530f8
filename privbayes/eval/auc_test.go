package eval_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/eval"
)

func TestAUCIsPairCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		scores, positive := make([]float64, n), make([]bool, n)
		for i := range n {
			scores[i] = float64(rapid.IntRange(0, 6).Draw(t, "score"))
			positive[i] = rapid.Bool().Draw(t, "positive")
		}
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if positive[i] && !positive[j] {
					pairs++
					switch {
					case scores[i] > scores[j]:
						wins++
					case scores[i] == scores[j]:
						wins += 0.5
					}
				}
			}
		}
		got := eval.AUC(scores, positive)
		if pairs == 0 {
			if !math.IsNaN(got) {
				t.Fatal("AUC without both kinds:", got)
			}
			return
		}
		if math.Abs(got-wins/pairs) > 1e-12 {
			t.Fatalf("AUC %v, pairs %v", got, wins/pairs)
		}
		for i := range scores {
			scores[i] = math.Exp(3 * scores[i])
		}
		if again := eval.AUC(scores, positive); math.Abs(again-got) > 1e-12 {
			t.Fatal("a monotone transform changed the AUC")
		}
	})
}
