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
	Command string            `json:"command"`
	Library string            `json:"library"`
	Go      string            `json:"go"`
	SHA256  map[string]string `json:"sha256"` // of the codes of the training rows
	Delta   float64           `json:"delta"`
	Note    string            `json:"note"`
	Results []Result          `json:"results"`
}

// Committed reads the outcomes of the full run.
func Committed() (*Results, error) {
	var r Results
	return &r, json.Unmarshal(committed, &r)
}

// Figures draw the distance of pairs against ε, a line for every table: of those that were held out, and of those on
// which the constants were chosen.
func (r *Results) Figures() (held, chosen *figure.Figure) {
	figures := map[bool]*figure.Figure{}
	for chosen, what := range map[bool]string{false: "tables held out", true: "tables that tuned it"} {
		figures[chosen] = &figure.Figure{Title: "Learned structures, distance of pairs: " + what, XLabel: "ε",
			YLabel: "mean total variation", LogX: true, LogY: true,
			Caption: fmt.Sprintf("Add-remove, δ = %s, maximum entropy, also where learning is declined. Bars: ± 2 "+
				"standard errors.", table.Number(r.Delta))}
	}
	for _, x := range r.Results {
		if x.Pure || x.ZCDP || x.ReplaceOne || x.Learner != "" {
			continue
		}
		f := figures[slices.Contains(tuned, x.Set)]
		k, name := len(f.Series)-1, fmt.Sprintf("%s, n = %s", x.Set, figure.Number(float64(x.Rows)))
		if k < 0 || f.Series[k].Name != name {
			f.Series = append(f.Series, figure.Series{Name: name, Kind: figure.Band})
			k++
		}
		s := &f.Series[k]
		s.X, s.Y = append(s.X, x.Epsilon), append(s.Y, x.TV[1].Mean)
		s.Lo, s.Hi = append(s.Lo, x.TV[1].Mean-2*x.TV[1].SE), append(s.Hi, x.TV[1].Mean+2*x.TV[1].SE)
	}
	return figures[false], figures[true]
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

const scored = "Mean total variation of a synthetic table's tables against the training rows', with standard errors " +
	"over " +
	"repeats; log-likelihood and AUC on held-out rows. Every probability of a network is mixed with a thousandth of the " +
	"uniform distribution for the log-likelihood: fits have cells of 1e-60."

func (s *Score) String() string {
	if s == nil {
		return "–"
	}
	return figure.Estimate(s.Mean, s.SE)
}

func (s Setting) learner() string {
	if s.Learner == "" {
		return "maximum entropy"
	}
	return s.Learner
}

// Table shows the settings in which plans learn.
func (r *Results) Table() *table.Table {
	t := table.New("Learned structures", "table", "rows", "guarantee", "learner", "TV of columns", "of pairs", "of "+
		"triples",
		"log-likelihood", "accuracy", "AUC", "true edges")
	for i := range r.Results {
		if x := &r.Results[i]; !x.Declined {
			t.Add(x.Set, x.Rows, x.Guarantee(), x.learner(), x.TV[0].String(), x.TV[1].String(), x.TV[2].String(),
				x.LogLikelihood.String(), x.Accuracy.String(), x.AUC.String(), x.TrueEdges.String())
		}
	}
	return t.Note("Add-remove unless stated. " + scored + " " + r.Note)
}

// Declined shows the settings in which plans release every column by itself, beside what learning would have given.
func (r *Results) Declined() *table.Table {
	t := table.New("Where learning is declined", "table", "rows", "guarantee", "learner", "TV of pairs: columns",
		"learned",
		"log-likelihood: columns", "learned", "AUC: learned")
	for i := range r.Results {
		x, columns := &r.Results[i], [2]string{"–", "–"}
		if !x.Declined {
			continue
		}
		if x.Columns != nil {
			columns = [2]string{x.Columns.TV[1].String(), x.Columns.LogLikelihood.String()}
		}
		t.Add(x.Set, x.Rows, x.Guarantee(), x.learner(), columns[0], x.TV[1].String(), columns[1], x.LogLikelihood.String(),
			x.AUC.String())
	}
	return t.Note("Add-remove unless stated. " + scored + " " + r.Note)
}
