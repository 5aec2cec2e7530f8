// Package regression holds the linear regression experiment of Zhang, Rubinstein and Dimitrakakis (AAAI 2016, §5.2, Figure 2) on weekly
// wages, data set cps1988, in place of the closed census extract of the paper.
//
// [ByEpsilon] is mean squared error against ε for the posterior sampler and for noise on second moments; [ByPrior] is the paper's own axis,
// prior precision b with the ball ‖w‖ ≤ 10/√b, with the ε that its σ² = 1 really has. [Committed] are the outcomes of full runs.
package regression

import (
	"context"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// WageCap is the public upper bound of the weekly wage in dollars: 2000, in place of the schema's 20000, which would make the unit of every
// error ten times as large. It is a choice from public knowledge: $2000 a week was several times the published median of 1988.
const WageCap = 2000

// Wages is cps1988 with the wage moved to WageCap where it is above: 28155 rows.
func Wages() (*frame.Frame, error) {
	r, s := data.CPS1988()
	for i, c := range s.Columns {
		if c.Name == "wage" {
			s.Columns[i].Max, s.Columns[i].OnOutOfDomain = WageCap, frame.DomainClamp
			s.Columns[i].Edges = []float64{0, 100, 200, 300, 400, 500, 600, 800, 1000, 1500, WageCap}
		}
	}
	return frame.Read(context.Background(), r, "cps1988", s)
}

// WageModel is the regression of wage on education and experience, with an intercept: three coordinates, B = 2, b = 1.
func WageModel() model.Model { return model.LinearRegression("wage", "education", "experience") }
