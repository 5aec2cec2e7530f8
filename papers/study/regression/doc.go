// Package regression holds the linear regression experiment of Zhang, Rubinstein and Dimitrakakis (AAAI 2016, §5.2,
// Figure 2) in place of the closed census extract of the paper: on weekly wages, data set cps1988, embedded, and as a
// large run on the yearly salaries of 204309 government employees, data set acs_gov2018, which is not.
//
// [ByEpsilon] is mean squared error against ε for the posterior sampler and for noise on second moments; [ByPrior] is
// the paper's own axis, prior precision b with the ball ‖w‖ ≤ 10/√b, with the ε that its σ² = 1 really has. [Committed]
// and [CommittedSalaries] are the outcomes of full runs.
//
// Place: at the top; notebook 07_linear_regression shows its results.
package regression

import (
	"context"
	"io"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// WageCap is the public upper bound of the weekly wage in dollars: 2000, in place of the schema's 20000, which would
// make the unit of every error ten times as large. It is a choice from public knowledge: $2000 a week was several times
// the published median of 1988.
const WageCap = 2000

// SalaryCap is the public upper bound of the yearly salary in dollars: 200000, in place of the schema's 1000000. It is
// a choice from public knowledge: the federal pay scales of 2018 ended near it.
const SalaryCap = 200000

// Wages is cps1988 with the wage moved to WageCap where it is above: 28155 rows.
func Wages() (*frame.Frame, error) {
	r, s := data.CPS1988()
	return read(r, s, "wage", WageCap, []float64{0, 100, 200, 300, 400, 500, 600, 800, 1000, 1500, WageCap})
}

// Salaries is acs_gov2018 with the salary moved to SalaryCap where it is above: 204309 rows. Errors: those of
// data.ACSGov2018, such as *data.NotFoundError where the table is not on this machine.
func Salaries() (*frame.Frame, error) {
	r, s, err := data.ACSGov2018()
	if err != nil {
		return nil, err
	}
	return read(r, s, "salary", SalaryCap,
		[]float64{0, 10000, 20000, 30000, 40000, 50000, 60000, 80000, 100000, 150000, SalaryCap})
}

// read reads a table with a lower cap on its response.
func read(r io.Reader, s *frame.Schema, response string, most float64, edges []float64) (*frame.Frame, error) {
	c, _, err := s.Column(response)
	if err != nil {
		return nil, err
	}
	c.Max, c.OnOutOfDomain, c.Edges = most, frame.DomainClamp, edges
	return frame.Read(context.Background(), r, s.Dataset, s)
}

// WageModel is the regression of wage on education and experience, with an intercept: three coordinates, B = 2, b = 1.
func WageModel() model.LinearRegressionModel {
	return model.LinearRegression("wage", "education", "experience")
}

// SalaryModel is the regression of salary on age, education, and hours and weeks of work, with an intercept: five
// coordinates, b = 1, and B = 3: weights on rows of norm 1 grow like the root of their number.
func SalaryModel() model.LinearRegressionModel {
	return model.LinearRegression("salary", "age", "education_level", "hours_worked", "weeks_worked").WithRadius(3)
}
