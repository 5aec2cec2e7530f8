package learnednetworks

import (
	_ "embed"
	"fmt"
	"slices"

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

// Figure is the coverage of one quantity in learned trees: for every population a group of marks, from left to right by
// n and ε; naive intervals and noise-aware ones. The table has the standard errors.
func (r *Result) Figure(q Quantity) *figure.Figure {
	points := []Spec{{Records: 1000, Epsilon: 1}, {Records: 1000, Epsilon: 3}, {Records: 10000, Epsilon: 1},
		{Records: 10000, Epsilon: 3}}
	wide := len(points) + 2
	f := &figure.Figure{Title: "Coverage of 95 % intervals in learned trees: " + string(q),
		XLabel: "in a group, left to right: n, ε = 1000, 1; 1000, 3; 10000, 1; 10000, 3",
		YLabel: "share that hold the truth",
		Caption: "Pure ε-DP, replace-one, geometric noise; simulated records of fixed populations, of edges those " +
			"that were learned.",
		XTicks: make([]string, wide*len(Populations())), HLines: []figure.Reference{{Name: "95 %", Y: simulate.Level}}}
	naive := figure.Series{Name: "noise ignored", Kind: figure.Points}
	aware := figure.Series{Name: "noise-aware", Kind: figure.Points}
	for g, name := range Populations() {
		f.XTicks[g*wide+wide/2] = name
		for _, p := range r.Points {
			i := slices.IndexFunc(points, func(s Spec) bool { return s.Records == p.Records && s.Epsilon == p.Epsilon })
			if p.Population != name || p.Learner != "tree" || i < 0 {
				continue
			}
			c, x := p.Of[q], float64(g*wide+1+i)
			naive.X, naive.Y = append(naive.X, x), append(naive.Y, c.Naive)
			aware.X, aware.Y = append(aware.X, x), append(aware.Y, c.Aware)
		}
	}
	f.Series = []figure.Series{naive, aware}
	return f
}
