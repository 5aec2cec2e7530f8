package counts

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Steps of one cell: of a clamped count, of a posterior mean, which sums over what the count may have been, and of a consistent table.
const (
	clampSteps      = 130
	consistentSteps = 500
	meanSteps       = 2500
	wideMeanSteps   = 8000 // Gaussian noise: the terms of its law have no recurrence
	cellBytes       = 64   // of a count, its noise, its estimate and the model's tables
)

// size is what costs follow.
type size struct{ tables, cells, widest, parameters, rows float64 }

func sizeOf(sh *model.Shape) (s size) {
	for _, t := range sh.Tables() {
		s.tables++
		s.cells += float64(t.Cells())
		s.widest = math.Max(s.widest, float64(t.Cells()))
	}
	for _, c := range sh.Conditionals() {
		s.parameters += float64(c.Rows) * float64(c.Levels)
		s.rows += float64(c.Rows)
	}
	return s
}

// fitted is what the model takes that is made of an estimate: by its numbers and its rows.
func fitted(s size) float64 { return clampSteps*s.parameters + 1000*s.rows }

// Cost estimates calibration and checks by the number of composed tables, and a draw by the cells.
func (m Noise) Cost(sh *model.Shape, t dp.Target) mechanism.Cost {
	s, each := sizeOf(sh), clampSteps
	c := mechanism.Cost{Plan: 1.4e7 + 2e5*s.tables + 20*s.cells, Bytes: cellBytes * (s.cells + s.parameters)}
	composed := t.Notion == dp.Approximate // a profile is composed table by table
	gaussian, laplace := m.family.kind() == gaussianNoise{}.kind(), m.family.kind() == laplaceNoise{}.kind()
	switch {
	case s.cells <= 2:
		c.Plan = 1e6
		if laplace && composed {
			c.Plan = 6e6
		}
	case laplace && !composed:
		c.Plan = 1e6 + 1e5*s.tables + 20*s.cells
	case gaussian && composed:
		c.Plan = 1e6 + 1e6*s.tables + 20*s.cells
	case laplace:
		c.Plan = 5e6 + 1.2e7*s.tables
	}
	switch {
	case m.post == PosteriorMean && gaussian:
		each = wideMeanSteps
	case m.post == PosteriorMean:
		each = meanSteps
	case m.post == Consistent:
		each = consistentSteps
		c.Plan += 1e5 * s.tables
	}
	c.Draw = float64(each)*s.cells + fitted(s)
	return c
}

// Cost estimates a draw by the cells; sum-zero noise and its projections take more for a cell of a larger table.
func (m SumZeroNoise) Cost(sh *model.Shape, t dp.Target) mechanism.Cost {
	s := sizeOf(sh)
	each := math.Min(600*math.Sqrt(s.widest)+clampSteps, 8000)
	if m.post == PosteriorMean {
		each = math.Min(600*math.Sqrt(s.widest)+meanSteps, 25_000)
	}
	return mechanism.Cost{Plan: 3e6 + 1e4*s.tables + 50*s.cells, Draw: each*s.cells + fitted(s), Bytes: cellBytes * (s.cells + s.parameters)}
}

// Cost estimates the weighing of every table's noise against the others'.
func (m SizedNoise) Cost(sh *model.Shape, t dp.Target) mechanism.Cost {
	s := sizeOf(sh)
	each := clampSteps
	if m.post == Consistent {
		each = consistentSteps
	}
	between := 60*s.tables*s.tables + 5000*s.tables
	return mechanism.Cost{Plan: 1e6 + 4*between + 50*s.cells, Draw: between + float64(each)*s.cells + fitted(s), Bytes: cellBytes * (s.cells + s.parameters)}
}

// Cost estimates the transform, which is a matrix of cells × cells for tables of columns with more than two levels.
func (m FourierNoise) Cost(sh *model.Shape, t dp.Target) mechanism.Cost {
	s, squares, plan := sizeOf(sh), 0.0, 1e6
	for _, t := range sh.Tables() {
		if slices.Max(t.Levels) > 2 {
			plan = 2e7
			squares += float64(t.Cells()) * float64(t.Cells())
		}
	}
	return mechanism.Cost{
		Plan: plan + 6*squares + 2e4*s.tables + 1000*s.cells, Draw: 3000*s.cells + fitted(s), Bytes: 8*squares + 4*cellBytes*(s.cells+s.parameters),
	}
}
