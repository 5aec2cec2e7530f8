package noiseaware

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// tableLevel is the level of the intervals in tables.
const tableLevel = 0.95

// Table shows the target's levels, each with its naive and its noise-aware mean, standard deviation and 95 % credible
// interval.
func (p *Posterior) Table() *table.Table {
	k := 0
	for k < len(p.params) && p.params[k].Name == p.params[0].Name {
		k++
	}
	return p.table(k)
}

// Probabilities is Table for every probability of the model.
func (p *Posterior) Probabilities() *table.Table { return p.table(len(p.params)) }

func (p *Posterior) table(k int) *table.Table {
	t := table.New(p.title, "of", "level", "naive mean", "naive 95 %", "mean", "sd", "95 %", "width ratio")
	for _, r := range Summaries(p.params[:k], tableLevel) {
		t.Add(r.Of, r.Label, r.NaiveMean, interval(r.NaiveLower, r.NaiveUpper), r.Mean, r.SD,
			interval(r.Lower, r.Upper), (r.Upper-r.Lower)/(r.NaiveUpper-r.NaiveLower))
	}
	t.Note("naive: the posterior as if the released estimates were the counts. " + p.total)
	if _, ok := p.shape.Model().(model.HistogramModel); ok {
		t.Note("The prior is flat over the bins: 95 % is for shares that follow it. The shares of one skewed truth need " +
			"not be held, where n·ε is below some 30 times the number of bins.")
	}
	return t.Note(p.caption)
}

func interval(l, u float64) string { return table.Number(l) + " … " + table.Number(u) }

// String is the table as text.
func (p *Posterior) String() string { return table.Text(p) }

// Density is the naive and the noise-aware density of one probability on points: the data of a figure.
type Density struct {
	X            []float64
	Naive, Aware []float64
}

// Density takes the densities at the given number of points, at least 2, over the range that holds 1 − 2e-4 of either
// law.
func (q Parameter) Density(points int) Density {
	m, points := q.Law(), max(points, 2)
	lo, hi := m.Quantile(1e-4), m.Quantile(1-1e-4)
	lo, hi = min(lo, q.Naive.Quantile(1e-4)), max(hi, q.Naive.Quantile(1-1e-4))
	var d Density
	for i := range points {
		x := lo + (hi-lo)*(float64(i)+0.5)/float64(points)
		d.X = append(d.X, x)
		d.Naive = append(d.Naive, density(q.Naive, x))
		d.Aware = append(d.Aware, m.PDF(x))
	}
	return d
}

func density(b posterior.Beta, x float64) float64 { return math.Exp(b.LogDensity(x)) }
