package dirichlet

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Steps: of a released number, alone and with the posterior mean of what was counted, which is a sum over counts; of one record of an urn.
const (
	drawnSteps  = 150
	meanSteps   = 8000
	recordSteps = 15
)

// Cost estimates calibration by the tables that a profile is composed of, and a draw by the cells.
func (m Mechanism) Cost(sh *model.Shape, _ dp.Target) mechanism.Cost {
	tables, cells, each := float64(len(sh.Tables())), float64(sh.Cells()), float64(drawnSteps)
	if m.form == gammaForm {
		each = meanSteps
	}
	return mechanism.Cost{Plan: 1e7 + 1.5e5*tables + 100*cells, Draw: (each + drawnSteps) * cells, Bytes: 64 * cells}
}

// Cost estimates a draw by its records, each of which searches the levels' weights.
func (m SyntheticRecords) Cost(sh *model.Shape, t dp.Target) mechanism.Cost {
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
