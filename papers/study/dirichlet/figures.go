package dirichlet

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// shown are the methods of the figures: the paper's, and what becomes of them without clipping and without bias.
var shown = []string{"dir_alg1", "gauss_paper", "lap_paper", "dir_debias", "gauss_fix", "lap_fix"}

// Figure3 draws held-out cross-entropy of naive Bayes against ε, mean ± s.e., for one data set, with its table twin of
// all methods. *dp.ParameterError if the report has no cells of it. The metric rewards smoothing, since naive Bayes is
// over-confident: a method below the line of the model that is not private has no merit of its own (theory/dirichlet.md
// §5, reading iii).
func (r *Report) Figure3(name string) (*figure.Figure, *table.Table, error) {
	return r.against(CrossEntropy, name, "Figure 3: cross-entropy of naive Bayes", true)
}

// Figure4 draws held-out accuracy of naive Bayes against ε, as [Report.Figure3].
func (r *Report) Figure4(name string) (*figure.Figure, *table.Table, error) {
	return r.against(Accuracy, name, "Figure 4: accuracy of naive Bayes", false)
}

// Figure6 draws the held-out log-likelihood per record of the paper's network on one data set against ε, as
// [Report.Figure3].
func (r *Report) Figure6(name string) (*figure.Figure, *table.Table, error) {
	return r.against(LogLikelihood, name, "Figure 6: log-likelihood of the network", false)
}

// FigureKL draws the parameter KL of naive Bayes, which the paper does not show, as [Report.Figure3].
func (r *Report) FigureKL(name string) (*figure.Figure, *table.Table, error) {
	return r.against(KL, name, "Parameter KL of naive Bayes", true)
}

// against draws a metric against ε.
func (r *Report) against(metric Metric, name, title string, logY bool) (*figure.Figure, *table.Table, error) {
	t, err := r.Table(metric, name)
	if err != nil {
		return nil, nil, err
	}
	title += ", " + name
	if r.Settings.Bins == Quantile {
		title += " (not private: quantile bins)"
	}
	t.Title = title
	n := r.trained(metric, name)
	fig := &figure.Figure{Title: title, XLabel: "ε", YLabel: metricNames[metric], LogX: true, LogY: logY,
		Caption: fmt.Sprintf("n = %d. %s", n, r.footing())}
	t.Note(fmt.Sprintf("n = %d.", n))
	for _, id := range shown {
		if !slices.Contains(r.Settings.Methods, id) {
			continue
		}
		m, _ := methodOf(id)
		s := figure.Series{Name: m.Title, Kind: figure.Band, Dashed: m.Paper && id != "dir_alg1"}
		for i, e := range r.Settings.Epsilons {
			v, ok := r.Stat(name, id, metric, i)
			if !ok {
				continue
			}
			lo := v.Mean - v.SE
			if logY && lo <= 0 { // a single far outlier: the band ends at the mean
				lo = v.Mean
			}
			s.X, s.Y = append(s.X, e), append(s.Y, v.Mean)
			s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, v.Mean+v.SE)
		}
		if len(s.X) > 0 {
			fig.Series = append(fig.Series, s)
		}
	}
	if v, ok := r.Stat(name, MLE, metric, 0); ok {
		fig.HLines = append(fig.HLines, figure.Reference{Name: "not private", Y: v.Mean})
	}
	return fig, t, fig.Validate()
}
