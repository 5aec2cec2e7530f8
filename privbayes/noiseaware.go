package privbayes

import (
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// NoiseAwareParameter is one probability of a model, with its naive and its noise-aware posterior. See noiseaware.Parameter.
type NoiseAwareParameter = noiseaware.Parameter

// NoiseAwarePosterior is the posterior of a model's probabilities given the noisy counts of a release, or the first error of its chain.
type NoiseAwarePosterior struct {
	p       *noiseaware.Posterior
	caption string
	err     error
}

// NoiseAware is the posterior given the noisy counts of the release, with intervals that know the noise. It reads the release only, so it
// costs no budget. See noiseaware.Of for the releases it takes; Err holds *noiseaware.UnsupportedError for others.
func (p *Privatized) NoiseAware() *NoiseAwarePosterior {
	if err := p.Err(); err != nil {
		return &NoiseAwarePosterior{err: err}
	}
	return NoiseAware(p.release)
}

// NoiseAware is the posterior given the noisy counts of a release, such as one of LoadRelease. See Privatized.NoiseAware.
func NoiseAware(r *Release) *NoiseAwarePosterior {
	p, err := noiseaware.Of(r)
	if err != nil {
		return &NoiseAwarePosterior{err: step("NoiseAware", err)}
	}
	return &NoiseAwarePosterior{p: p, caption: r.Caption()}
}

// Err is the first error of the chain.
func (a *NoiseAwarePosterior) Err() error {
	if a == nil || a.err == nil && a.p == nil {
		return step("NoiseAware", noiseaware.ErrNoRelease)
	}
	return a.err
}

// Posterior returns the posterior, with Summary, CSV and the laws of all parameters, or the first error of the chain.
func (a *NoiseAwarePosterior) Posterior() (*noiseaware.Posterior, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	return a.p, nil
}

// Table shows the mean and the 95 % interval of every probability, naive and noise-aware.
func (a *NoiseAwarePosterior) Table() (*table.Table, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	return a.p.Table(), nil
}

// Choose lists the probabilities of one distribution, such as "Class" or "V3 | Class = democrat" ("" is the target), at the given levels or
// at all. Errors: *noiseaware.ParameterError.
func (a *NoiseAwarePosterior) Choose(of string, levels ...string) ([]NoiseAwareParameter, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	out, err := a.p.Choose(of, levels...)
	return out, step("Choose", err)
}

// Predict gives the probability of every class for every row of x under the noise-aware posterior. See noiseaware.Posterior.Predict.
func (a *NoiseAwarePosterior) Predict(x *Frame) ([][]float64, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	if err := x.Err(); err != nil {
		return nil, step("Predict", err)
	}
	out, err := a.p.Predict(x.f)
	return out, step("Predict", err)
}

// String shows the target's probabilities.
func (a *NoiseAwarePosterior) String() string {
	if err := a.Err(); err != nil {
		return err.Error() + "\n"
	}
	return a.p.String()
}

// HTML shows what String shows.
func (a *NoiseAwarePosterior) HTML() string {
	if err := a.Err(); err != nil {
		return table.HTML(&Model{err: err})
	}
	return a.p.HTML()
}

// densityPoints is how many points a density is drawn with.
const densityPoints = 301

// Densities draws the naive (dashed) and the noise-aware density of parameters, those of Choose; without any, of the target's first level.
// Errors: the chain's, *figure.FigureError for densities that are not finite.
func (a *NoiseAwarePosterior) Densities(params ...NoiseAwareParameter) (*figure.Figure, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	if len(params) == 0 {
		params = a.p.Parameters()[:1]
	}
	f := &figure.Figure{Title: "Posterior with and without the noise of the release", XLabel: "probability", YLabel: "density", Caption: a.caption}
	if len(params) == 1 {
		f.XLabel = probability(params[0])
	}
	for _, q := range params {
		d, name := q.Density(densityPoints), ""
		if len(params) > 1 {
			name = probability(q) + ", "
		}
		f.Series = append(f.Series, figure.Series{Name: name + "noise-aware", X: d.X, Y: d.Aware}, figure.Series{Name: name + "naive", X: d.X, Y: d.Naive, Dashed: true})
	}
	return f, step("Densities", f.Validate())
}

// Intervals draws means with 95 % credible intervals, naive beside noise-aware, of parameters, those of Choose; without any, of all levels of
// the target. Errors: the chain's.
func (a *NoiseAwarePosterior) Intervals(params ...NoiseAwareParameter) (*figure.Figure, error) {
	if err := a.Err(); err != nil {
		return nil, err
	}
	if len(params) == 0 {
		var err error
		if params, err = a.Choose(""); err != nil {
			return nil, err
		}
	}
	f := &figure.Figure{Title: "Means and 95 % credible intervals", YLabel: "probability", Caption: a.caption}
	label := ticks(f, params)
	naive, aware := figure.Series{Name: "naive", Kind: figure.Bars}, figure.Series{Name: "noise-aware", Kind: figure.Bars}
	for i, r := range noiseaware.Summaries(params, 0.95) {
		f.XTicks = append(f.XTicks, label(params[i]))
		naive.X, aware.X = append(naive.X, float64(i)), append(aware.X, float64(i))
		naive.Y, naive.Lo, naive.Hi = append(naive.Y, r.NaiveMean), append(naive.Lo, r.NaiveLower), append(naive.Hi, r.NaiveUpper)
		aware.Y, aware.Lo, aware.Hi = append(aware.Y, r.Mean), append(aware.Lo, r.Lower), append(aware.Hi, r.Upper)
	}
	f.Series = []figure.Series{naive, aware}
	return f, step("Intervals", f.Validate())
}

// ticks names the axis by what the parameters share, and gives the label of each.
func ticks(f *figure.Figure, params []NoiseAwareParameter) func(NoiseAwareParameter) string {
	names, labels := true, true
	for _, q := range params {
		names, labels = names && q.Name == params[0].Name, labels && q.Label == params[0].Label
	}
	switch {
	case names:
		f.XLabel = params[0].Name
		return func(q NoiseAwareParameter) string { return q.Label }
	case labels:
		f.XLabel = "of being " + params[0].Label
		return func(q NoiseAwareParameter) string { return q.Name }
	}
	f.XLabel = "distribution and level"
	return func(q NoiseAwareParameter) string { return q.Name + ": " + q.Label }
}

// probability names a parameter as the probability of its level.
func probability(q NoiseAwareParameter) string { return "P(" + q.Label + ") of " + q.Name }
