package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// residualBins is the number of groups of equal size that held-out rows are sorted into by their forecast.
const residualBins = 10

// Residuals draws the mean of response − forecast of held-out rows in ten groups of equal size, from the lowest forecast
// to the highest, of the release, with mean ± 1.96·sd/√rows, and of the model without privacy: private. A line that
// leaves 0 says that the response is no straight line of the columns, which the released moments cannot show. It is nil
// for models that forecast no number, and for fewer than 20 rows. Errors: those of Coverage.
func (f *Fitted) Residuals(np *Fitted, x *frame.Frame, caption string) (*figure.Figure, error) {
	if f.shape.linear == nil || f.shape.Classifies() {
		return nil, nil
	}
	if err := f.beside(np); err != nil {
		return nil, err
	}
	target := f.shape.columns[0]
	name := target.Difference()
	y, err := x.Values(target.Name)
	if err != nil {
		return nil, err
	}
	if len(y) < 2*residualBins {
		return nil, nil
	}
	out := &figure.Figure{Title: "Mean residuals of held-out rows", Caption: caption, Private: true,
		Subtitle: "Tenths of the rows by their forecast; bars are 95 % intervals of the mean.",
		XLabel:   "forecast of " + target.Quantity(),
		XDates:   target.Date,
		YLabel:   "mean of response − forecast" + strings.TrimPrefix(name, safetext.Word(target.Name)), // its unit
		HLines:   []figure.Reference{{Name: "no error", Y: 0}}}
	for i, m := range []*Fitted{f, np} {
		mean, _, err := m.Forecast(x)
		if err != nil {
			return nil, err
		}
		s := figure.Series{Name: []string{"release", "non-private"}[i], Kind: figure.Points}
		for _, rows := range tenths(mean) {
			var at, e, squares float64
			n := float64(len(rows))
			for _, r := range rows {
				d := math.Min(math.Max(y[r], target.Min), target.Max) - mean[r]
				at, e, squares = at+mean[r]/n, e+d/n, squares+d*d/n
			}
			s.X, s.Y = append(s.X, at), append(s.Y, e)
			if half := z95 * math.Sqrt(math.Max(squares-e*e, 0)/n); i == 0 {
				s.Lo, s.Hi = append(s.Lo, e-half), append(s.Hi, e+half)
			}
		}
		out.Series = append(out.Series, s)
	}
	return out, nil
}

// tenths are the rows in the order of their forecasts, in groups of equal size. Ties keep the order of the rows.
func tenths(forecast []float64) (groups [][]int) {
	order := make([]int, len(forecast))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(forecast[a], forecast[b]) })
	for i := range residualBins {
		groups = append(groups, order[i*len(order)/residualBins:(i+1)*len(order)/residualBins])
	}
	return groups
}
