package dirichlet

import (
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
	if b := r.Settings.Bins; b.readsData() {
		title += fmt.Sprintf(" (not private: %s bins)", b)
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

// onPanels are the lines of the panels: the paper's three mechanisms, and the fair comparison beside them.
var onPanels = []struct{ id, name string }{
	{"dir_alg1", "Algorithm 1"}, {"gauss_paper", "Gaussian"}, {"lap_paper", "Laplace"},
	{"gauss_fix", "Gaussian, posterior means"},
}

const panelWidth, panelHeight = 4.4, 3.2 // inches

// panelLabels are the metrics, short enough for the height of a panel.
var panelLabels = map[Metric]string{KL: "parameter KL", CrossEntropy: "cross-entropy, nats",
	Accuracy: "accuracy", LogLikelihood: "log-likelihood, nats"}

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
		if b := r.Settings.Bins; b.readsData() {
			f.Title += fmt.Sprintf(" (not private: %s bins)", b)
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

// gridTitles are those of the metrics that a grid draws.
var gridTitles = map[Metric]string{CrossEntropy: "Cross-entropy on held-out records, by data set",
	Accuracy: "Accuracy on held-out records, by data set", LogLikelihood: "Log-likelihood of held-out records, by data set",
	KL: "KL of the parameters, by data set"}

// Grid is Panels on the same axes, in one picture. Errors: those of Panels.
func (r *Report) Grid(metric Metric) (*figure.Facets, error) {
	panels, err := r.Panels(metric)
	if err != nil {
		return nil, err
	}
	for _, p := range panels {
		p.Title, _, _ = strings.Cut(p.Title, " (")
		p.YPercent = metric == Accuracy
	}
	b, private := r.Settings.Bins, ""
	if b.readsData() {
		private = ", not private"
	}
	return &figure.Facets{Title: gridTitles[metric], Panels: panels,
		Subtitle: "Algorithm 1 and the paper's Gaussian and Laplace noise; bars are ± one standard error. " +
			"Grey line: not private.",
		Caption: fmt.Sprintf("λ = %g, δ = 0, replace-one; %s bins%s", r.Settings.Order, b, private)}, nil
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

// grid is n points from 10^lo to 10^hi, evenly in the logarithm.
func grid(lo, hi float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Pow(10, lo+(hi-lo)*float64(i)/float64(n-1))
	}
	return x
}

// line is the series of f over x; points where f is not finite are left out.
func line(name string, x []float64, f func(float64) float64) figure.Series {
	s := figure.Series{Name: name, Kind: figure.Line}
	for _, v := range x {
		if y := f(v); !math.IsNaN(y) && !math.IsInf(y, 0) {
			s.X, s.Y = append(s.X, v), append(s.Y, y)
		}
	}
	return s
}

// Figure1 draws ψ′ on [0.1, 10] with the bounds of the paper's eq. (4), 1/x + 1/(2x²) < ψ′(x) < 1/x + 1/x².
func Figure1() (*figure.Figure, *table.Table) {
	x := grid(-1, 1, 81)
	lower := line("1/x + 1/(2x²)", x, func(x float64) float64 { return 1/x + 1/(2*x*x) })
	upper := line("1/x + 1/x²", x, func(x float64) float64 { return 1/x + 1/(x*x) })
	lower.Dashed, upper.Dashed = true, true
	fig := &figure.Figure{Title: "Figure 1: the trigamma function", XLabel: "x", YLabel: "ψ′(x)", LogX: true,
		LogY:    true,
		Caption: "ψ′ is positive, convex and decreasing, between the bounds of eq. (4). No data, no ε.",
		Series:  []figure.Series{line("ψ′(x)", x, num.Trigamma), lower, upper}}
	t := table.New("Figure 1: the trigamma function", "x", "lower bound", "ψ′(x)", "upper bound")
	for _, v := range []float64{0.1, 0.2, 0.5, 1, 2, 5, 10} {
		t.Add(v, 1/v+1/(2*v*v), num.Trigamma(v), 1/v+1/(v*v))
	}
	return fig, t
}

// algorithm1 is the ε that Algorithm 1 claims at r, ½λr²Δ₂²ψ′(1 + 3(λ−1)r), and its α = 1 + 4(λ−1)r, for Δ∞ = 1.
func algorithm1(order, r, two float64) (epsilon, alpha float64) {
	return 0.5 * order * r * r * two * num.Trigamma(1+3*(order-1)*r), 1 + 4*(order-1)*r
}

// The neighbours of the paper's Figure 2: a record leaves the second cell for the last, empty one.
var figure2Counts, figure2Change = []float64{11, 8, 65, 25, 38, 0}, []float64{0, -1, 0, 0, 0, 1}

// figure2 gives, at λ and r, what Algorithm 1 claims, what the paper's neighbours have, and the exact worst case over
// all of them.
func figure2(order, r float64) (claimed, neighbours, worst float64) {
	claimed, alpha := algorithm1(order, r, 2)
	u, change := make([]float64, len(figure2Counts)), make([]float64, len(figure2Counts))
	for i, c := range figure2Counts {
		u[i], change[i] = r*c+alpha, r*figure2Change[i]
	}
	return claimed, loss.DirichletRenyi(u, change, order), loss.DirichletPair{Rate: r, Shape: alpha}.RDP(order)
}

// Figure2 draws, against r at λ = 2, 20 and 200, the ε of Algorithm 1, the Rényi divergence of the paper's neighbours
// (11, 8, 65, 25, 38, 0) and (11, 7, 65, 25, 38, 1), and the exact worst case over all neighbours. Source:
// theory/dirichlet.md §1.2, §1.5.
func Figure2() (*figure.Figure, *table.Table) {
	fig := &figure.Figure{Title: "Figure 2: what Algorithm 1 claims and what is true", XLabel: "r",
		YLabel: "Rényi ε at order λ", LogX: true, LogY: true,
		Caption: "Replace-one, λ = 2, 20, 200, α = 1 + 4(λ−1)r, n = 147, δ = 0 (Rényi). Solid: claimed; dashed: " +
			"exact worst case over all neighbours; points: the paper's pair."}
	t := table.New("Figure 2: what Algorithm 1 claims and what is true", "λ", "r", "α", "claimed ε",
		"the paper's pair", "exact worst case", "claimed/pair", "claimed/exact")
	x := grid(-3, 1, 41)
	for _, order := range []float64{2, 20, 200} {
		name := "λ = " + table.Number(order)
		worst := line(name+", exact", x, func(r float64) float64 { _, _, w := figure2(order, r); return w })
		worst.Dashed = true
		pair := line(name+", the paper's pair", grid(-3, 1, 9),
			func(r float64) float64 { _, p, _ := figure2(order, r); return p })
		pair.Kind, pair.Colour, worst.Colour = figure.Points, name+", Algorithm 1", name+", Algorithm 1"
		fig.Series = append(fig.Series, line(name+", Algorithm 1", x,
			func(r float64) float64 { c, _, _ := figure2(order, r); return c }), worst, pair)
		for _, r := range grid(-3, 1, 9) {
			c, p, w := figure2(order, r)
			_, alpha := algorithm1(order, r, 2)
			t.Add(order, r, alpha, c, p, w, c/p, c/w)
		}
	}
	return fig, t.Note("Algorithm 1 is valid everywhere, and leaves up to a third of the budget unused against the " +
		"exact worst case.")
}

// figure7Delta is the δ of the paper's Figure 7.
const figure7Delta = 1e-5

// figure7 gives, at λ and r of Algorithm 1: ε̂ of eq. (10) with the paper's Δ₂² = 1, with Δ₂² = 2 of replace-one, and
// the exact ε at δ.
func figure7(order, r float64) (paper, corrected, exact float64) {
	lemma3 := math.Log(order-1) - (math.Log(figure7Delta)+order*math.Log(order))/(order-1)
	one, alpha := algorithm1(order, r, 1)
	two, _ := algorithm1(order, r, 2)
	return one + lemma3, two + lemma3, loss.EpsilonFor(loss.DirichletPair{Rate: r, Shape: alpha}, figure7Delta)
}

// Figure7 draws ε̂ at δ = 1e-5 against r, α = 1 + 4(λ−1)r: eq. (10) as the paper draws it, with Δ₂² = 1, which is
// add-remove, and the exact replace-one curve. Where the paper's curve is the lower one it promises more than is true.
// Source: theory/dirichlet.md §0 row 8, §2.4.
func Figure7() (*figure.Figure, *table.Table) {
	fig := &figure.Figure{Title: "Figure 7: (ε, δ) of the Dirichlet mechanism", XLabel: "r", YLabel: "ε at δ = 10⁻⁵",
		LogX: true, LogY: true,
		Caption: fmt.Sprintf("δ = %s, replace-one, any n, α = 1 + 4(λ−1)r. Solid: exact; dashed: eq. (10) as the "+
			"paper draws it, with Δ₂² = 1 of add-remove.", table.Number(figure7Delta))}
	t := table.New("Figure 7: (ε, δ) of the Dirichlet mechanism, δ = 1e-5", "λ", "r", "paper, Δ₂² = 1",
		"eq. (10), Δ₂² = 2", "exact", "the paper's is")
	for _, order := range []float64{2, 10, 50, 200} {
		name := "λ = " + table.Number(order)
		x := grid(-2, 1, 25)
		paper := line(name+", paper", x, func(r float64) float64 { p, _, _ := figure7(order, r); return p })
		paper.Dashed, paper.Colour = true, name+", exact"
		fig.Series = append(fig.Series, line(name+", exact", x,
			func(r float64) float64 { _, _, e := figure7(order, r); return e }), paper)
		for _, r := range grid(-2, 1, 7) {
			p, c, e := figure7(order, r)
			verdict := "valid"
			if p < e {
				verdict = "too small"
			}
			t.Add(order, r, p, c, e, verdict)
		}
	}
	return fig, t.Note("Eq. (10) with Δ₂² = 2 is valid for replace-one; the paper's privacy model is replace-one, " +
		"its figure is not.")
}

//go:embed networks
var structures embed.FS

// NetworkNames lists the data sets with a network, those of the paper's Figure 5.
func NetworkNames() []string { return []string{"adult", "bank", "german"} }

// Families is a network of the paper's Figure 5: every node with its parents, named as the columns of the data set.
// *dp.ParameterError if the data set has none.
func Families(name string) ([]model.Family, error) {
	if !slices.Contains(NetworkNames(), name) {
		return nil, domain.Refuse("dirichlet", "network", name, "adult, bank or german")
	}
	b, err := structures.ReadFile("networks/" + name + ".json")
	if err != nil {
		return nil, err
	}
	var f []model.Family
	return f, json.Unmarshal(b, &f)
}

// networkModel measures the table of every family, as the paper does: ε/K for each of the K nodes. A node with one
// level is left out: its probability is 1.
func networkModel(name string, s *frame.Schema) (model.Model, error) {
	all, err := Families(name)
	if err != nil {
		return nil, err
	}
	constant := func(node string) bool {
		return slices.ContainsFunc(s.Columns, func(c frame.Column) bool { return c.Name == node && c.Levels() == 1 })
	}
	var f []model.Family
	for _, x := range all {
		if !constant(x.Node) {
			f = append(f, model.Family{Node: x.Node, Parents: slices.DeleteFunc(slices.Clone(x.Parents), constant)})
		}
	}
	return model.Network(f[len(f)-1].Node, f...).WithEveryFamily(), nil
}

// Figure5 is the table of the networks: one row a node.
func Figure5() (*table.Table, error) {
	t := table.New("Figure 5: the Bayesian networks", "data set", "node", "parents")
	for _, name := range NetworkNames() {
		families, err := Families(name)
		if err != nil {
			return nil, err
		}
		for _, f := range families {
			parents := ""
			for i, p := range f.Parents {
				if i > 0 {
					parents += ", "
				}
				parents += p
			}
			t.Add(name, f.Node, parents)
		}
	}
	return t.Note("The nodes and edges of the paper's experiment as its published code has them (the text lists none), " +
		"parts of the networks of Le Quy et al. (2022). K = 7, 10 and 14 tables."), nil
}
