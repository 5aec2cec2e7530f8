package eval

import (
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Outcome is one run at one ε, averaged over splits and noise. Standard errors are kept apart: over splits it says how
// much depends on the rows, over noise how much on the draw.
type Outcome struct {
	Run       string // the mechanism's title, unless CompareOptions.Runs names it
	Epsilon   float64
	Target    dp.Parameters
	Certified dp.Parameters
	Score     Spread   // the first of Measures
	Measures  []Spread // see Diagnostic.Measures
}

// Spread is a mean with its standard errors over splits and over noise.
type Spread struct{ Mean, OverSplits, OverNoise float64 }

// Diagnostic is a comparison that drew many times from private data. Private: do not publish.
type Diagnostic struct {
	Model      string
	Dataset    string
	N          int // training rows
	Adjacency  dp.Adjacency
	Delta      float64
	Outcomes   []Outcome
	NonPrivate Spread // the score without privacy; OverNoise is 0
	Guess      Spread // the score of the majority class, or of the middle of a response's public range; 0 for rates
	Draws      int    // releases drawn
	shape      *model.Shape
	words      model.Words
	runs       []string
	own        bool // some runs have targets of their own
	hiddenN    bool // Where, or an adjacency, makes the number of rows private
}

// Measures names what releases are compared by: accuracy, log loss (mean −log P(true class | features), nats) and the
// divergence (nats) of the target's non-private posterior from the released one; the mean squared error of a
// regression; minus the mean log-density of a rate.
func (d *Diagnostic) Measures() []string { return d.words.Measures }

// setting is n and, where it is the same for all runs, the adjacency.
func (d *Diagnostic) setting(more string) string {
	s := shownN(fmt.Sprintf("n = %d", d.N), d.hiddenN)
	if d.own {
		return s
	}
	return s + more + ", " + d.Adjacency.String()
}

// Table shows the measures of every run and ε.
func (d *Diagnostic) Table() *table.Table {
	first, rest := d.words.Measures[0], d.words.Measures[1:]
	head := []string{"mechanism", "target"}
	if d.own {
		head = append(head, "certified")
	}
	t := table.New(fmt.Sprintf("%s on %s, %s (private: do not publish)", d.Model, safetext.Quote(d.Dataset),
		d.setting("")),
		append(append(head, first, "s.e. splits", "s.e. noise"), rest...)...)
	add := func(name, target, certified string, s Spread, rest ...Spread) {
		row := []any{name, target}
		if d.own {
			row = append(row, certified)
		}
		row = append(row, s.Mean, s.OverSplits, s.OverNoise)
		for _, r := range rest {
			row = append(row, r.Mean)
		}
		t.Add(row...)
	}
	add("non-private", "none", "none", d.NonPrivate)
	if d.words.Guess != "" {
		add(d.words.Guess, "none", "none", d.Guess)
	}
	for _, o := range d.Outcomes {
		add(o.Run, o.Target.String(), o.Certified.String(), o.Score, o.Measures[1:]...)
	}
	if !d.shape.Counts() {
		return t.Note(fmt.Sprintf("%d releases were drawn from the private table, beside the exact sums. "+
			"Publishing this table has no privacy guarantee at any ε.", d.Draws))
	}
	if slices.ContainsFunc(d.Outcomes, func(o Outcome) bool { return o.Measures[len(rest)].Mean > farApartKL }) {
		t.Note(narrowPosteriors)
	}
	return t.Note(fmt.Sprintf("%d releases were drawn from the private table, beside the exact counts. "+
		"Publishing this table has no privacy guarantee at any ε; "+
		"to publish one accuracy, charge it: see PrivateAccuracy.", d.Draws))
}

// Figure is the score against ε with a band of two standard errors, and lines for the non-private model and the guess.
func (d *Diagnostic) Figure() *figure.Figure {
	score := d.words.Measures[0]
	initial, size := utf8.DecodeRuneInString(score)
	f := &figure.Figure{
		Title: string(unicode.ToUpper(initial)) + score[size:] + " of " + d.Model, XLabel: "ε",
		YLabel: score + " on held-out rows",
		LogX:   true, LogY: d.words.LogScale, Private: true,
		Caption: fmt.Sprintf("%s, %s; bands: ±2 standard errors over splits and noise", safetext.Quote(d.Dataset),
			d.setting(", δ = "+table.Number(d.Delta))),
		HLines: []figure.Reference{{Name: "non-private", Y: d.NonPrivate.Mean}},
	}
	if d.words.Guess != "" {
		f.HLines = append(f.HLines, figure.Reference{Name: d.words.Guess, Y: d.Guess.Mean})
	}
	for _, name := range d.runs {
		s := figure.Series{Name: name, Kind: figure.Band}
		for _, o := range d.Outcomes {
			if o.Run != name {
				continue
			}
			se := math.Hypot(o.Score.OverSplits, o.Score.OverNoise)
			lo := o.Score.Mean - 2*se
			if d.words.LogScale {
				lo = math.Max(lo, o.Score.Mean/2)
			}
			s.X, s.Y = append(s.X, o.Epsilon), append(s.Y, o.Score.Mean)
			s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, o.Score.Mean+2*se)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// String shows the comparison as text.
func (d *Diagnostic) String() string { return table.Text(d) }
