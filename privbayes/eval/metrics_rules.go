package eval

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Accuracy is the share of rows whose most probable class is the true one, the first class on ties:
//
//	a = (1/n) Σ_i 1[argmax_j p_ij = y_i].
//
// Errors: *InputError.
func Accuracy(probs [][]float64, labels []int) (float64, error) {
	if err := checkProbs(probs, labels); err != nil {
		return 0, err
	}
	return mean(probs, labels, func(p []float64, y int) float64 {
		if floats.MaxIdx(p) == y {
			return 1
		}
		return 0
	}), nil
}

// MajorityAccuracy is the accuracy on test rows of always guessing the most frequent training class, the first on ties:
//
//	(1/n) Σ_i 1[y_i = argmax_j #{training rows of class j}],   j < classes.
//
// A classifier below it has learned nothing of use. Errors: *InputError.
func MajorityAccuracy(train, test []int, classes int) (float64, error) {
	if err := checkLabels("training labels", train, classes); err != nil {
		return 0, err
	}
	if err := checkLabels("test labels", test, classes); err != nil {
		return 0, err
	}
	counts := make([]float64, classes)
	for _, l := range train {
		counts[l]++
	}
	class, right := floats.MaxIdx(counts), 0.0
	for _, l := range test {
		if l == class {
			right++
		}
	}
	return right / float64(len(test)), nil
}

// BalancedAccuracy is the mean over the classes present in labels of the share of their rows got right:
//
//	(1/J') Σ_{j: n_j > 0} #{i: y_i = j, argmax p_i = j} / n_j,   J' = #{j: n_j > 0}.
//
// Guessing one class scores 1/J'. Errors: *InputError.
func BalancedAccuracy(probs [][]float64, labels []int) (float64, error) {
	c, err := count(probs, labels)
	if err != nil {
		return 0, err
	}
	b, _ := c.balanced()
	return b, nil
}

// Brier is the mean squared distance of the probabilities from the truth (Brier 1950),
//
//	(1/n) Σ_i Σ_j (p_ij − 1[y_i = j])²,   in [0, 2]; with two classes twice the one-class form.
//
// Errors: *InputError.
func Brier(probs [][]float64, labels []int) (float64, error) {
	if err := checkProbs(probs, labels); err != nil {
		return 0, err
	}
	return mean(probs, labels, brierOf), nil
}

// brierOf is the Brier score of one row.
func brierOf(p []float64, y int) float64 {
	sum := 0.0
	for j, v := range p {
		if j == y {
			v--
		}
		sum += v * v
	}
	return sum
}

// CrossEntropy is the mean negative log probability of the true class, in nats,
//
//	−(1/n) Σ_i log p_{i,y_i},   in [0, ∞].
//
// It is +Inf as soon as one row's true class has probability 0: such a prediction is not repaired. Errors: *InputError.
func CrossEntropy(probs [][]float64, labels []int) (float64, error) {
	if err := checkProbs(probs, labels); err != nil {
		return 0, err
	}
	return mean(probs, labels, func(p []float64, y int) float64 { return -math.Log(p[y]) }), nil
}

// LogLikelihood is the log probability of all true classes given their features, in nats,
//
//	Σ_i log p_{i,y_i} = −n · CrossEntropy,   in [−∞, 0].
//
// Errors: *InputError.
func LogLikelihood(probs [][]float64, labels []int) (float64, error) {
	h, err := CrossEntropy(probs, labels)
	return -h * float64(len(labels)), err
}

// mean averages a rule over rows that were checked.
func mean(probs [][]float64, labels []int, rule func(p []float64, y int) float64) float64 {
	sum := 0.0
	for i, p := range probs {
		sum += rule(p, labels[i])
	}
	return sum / float64(len(labels))
}
