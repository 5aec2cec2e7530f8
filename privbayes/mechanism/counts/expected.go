package counts

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// expectCounts predicts errors of raw noisy counts: the standard deviation and mean absolute error of one count and,
// where n is public, of one estimated proportion and of the ℓ₁ distance of a single table.
func expectCounts(sh *model.Shape, d noise.Probabilities) []mechanism.Expectation {
	unit := float64(d.Unit())
	meanAbs := noise.MeanAbsolute(d) / unit
	out := []mechanism.Expectation{
		{Name: "standard deviation of a count", Value: math.Sqrt(d.Variance()) / unit, Unit: "records",
			How: "closed form, before post-processing"},
		{Name: "absolute error of a count", Value: meanAbs, Unit: "records", How: "closed form, before " +
			"post-processing"},
	}
	if n, ok := sh.N(); ok && n > 0 {
		out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: meanAbs / float64(n),
			How: "closed form, before post-processing"})
	}
	return out
}
