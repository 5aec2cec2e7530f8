// Package sensitivity computes how many counts of a model's tables one unit changes: [OfCounts] and [OfMeasured] by
// structure, [CellsCheck] by enumeration.
//
// Sensitivities here are public. They are functions of the model's structure and the adjacency, never of data.
package sensitivity

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
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

// enumerationPairs keeps the enumeration inside a plan around a millisecond per feature.
const enumerationPairs = 1 << 20

// CellsCheck is the check that one row changes at most the given number of counts of a shape's tables, by one each:
// enumerated over every pair of rows of the structure, or of the largest structure of the same form that a plan can
// afford. The statement then says on how much it was checked, and value and bound are those of the smaller structure.
func CellsCheck(ctx context.Context, sh *model.Shape, adj dp.Adjacency, cells int) (cert.Check, error) {
	return cellsCheck(ctx, sh, adj, cells, structure.reducedTo)
}

// The proofs that the distance of two releases is the number of counts that change.
var replacing, adding = cert.Cite("Counts.replace_one_measured"), cert.Cite("Counts.add_one")

func cellsCheck(ctx context.Context, sh *model.Shape, adj dp.Adjacency, cells int,
	reduce func(structure, float64) structure) (cert.Check, error) {
	full := structureOf(sh, adj)
	small := reduce(full, enumerationPairs)
	scope, bound := "every pair of rows of this structure", float64(cells)
	statement, formula := "one row changes at most this many counts, each by one",
		fmt.Sprintf("%d counts per row", cells)
	if small.records() < full.records() {
		scope = fmt.Sprintf("every pair of rows with %d features of %v levels and %d classes; the full structure by "+
			"the closed form", len(small.Features), small.Features, small.Target)
		bound = math.Min(bound, float64(small.changed()))
		if len(small.Features) < len(full.Features) {
			statement += fmt.Sprintf(", checked on %d of %d features", len(small.Features), len(full.Features))
			formula = fmt.Sprintf("%.0f counts per row of those features, %d of all by the closed form", bound, cells)
		} else {
			statement += ", checked on fewer levels"
		}
	}
	citation := replacing
	if adj == dp.AddRemove {
		citation = adding
	}
	return enumeration.Check(cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit)), cert.Check{
		Statement: statement,
		Formula:   formula,
		Source:    "theory/dirichlet.md §4; sensitivity.OfCounts",
		Bound:     cert.Number(bound), Scope: scope,
		Citation: citation,
	}, small)
}
