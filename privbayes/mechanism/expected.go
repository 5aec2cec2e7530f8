package mechanism

// ProportionErrorName names the expectation that plans are compared by.
const ProportionErrorName = "absolute error of a proportion"

// ExpectedError is the predicted mean absolute error of one estimated proportion, E|Z|/n; ok is false where n is
// private.
func (p *Plan) ExpectedError() (value float64, ok bool) { return ProportionError(p.expected) }

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
