package bench

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

//go:embed structure/results.json
var structures []byte

// Structures are the committed results of bench/structure.sh: how near synthetic tables of learned structures come to
// the rows that they were learned from, by library.
type Structures struct {
	Date    string            `json:"date"`
	Peers   []string          `json:"peers"`
	Delta   float64           `json:"delta"`
	Results []StructureResult `json:"results"`
}

// StructureResult is what the runs of one library on one table gave.
type StructureResult struct {
	Peer      string   `json:"peer"`
	Table     string   `json:"table"`
	Notion    string   `json:"notion"` // pure, or approx: (ε, Delta)
	Epsilon   float64  `json:"epsilon"`
	Adjacency string   `json:"adjacency"`
	Runs      int      `json:"runs"`
	Pairs     *Measure `json:"pairs"`   // mean total variation of all pairs of columns
	Triples   *Measure `json:"triples"` // of at most 100 triples
	AUC       *Measure `json:"auc"`     // of a logistic regression, on held-out rows
	Seconds   float64  `json:"seconds"` // of the longest run
	Declined  bool     `json:"declined"`
	Errors    []string `json:"errors"`
}

// Measure is a mean over runs with its standard error, 0 for one run.
type Measure struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

func (m *Measure) String() string {
	switch {
	case m == nil:
		return "–"
	case m.SE == 0:
		return fmt.Sprintf("%.4f", m.Mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", m.Mean, m.SE)
}

// StructurePeers are the committed results of bench/structure.sh.
func StructurePeers() (*Structures, error) {
	s := &Structures{}
	return s, json.Unmarshal(structures, s)
}

// setting is what results are compared within.
func (r StructureResult) setting(delta float64) string {
	level := fmt.Sprintf("(%g, %g)", r.Epsilon, delta)
	if r.Notion == "pure" {
		level = fmt.Sprintf("%g, pure", r.Epsilon)
	}
	return fmt.Sprintf("%s, %s, %s", r.Table, level, r.Adjacency)
}

// sorted are the results that have runs, by setting and distance.
func (s *Structures) sorted() []StructureResult {
	out := slices.DeleteFunc(slices.Clone(s.Results), func(r StructureResult) bool { return r.Pairs == nil })
	slices.SortStableFunc(out, func(a, b StructureResult) int {
		if c := strings.Compare(a.setting(s.Delta), b.setting(s.Delta)); c != 0 {
			return c
		}
		return int(math.Copysign(1, a.Pairs.Mean-b.Pairs.Mean))
	})
	return out
}

// Table has a row for every setting and library, the nearest first.
func (s *Structures) Table() *table.Table {
	t := table.New("Synthetic tables of learned structures", "table, guarantee", "library", "TV of pairs", "of triples",
		"AUC", "runs", "s")
	for _, r := range s.sorted() {
		name := r.Peer
		if r.Declined {
			name += " (declined: columns by themselves)"
		}
		t.Add(r.setting(s.Delta), name, r.Pairs.String(), r.Triples.String(), r.AUC.String(), r.Runs, fmt.Sprintf("%.0f",
			r.Seconds))
	}
	return t.Note("Means ± standard errors over runs; " + s.Date + ".")
}

// String is the table.
func (s *Structures) String() string { return s.Table().String() }

// Markdown is the table as bench/README.md has it.
func (s *Structures) Markdown() string { return markdown(s.Table()) }

func markdown(t *table.Table) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(t.Columns, " | "), strings.Repeat("---|", len(t.Columns)))
	for _, row := range t.Rows {
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
	return b.String()
}

// Figure shows the distances of pairs of the libraries in one setting.
func (s *Structures) Figure(setting string) *figure.Figure {
	var names []string
	var values []float64
	for _, r := range s.sorted() {
		if r.setting(s.Delta) == setting {
			names, values = append(names, r.Peer), append(values, r.Pairs.Mean)
		}
	}
	f := bars("Distance of pairs by library", names, values, setting)
	f.YLabel = "mean total variation of pairs"
	f.Series[0].Name = "TV of pairs"
	return f
}
