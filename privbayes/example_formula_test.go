package privbayes_test

import (
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

// How wages rise with schooling, full-time and part-time, among 28 155 men. Every distinct product of two columns of
// the formula is released once; the intervals include the noise. The prior expects slopes of a tenth of the wage's
// public range.
func ExampleLinear() {
	p := privbayes.ReadFrame(data.CPS1988()).
		Model(privbayes.Linear("wage ~ education*parttime + experience + I(experience^2)").Slopes(.1).Intercept(.5)).
		Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(4, 1e-6), privbayes.Seeded(1))
	release, err := p.Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	draws, err := release.Model().CoefficientDraws()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(draws.Names)
	fmt.Printf("a year of education: more than 25 dollars a week, with 95 %%: %v\n", draws.Quantile(1, .05) > 25)

	test, err := release.Test(privbayes.Term("experience + I(experience^2)"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("wages go with experience, by %d coefficients: p < 0.001: %v\n", test.K, test.P < .001)

	_, err = privbayes.ReadFrame(data.CPS1988()).Model(privbayes.Linear("wage ~ log(education)")).
		Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(4, 1e-6)).Release()
	var wrong *privbayes.FormulaError
	fmt.Println(errors.As(err, &wrong), wrong.At, wrong.What)
	// Output:
	// [intercept education parttime=yes experience experience^2 education:parttime=yes]
	// a year of education: more than 25 dollars a week, with 95 %: true
	// wages go with experience, by 2 coefficients: p < 0.001: true
	// true 8 the function "log"
}
