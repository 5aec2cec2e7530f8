package eval_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"pgregory.net/rapid"
)

func TestScoreByHand(t *testing.T) {
	probs := [][]float64{{0.9, 0.1}, {0.6, 0.4}, {0.3, 0.7}, {0.8, 0.2}}
	s, err := eval.Score(probs, []int{0, 1, 1, 0}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]float64{
		"accuracy": {s.Accuracy, 0.75}, "balanced": {s.Balanced, 0.75}, "AUC": {s.AUC, 1},
		"Brier":         {s.Brier, 2 * (0.01 + 0.36 + 0.09 + 0.04) / 4},
		"cross-entropy": {s.CrossEntropy, -(math.Log(0.9) + math.Log(0.4) + math.Log(0.7) + math.Log(0.8)) / 4},
		"ECE":           {s.ECE, (0.1 + 0.6 + 0.3 + 0.2) / 4},
	}
	for name, v := range want {
		if math.Abs(v[0]-v[1]) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, v[0], v[1])
		}
	}
	if s.Confusion[1][0] != 1 || s.Confusion[0][0] != 2 {
		t.Error(s.Confusion)
	}
}

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

func TestScoreRefusesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		probs  [][]float64
		labels []int
	}{{nil, nil}, {[][]float64{{1, 0}}, []int{0, 1}}, {[][]float64{{1}}, []int{0}}, {[][]float64{{1, 0}}, []int{2}}, {[][]float64{{1, 0}}, []int{-1}}} {
		if _, err := eval.Score(c.probs, c.labels, []string{"a", "b"}); err == nil {
			t.Errorf("%v passed", c)
		}
	}
}

// values[s][r] = split effect + noise with standard deviations 2 and 1: the parts must come back. With 4000 splits of 8 repeats
// the estimates have relative standard errors of about 1.2 %; 8 % is over 6.5 of them, a false alarm below 1e-9 for the fixed seed.
func TestTwoWaySeparatesSplitsFromNoise(t *testing.T) {
	check := func(split, noise float64) (float64, float64) {
		values, state := make([][]float64, 4000), uint64(1)
		normal := func() float64 {
			sum := 0.0
			for range 12 {
				state = state*6364136223846793005 + 1442695040888963407
				sum += float64(state>>11) / (1 << 53)
			}
			return sum - 6
		}
		for s := range values {
			base := split * normal()
			for range 8 {
				values[s] = append(values[s], base+noise*normal())
			}
		}
		_, a, b := eval.TwoWay(values)
		return a * math.Sqrt(4000), b * math.Sqrt(4000*8)
	}
	if a, b := check(2, 1); math.Abs(a/2-1) > 0.08 || math.Abs(b-1) > 0.08 {
		t.Errorf("parts %v, %v; want 2, 1", a, b)
	}
	if a, _ := check(1, 1); math.Abs(a/2-1) < 0.08 {
		t.Error("half the split effect passes as the whole: the test has no power")
	}
}

func TestFigureValidation(t *testing.T) {
	ok := eval.Series{Name: "s", Kind: eval.Line, X: []float64{1, 2}, Y: []float64{1, 2}}
	f := &eval.Figure{Title: "t", Series: []eval.Series{ok}, LogX: true}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]eval.Series{
		"empty": {Kind: eval.Line}, "lengths": {X: []float64{1}, Y: []float64{1, 2}}, "NaN": {X: []float64{1}, Y: []float64{math.NaN()}},
		"log of 0": {X: []float64{0}, Y: []float64{1}}, "band": {Kind: eval.Band, X: []float64{1}, Y: []float64{1}},
	} {
		if (&eval.Figure{LogX: true, Series: []eval.Series{s}}).Validate() == nil {
			t.Errorf("%s passed", name)
		}
	}
}
