package noiseaware

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// densityPoints is how many points a density is drawn with.
const densityPoints = 301

// Densities draws the naive (dashed) and the noise-aware density of parameters, those of Choose; without any, of the
// target's first level. Errors: *figure.FigureError for densities that are not finite.
func (p *Posterior) Densities(params ...Parameter) (*figure.Figure, error) {
	if len(params) == 0 {
		params = p.params[:1]
	}
	f := &figure.Figure{Title: "Posterior with and without the noise of the release", XLabel: "probability",
		YLabel: "density", Caption: p.caption}
	if len(params) == 1 {
		f.XLabel = probability(params[0])
	}
	for _, q := range params {
		d, name := q.Density(densityPoints), ""
		if len(params) > 1 {
			name = probability(q) + ", "
		}
		f.Series = append(f.Series, figure.Series{Name: name + "noise-aware", X: d.X, Y: d.Aware},
			figure.Series{Name: name + "naive", X: d.X, Y: d.Naive, Dashed: true})
	}
	return f, f.Validate()
}

// Intervals draws means with 95 % credible intervals, naive beside noise-aware, of parameters, those of Choose; without
// any, of all levels of the target.
func (p *Posterior) Intervals(params ...Parameter) (*figure.Figure, error) {
	if len(params) == 0 {
		var err error
		if params, err = p.Choose(""); err != nil {
			return nil, err
		}
	}
	f := &figure.Figure{Title: "Means and 95 % credible intervals", YLabel: "probability", Caption: p.caption}
	label := ticks(f, params)
	naive, aware := figure.Series{Name: "naive", Kind: figure.Bars},
		figure.Series{Name: "noise-aware", Kind: figure.Bars}
	for i, r := range Summaries(params, 0.95) {
		f.XTicks = append(f.XTicks, label(params[i]))
		naive.X, aware.X = append(naive.X, float64(i)), append(aware.X, float64(i))
		naive.Y, naive.Lo, naive.Hi = append(naive.Y, r.NaiveMean), append(naive.Lo, r.NaiveLower),
			append(naive.Hi, r.NaiveUpper)
		aware.Y, aware.Lo, aware.Hi = append(aware.Y, r.Mean), append(aware.Lo, r.Lower), append(aware.Hi, r.Upper)
	}
	f.Series = []figure.Series{naive, aware}
	return f, f.Validate()
}

// ticks names the axis by what the parameters share, and gives the label of each.
func ticks(f *figure.Figure, params []Parameter) func(Parameter) string {
	names, labels := true, true
	for _, q := range params {
		names, labels = names && q.Name == params[0].Name, labels && q.Label == params[0].Label
	}
	switch {
	case names:
		f.XLabel = params[0].Name
		return func(q Parameter) string { return q.Label }
	case labels && params[0].at.conditional() && oneFeature(params):
		f.XLabel = fmt.Sprintf("%s = %s, given", params[0].at.feature, params[0].Label)
		return func(q Parameter) string { return q.at.class }
	case labels && params[0].at.conditional() && oneClass(params):
		f.XLabel = fmt.Sprintf("of being %s, given %s", params[0].Label, params[0].at.class)
		return func(q Parameter) string { return q.at.feature }
	case labels:
		f.XLabel = "of being " + params[0].Label
		return func(q Parameter) string { return q.Name }
	}
	f.XLabel = "distribution and level"
	return func(q Parameter) string { return q.Name + ": " + q.Label }
}

// probability names a parameter as the probability of its level.
func probability(q Parameter) string { return "P(" + q.Label + ") of " + q.Name }
