// Package sensitivity computes how many counts of a model's tables one unit changes: [OfCounts] and [OfMeasured] by
// structure, [CellsCheck] by enumeration.
//
// Sensitivities here are public. They are functions of the model's structure and the adjacency, never of data.
package sensitivity

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// CountTables is the sensitivity of releasing every measured count of a model's tables.
type CountTables struct {
	Cells int // counts that one row changes, by one each
	Rows  int // rows of one unit; all may change the same counts
}

// L1 is the ℓ₁ sensitivity, Cells·Rows.
func (c CountTables) L1() int { return c.Cells * c.Rows }

// L2Squared is the squared ℓ₂ sensitivity, Cells·Rows².
func (c CountTables) L2Squared() int { return c.Cells * c.Rows * c.Rows }

// AdjacencyError says that a shape cannot be released under an adjacency.
type AdjacencyError struct {
	Adjacency dp.Adjacency
	Model     string
	Step      string // the step that made n private, if that is the reason
	Want      string
}

func (e *AdjacencyError) Error() string {
	s := fmt.Sprintf("sensitivity: %s under %s adjacency", e.Model, e.Adjacency)
	if e.Step != "" {
		s += fmt.Sprintf(": n is private since %s", e.Step)
	}
	return s + "; want " + e.Want
}

// Is makes errors.Is(err, frame.ErrPrivateN) true where a private n is the reason.
func (e *AdjacencyError) Is(target error) bool { return target == frame.ErrPrivateN && e.Step != "" }

// Measured lists how many leading cells of each table are measured. It is all of them, except that of a table over one
// column with two levels and public n one count says everything: the other is n minus it, and the sensitivity of the
// table halves.
func Measured(sh *model.Shape, adj dp.Adjacency) []int {
	tables := sh.Tables()
	out := make([]int, len(tables))
	_, public := sh.N()
	for i, t := range tables {
		out[i] = t.Cells()
		if len(t.Columns) == 1 && out[i] == 2 && public && adj.PublicN() {
			out[i] = 1
		}
	}
	return out
}

// OfCounts is the sensitivity of the measured counts, by structure:
//
//	replace-one    a replaced row leaves one cell and enters another of every table: 2 per table (1 for a single count)
//	add-remove     one cell of every table: 1 per table
//	replace-value  one value that is not the target's: 2 per table with that column, 0 elsewhere
//
// The class table of naive Bayes is not measured: it is a margin of the others. Errors: *AdjacencyError.
func OfCounts(sh *model.Shape, adj dp.Adjacency) (CountTables, error) {
	return OfMeasured(sh, adj, Measured(sh, adj))
}

// OfMeasured is OfCounts when the given numbers of leading cells of each table are measured: 1 cell of two, or all.
func OfMeasured(sh *model.Shape, adj dp.Adjacency, measured []int) (CountTables, error) {
	_, rows := sh.Unit()
	_, public := sh.N()
	if adj.PublicN() && !public {
		return CountTables{}, &AdjacencyError{adj, sh.Model().String(), sh.PrivateNStep(), "add-remove adjacency, " +
			"under which n is private"}
	}
	c := CountTables{Rows: rows}
	for _, m := range measured {
		switch adj {
		case dp.ReplaceOne:
			c.Cells += min(m, 2)
		case dp.AddRemove:
			c.Cells++
		case dp.ReplaceValue:
		default:
			return CountTables{}, &AdjacencyError{adj, sh.Model().String(), "", "replace-one, add-remove or replace-value"}
		}
	}
	if adj == dp.ReplaceValue {
		c.Cells = mostChanged(sh, measured)
	}
	return c, nil
}

// mostChanged is the greatest number of measured cells that one replaced value changes, over the columns other than the
// target, or over the target where it is the only one.
func mostChanged(sh *model.Shape, measured []int) int {
	cols := sh.Columns()
	if len(cols) > 1 {
		cols = cols[1:]
	}
	changed := map[string]int{}
	for i, t := range sh.Tables() {
		for _, name := range t.Columns {
			changed[name] += min(measured[i], 2)
		}
	}
	most := 0
	for _, c := range cols {
		most = max(most, changed[c.Name])
	}
	return most
}
