package mechanism

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// proportionError names the expectation that plans are compared by.
const proportionError = "absolute error of a proportion"

// expectCounts predicts errors of raw noisy counts: the standard deviation and mean absolute error of one count and, where n is
// public, of one estimated proportion and of the ℓ₁ distance of a single table.
func expectCounts(sh *model.Shape, law noise, meanAbs float64) []Expectation {
	out := []Expectation{
		{"standard deviation of a count", math.Sqrt(law.Variance()), "records", "closed form, before post-processing"},
		{"absolute error of a count", meanAbs, "records", "closed form, before post-processing"},
	}
	if n, ok := sh.N(); ok && n > 0 {
		out = append(out, Expectation{proportionError, meanAbs / float64(n), "", "closed form, before post-processing"})
	}
	return out
}

// ExpectedError is the predicted mean absolute error of one estimated proportion, E|Z|/n; ok is false where n is private.
func (p *Plan) ExpectedError() (value float64, ok bool) { return ProportionError(p.expected) }

// ProportionError finds the mean absolute error of one estimated proportion among expectations; ok is false where n is private.
func ProportionError(list []Expectation) (value float64, ok bool) {
	for _, e := range list {
		if e.Name == proportionError {
			return e.Value, true
		}
	}
	return 0, false
}
