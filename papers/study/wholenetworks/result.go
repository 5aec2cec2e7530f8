package wholenetworks

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Result is what was run. Committed results say what wrote them.
type Result struct {
	Library string  `json:"library,omitempty"`
	Command string  `json:"command,omitempty"`
	Seed    uint64  `json:"seed"`
	Points  []Point `json:"points"`
	Nulls   []Null  `json:"nulls"`
}

// has tells whether a point was run.
func (r *Result) has(s Spec) bool {
	return slices.ContainsFunc(r.Points, func(p Point) bool { return p.Spec == s })
}

//go:embed results.json
var results []byte

// Committed reads the points that were run.
func Committed() (*Result, error) {
	var r Result
	return &r, json.Unmarshal(results, &r)
}

// Of keeps the points of one network.
func (r *Result) Of(network string) *Result {
	out := *r
	out.Points = slices.DeleteFunc(slices.Clone(r.Points), func(p Point) bool { return p.Network != network })
	return &out
}

// Table has a row for every point of coverage.
func (r *Result) Table() *table.Table {
	t := table.New("Coverage of 95 % intervals of whole networks", "network", "n", "ε", "noise", "replicates", "tables",
		"s.e.", "questions", "naive tables", "naive questions", "width of tables", "naive width")
	for _, p := range r.Points {
		t.Add(p.Network, p.Records, p.Epsilon, p.Noise, p.Replicates-p.NotConverged, p.Aware.Tables, p.SE(),
			p.Aware.Questions, p.Naive.Tables, p.Naive.Questions, p.Aware.TablesWidth, p.Naive.TablesWidth)
	}
	return t.Note("tables: all entries of all conditional tables. questions: a marginal, a conditional against the " +
		"arrows, a log odds ratio, a joint probability, a difference. Replace-one; Gaussian noise with δ = 1e-6; " +
		"probabilities from the uniform prior, simulated records.").Note("Regenerate: " + r.Command)
}

// SE is the standard error of Aware.Tables.
func (p Point) SE() float64 { return p.SD / math.Sqrt(float64(max(p.Replicates-p.NotConverged, 1))) }

// Figure is the coverage of the entries of tables against ε, geometric noise: naive dashed.
func (r *Result) Figure() *figure.Figure {
	f := &figure.Figure{Title: "Coverage of 95 % intervals of all table entries", XLabel: "ε", LogX: true,
		YLabel:  "share that hold the truth",
		Caption: "Pure ε-DP, replace-one; geometric noise; probabilities from the uniform prior, simulated records.",
		HLines:  []figure.Reference{{Name: "95 %", Y: level}}}
	for _, p := range r.Points {
		if p.Noise != "geometric" {
			continue
		}
		name := fmt.Sprintf("%s, n = %d", p.Network, p.Records)
		i := slices.IndexFunc(f.Series, func(s figure.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, figure.Series{Name: name}, figure.Series{Name: name + ", naive", Dashed: true})
		}
		for k, y := range []float64{p.Aware.Tables, p.Naive.Tables} {
			s := &f.Series[i+k]
			at, _ := slices.BinarySearch(s.X, p.Epsilon)
			s.X, s.Y = slices.Insert(s.X, at, p.Epsilon), slices.Insert(s.Y, at, y)
		}
	}
	return f
}

// Errors is the table of Type I errors.
func (r *Result) Errors() *table.Table {
	columns := []string{"interval for the log odds ratio"}
	for _, n := range r.Nulls {
		columns = append(columns, fmt.Sprintf("ε = %g", n.Epsilon))
	}
	t := table.New("Share of 95 % intervals that miss the truth", columns...)
	for _, m := range Methods() {
		row := []any{string(m)}
		for _, n := range r.Nulls {
			row = append(row, fmt.Sprintf("%.3f", n.Share(m)))
		}
		t.Add(row...)
	}
	for _, n := range r.Nulls {
		t.Note(fmt.Sprintf("ε = %g: %d releases of n = %d, true log odds ratio %.3g, standard error of .05: %.3f", n.Epsilon,
			n.Replicates, n.Records, n.LogOdds, math.Sqrt(.05*.95/float64(n.Replicates))))
	}
	return t.Note("Pure ε-DP, replace-one, geometric noise; network X → Y → W.").Note("Regenerate: " + r.Command)
}

// Share is the share of misses of a method.
func (n Null) Share(m Method) float64 {
	return float64(n.Missed[m]) / math.Max(1, float64(n.Replicates-n.Empty[m]))
}
