package learnednetworks

import (
	_ "embed"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Result is what was run. Committed results say what wrote them.
type Result struct {
	Library string  `json:"library,omitempty"`
	Command string  `json:"command,omitempty"`
	Seed    uint64  `json:"seed"`
	Points  []Point `json:"points"`
}

//go:embed results.json
var results []byte

// Committed reads the points that were run.
func Committed() (*Result, error) { return simulate.Committed[Result](results) }

// Table has a row for every point: of each quantity the coverage of the noise-aware intervals with its standard error,
// and that of the naive ones.
func (r *Result) Table() *table.Table {
	columns := []string{"population", "learned", "n", "ε", "replicates", "edges", "in the population"}
	for _, q := range Quantities() {
		columns = append(columns, string(q), "s.e.", "noise ignored")
	}
	t := table.New("Coverage of 95 % intervals of learned networks", columns...)
	for _, p := range r.Points {
		row := []any{p.Population, p.Learner, p.Records, p.Epsilon, p.Replicates - p.NotConverged,
			fmt.Sprintf("%.2f", p.Edges), fmt.Sprintf("%.2f", p.TrueEdges)}
		for _, q := range Quantities() {
			c := p.Of[q]
			row = append(row, fixed(c.Aware), fixed(c.AwareSE), fixed(c.Naive))
		}
		t.Add(row...)
	}
	return t.Note("Mean over releases of the share of a release's intervals that hold the population's value; of " +
		"edges those only that were learned, in releases that learned one. s.e. is over releases. Pure ε-DP, replace-one, " +
		"geometric noise, simulated records of fixed populations; models that always learn.").
		Note("Regenerate: " + r.Command)
}

// Widths has the mean widths of the intervals.
func (r *Result) Widths() *table.Table {
	columns := []string{"population", "learned", "n", "ε"}
	for _, q := range Quantities() {
		columns = append(columns, string(q), "noise ignored")
	}
	t := table.New("Mean width of 95 % intervals of learned networks", columns...)
	for _, p := range r.Points {
		row := []any{p.Population, p.Learner, p.Records, p.Epsilon}
		for _, q := range Quantities() {
			row = append(row, fixed(p.Of[q].AwareWidth), fixed(p.Of[q].NaiveWidth))
		}
		t.Add(row...)
	}
	return t.Note("Pure ε-DP, replace-one, geometric noise.").Note("Regenerate: " + r.Command)
}

func fixed(x float64) string { return fmt.Sprintf("%.3f", x) }

// Figure is the coverage of one quantity in learned trees: a panel for every n and ε, a row for every population;
// intervals that ignore the noise and noise-aware ones. The table has the standard errors.
func (r *Result) Figure(q Quantity) *figure.Facets {
	out := &figure.Facets{Title: "Coverage of 95 % intervals in learned trees: " + string(q), Columns: 2,
		Subtitle: "One mark: the mean over the replicates of one population.",
		Caption: "Pure ε-DP, replace-one, geometric noise; simulated records of fixed populations, of edges those " +
			"that were learned."}
	for _, s := range []Spec{{Records: 1000, Epsilon: 1}, {Records: 1000, Epsilon: 3}, {Records: 10000, Epsilon: 1},
		{Records: 10000, Epsilon: 3}} {
		naive := figure.Series{Name: "noise ignored", Kind: figure.Points}
		aware := figure.Series{Name: "noise-aware", Kind: figure.Points}
		for g, name := range Populations() {
			for _, p := range r.Points {
				if p.Population != name || p.Learner != "tree" || p.Records != s.Records || p.Epsilon != s.Epsilon {
					continue
				}
				c := p.Of[q]
				naive.X, naive.Y = append(naive.X, float64(g)), append(naive.Y, c.Naive)
				aware.X, aware.Y = append(aware.X, float64(g)), append(aware.Y, c.Aware)
			}
		}
		if len(naive.X) > 0 {
			out.Panels = append(out.Panels, &figure.Figure{Title: fmt.Sprintf("n = %d, ε = %g", s.Records, s.Epsilon),
				XLabel: "population", YLabel: "intervals that cover the true value", YPercent: true, XTicks: Populations(),
				Series: []figure.Series{naive, aware}, HLines: []figure.Reference{{Name: "95 %", Y: simulate.Level}}})
		}
	}
	return out
}
