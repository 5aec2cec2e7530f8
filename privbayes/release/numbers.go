package release

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Decimals are those with which Summary and Parts show the intervals of a release: of what has units of its own, as
// coefficients and means of several columns have, each its own, of others what the median width leaves, of conditional
// shares those of a table, and more where an interval would not be seen.
func (r *Release) Decimals(list []Interval) []int {
	first := list
	if d := len(r.fitted.Target().Labels); d > 0 && d < len(list) && !r.plan.Shape().Joint() {
		first = list[:d]
	}
	if l := r.plan.Shape().Lattice(); r.est.Sampling != nil || l != nil && len(l.Low) > 1 {
		return unlike(list)
	}
	shares := list
	for r.Structure() != nil && len(shares) > len(first) && shares[len(shares)-1].Label == meanLabel {
		shares = shares[:len(shares)-1]
	}
	return slices.Concat(alike(decimalsOf(first), first), alike(bracketDecimals(shares), shares[len(first):]),
		unlike(list[len(shares):]))
}

// unlike are the decimals that each of several intervals leaves by itself.
func unlike(list []Interval) []int {
	out := make([]int, len(list))
	for k := range list {
		out[k] = decimalsOf(list[k : k+1])
	}
	return out
}

// alike are decimals in common, and more where the width of an interval would have no digit.
func alike(common int, list []Interval) []int {
	out := slices.Repeat([]int{common}, len(list))
	for k, i := range list {
		if w := i.within(); w != nil {
			out[k] = max(common, table.Decimals(w.Upper-w.Lower)-1)
		}
	}
	return out
}

// bracketDecimals are those of shares whose ends stand next to them, in brackets: fewer, as there is less room.
func bracketDecimals(list []Interval) int { return max(decimalsOf(list)-1, 2) }

// decimalsOf are those of the median width of the intervals of the population, or else of the rows.
func decimalsOf(list []Interval) int {
	var sd []float64
	for _, i := range list {
		if w := i.within(); w != nil && w.Upper > w.Lower {
			sd = append(sd, (w.Upper-w.Lower)/(2*1.96))
		}
	}
	if len(sd) == 0 {
		return table.Decimals(math.NaN())
	}
	slices.Sort(sd)
	return table.Decimals(sd[len(sd)/2])
}

// Text is a number of the interval as tables show it. Of a column of dates it is the nearest day, and the numbers
// themselves are days since 1970-01-01.
func (i Interval) Text(x float64, decimals int) string {
	if i.dates == nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return table.Fixed(x, decimals)
	}
	return i.dates.Text(math.Round(x))
}

// layout is that of the dates that the numbers are; empty of others.
func (i Interval) layout() string {
	if i.dates == nil {
		return ""
	}
	return i.dates.Date
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

// Ends shows an interval of such numbers. Of dates it begins and ends with a day, so that it is never shorter.
func (i Interval) Ends(r mechanism.Range, decimals int) string {
	if i.dates != nil {
		r.Lower, r.Upper = math.Floor(r.Lower+sameDay), math.Ceil(r.Upper-sameDay)
	}
	return i.Text(r.Lower, decimals) + " – " + i.Text(r.Upper, decimals)
}

// sameDay is a part of a day that rounding may have made.
const sameDay = 1e-6

// ends shows an interval that there may be.
func (i Interval) ends(r *mechanism.Range, decimals int) string {
	if r == nil {
		return ""
	}
	return i.Ends(*r, decimals)
}
