package release

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Text is a number of the interval as tables show it. Of a column of dates it is the nearest day, and the numbers
// themselves are days since 1970-01-01.
func (i Interval) Text(x float64, decimals int) string {
	if i.dates == nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return table.Fixed(x, decimals)
	}
	return i.dates.Text(math.Round(x))
}

// dated notes which intervals are of dates: means and quantiles of a column of dates.
func (r *Release) dated(list []Interval) []Interval {
	columns := r.plan.Shape().Columns()
	for k, i := range list {
		for at, c := range columns {
			if c.Date != "" && i.Label == "" && ofDates(r.plan.Shape().Model(), i.Of, c, at) {
				list[k].dates = &columns[at]
			}
		}
	}
	return list
}

// ofDates reports whether a parameter of a model is a date where the column, which has a place, is one of dates.
func ofDates(m model.Model, parameter string, c frame.Column, at int) bool {
	switch m.(type) {
	case model.MeansModel:
		return parameter == c.Name || at == 0 && parameter == "mean"
	case model.GroupMeansModel, model.QuantilesModel:
		return at == 0
	case model.MeanSDModel:
		return at == 0 && parameter != "sd" && parameter != "latent sd"
	case model.LearnedModel:
		return parameter == c.Name
	}
	return false
}
