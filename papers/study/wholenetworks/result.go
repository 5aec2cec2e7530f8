package wholenetworks

import (
	_ "embed"
	"fmt"
	"math"
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
	Nulls   []Null  `json:"nulls"`
}

// has tells whether a point was run.
func (r *Result) has(s Spec) bool {
	return slices.ContainsFunc(r.Points, func(p Point) bool { return p.Spec == s })
}

//go:embed results.json
var results []byte

// Committed reads the points that were run.
func Committed() (*Result, error) { return simulate.Committed[Result](results) }

// Of keeps the points of one network.
func (r *Result) Of(network string) *Result {
	out := *r
	out.Points = slices.DeleteFunc(slices.Clone(r.Points), func(p Point) bool { return p.Network != network })
	return &out
}

// Mean is the coverage over all points of a network under one contract.
type Mean struct {
	Network                     string
	Full                        bool
	Points                      int
	Tables, Questions           float64
	SE                          float64 // of Tables
	NaiveTables, NaiveQuestions float64
}

// Means are those of all networks, each point with the same weight.
func (r *Result) Means() (out []Mean) {
	for _, p := range r.Points {
		i := slices.IndexFunc(out, func(m Mean) bool { return m.Network == p.Network && m.Full == p.Full })
		if i < 0 {
			i = len(out)
			out = append(out, Mean{Network: p.Network, Full: p.Full})
		}
		m := &out[i]
		m.Points++
		m.Tables, m.Questions = m.Tables+p.Aware.Tables, m.Questions+p.Aware.Questions
		m.NaiveTables, m.NaiveQuestions = m.NaiveTables+p.Naive.Tables, m.NaiveQuestions+p.Naive.Questions
		m.SE += p.SE() * p.SE()
	}
	for i := range out {
		m := &out[i]
		k := float64(m.Points)
		m.Tables, m.Questions, m.SE = m.Tables/k, m.Questions/k, math.Sqrt(m.SE)/k
		m.NaiveTables, m.NaiveQuestions = m.NaiveTables/k, m.NaiveQuestions/k
	}
	return out
}

// Overall is the table of Means.
func (r *Result) Overall() *table.Table {
	t := table.New("Coverage of 95 % intervals, mean over the points of a network", "network", "contract", "points",
		"tables", "s.e.", "questions", "noise ignored: tables", "noise ignored: questions")
	for _, m := range r.Means() {
		t.Add(m.Network, contractName(m.Full), m.Points, fixed(m.Tables), fmt.Sprintf("%.4f", m.SE), fixed(m.Questions),
			fixed(m.NaiveTables), fixed(m.NaiveQuestions))
	}
	return t.Note("A point is a number of records, an ε and a noise; each has the same weight. " + contracts)
}

const contracts = "Contract short: R-hat below 1.05 and 100 effective draws of every entry and question, intervals " +
	"from that many draws, far apart, also of entries; full: that of the package, 1.01 and 400, and its own intervals, " +
	"of " +
	"entries by Summary."

func contractName(full bool) string {
	if full {
		return "full"
	}
	return "short"
}

func fixed(x float64) string { return fmt.Sprintf("%.3f", x) }

// Table has a row for every point of coverage.
func (r *Result) Table() *table.Table {
	t := table.New("Coverage of 95 % intervals of whole networks", "network", "n", "ε", "noise", "contract", "replicates",
		"tables", "s.e.", "questions", "noise ignored: tables", "noise ignored: questions",
		"width of tables", "noise ignored: width")
	for _, p := range r.Points {
		t.Add(p.Network, p.Records, p.Epsilon, p.Noise, contractName(p.Full), p.Replicates-p.NotConverged,
			fixed(p.Aware.Tables), fixed(p.SE()), fixed(p.Aware.Questions), fixed(p.Naive.Tables),
			fixed(p.Naive.Questions), fixed(p.Aware.TablesWidth), fixed(p.Naive.TablesWidth))
	}
	return t.Note("tables: all entries of all conditional tables. questions: a marginal, a conditional against the " +
		"arrows, a log odds ratio, a joint probability, a difference. Replace-one; Gaussian noise with δ = 1e-6; " +
		"probabilities from the uniform prior, simulated records. " + contracts).Note("Regenerate: " + r.Command)
}

// SE is the standard error of Aware.Tables.
func (p Point) SE() float64 { return p.SD / math.Sqrt(float64(max(p.Replicates-p.NotConverged, 1))) }

// Figure is the coverage of the entries of tables, geometric noise and the short contract: a panel for every ε, a row
// for every network in the order of [Networks], and in it a mark for every number of records.
func (r *Result) Figure() *figure.Facets {
	var names []string
	for _, name := range Networks() {
		if len(r.Of(name).Points) > 0 {
			names = append(names, name)
		}
	}
	out := &figure.Facets{Title: "Noise-aware 95 % intervals cover as often as they state",
		Subtitle: "One mark: the mean over all table entries of one network and size (n = 100, 1000, 10\u202f000).",
		Caption: "Pure ε-DP, replace-one, geometric noise; probabilities from the uniform prior, simulated records. A " +
			"mark is the mean over the replicates of one network."}
	for _, eps := range []float64{.1, 1, 5} {
		naive := figure.Series{Name: "noise ignored", Kind: figure.Points}
		aware := figure.Series{Name: "noise-aware", Kind: figure.Points}
		for _, p := range r.Points {
			if p.Epsilon != eps || p.Noise != "geometric" || p.Full {
				continue
			}
			x := float64(slices.Index(names, p.Network))
			naive.X, naive.Y = append(naive.X, x), append(naive.Y, p.Naive.Tables)
			aware.X, aware.Y = append(aware.X, x), append(aware.Y, p.Aware.Tables)
		}
		if len(naive.X) > 0 {
			out.Panels = append(out.Panels, &figure.Figure{Title: fmt.Sprintf("ε = %g", eps), XLabel: "network",
				YLabel: "intervals that cover the true value", YPercent: true, XTicks: names,
				Series: []figure.Series{naive, aware}, HLines: []figure.Reference{{Name: "95 %", Y: simulate.Level}}})
		}
	}
	return out
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
