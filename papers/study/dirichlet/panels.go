package dirichlet

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// onPanels are the lines of the panels: the paper's three mechanisms, and the fair comparison beside them.
var onPanels = []struct{ id, name string }{
	{"dir_alg1", "Algorithm 1"}, {"gauss_paper", "Gaussian"}, {"lap_paper", "Laplace"},
	{"gauss_fix", "Gaussian, posterior means"},
}

const panelWidth, panelHeight = 4.4, 3.2 // inches

// panelLabels are the metrics, short enough for the height of a panel.
var panelLabels = map[Metric]string{KL: "parameter KL", CrossEntropy: "cross-entropy", Accuracy: "accuracy",
	LogLikelihood: "log-likelihood"}

// Panels draws one small figure for every data set of a metric: the paper's Figure 3 for [CrossEntropy], 4 for
// [Accuracy], 6 for [LogLikelihood], its three mechanisms beside the model that is not private and, dashed, posterior
// means of the same Gaussian noise. Errors: those of [Report.Table].
func (r *Report) Panels(metric Metric) ([]*figure.Figure, error) {
	var out []*figure.Figure
	for _, name := range r.DataSets(taskOf(metric)) {
		logY := metric == CrossEntropy || metric == KL
		whole, _, err := r.against(metric, name, "", logY)
		if err != nil {
			return nil, err
		}
		f := &figure.Figure{Title: name, XLabel: whole.XLabel, YLabel: panelLabels[metric], LogX: true, LogY: logY,
			HLines: whole.HLines, Width: panelWidth, Height: panelHeight,
			Caption: fmt.Sprintf("λ = %g, δ = 0, replace-one, %s bins, n = %d. Band: ± s.e.", r.Settings.Order,
				r.Settings.Bins, r.trained(metric, name))}
		if r.Settings.Bins == Quantile {
			f.Title += " (not private: quantile bins)"
		}
		for _, line := range onPanels {
			m, _ := methodOf(line.id)
			for _, s := range whole.Series {
				if s.Name == m.Title {
					s.Name, s.Dashed = line.name, !m.Paper
					f.Series = append(f.Series, s)
				}
			}
		}
		if err := f.Validate(); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// trained is the number of training records of a data set.
func (r *Report) trained(metric Metric, name string) (n int) {
	for _, c := range r.Cells {
		if c.Data == name && c.Task == taskOf(metric) {
			n = c.Train
		}
	}
	return n
}
