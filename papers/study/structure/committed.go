package structure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

//go:embed results.json
var committed []byte

// Results are committed outcomes with what is needed to run them again.
type Results struct {
	Command   string            `json:"command"`
	Library   string            `json:"library"`
	Go        string            `json:"go"`
	SHA256    map[string]string `json:"sha256"` // of the codes of the training rows
	Adjacency string            `json:"adjacency"`
	Delta     float64           `json:"delta"`
	Note      string            `json:"note"`
	Results   []Result          `json:"results"`
}

// Committed reads the outcomes of the full run.
func Committed() (*Results, error) {
	var r Results
	return &r, json.Unmarshal(committed, &r)
}

// Figure draws the distance of pairs against ε, a line for every table.
func (r *Results) Figure() *figure.Figure {
	f := &figure.Figure{Title: "Learned structures: distance of pairs", XLabel: "ε", YLabel: "mean total variation",
		LogX: true, LogY: true, Caption: fmt.Sprintf("%s, δ = %g. Tables on which the constants were chosen are dashed. "+
			"Band: ± 2 s.e.", r.Adjacency, r.Delta)}
	for _, x := range r.Results {
		if x.Pure {
			continue
		}
		k, name := len(f.Series)-1, fmt.Sprintf("%s, n = %d", x.Set, x.Rows)
		if k < 0 || f.Series[k].Name != name {
			f.Series = append(f.Series, figure.Series{Name: name, Kind: figure.Band, Dashed: slices.Contains(tuned, x.Set)})
			k++
		}
		s := &f.Series[k]
		s.X, s.Y = append(s.X, x.Epsilon), append(s.Y, x.TV[1].Mean)
		s.Lo, s.Hi = append(s.Lo, x.TV[1].Mean-2*x.TV[1].SE), append(s.Hi, x.TV[1].Mean+2*x.TV[1].SE)
	}
	return f
}

// Find is the result of a setting, nil if there is none.
func (r *Results) Find(s Setting) *Result {
	for i := range r.Results {
		if r.Results[i].Setting == s {
			return &r.Results[i]
		}
	}
	return nil
}

// Table shows the results.
func (r *Results) Table() *table.Table {
	t := table.New("Learned structures", "table", "rows", "guarantee", "TV of columns", "of pairs", "of triples",
		"log-likelihood", "AUC", "true edges")
	show := func(s *Score) string {
		if s == nil {
			return "–"
		}
		return fmt.Sprintf("%.4g ± %.2g", s.Mean, s.SE)
	}
	for i := range r.Results {
		x := &r.Results[i]
		guarantee := fmt.Sprintf("(%g, %g)", x.Epsilon, r.Delta)
		if x.Pure {
			guarantee = fmt.Sprintf("%g, pure", x.Epsilon)
		}
		t.Add(x.Set, x.Rows, guarantee, show(&x.TV[0]), show(&x.TV[1]), show(&x.TV[2]), show(&x.LogLikelihood),
			show(x.AUC), show(x.TrueEdges))
	}
	return t.Note(r.Adjacency + ". Mean total variation of a synthetic table's tables against the training rows', " +
		"with standard errors over repeats; log-likelihood and AUC on held-out rows. " + r.Note)
}
