package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Outcome is one mechanism at one target, averaged over splits and noise. Standard errors are kept apart: over splits it says how
// much depends on the rows, over noise how much on the draw.
type Outcome struct {
	Mechanism string
	Target    dp.Level
	Certified dp.Level
	Accuracy  Spread
	LogLoss   Spread // mean −log P(true class | features), nats
	KL        Spread // KL of the non-private target posterior from the released one, nats
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
	NonPrivate Spread // accuracy without privacy; OverNoise is 0
	Majority   Spread // accuracy of always guessing the training majority
	Draws      int    // releases drawn
	mechanisms []string
	hiddenN    bool // Where made the number of rows private
}

// size is n for titles, which the adjacency may hide too.
func (d *Diagnostic) size() string {
	return shownN(fmt.Sprintf("n = %d", d.N), d.hiddenN || !d.Adjacency.PublicN())
}

// Table shows accuracy and log loss of every mechanism and ε.
func (d *Diagnostic) Table() *table.Table {
	t := table.New(fmt.Sprintf("%s on %s, %s, %s (private: do not publish)", d.Model, label.Quote(d.Dataset), d.size(), d.Adjacency),
		"mechanism", "target", "accuracy", "s.e. splits", "s.e. noise", "log loss", "KL of target posterior")
	t.Add("non-private", "none", d.NonPrivate.Mean, d.NonPrivate.OverSplits, d.NonPrivate.OverNoise)
	t.Add("majority class", "none", d.Majority.Mean, d.Majority.OverSplits, d.Majority.OverNoise)
	for _, o := range d.Outcomes {
		t.Add(o.Mechanism, o.Target.String(), o.Accuracy.Mean, o.Accuracy.OverSplits, o.Accuracy.OverNoise, o.LogLoss.Mean, o.KL.Mean)
	}
	if slices.ContainsFunc(d.Outcomes, func(o Outcome) bool { return o.KL.Mean > farApartKL }) {
		t.Note(narrowPosteriors)
	}
	return t.Note(fmt.Sprintf("%d releases were drawn from the private table, beside the exact counts. Publishing this table has no privacy guarantee at any ε; to publish one accuracy, charge it: see ChargedAccuracy.", d.Draws))
}

// Figure is accuracy against ε with a band of two standard errors, and the non-private and majority lines.
func (d *Diagnostic) Figure() *figure.Figure {
	f := &figure.Figure{
		Title: "Accuracy of " + d.Model, XLabel: "ε", YLabel: "accuracy on held-out rows", LogX: true, Private: true,
		Caption: fmt.Sprintf("%s, %s, δ = %s, %s; bands: ±2 standard errors over splits and noise", label.Quote(d.Dataset), d.size(), table.Number(d.Delta), d.Adjacency),
		HLines:  []figure.Reference{{Name: "non-private", Y: d.NonPrivate.Mean}, {Name: "majority class", Y: d.Majority.Mean}},
	}
	for _, name := range d.mechanisms {
		s := figure.Series{Name: name, Kind: figure.Band}
		for _, o := range d.Outcomes {
			if o.Mechanism != name {
				continue
			}
			se := math.Hypot(o.Accuracy.OverSplits, o.Accuracy.OverNoise)
			s.X, s.Y = append(s.X, float64(o.Target.Epsilon)), append(s.Y, o.Accuracy.Mean)
			s.Lo, s.Hi = append(s.Lo, o.Accuracy.Mean-2*se), append(s.Hi, o.Accuracy.Mean+2*se)
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// String shows the comparison as text.
func (d *Diagnostic) String() string { return table.Text(d) }
