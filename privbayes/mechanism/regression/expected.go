package regression

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// WidthName names the expected width of the 95 % interval of a slope: of a number on its half-range, where the number's
// standard deviation is a third of that and it goes with no other column.
const WidthName = "width of a slope's 95 % interval"

// columnVariance is that of a number whose standard deviation is a third of its half-range; so is the residual's of a
// response.
const columnVariance = 1. / 9

// expectedWidth is that of a slope of a design of so many terms, from public n: 2·1.96/√(P + I²/V), of the information
// I = n/9 of a number, the prior's precision P and the variance V of its score, which is the sampling variance and the
// noise. No prediction where n is private: which n there is, only the release tells.
func expectedWidth(information, precision, variance float64, unit string) mechanism.Expectation {
	return mechanism.Expectation{Name: WidthName,
		Value: 2 * 1.959963984540054 / math.Sqrt(precision+information*information/variance), Unit: unit,
		How: "first order, per half-range of a number whose standard deviation is a third of it, apart from other columns"}
}

// slopeWidth is expectedWidth of a linear regression, in half-ranges of the response: the score Xᵀy has the variance
// I/9, and the noise D·τ², and of XᵀX times coefficients of the prior as much again for each of them, D/2 times their
// squares.
func (p *perturbing) slopeWidth(tau float64) (e mechanism.Expectation, ok bool) {
	if p.n == 0 {
		return e, false
	}
	square, information := float64(p.shape.Linear().Square()), float64(p.n)*columnVariance
	noise := square * tau * tau * (1 + (float64(p.dim)+1)*square/p.prior/2)
	return expectedWidth(information, p.prior, information*columnVariance+noise, "half-ranges of the response"), true
}

// slopeWidth is expectedWidth of a logistic regression with classes equally likely, where the last step has the
// information I/2, the score the variance I, and the noise D·τ².
func (p *scoring) slopeWidth(tau float64) (e mechanism.Expectation, ok bool) {
	if p.n == 0 {
		return e, false
	}
	information := float64(p.n) * columnVariance
	return expectedWidth(information/2, 1/(p.design.Slope*p.design.Slope), information+p.design.Terms*tau*tau,
		"log-odds, and more where classes are uneven or slopes steep"), true
}
