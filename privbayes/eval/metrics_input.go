package eval

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// sumTolerance is how far the probabilities of a row may be from summing to 1: rounding, not a different scale.
const sumTolerance = 1e-6

// checkProbs checks an n × J matrix of class probabilities and n labels below J, n ≥ 1.
func checkProbs(probs [][]float64, labels []int) error {
	if len(probs) != len(labels) || len(labels) == 0 {
		return domain.Refuse("eval", "rows", fmt.Sprintf("%d predictions for %d labels", len(probs), len(labels)),
			"one prediction per label, and at least one row")
	}
	classes := len(probs[0])
	for i, p := range probs {
		if len(p) != classes || classes == 0 {
			return domain.Refuse("eval", fmt.Sprintf("row %d", i), fmt.Sprintf("%d probabilities", len(p)),
				fmt.Sprintf("%d, as in the first row, and at least one", classes))
		}
		if err := checkRow(i, p, labels[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkFlat is checkProbs for the probabilities of a model, row after row.
func checkFlat(flat []float64, classes int, labels []int) error {
	if len(labels) == 0 {
		return checkProbs(nil, nil)
	}
	for i, y := range labels {
		if err := checkRow(i, flat[i*classes:(i+1)*classes], y); err != nil {
			return err
		}
	}
	return nil
}

func checkRow(i int, p []float64, label int) error {
	refuse := func(found, want string) error {
		return domain.Refuse("eval", fmt.Sprintf("row %d", i), found, want)
	}
	if label < 0 || label >= len(p) {
		return refuse("a label outside the classes", fmt.Sprintf("a label from 0 to %d", len(p)-1))
	}
	sum := 0.0
	for _, v := range p {
		if !(v >= 0 && v <= 1+sumTolerance) { // also NaN
			return refuse(fmt.Sprintf("probability %v", v), "probabilities in [0, 1]")
		}
		sum += v
	}
	if math.Abs(sum-1) > sumTolerance {
		return refuse(fmt.Sprintf("probabilities that sum to %v", sum), "a sum of 1")
	}
	return nil
}

// checkScores checks one score without NaN for each row.
func checkScores(scores []float64, positive []bool) error {
	if len(scores) != len(positive) || len(scores) == 0 {
		return domain.Refuse("eval", "rows", fmt.Sprintf("%d scores for %d classes", len(scores), len(positive)),
			"one score per row, and at least one row")
	}
	for i, s := range scores {
		if math.IsNaN(s) {
			return domain.Refuse("eval", fmt.Sprintf("row %d", i), "score NaN", "a number")
		}
	}
	return nil
}
