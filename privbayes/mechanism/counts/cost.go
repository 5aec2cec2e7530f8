package counts

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Steps of one cell: of a clamped count, of a posterior mean, which sums over what the count may have been, and of a
// consistent table; of one row of a fitted model.
const (
	clampSteps      = 60
	consistentSteps = 100
	meanSteps       = 1200
	wideMeanSteps   = 3000 // noise whose terms have no recurrence
	rowSteps        = 400
	cellBytes       = 64 // of a count, its noise, its estimate and the model's tables
)

// Steps of a plan.
const (
	leastPlan   = 5e4   // a certificate in closed form
	enumerated  = 7.5e6 // the enumeration that a certificate executes on a smaller table
	dominating  = 3.5e6 // of a table: its profile composed of Laplace noises, for (ε, δ)
	orders      = 2.1e7 // a divergence of Laplace noise at every order
	smallParity = 1.2e7 // an enumeration of a small table's parities at every order
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

func (s size) bytes() float64 { return cellBytes * (s.cells + s.parameters) }

// drawn is a draw of so many steps a cell, with the model that is made of the estimate: by its numbers and its rows.
func (s size) drawn(each float64) float64 {
	return each*s.cells + clampSteps*s.parameters + rowSteps*s.rows
}

// stepsOf are those of a plan beyond the least.
func (f *family) stepsOf(s size, want dp.Notion) float64 {
	if f.steps == nil {
		return enumerated
	}
	return f.steps(s, want)
}

// Cost estimates calibration and checks by the number of composed tables, and a draw by the cells.
func (m Noise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s := sizeOf(sh)
	c := mechanism.Cost{Plan: leastPlan + mechanism.StructureSteps(sh) + 20*s.cells, Draw: s.drawn(clampSteps),
		Bytes: s.bytes()}
	c.Plan += m.family.stepsOf(s, t.Notion)
	switch {
	case m.post == PosteriorMean && m.family.wide:
		c.Draw = s.drawn(wideMeanSteps)
	case m.post == PosteriorMean:
		c.Draw = s.drawn(meanSteps)
	case m.post == Consistent:
		c.Draw = s.drawn(consistentSteps)
		c.Plan += 1e4 * s.tables
	}
	return c
}

// Cost estimates a draw by the cells; sum-zero noise and its projections take more for a cell of a larger table.
func (m KNormNoise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s := sizeOf(sh)
	each := math.Min(75*math.Sqrt(s.widest), 8000) + clampSteps
	if m.post.usual(sh) == PosteriorMean {
		each += meanSteps
	}
	return mechanism.Cost{Plan: 4e5 + 2e3*s.tables + 20*s.cells, Draw: s.drawn(each), Bytes: s.bytes()}
}

// Cost estimates the weighing of every table's noise against the others'.
func (m BySizeNoise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s := sizeOf(sh)
	each := float64(clampSteps)
	if m.post == Consistent {
		each = consistentSteps
	}
	between := 5*s.tables*s.tables + 500*s.tables
	return mechanism.Cost{Plan: leastPlan + between + 20*s.cells, Draw: between + s.drawn(each), Bytes: s.bytes()}
}

// Cost estimates the transform, which is a matrix of cells × cells for tables of columns with more than two levels.
func (m FourierNoise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s, squares := sizeOf(sh), 0.0
	for _, t := range sh.Tables() {
		if slices.Max(t.Levels) > 2 {
			squares += float64(t.Cells()) * float64(t.Cells())
		}
	}
	c := mechanism.Cost{Plan: leastPlan + 150*squares + 2e4*s.tables + 1000*s.cells, Draw: s.drawn(300),
		Bytes: 8*squares + 4*s.bytes()}
	switch {
	case s.cells <= 2:
	case squares == 0:
		c.Plan += 1e6 + 2*mechanism.StructureSteps(sh)/5
	case t.Notion != dp.Pure && s.tables == 1 && s.cells <= 8:
		c.Plan += smallParity
	default:
		c.Plan += 3e5
	}
	return c
}
