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

// Who works part-time, with experience that counts otherwise in a city: log-odds by a formula, from four noisy readings
// of the rows. The intervals include the noise.
func ExampleLogistic() {
	r, err := privbayes.ReadFrame(data.CPS1988()).
		Model(privbayes.Logistic("parttime ~ education + experience*smsa")).
		Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(4, 1e-5), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Model().Summary())
	// Output:
	// Coefficients of the log-odds of parttime = yes, from 1000 draws
	// parameter               mean      sd    2.5 %   97.5 %
	// -------------------  -------  ------  -------  -------
	// intercept              -1.24    0.16    -1.54    -0.94
	// education            -0.0525  0.0085  -0.0685  -0.0347
	// experience           -0.0255  0.0059  -0.0380  -0.0144
	// smsa=yes                0.25    0.11     0.03     0.48
	// experience:smsa=yes  -0.0145  0.0070  -0.0279  -0.0007
	// In log-odds, for one unit more of a column.
	// Levels of smsa are compared with no.
}

// How many births mothers have had, by their age: the logarithm of a rate. Counts are cut at 10 and ages at 15 and 50,
// public bounds that say where the noise goes. The intervals include the noise.
func ExamplePoissonRegression() {
	rows, schema := data.Births2019()
	for i, c := range schema.Columns {
		switch c.Name {
		case "parity":
			c.Max, c.Edges, c.OnOutOfDomain = 10, nil, "clamp"
		case "mother_age":
			c.Min, c.Max, c.Edges, c.OnOutOfDomain = 15, 50, nil, "clamp"
		}
		schema.Columns[i] = c
	}
	r, err := privbayes.ReadFrame(rows, schema).Model(privbayes.PoissonRegression("parity ~ mother_age")).
		Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(2, 1e-6), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Model().Summary())
	// Output:
	// Coefficients of the log-rate of parity, from 1000 draws
	// parameter      mean       sd    2.5 %   97.5 %
	// ----------  -------  -------  -------  -------
	// intercept   -0.2258   0.0096  -0.2455  -0.2069
	// mother_age  0.03324  0.00031  0.03263  0.03386
	// In log-rates, for one unit more of a column.
}
