package eval

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// figures are those of the private part: errors side by side, calibration of the predictive intervals, parameters.
func (n *NumberReport) figures(r *Report) []*figure.Figure {
	parameters := drawsFigure(r.release, n.model)
	if n.Release == nil {
		return []*figure.Figure{parameters}
	}
	bars := &figure.Figure{
		Title: "Error on held-out rows", XLabel: "model", YLabel: "root mean squared error", Caption: r.Caption(), Private: true,
		XTicks: []string{"release", "non-private"},
		Series: []figure.Series{{Name: "root mean squared error", Kind: figure.Bars, X: []float64{0, 1}, Y: []float64{n.Release.RMSE, n.NonPrivate.RMSE}}},
	}
	if b := n.Baseline; b != nil {
		bars.XTicks = []string{"release", "plain baseline", "non-private"}
		bars.Series[0].X, bars.Series[0].Y = []float64{0, 1, 2}, []float64{n.Release.RMSE, b.Scores.RMSE, n.NonPrivate.RMSE}
	}
	cover := &figure.Figure{
		Title: "Coverage of predictive intervals", XLabel: "stated level", YLabel: "share of responses inside", Caption: r.Caption(), Private: true,
		Series: []figure.Series{{Name: "as stated", Kind: figure.Line, X: []float64{0, 1}, Y: []float64{0, 1}, Guide: true}},
	}
	for _, c := range []struct {
		name string
		s    *NumberScores
	}{{"release", n.Release}, {"non-private", n.NonPrivate}} {
		line := figure.Series{Name: c.name, Kind: figure.Line, Dashed: c.name != "release"}
		for k := 1; k < 20; k++ {
			level := float64(k) / 20
			line.X, line.Y = append(line.X, level), append(line.Y, c.s.forecast.coverageAt(level))
		}
		cover.Series = append(cover.Series, line)
	}
	return []*figure.Figure{bars, cover, parameters}
}

// drawsFigure shows the released draws: weights of a regression with their 2.5 % and 97.5 % quantiles, the distribution function of a
// rate; with np it is private.
func drawsFigure(r *release.Release, np *model.Fitted) *figure.Figure {
	sets := []struct {
		name string
		d    *model.Draws
	}{{"released", r.Draws()}}
	if np != nil {
		sets = append(sets, struct {
			name string
			d    *model.Draws
		}{"non-private", np.Draws()})
	}
	f := &figure.Figure{Caption: r.Caption(), Private: np != nil}
	if r.Model().Shape().Model().Kind != model.KindLinearRegression {
		name := r.Draws().Names[0]
		f.Title, f.XLabel, f.YLabel = fmt.Sprintf("Draws of the %s", name), name, "share of draws at most"
		for i, s := range sets {
			values, _ := s.d.Parameter(name)
			slices.Sort(values)
			line := figure.Series{Name: s.name, Kind: figure.Line, Dashed: i > 0, X: values}
			if len(values) == 1 {
				line.Kind = figure.Points
			}
			for k := range values {
				line.Y = append(line.Y, float64(k+1)/float64(len(values)))
			}
			f.Series = append(f.Series, line)
		}
		return f
	}
	names := r.Model().Shape().Weights()
	f.Title, f.XLabel, f.YLabel, f.XTicks = "Weights on scaled rows", "coordinate", "weight", names
	for k, s := range sets {
		bar := figure.Series{Name: s.name, Kind: figure.Bars}
		mean := s.d.Mean()
		for i := range names {
			lo, hi := mean[i], mean[i]
			if s.d.Len() > 1 {
				lo, hi = s.d.Quantile(i, .025), s.d.Quantile(i, .975)
			}
			bar.X, bar.Y = append(bar.X, float64(i)), append(bar.Y, mean[i])
			bar.Lo, bar.Hi = append(bar.Lo, min(lo, mean[i])), append(bar.Hi, max(hi, mean[i]))
		}
		if k > 0 || s.d.Len() == 1 {
			bar.Kind = figure.Points // beside the bars
		}
		if s.d.Len() == 1 {
			bar.Lo, bar.Hi = nil, nil
		}
		f.Series = append(f.Series, bar)
	}
	return f
}
