package mechanism

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ProportionErrorName names the expectation that plans are compared by.
const ProportionErrorName = "absolute error of a proportion"

// proportionUnit says what an expected proportion is one of. Of one distribution that is a probability: its counts are
// shares of all records. Of several, as of naive Bayes and networks, a count is still measured as a share of all
// records, and the probabilities made of it, of the records of its row alone, are further off.
func proportionUnit(sh *model.Shape) string {
	if c := sh.Conditionals(); len(c) == 1 && c[0].Rows == 1 {
		return sh.Words().Error
	}
	return "a count, as a share of all records"
}

// proportions are expectations whose proportions have their unit. No estimate of one is further off than 1.
func proportions(sh *model.Shape, list []Expectation) []Expectation {
	out := slices.Clone(list)
	for i, e := range out {
		if e.Name == ProportionErrorName {
			out[i].Value, out[i].Unit = math.Min(e.Value, 1), "for "+proportionUnit(sh)
		}
	}
	return out
}

// ExpectedError is the predicted mean absolute error of one estimated proportion, E|Z|/n; ok is false where n is
// private.
func (p *Plan) ExpectedError() (value float64, ok bool) { return ProportionError(p.spec.Expected) }

// ProportionError finds the mean absolute error of one estimated proportion among expectations; ok is false where n is
// private.
func ProportionError(list []Expectation) (value float64, ok bool) {
	for _, e := range list {
		if e.Name == ProportionErrorName {
			return e.Value, true
		}
	}
	return 0, false
}
