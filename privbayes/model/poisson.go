package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// PoissonModel is the mean λ of a column of Poisson counts: see Poisson.
type PoissonModel struct {
	ofWhole
	limits []float64
}

// Poisson is the mean λ of a column of whole numbers with P(x) = e^{−λ}λ^x/x!, moved to the column's public bounds. Its
// prior is uniform on a public range, by default from a thousandth of the upper bound to the bound.
func Poisson(column string) PoissonModel {
	return PoissonModel{ofWhole: ofWhole{ofSums: ofSums{base{target: column}}}}
}

// WithRange sets the range [c1, c2] of λ, 0 < c1 < c2: a public choice.
func (m PoissonModel) WithRange(c1, c2 float64) PoissonModel { m.limits = []float64{c1, c2}; return m }

// String describes the model.
func (m PoissonModel) String() string { return "Poisson mean of " + safetext.Quote(m.target) }

func (m PoissonModel) describe() Description {
	return Description{Kind: "poisson", Target: m.target, Alpha: m.alpha, Range: m.limits}
}

func (m PoissonModel) with(d Description) Model {
	m.target, m.alpha, m.limits = d.Target, d.Alpha, d.Range
	return m
}

// maxEvents bounds the distance of the bounds, and with it the work of a posterior.
const maxEvents = 1 << 12

func (m PoissonModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if err := m.checkResolution(m, 0); err != nil {
		return nil, err
	}
	list, err := numericColumns(m, s, []string{m.target})
	if err != nil {
		return nil, err
	}
	c := list[0]
	switch r := m.limits; {
	case c.Kind != frame.KindInteger || math.Ceil(c.Min) < 0:
		return nil, wrong(m, c.Name, fmt.Sprintf("a %s column from %v", c.Kind, c.Min), "whole numbers ≥ 0")
	case len(r) != 0 && (len(r) != 2 || !(r[0] > 0 && r[0] < r[1]) || math.IsInf(r[1], 1)):
		return nil, wrong(m, "", fmt.Sprintf("range %v", r), "WithRange(c1, c2), 0 < c1 < c2 finite")
	}
	return list, nil
}

// rangeOf is the range of λ.
func (m PoissonModel) rangeOf(sh *Shape) (c1, c2 float64) {
	if len(m.limits) == 2 {
		return m.limits[0], m.limits[1]
	}
	top := sh.lattice.High[0]
	return top / 1000, top
}

func (PoissonModel) parameters(*Shape) []string { return []string{"mean"} }

func (m PoissonModel) layOut(sh *Shape) error {
	sh.lattice = latticeOf(oneSum, 0, maxEvents+1, maxEvents, sh.columns...)
	sh.sums = []string{"Σ " + sh.columns[0].Name}
	if sh.lattice.Steps < 1 || sh.lattice.Steps > maxEvents {
		return wrong(m, m.target, fmt.Sprintf("bounds [%v, %v]", sh.columns[0].Min, sh.columns[0].Max),
			fmt.Sprintf("bounds 1 to %d apart", maxEvents))
	}
	return nil
}

// recordLaw fills in the probabilities of a count's places: those of a Poisson count, the ends with what lies beyond.
func (m PoissonModel) recordLaw(sh *Shape) func(theta float64, p []float64) {
	low := int(sh.lattice.Low[0])
	return func(lambda float64, p []float64) {
		clear(p)
		rest, last := 1.0, len(p)-1
		logp := -lambda
		for x := 0; x < low+last; x++ {
			v := math.Exp(logp)
			p[max(x-low, 0)] += v
			rest -= v
			logp += math.Log(lambda / float64(x+1))
		}
		p[last] += math.Max(rest, 0)
	}
}

func (m PoissonModel) plainMeans(st *Statistics) []float64 {
	return []float64{st.shape.lattice.Value(0, float64(st.whole[0])/float64(st.rows))}
}

func (m PoissonModel) ranges(sh *Shape) []float64 {
	return []float64{sh.lattice.High[0] - sh.lattice.Low[0]}
}

// summary shows the mean, and how much of its distribution lies outside the bounds.
func (m PoissonModel) summary(f *Fitted) *table.Table { return noteOutside(f, m.ofWhole.summary(f)) }

// fitPlain is the posterior by its quantiles, Gamma(1 + Σx, n) on the range: what is at the bounds is taken as it is.
func (m PoissonModel) fitPlain(st *Statistics) (*Fitted, error) {
	c1, c2 := m.rangeOf(st.shape)
	sum := float64(st.whole[0]) + float64(st.rows)*st.shape.lattice.Low[0]
	law, err := truncated.NewGamma(1+sum, math.Max(float64(st.rows), 1e-9), c1, c2)
	if err != nil {
		return nil, err
	}
	s, d := law.Sampler(), &Draws{Names: st.shape.Parameters()}
	for i := range fitDraws {
		d.Values = append(d.Values, []float64{s.Quantile((float64(i) + .5) / fitDraws)})
	}
	return Fit(st.shape, Estimate{Draws: d})
}

func (m PoissonModel) scores(f *Fitted, x *frame.Frame) ([]Score, error) { return heldScores(m, f, x) }

func (m PoissonModel) measure(f, _ *Fitted, x *frame.Frame) ([]float64, error) {
	return heldMeasure(m, f, x)
}

func (m PoissonModel) guess(np *Fitted, x *frame.Frame) (float64, error) {
	return guessMiddle(m, np, x)
}

func (m PoissonModel) distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) {
	return distanceOver(m.ranges(sh), plain, released), math.NaN()
}

// simulate draws λ uniform on its range, and counts as the number of exponential waiting times in a unit of time.
func (m PoissonModel) simulate(ctx context.Context, sh *Shape, n int, _ float64, src rand.Source) (*Statistics, error) {
	c1, c2 := m.rangeOf(sh)
	lambda, rows := c1+sample.Float64(src)*(c2-c1), min(n, simulatedRows)
	sums := []int64{0}
	for range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x, t := 0.0, math.Exp(sample.LogGamma(src, 1))
		for ; t < lambda; t += math.Exp(sample.LogGamma(src, 1)) {
			x++
		}
		sh.lattice.Add(sums, []int64{sh.lattice.At(0, x)}, 0)
	}
	if rows > 0 {
		sums[0] = int64(math.Round(float64(sums[0]) * float64(n) / float64(rows)))
	}
	return FromWhole(sh, n, sums)
}
