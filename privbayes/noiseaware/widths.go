package noiseaware

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Widths says how many times as wide as the naive interval the noise-aware one is, of several releases at several ε.
type Widths struct {
	Names    []string
	Epsilons []float64
	Ratios   [][]float64 // by name, then by ε
	records  []any
	terms    []string // of the releases, each once
}

// CompareWidths draws a release of every name at every ε and compares the 95 % intervals of its target's first level.
// Errors: *dp.ParameterError without names or ε, and those of draw.
func CompareWidths(names []string, epsilons []float64, draw func(name string, epsilon float64) (*Posterior,
	error)) (*Widths, error) {
	if len(names) == 0 || len(epsilons) == 0 {
		return nil, domain.Refuse("noiseaware", "releases", fmt.Sprintf("%d names, %d values of ε", len(names),
			len(epsilons)), "at least one of each")
	}
	w := &Widths{Names: names, Epsilons: epsilons}
	for _, name := range names {
		var ratios []float64
		var n any = "private"
		for _, eps := range epsilons {
			p, err := draw(name, eps)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(w.terms, p.terms) {
				w.terms = append(w.terms, p.terms)
			}
			r := Summaries(p.params[:1], tableLevel)[0]
			ratios = append(ratios, (r.Upper-r.Lower)/(r.NaiveUpper-r.NaiveLower))
			if k, public := p.shape.N(); public {
				n = k
			}
		}
		w.Ratios, w.records = append(w.Ratios, ratios), append(w.records, n)
	}
	return w, nil
}

// Table has a row for every name and a column for every ε.
func (w *Widths) Table() *table.Table {
	head := []string{"release", "n"}
	for _, eps := range w.Epsilons {
		head = append(head, "ε = "+table.Number(eps))
	}
	t := table.New("How many times as wide the interval should be", head...)
	for i, name := range w.Names {
		row := []any{name, w.records[i]}
		for _, x := range w.Ratios[i] {
			row = append(row, x)
		}
		t.Add(row...)
	}
	return t.Note("Width of the noise-aware 95 % interval over that of the naive one, for the target's first level.").
		Note(w.caption())
}

// caption are the terms of the releases, which most often are the same but for ε and n.
func (w *Widths) caption() string { return strings.Join(w.terms, ". ") }

// Figure draws the ratios against ε.
func (w *Widths) Figure() *figure.Figure {
	f := &figure.Figure{Title: "How many times as wide the interval should be", XLabel: "ε", YLabel: "ratio of widths",
		LogX: true, HLines: []figure.Reference{{Name: "as wide", Y: 1}}, Caption: w.caption()}
	for i, name := range w.Names {
		f.Series = append(f.Series, figure.Series{Name: fmt.Sprintf("%s, n = %v", name, w.records[i]), X: w.Epsilons,
			Y: w.Ratios[i]})
	}
	return f
}

// String is the table as text.
func (w *Widths) String() string { return table.Text(w) }
