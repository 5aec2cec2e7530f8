//go:build !browser && !verifier

package privbayes

import (
	"context"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// LoadTables reads the two linked tables of a schema, such as households and their persons: CSV or CSV.gz files, in the
// order of the schema's "tables". The frame has one row for every parent, with columns that the schema makes of its
// children, so that the unit of privacy is a parent with all its children. See frame.LoadTables for the rules and the
// errors. Columns in memory are read by WrapFrame(frame.TablesFromColumns(…)), other files and databases by
// WrapFrame(source.Tables(…)).
func LoadTables(s *Schema, files ...string) *Frame {
	if s == nil {
		return &Frame{err: step("LoadTables", ErrNoSchema)}
	}
	f, err := frame.LoadTables(context.Background(), files, s)
	again := func() (*frame.Violations, error) { return frame.CheckTables(context.Background(), files, s) }
	return &Frame{f: f, again: again, err: step("LoadTables", err)}
}

// SynthesizeTables draws n units from a release of two linked tables whose children have places, and gives both tables:
// n parents with keys from 1 on, and the children of each. It reads no data and costs no budget. Each child has a
// parent, and each parent as many children as were drawn for it. Read again under the schema of the release, the tables
// are the rows that r.Synthesize draws, with children in the schema's order; of more children than places others may
// have places. The children beyond the places are drawn as frame.SplitTables says, from the rows alone.
//
// Errors: those of release.Release.Synthesize and frame.SplitTables, such as for a model without some of the columns.
func SynthesizeTables(r *Release, n int, src rand.Source) (parents, children *frame.Frame, err error) {
	f, err := r.Synthesize(n, src)
	if err != nil {
		return nil, nil, step("SynthesizeTables", err)
	}
	parents, children, err = frame.SplitTables(f, r.Plan().Shape().Schema())
	return parents, children, step("SynthesizeTables", err)
}
