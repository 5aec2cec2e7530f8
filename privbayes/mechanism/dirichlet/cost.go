package dirichlet

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Steps: of a released number, alone and with the posterior mean of what was counted, which is a sum over counts; of
// one record of an urn.
const (
	drawnSteps  = 150
	meanSteps   = 3000
	recordSteps = 15
)

// Cost estimates calibration by the tables that a profile is composed of, with what their structure's check takes and,
// for few records of one distribution, an enumeration; and a draw by the cells.
func (m Dirichlet) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	tables, cells, each := float64(len(sh.Tables())), float64(sh.Cells()), float64(drawnSteps)
	if m.form == gammaForm {
		each = meanSteps
	}
	plan := 8e5 + mechanism.StructureSteps(sh) + 1e4*tables + 100*cells
	if t.Notion == dp.Pure || t.Notion == dp.Concentrated { // refused, or one short list in closed form
		plan = 2e5 + 100*cells
	}
	if n, _ := sh.N(); tables == 1 && cells == 2 && float64(n) <= enumeratedRecords && t.Notion == dp.Approximate {
		plan += 2e7
	}
	return mechanism.Cost{Plan: plan, Draw: (each + drawnSteps) * cells, Bytes: 64 * cells}
}

// enumeratedRecords is about the n up to which the loss of one count is enumerated.
const enumeratedRecords = 100

// Cost estimates a draw by its records, each of which searches the levels' weights.
func (m Synthesis) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	c := m.base.Cost(sh, t)
	records, cells := float64(m.count), float64(sh.Cells())
	levels := 0.0
	for _, column := range sh.Columns() {
		levels += recordSteps + float64(column.Levels())/8
	}
	c.Draw = records*levels + 2*drawnSteps*cells
	c.Bytes += 8 * records * float64(len(sh.Columns()))
	return c
}
