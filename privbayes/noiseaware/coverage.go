package noiseaware

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// shownRuns is how many repetitions a figure shows.
const shownRuns = 20

// Truth is a probability that is known: Value is that of a level in a distribution, named as in Parameters ("" is the
// target). Name says in figures where it comes from.
type Truth struct {
	Name, Of, Level string
	Value           float64
}

// CoverageRuns are releases drawn again and again, each read with and without its noise, beside the truth.
type CoverageRuns struct {
	Truth   Truth
	Rows    []Row // one a repetition, with 95 % intervals
	caption string
}

// SimulateCoverage draws releases with the seeds 0, 1, …, runs−1 and reads each in both ways: how many intervals hold
// the truth? It is for simulations and for data that everybody may see. Errors: *dp.ParameterError, and those of draw.
func SimulateCoverage(runs int, truth Truth, draw func(seed uint64) (*Posterior, error)) (*CoverageRuns, error) {
	if runs < 1 {
		return nil, domain.Refuse("noiseaware", "runs", runs, "at least 1")
	}
	if !(truth.Value >= 0 && truth.Value <= 1) {
		return nil, domain.Refuse("noiseaware", "truth", truth.Value, "a probability from 0 to 1")
	}
	out := &CoverageRuns{Truth: truth}
	for seed := range uint64(runs) {
		p, err := draw(seed)
		if err != nil {
			return nil, err
		}
		chosen, err := p.Choose(truth.Of, truth.Level)
		if err != nil {
			return nil, err
		}
		out.Rows, out.caption = append(out.Rows, Summaries(chosen, tableLevel)[0]), p.caption
	}
	return out, nil
}

// Held counts the intervals that hold the truth.
func (r *CoverageRuns) Held() (naive, aware int) {
	for _, x := range r.Rows {
		if x.NaiveLower <= r.Truth.Value && r.Truth.Value <= x.NaiveUpper {
			naive++
		}
		if x.Lower <= r.Truth.Value && r.Truth.Value <= x.Upper {
			aware++
		}
	}
	return naive, aware
}

// Table counts the intervals that hold the truth, with the standard error of their share and the mean width.
func (r *CoverageRuns) Table() *table.Table {
	t := table.New("95 % credible intervals of "+table.Count(len(r.Rows), "release"), "interval", "contain the truth",
		"share", "standard error", "mean width")
	n := float64(len(r.Rows))
	var widths [2]float64
	for _, x := range r.Rows {
		widths[0] += (x.Upper - x.Lower) / n
		widths[1] += (x.NaiveUpper - x.NaiveLower) / n
	}
	naive, aware := r.Held()
	for i, held := range []int{aware, naive} {
		share := float64(held) / n
		t.Add([]string{"noise-aware", noiseIgnored}[i], held, share, math.Sqrt(share*(1-share)/n), widths[i])
	}
	return t.Note(fmt.Sprintf("The truth is %s.", table.Number(r.Truth.Value))).Note(r.caption)
}

// Figure shows the first twenty releases, each with both intervals, and the truth as a line.
func (r *CoverageRuns) Figure() *figure.Figure {
	aware := figure.Series{Name: "noise-aware", Kind: figure.Points}
	naive := figure.Series{Name: noiseIgnored, Kind: figure.Points}
	shown := r.Rows[:min(len(r.Rows), shownRuns)]
	for i, x := range shown {
		at := float64(i + 1)
		naive.X, naive.Y = append(naive.X, at+.15), append(naive.Y, x.NaiveMean)
		naive.Lo, naive.Hi = append(naive.Lo, x.NaiveLower), append(naive.Hi, x.NaiveUpper)
		aware.X, aware.Y = append(aware.X, at-.15), append(aware.Y, x.Mean)
		aware.Lo, aware.Hi = append(aware.Lo, x.Lower), append(aware.Hi, x.Upper)
	}
	name := r.Truth.Name
	if name == "" {
		name = "truth"
	}
	return &figure.Figure{Title: fmt.Sprintf("95 %% intervals of %s, with and without the noise",
		table.Count(len(shown), "release")),
		XLabel: "release", YLabel: fmt.Sprintf("share of %s = %s", r.Rows[0].Of, r.Rows[0].Label), YPercent: true,
		Caption: r.caption, Series: []figure.Series{aware, naive}, HLines: []figure.Reference{{Name: name, Y: r.Truth.Value}}}
}

// String is the table as text.
func (r *CoverageRuns) String() string { return table.Text(r) }

// Widths says how many times as wide as the interval with the noise ignored the noise-aware one is, of several releases
// at several ε.
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
	return t.Note("Width of the noise-aware 95 % interval over that with the noise ignored, for the target's first level.").
		Note(w.caption())
}

// caption are the terms of the releases, which most often are the same but for ε and n.
func (w *Widths) caption() string { return strings.Join(w.terms, ". ") }

// Figure draws the ratios against ε.
func (w *Widths) Figure() *figure.Figure {
	f := &figure.Figure{Title: "How many times as wide the interval should be", XLabel: "ε", YLabel: "ratio of widths",
		LogX: true, LogY: true, HLines: []figure.Reference{{Name: "as wide", Y: 1}}, Caption: w.caption()}
	for i, name := range w.Names {
		f.Series = append(f.Series, figure.Series{Name: fmt.Sprintf("%s, n = %v", name, w.records[i]), X: w.Epsilons,
			Y: w.Ratios[i]})
	}
	return f
}

// String is the table as text.
func (w *Widths) String() string { return table.Text(w) }
