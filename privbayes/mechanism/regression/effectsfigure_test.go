package regression_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
)

// The effects of a logistic release are differences of log-odds, and its figure says so: the numbers are the
// coefficients, and no difference of the classes.
func TestFigureOfALogisticReleaseIsInLogOdds(t *testing.T) {
	r := must.Get(privbayes.ReadFrame(data.CPS1988()).Model(privbayes.LogisticRegression("smsa", "parttime")).
		Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(3, 1e-6), privbayes.Seeded(1)).Release())(t)
	f := must.Get(r.Figure())(t)
	if f.Title != "Effects on the log-odds of smsa = yes" || f.XLabel != "difference of log-odds" {
		t.Errorf("%q over %q", f.Title, f.XLabel)
	}
	slope := must.Get(r.Model().CoefficientDraws())(t).Mean()[1]
	if len(f.Rows) != 1 || math.Abs(f.Rows[0].Marks[0].At-slope) > 1e-12 {
		t.Errorf("%+v, the coefficient is %v", f.Rows, slope)
	}
}
